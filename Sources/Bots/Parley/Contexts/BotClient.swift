public import ChatAPI
internal import ChatModel
public import ChatProtocol
public import Foundation
public import Logging

/// A bot at work, and everything that it can do: in handlers, in timers and in other tasks of the program.
///
/// Handlers get it from their context. ``Trigger/started`` gives it to the rest of the program:
///
/// ```swift
/// On(.started) { start in
///     for await price in prices { try await start.client.send("\(price)", to: chat, onceAs: "price/\(price.id)") }
/// }
/// ```
public struct BotClient: Sendable {
    /// The bot.
    public let bot: BotIdentity
    let effects: Effects

    /// All chats of the bot.
    public var chats: BotChats { effects.chats }
    /// All groups of the bot.
    public var groups: BotGroups { BotGroups(bot: bot, effects: effects) }

    /// The fixed texts of the framework, as the bot has them.
    package var texts: BotTexts { effects.services?.texts ?? BotTexts() }

    /// The time as the bot sees it: in a test, that of the test.
    public var now: Date { effects.now }

    /// The logger of the bot. In a handler its records carry the id of the event, as Parley's own records about the event do.
    ///
    /// Never log texts of people: others read logs.
    public var logger: Logger { effects.observation.logger }

    /// Counts an action that failed although its handler continues, in `/metrics` and in the state of the process. The caller logs it.
    ///
    /// - Parameters:
    ///   - code: the stable code of the error.
    ///   - place: what failed, such as the label of a rule; no text of people.
    package func noteFailure(_ code: String, at place: String) { effects.observation.actionFailed(code, at: place) }

    /// A chat of the bot; nil if there is none.
    public func chat(_ reference: ChatReference) async -> BotChat? { await chat(reference, effects) }

    /// The chat with a contact or group of a name, as ``ChatSummary/name`` has it. A name in ``Bot/trustedContacts`` is that contact's only.
    ///
    /// People choose their names: the first person who connects as "Staff" has that name. Use this for texts that everybody may read, and ``destination(_:)``,
    /// ``chat(withTrusted:)`` or ``BotGroups/managed(_:)`` for everything else.
    public func chat(named name: String) async -> BotChat? {
        if bot.trustedContacts.contains(name) { return await chat(withTrusted: name) }
        return await chats.summary(named: name).map { BotChat(bot: bot, info: $0.info, effects: effects) }
    }

    private func chat(_ reference: ChatReference, _ effects: Effects) async -> BotChat? {
        await chats.summary(of: reference).map { BotChat(bot: bot, info: $0.info, effects: effects) }
    }

    /// Sends a text into any chat of the bot.
    ///
    /// - Parameter key: makes the message be sent once, however often the call is made with the same key within 30 days, also by different runs of
    ///   the program. Nil within a handler of a message, in which each call is made once without a key.
    @discardableResult
    public func send(_ text: String, to reference: ChatReference, onceAs key: String? = nil) async throws -> SentMessage {
        try await send(.text(text), to: reference, onceAs: key)
    }

    /// Sends a message into any chat of the bot.
    @discardableResult
    public func send(_ content: MessageContent, to reference: ChatReference, onceAs key: String? = nil) async throws -> SentMessage {
        let effects = key.map(effects.keyed) ?? effects
        guard let chat = await chat(reference, effects) else {
            throw ChatCoreError(.unsupported, "the bot has no chat \(reference)")
        }
        return try await chat.send(content)
    }

    /// Runs a command of the core for the bot's profile: for what no other call covers. ``BotChat`` and ``BotGroup`` have calls for most of them.
    ///
    /// - Parameter key: makes the command run once, however often the call is made with the same key within 30 days, also by different runs of the program;
    ///   commands about messages and members can be run so. Nil: it runs again when a handler runs again.
    /// - Throws: `ChatCoreError`.
    @discardableResult
    public func execute(_ command: ChatCommand, onceAs key: String? = nil) async throws -> ChatResponse {
        guard let key else { return try await effects.perform(command) }
        return try await effects.keyed(key).once(command)
    }

    /// Another bot of the same process, by its id, or nil. Messages that a handler sends through it are sent once, however often the handler runs for its
    /// event.
    public func other(_ id: String) -> BotClient? { effects.services?.directory.client(id, event: effects.nextKey()) }

