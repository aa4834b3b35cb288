internal import UnicodeText

/// The events of a handler, and the context that it is given.
///
/// A trigger is a pure function of an event. Triggers are made by the static members of this type: ``Trigger/text``,
/// ``Trigger/command(_:_:parameters:file:line:column:)``, ``Trigger/connected`` and so on.
public struct Trigger<Context: Sendable>: Sendable {
    let event: EventKind
    /// The kinds of chat that a handler answers in that names none.
    var kinds: ChatKinds
    let match: @Sendable (Incoming) -> Context?
    var menu: [MenuCommand]
    /// The error in the trigger as it was written; reported before the bot starts.
    var fault: HandlerFault?
    /// The only command that matches; nil for a trigger of other messages too.
    var command: String?
    /// A pattern that is found in the text of every message that matches; nil if there is none.
    var pattern: String?
    /// The kinds of message of which every one matches.
    var takenKinds: Set<MessageKind> = []
    /// The kinds of message of which one can match.
    var possibleKinds = MessageKind.open
    /// True if not all messages match that the properties above promise.
    var isConditional = false
    /// The answer to an event that is meant for the trigger and cannot be read; nil for other events.
    var refusal: (@Sendable (Incoming) -> (@Sendable () async throws -> Void)?)?
    /// The times of a recurring handler.
    var recurrence: Recurrence?

    init(
        _ event: EventKind, in kinds: ChatKinds = .contacts, menu: [MenuCommand] = [], fault: HandlerFault? = nil,
        match: @escaping @Sendable (Incoming) -> Context?
    ) {
        self.event = event
        self.kinds = kinds
        self.match = match
        self.menu = menu
        self.fault = fault
    }

    /// The same trigger with another condition.
    func matching<Other>(_ match: @escaping @Sendable (Incoming) -> Other?) -> Trigger<Other> {
        var trigger = Trigger<Other>(event, in: kinds, menu: menu, fault: fault, match: match)
        trigger.command = command
        trigger.pattern = pattern
        trigger.takenKinds = takenKinds
        trigger.possibleKinds = possibleKinds
        trigger.isConditional = isConditional
        trigger.refusal = refusal
        trigger.recurrence = recurrence
        return trigger
    }

    /// The events of the trigger for which the handler is given something.
    func narrowed<Other>(_ context: @escaping @Sendable (Context) -> Other?) -> Trigger<Other> {
        var narrowed = matching { [match] incoming in match(incoming).flatMap(context) }
        narrowed.takenKinds = []
        narrowed.isConditional = true
        return narrowed
    }
}

extension Trigger where Context == MessageContext {
    /// Any message that a person sent, except reports to moderators, which have their own trigger.
    public static var anyMessage: Self {
        var trigger = Self(.message) { $0.openMessage }
        trigger.takenKinds = MessageKind.open
        return trigger
    }

    /// A message that is text, with or without a link preview.
    public static var text: Self { content(.text, .link) }

    /// A message of one of the given kinds.
    public static func content(_ kinds: MessageKind...) -> Self {
        var trigger = Self(.message) { incoming in incoming.message.flatMap { kinds.contains($0.kind) ? $0 : nil } }
        trigger.takenKinds = Set(kinds)
        trigger.possibleKinds = trigger.takenKinds
        return trigger
    }

    /// A message whose text is the given one, without regard to case and surrounding white space.
    public static func text(_ text: String) -> Self {
        let wanted = Self.normalized(text)
        var trigger = Self(.message) { incoming in incoming.openMessage.flatMap { Self.normalized($0.text) == wanted ? $0 : nil } }
        trigger.possibleKinds = MessageKind.written
        return trigger
    }

    /// A message in which the pattern is found; ``MessageContext/match`` has the match.
    ///
    /// - Parameter pattern: RE2 syntax, at most 512 bytes. A pattern that does not compile is reported before the bot starts,
    ///   with the place of this call.
    public static func matches(
        _ pattern: String, ignoringCase: Bool = false, file: String = #fileID, line: Int = #line, column: Int = #column
    ) -> Self {
        do throws(TextPatternError) {
            let compiled = try TextPattern(pattern, ignoringCase: ignoringCase)
            var trigger = Self(.message) { incoming in
                guard var message = incoming.openMessage, let match = compiled.firstMatch(in: message.text) else { return nil }
                message.match = match
                return message
            }
            trigger.pattern = ignoringCase ? "(?i:\(pattern))" : pattern
            return trigger
        } catch {
            let fault = HandlerFault(message: "bad pattern: \(error)", file: file, line: line, column: column)
            return Self(.message, fault: fault) { _ in nil }
        }
    }

