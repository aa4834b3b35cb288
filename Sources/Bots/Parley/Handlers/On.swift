/// A handler: a trigger, and the code that runs for its events.
///
/// Handlers are tried in the order of their declaration. The first whose trigger matches, and whose conditions hold,
/// gets the event, and no other, unless it ``fallThrough()``s. An error that it throws is logged and counted; the bot continues.
///
/// A handler runs at least once for an event that concerns a message, a new contact or a contact request: after a crash it may
/// run again. Its messages are still sent once, because the n-th effect of a handler for an event is remembered by that
/// number.
public struct On: Sendable {
    /// The work of a handler for an event.
    typealias Run = @Sendable () async throws -> Void

    let event: EventKind
    /// The kinds of chat that it answers in.
    private(set) var kinds: ChatKinds
    /// True if the kinds were given for this handler, or for a block around it.
    private(set) var namesKinds: Bool
    let menu: [MenuCommand]
    let fault: HandlerFault?
    let place: HandlerPlace
    /// Words for middleware, and for the help.
    private(set) var tags: Set<String> = []
    /// True if handlers below are tried also when this one has taken the event.
    private(set) var fallsThrough = false
    /// True if it decides for each event whether there is anything to do.
    private(set) var isChoosing = false
    /// True if it takes messages of other bots in groups.
    private(set) var includesBots = false
    /// The only command that it takes; nil for a handler of other messages too.
    let command: String?
    /// A pattern that is found in the text of every message that matches; nil if there is none.
    let pattern: String?
    /// The kinds of message of which it takes every one in its kinds of chat.
    let takenKinds: Set<MessageKind>
    /// The kinds of message of which it can take one.
    let possibleKinds: Set<MessageKind>
    /// True if it does not take everything that ``command`` and ``takenKinds`` promise.
    let isConditional: Bool
    let recurrence: Recurrence?
    /// The name of the conversation that it begins; nil for none.
    var conversation: String?
    /// Nil when the event is not for this handler. The kind of chat has been looked at.
    private(set) var prepare: @Sendable (Incoming) -> Run?

    /// Handles the events of the trigger.
    ///
    /// - Parameters:
    ///   - kinds: the kinds of chat that the handler answers in. Nil: for messages, edits, deletions and reactions, chats with contacts; for what
    ///     has to do with groups, all.
    ///   - condition: a further condition on the event; it must not wait or have effects.
    public init<Context: Sendable>(
        _ trigger: Trigger<Context>, in kinds: ChatKinds? = nil, where condition: (@Sendable (Context) -> Bool)? = nil, file: String = #fileID,
        line: Int = #line, _ body: @escaping @Sendable (Context) async throws -> Void
    ) {
        self.init(trigger: trigger, kinds: kinds, menu: [], isConditional: condition != nil, file: file, line: line) { context in
            guard condition?(context) ?? true else { return nil }
            return { try await body(context) }
        }
    }

    private init<Context: Sendable>(
        trigger: Trigger<Context>, kinds: ChatKinds?, menu: [MenuCommand], isConditional: Bool, file: String, line: Int,
        choose: @escaping @Sendable (Context) -> (@Sendable () async throws -> Void)?
    ) {
        event = trigger.event
        self.kinds = kinds ?? trigger.kinds
        namesKinds = kinds != nil
        self.menu = trigger.menu + menu
        fault = trigger.fault?.placed(file, line)
        place = HandlerPlace(file: file, line: line)
        command = trigger.command
        pattern = trigger.pattern
        takenKinds = trigger.takenKinds
        possibleKinds = trigger.possibleKinds
        self.isConditional = trigger.isConditional || isConditional
        recurrence = trigger.recurrence
        // Without the rest of the trigger, which would be kept for each handler.
        let match = trigger.match
        if let refusal = trigger.refusal {
            prepare = { incoming in match(incoming).flatMap(choose) ?? refusal(incoming) }
        } else {
            prepare = { incoming in
                guard let context = match(incoming) else { return nil }
                return choose(context)
            }
        }
    }

    /// A handler of events that match the trigger and that the choice accepts, for handlers that decide by other means than a condition.
    ///
    /// It is no initializer, so that the compiler does not take the body of an ordinary handler for a choice when it holds an error.
    ///
    /// - Parameters:
    ///   - kinds: the kinds of chat that the handler answers in; nil as for other handlers.
    ///   - menu: commands for the menu that the apps show, beside those of the trigger.
    ///   - choose: what to do, or nil to leave the event to the handlers below; it must not wait or have effects itself.
    public static func choosing<Context: Sendable>(
        _ trigger: Trigger<Context>, in kinds: ChatKinds? = nil, menu: [MenuCommand] = [], file: String = #fileID, line: Int = #line,
        _ choose: @escaping @Sendable (Context) -> (@Sendable () async throws -> Void)?
    ) -> On {
        var handler = On(trigger: trigger, kinds: kinds, menu: menu, isConditional: true, file: file, line: line, choose: choose)
        handler.isChoosing = true
        return handler
    }

    /// The same handler, after which the handlers below are tried too.
    public func fallThrough() -> On {
        var handler = self
        handler.fallsThrough = true
        return handler
    }

    /// The same handler with words for middleware, which finds them in ``HandlerCall/tags``.
    public func tagged(_ tags: String...) -> On {
        var handler = self
        handler.tags.formUnion(tags)
        return handler
    }

    /// The same handler, for messages of other bots in groups as well.
    ///
    /// Without it, a handler gets no messages of bots in groups, so that two bots do not answer each other. A handler that moderates must include
    /// them: anybody can claim to be a bot to escape it. When other bots write more than 20 messages a minute in a group, the handlers still run, and
    /// what they send into that group is refused with the code `handler.botLoop`: moderate first, and answer then.
    public func includingBots() -> On {
        var handler = self
        handler.includesBots = true
        return handler
    }

    /// Answers in the kinds of chat of a block from now on.
    mutating func answer(in kinds: ChatKinds) { (self.kinds, namesKinds) = (kinds, true) }

    /// Adds middleware around the handler, outside of its present middleware.
    mutating func surround(_ middleware: Middleware) {
        let inner = prepare, handler = self
        prepare = { incoming in
            guard let run = inner(incoming) else { return nil }
            return { try await middleware.run(HandlerCall(incoming, handler: handler), run) }
        }
    }
}

/// A command of the menu that the apps show for a bot.
public struct MenuCommand: Sendable, Hashable {
    /// The word without the slash.
    public let keyword: String
    /// The text in the menu.
    public let label: String
    /// A description of the arguments; nil for a command without them.
    public let parameters: String?

    /// Creates the command.
    public init(keyword: String, label: String, parameters: String? = nil) {
        self.keyword = keyword
        self.label = label
        self.parameters = parameters
    }
}

/// Why the handlers of a bot cannot be used as they are written.
public struct HandlerFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// A message that a person can act on.
    public let message: String
    /// The path of the file.
    public let file: String
    /// The line, from 1.
    public let line: Int
    /// The column, from 1.
    public let column: Int

    /// A textual form, for messages and logs.
    public var description: String { "\(file):\(line):\(column): error: \(message)" }

    /// The fault with the place of its handler, if it has none of its own.
    func placed(_ file: String, _ line: Int) -> HandlerFault {
        self.file.isEmpty ? HandlerFault(message: message, file: file, line: line, column: 1) : self
    }
}