    /// Waits, by the time as the bot sees it.
    package func sleep(_ duration: Duration) async throws {
        guard let services = effects.services else { return try await Task.sleep(for: duration) }
        try await services.time.sleep(duration)
    }

    /// True in a dry run: the bot's effects in its chats are reported and not performed. Handlers suppress their other effects themselves.
    public var isDryRun: Bool { effects.services?.dryRun != nil }

    /// Reports an effect outside of the network in a dry run.
    ///
    /// - Returns: false if it is no dry run, and the effect is to happen.
    package func suppress(_ kind: String, in chat: ChatReference?) -> Bool {
        guard let dryRun = effects.services?.dryRun else { return false }
        dryRun.suppress(kind, chat, "")
        return true
    }

    /// A key for one more effect of the handler, for what happens outside of the network: the same when the handler runs again for the same event. Nil for
    /// events that are reported once, and outside of handlers.
    ///
    /// It is unique within the bot.
    public func nextEffectKey() -> String? { effects.nextKey() }

    // MARK: Stored state

    /// A stored value.
    ///
    /// - Parameter scope: ``StateScope/bot``, a chat or a person that is named.
    public func state<State: StoredState>(_ type: State.Type = State.self, of scope: StateScope = .bot) async throws -> State {
        try await effects.state(type, of: Self.text(scope))
    }

    /// Changes a stored value.
    ///
    /// - Parameters:
    ///   - scope: ``StateScope/bot``, a chat or a person that is named.
    ///   - change: changes the value. It can run twice, when another task changes the same value at the same time: it must have no other effects.
    /// - Returns: what the closure returns.
    @discardableResult
    public func update<State: StoredState, Result: Sendable>(
        _ type: State.Type, of scope: StateScope = .bot, _ change: @escaping @Sendable (inout State) throws -> Result
    ) async throws -> Result {
        try await effects.update(type, of: Self.text(scope), change)
    }

    /// Changes a stored value, also if the handler fails when it lasts: for what says what the handler has done outside of the store.
    @discardableResult
    package func update<State: StoredState, Result: Sendable>(
        _ type: State.Type, of scope: StateScope, lasting lasts: Bool, _ change: @escaping @Sendable (inout State) throws -> Result
    ) async throws -> Result {
        try await effects.update(type, of: Self.text(scope), lasting: lasts, change)
    }

    /// Calls a closure once the changes of the handler are stored, or are not going to be; at once outside of handlers.
    package func atEndOfHandler(_ body: @escaping @Sendable () -> Void) {
        if let changes = effects.changes { changes.atEnd(body) } else { body() }
    }

    /// Deletes everything that the bot has stored about a person: values, dialogues and timers. Messages stay.
    public func deleteData(of person: PersonID) async throws { try await effects.forget(person.description) }

    private static func text(_ scope: StateScope) throws -> String {
        switch scope.target {
        case .bot: return ""
        case .named(let name): return name
        case .chat, .person:
            throw BotStateError(.notRunning, "outside of a chat's handler name the chat or the person: .chat(reference), .person(id)")
        }
    }

    // MARK: Timers

    /// Schedules a handler of ``Trigger/scheduled(_:_:)`` for a time. The timer survives restarts; one that is due while the bot does not run is
    /// handled at the next start.
    ///
    /// - Parameters:
    ///   - name: the name that the trigger has.
    ///   - key: tells timers of one name apart: a timer with the same name and key is replaced. A new one if it is not given.
    ///   - date: when the timer is due.
    ///   - value: what the handler is given.
    ///   - chat: the chat that the handler writes into; nil for none.
    ///   - limit: the time after `date` from which on it does not run any more; nil: it runs however late.
    public func schedule<Value: Encodable & Sendable>(
        _ name: String, key: String? = nil, at date: Date, _ value: Value, in chat: ChatReference? = nil, expiringAfter limit: Duration? = nil
    ) async throws {
        try await effects.schedule(name, key: key, at: date, json: try StateCoding.json(value, name: name), in: chat, expiringAfter: limit)
    }

