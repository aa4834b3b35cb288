internal import ChatAPI
internal import Foundation

/// A conversation that is written as one function: each question waits for its answer, also over restarts.
///
/// ```swift
/// Conversation("order", on: .command("order", "Order a pizza")) { talk in
///     let size = try await talk.ask("Which size, in centimetres?", .integer(in: 20...60))
///     let base = try await talk.choose("Which base?", of: Base.self)
///     try await talk.perform("order") { step in try await shop.order(size, base, idempotencyKey: step.idempotencyKey) }
///     try await talk.say("A \(base.rawValue) pizza of \(size) cm: thank you.")
/// }
/// ```
///
/// While a question waits, nothing of the function is in memory. With each answer the function runs from its beginning: steps that are done return what
/// was recorded, and have no effects again. Everything that the function does it therefore does through its ``ConversationContext``, and the questions
/// and the order of steps depend on nothing but the answers.
///
/// A person has one conversation or dialogue with a bot at a time in each chat: to begin another ends it.
public struct Conversation: Sendable {
    /// The steps that a conversation has at the most.
    public static let maximumSteps = 100
    /// The longest time that a conversation takes, whatever its timeout: idempotency keys are remembered for 30 days.
    public static let longestDuration = Duration.seconds(28 * 86_400)

    /// The bytes of a name at the most: it is a part of idempotency keys.
    public static let longestName = 64

    let handlers: [On]

    /// Declares a conversation.
    ///
    /// Put it below handlers that may interrupt it, and above those that would take the answers. A command that begins the
    /// conversation begins it anew when it is given during the conversation; other triggers do not interrupt it.
    ///
    /// - Parameters:
    ///   - name: the name in the database, unique in the bot. Keep it when the function changes.
    ///   - trigger: begins the conversation with the person that the event is about.
    ///   - kinds: the kinds of chat in which the conversation begins; nil as for other handlers.
    ///   - timeout: the time after which the conversation ends if the person does not answer: a day, unless another is given.
    ///   - cancel: the command by which the person ends it, with or without the slash; nil for none.
    ///   - texts: the sentences that the conversation says on its own.
    ///   - body: the function.
    public init<Context: ChatContext>(
        _ name: String, on trigger: Trigger<Context>, in kinds: ChatKinds? = nil, timeout: Duration = .seconds(86_400), cancelledBy cancel: String? = "cancel",
        texts: ConversationTexts = ConversationTexts(), file: String = #fileID, line: Int = #line,
        _ body: @escaping @Sendable (ConversationContext) async throws -> Void
    ) {
        let plan = ConversationPlan(
            name: name, timeout: min(timeout, Self.longestDuration), cancel: cancel.flatMap { SlashCommand($0.hasPrefix("/") ? $0 : "/" + $0)?.name },
            texts: texts,
            body: body)
        var trigger = trigger
        if name.isEmpty || name.utf8.count > Self.longestName {
            trigger.fault = HandlerFault(message: "the name of a conversation has 1 to \(Self.longestName) bytes", file: file, line: line, column: 1)
        }
        var begin = On(trigger, in: kinds, file: file, line: line) { context in try await plan.begin(context) }
        begin.conversation = name
        let goOn = On(Trigger<OpenConversation>(.message, in: .all) { plan.open(for: $0) }, file: file, line: line) { try await plan.goOn($0) }
        let end = On(Trigger<ExpiredConversation>(.timer, in: .all) { plan.expired($0) }, file: file, line: line) { expired in
            if let text = texts.timedOut { try await expired.chat.send(text) }
        }
        handlers = trigger.command == nil ? [goOn, begin, end] : [begin, goOn, end]
    }
}

/// The sentences that a conversation says on its own. Nil says nothing.
public struct ConversationTexts: Sendable, Hashable {
    /// The person has cancelled it.
    public var cancelled: String? = "Cancelled."
    /// The person has not answered in time.
    public var timedOut: String?
    /// The function has thrown an error.
    public var failed: String? = "Something went wrong. Please begin again."
    /// The program was changed, and the recorded answers do not fit the function any more.
    public var changed: String? = "I have been changed meanwhile. Please begin again."

    /// The texts of a conversation that says nothing when its time is over.
    public init() {}
}

extension ChatContext {
    /// Ends a conversation, if it is open with the person that the event is about.
    ///
    /// - Parameter name: the name of the ``Conversation``.
    public func endConversation(_ name: String) async throws {
        let recordName = ConversationRecord.name(name)
        guard chat.effects.dialogue(of: person.description)?.name == recordName else { return }
        try await chat.effects.setDialogue(nil, named: recordName, of: person.description, in: chat.info.reference)
    }
}

/// A message in a conversation that waits for it.
struct OpenConversation: Sendable {
    let message: MessageContext
    let record: ConversationRecord
}

/// A conversation whose time is over.
struct ExpiredConversation: Sendable {
    let chat: BotChat
}

/// The parts of a conversation that its handlers share.
struct ConversationPlan: Sendable {
    let name: String
    let timeout: Duration
    let cancel: String?
    let texts: ConversationTexts
    let body: @Sendable (ConversationContext) async throws -> Void

    private var recordName: String { ConversationRecord.name(name) }

    func begin(_ context: some ChatContext) async throws {
        let message = (context as? any MessageCarrying)?.carriedMessage, effects = context.chat.effects
        let record = ConversationRecord(
            id: effects.event ?? "own/\(UUID().uuidString)", chat: context.chat.scopeText, post: context.chat.post?.rawValue, text: message?.text ?? "",
            began: effects.now.timeIntervalSince1970)
        try await ConversationRun(self, record, chat: context.chat, person: context.person, message: message, answer: nil).run()
    }

    /// The conversation that waits for a message; nil if none does.
    ///
    /// A record that cannot be read, because another version of Parley has stored it, does not match.
    func open(for incoming: Incoming) -> OpenConversation? {
        guard let message = incoming.openMessage, let dialogue = message.chat.effects.dialogue(of: message.person.description), dialogue.name == recordName,
            let record = try? JSONDecoder().decode(ConversationRecord.self, from: dialogue.state), record.isIn(message.chat)
        else { return nil }
        return OpenConversation(message: message, record: record)
    }

    func goOn(_ open: OpenConversation) async throws {
        let message = open.message
        let run = ConversationRun(self, open.record, chat: message.chat, person: message.person, message: message, answer: message)
        if let cancel, message.command?.name == cancel { return try await run.cancel() }
        try await run.run()
    }

    func expired(_ incoming: Incoming) -> ExpiredConversation? {
        guard let timer = incoming.timer, timer.record.kind == .dialogue, timer.record.name == recordName, let chat = timer.chat, let json = timer.record.value,
            let record = try? JSONDecoder().decode(ConversationRecord.self, from: json)
        else { return nil }
        return ExpiredConversation(
            chat: BotChat(bot: chat.bot, info: chat.info, effects: chat.effects, post: record.post.map { ChatItemID($0) }))
    }
}

/// A context that is about a message.
protocol MessageCarrying {
    var carriedMessage: MessageContext { get }
}

extension MessageContext: MessageCarrying {
    var carriedMessage: MessageContext { self }
}

extension CommandContext: MessageCarrying {
    var carriedMessage: MessageContext { message }
}

extension HandlerBuilder {
    /// Takes a conversation.
    public static func buildExpression(_ conversation: Conversation) -> Component { Component(parts: [.handlers(conversation.handlers)]) }
}