    /// A message that begins with the command; what follows is in ``MessageContext/arguments``.
    ///
    /// - Parameters:
    ///   - word: the word behind the slash, with or without it, or several words; matched without regard to case. It can be a sign, as in `/+`.
    ///   - label: a description of the command. With a label, the command is in the menu that the apps show.
    ///   - parameters: the text that a person has to add, as in `<number>`. Without it, the apps send the command when it is chosen; with
    ///     it they put it into the text field.
    public static func command(
        _ word: String, _ label: String? = nil, parameters: String? = nil, file: String = #fileID, line: Int = #line,
        column: Int = #column
    ) -> Self {
        var keyword = word
        if keyword.hasPrefix("/") { keyword.removeFirst() }
        // A command word must be read back as it was written, and nobody writes white space around it.
        let name = keyword.lowercased(), isWord = SlashCommand(SlashCommand.written(keyword))?.name == name && SlashCommand("/x \(name)")?.arguments == name
        guard isWord, !keyword.contains("'") else {
            let fault = HandlerFault(
                message: "\"\(word)\" is not a command word: write one word, or several with a space between them, without quotes", file: file, line: line,
                column: column)
            return Self(.message, fault: fault) { _ in nil }
        }
        let menu = label.map { [MenuCommand(keyword: keyword, label: $0, parameters: parameters)] } ?? []
        let folded = name.folded, phrases = CommandPhrases([name])
        var trigger = Self(.message, menu: menu) { incoming in
            guard var message = incoming.openMessage, let command = message.command.map(phrases.reading), command.name == name || command.name.folded == folded
            else { return nil }
            message.phrase = command
            return message
        }
        trigger.command = name
        trigger.possibleKinds = MessageKind.written
        return trigger
    }

    private static func normalized(_ text: String) -> String {
        var text = text.folded[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}

extension Trigger where Context == MessageContext {
    /// A message that is still being typed, each time its text changes: for handlers that moderate what everybody can read already.
    ///
    /// Apps show such a live message to others while it is typed. All other triggers of messages get it once, when it is finished, or when nothing was
    /// added to it for a minute. Events of this trigger are reported once, and are not repeated after a crash.
    public static var live: Self { Self(.live) { $0.live } }
}

extension Trigger where Context == EditContext {
    /// A person changed a message, in a chat with a contact unless the handler names other kinds of chat.
    public static var edited: Self { Self(.edited) { $0.edit } }
}

extension Trigger where Context == DeletionContext {
    /// A person deleted messages for both sides.
    public static var deleted: Self { Self(.deleted) { $0.deletion } }
}

extension Trigger where Context == ReactionContext {
    /// A person added or took back a reaction.
    public static var reaction: Self { Self(.reaction) { $0.reaction } }

    /// A person added one of the given reactions.
    public static func reaction(_ emoji: String...) -> Self {
        Self(.reaction) { incoming in
            incoming.reaction.flatMap { reaction in reaction.isAdded && emoji.contains { reaction.emoji.isSame(as: $0) } ? reaction : nil }
        }
    }
}

extension Trigger where Context == ContactContext {
    /// A new contact has connected: messages can go both ways.
    public static var connected: Self { Self(.connected, in: .all) { $0.contact } }
}

extension Trigger where Context == RequestContext {
    /// Somebody asks to connect, and the bot accepts by hand.
    public static var contactRequest: Self { Self(.request, in: .all) { $0.request } }
}

extension Trigger where Context == EventContext {
    /// Any event of the core that concerns the bot's profile, messages included. Put its handler last, for events without a trigger of their
    /// own. Above other handlers, it takes their events, too.
    public static var anyEvent: Self { Self(.any, in: .all) { $0.source } }
}