    /// Schedules a handler of ``Trigger/scheduled(_:_:)`` for a time from now.
    public func schedule<Value: Encodable & Sendable>(
        _ name: String, key: String? = nil, after delay: Duration, _ value: Value, in chat: ChatReference? = nil, expiringAfter limit: Duration? = nil
    ) async throws {
        try await schedule(name, key: key, at: effects.now.addingTimeInterval(delay.seconds), value, in: chat, expiringAfter: limit)
    }

    /// Schedules a handler of ``Trigger/scheduled(_:)`` without a value.
    public func schedule(
        _ name: String, key: String? = nil, at date: Date, in chat: ChatReference? = nil, expiringAfter limit: Duration? = nil
    ) async throws {
        try await effects.schedule(name, key: key, at: date, json: nil, in: chat, expiringAfter: limit)
    }

    /// Schedules a handler of ``Trigger/scheduled(_:)`` without a value for a time from now.
    public func schedule(
        _ name: String, key: String? = nil, after delay: Duration, in chat: ChatReference? = nil, expiringAfter limit: Duration? = nil
    ) async throws {
        try await schedule(name, key: key, at: effects.now.addingTimeInterval(delay.seconds), in: chat, expiringAfter: limit)
    }

    /// Cancels a timer. One that is running continues.
    public func cancelScheduled(_ name: String, key: String) async throws { try await effects.change(.cancel(kind: .once, name: name, key: key)) }
}

/// A bot that has started.
public struct StartContext: Sendable {
    /// The bot, with everything that it can do.
    public let client: BotClient

    /// The bot.
    public var bot: BotIdentity { client.bot }
    /// All chats of the bot.
    public var chats: BotChats { client.chats }
    /// All groups of the bot.
    public var groups: BotGroups { client.groups }
}

extension Trigger where Context == StartContext {
    /// The bot has started: once per run of the program. The handler may continue for as long as the bot runs; then its task is cancelled.
    public static var started: Self { Self(.started, in: .all) { $0.start } }
}

extension ChatContext {
    /// The bot, with everything that it can do.
    public var client: BotClient { BotClient(bot: chat.bot, effects: chat.effects) }

    /// A value that is stored for the bot, the chat or the person.
    public func state<State: StoredState>(_ type: State.Type = State.self, of scope: StateScope = .chat) async throws -> State {
        try await chat.effects.state(type, of: text(scope))
    }

    /// Changes a value that is stored for the bot, the chat or the person.
    ///
    /// The change is stored when the handler has ended, together with its progress.
    ///
    /// - Parameter change: changes the value. It can run twice, when a handler of another chat changes the same value at the same time: it must have
    ///   no other effects.
    /// - Returns: what the closure returns.
    @discardableResult
    public func update<State: StoredState, Result: Sendable>(
        _ type: State.Type, of scope: StateScope = .chat, _ change: @escaping @Sendable (inout State) throws -> Result
    ) async throws -> Result {
        try await chat.effects.update(type, of: text(scope), change)
    }

    /// Deletes everything that the bot has stored about the person that the event is about: values, dialogues and timers. Messages stay.
    public func deleteData() async throws { try await chat.effects.forget(person.description) }

    private func text(_ scope: StateScope) -> String {
        switch scope.target {
        case .bot: ""
        case .chat: chat.scopeText
        case .person: person.description
        case .named(let name): name
        }
    }

    /// Schedules a handler of ``Trigger/scheduled(_:_:)`` that writes into this chat.
    ///
    /// - Parameter key: tells timers of one name apart: a timer with the same name and key is replaced. A new one if it is not given.
    public func schedule<Value: Encodable & Sendable>(
        _ name: String, key: String? = nil, after delay: Duration, _ value: Value, expiringAfter limit: Duration? = nil
    ) async throws {
        try await client.schedule(name, key: key, after: delay, value, in: chat.info.reference, expiringAfter: limit)
    }

    /// Schedules a handler of ``Trigger/scheduled(_:)`` that writes into this chat.
    public func schedule(_ name: String, key: String? = nil, after delay: Duration, expiringAfter limit: Duration? = nil) async throws {
        try await client.schedule(name, key: key, after: delay, in: chat.info.reference, expiringAfter: limit)
    }
}

extension BotChat {
    /// The chat as the scope of stored values.
    var scopeText: String { info.reference.map { "\($0)" } ?? "" }
}
