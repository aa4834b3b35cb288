/// A handler: what it waits for and what it does.
///
/// Handlers are tried in the order in which they stand in the bot. The first whose trigger matches, and whose conditions hold,
/// gets the event, and no other. An error that it throws is logged and counted; the bot goes on.
///
/// A handler runs at least once for an event that concerns a message, a new contact or a contact request: after a crash it may
/// run again. What it sends is sent once all the same, because the n-th effect of a handler for an event is remembered by that
/// number.
public struct On: Sendable {
    let event: EventKind
    /// The kinds of chat that it answers in.
    let kinds: ChatKinds
    let menu: [MenuCommand]
    let fault: HandlerFault?
    let place: String
    /// Nil when the event is not for this handler.
    let prepare: @Sendable (Incoming) -> (@Sendable () async throws -> Void)?

    /// Handles what the trigger matches.
    ///
    /// - Parameters:
    ///   - kinds: the kinds of chat that the handler answers in. Nil: for messages, edits, deletions and reactions, chats with contacts; for what
    ///     has to do with groups, all.
    ///   - condition: a further condition on the event; it must not wait or have effects.
    public init<Context: Sendable>(
        _ trigger: Trigger<Context>, in kinds: ChatKinds? = nil, where condition: @escaping @Sendable (Context) -> Bool = { _ in true }, file: String = #fileID,
        line: Int = #line, _ body: @escaping @Sendable (Context) async throws -> Void
    ) {
        let kinds = kinds ?? trigger.kinds
        event = trigger.event
        self.kinds = kinds
        menu = trigger.menu
        fault = trigger.fault
        place = "\(file):\(line)"
        prepare = { incoming in
            guard incoming.isIn(kinds), let context = trigger.match(incoming), condition(context) else { return nil }
            return { try await body(context) }
        }
    }

    private init<Context: Sendable>(
        trigger: Trigger<Context>, kinds: ChatKinds, menu: [MenuCommand], file: String, line: Int,
        choose: @escaping @Sendable (Context) -> (@Sendable () async throws -> Void)?
    ) {
        event = trigger.event
        self.kinds = kinds
        self.menu = trigger.menu + menu
        fault = trigger.fault
        place = "\(file):\(line)"
        prepare = { incoming in incoming.isIn(kinds) ? trigger.match(incoming).flatMap(choose) : nil }
    }

    /// A handler of what the trigger matches and the choice takes, for handlers that decide by other means than a condition.
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
    ) -> On { On(trigger: trigger, kinds: kinds ?? trigger.kinds, menu: menu, file: file, line: line, choose: choose) }
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
}

/// Puts handlers one below the other.
@resultBuilder public enum HandlerBuilder {
    /// Takes one handler.
    public static func buildExpression(_ handler: On) -> [On] { [handler] }
    /// Takes a list of handlers.
    public static func buildExpression(_ handlers: [On]) -> [On] { handlers }
    /// Joins the handlers of a block in their order.
    public static func buildBlock(_ parts: [On]...) -> [On] { parts.flatMap(\.self) }
    /// Takes the handlers of an `if` without `else`.
    public static func buildOptional(_ part: [On]?) -> [On] { part ?? [] }
    /// Takes the handlers of the first branch.
    public static func buildEither(first part: [On]) -> [On] { part }
    /// Takes the handlers of the second branch.
    public static func buildEither(second part: [On]) -> [On] { part }
    /// Joins the handlers of a loop.
    public static func buildArray(_ parts: [[On]]) -> [On] { parts.flatMap(\.self) }
}
