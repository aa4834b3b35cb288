internal import ChatAPI
public import ChatProtocol
internal import UnicodeText

/// A condition on the context of a handler, which can be combined with `&&`, `||` and `!`.
///
/// ```swift
/// On(.text && .fromModerator && !.mentionsBot, in: .groups) { message in … }
/// ```
public struct Filter<Context: Sendable>: Sendable {
    let holds: @Sendable (Context) -> Bool

    /// - Parameter holds: the condition; it must not wait or have effects.
    public init(_ holds: @escaping @Sendable (Context) -> Bool) { self.holds = holds }

    /// A filter that holds if both do.
    public static func && (left: Self, right: Self) -> Self { Self { left.holds($0) && right.holds($0) } }
    /// A filter that holds if one of both does.
    public static func || (left: Self, right: Self) -> Self { Self { left.holds($0) || right.holds($0) } }
    /// A filter that holds if the other does not.
    public static prefix func ! (filter: Self) -> Self { Self { !filter.holds($0) } }
}

extension Trigger {
    /// The events of a trigger for which a filter holds.
    public static func && (trigger: Self, filter: Filter<Context>) -> Self {
        trigger.narrowed { filter.holds($0) ? $0 : nil }
    }

    /// The events of either trigger. Both must be about the same kind of event; the kinds of chat are those of both.
    public static func || (left: Self, right: Self) -> Self {
        var joined = left.matching { left.match($0) ?? right.match($0) }
        joined.kinds = left.kinds.union(right.kinds)
        joined.menu = left.menu + right.menu
        joined.takenKinds = left.takenKinds.union(right.takenKinds)
        joined.possibleKinds = left.possibleKinds.union(right.possibleKinds)
        joined.command = nil
        joined.pattern = nil
        joined.recurrence = left.recurrence ?? right.recurrence
        if left.refusal != nil || right.refusal != nil {
            joined.refusal = { incoming in
                guard left.match(incoming) == nil, right.match(incoming) == nil else { return nil }
                return left.refusal?(incoming) ?? right.refusal?(incoming)
            }
        }
        joined.fault = left.fault ?? right.fault
        if left.recurrence != nil, right.recurrence != nil {
            joined.fault = joined.fault ?? HandlerFault(message: "|| joins no two schedules: give each a handler", file: "", line: 0, column: 0)
        }
        if left.event != right.event {
            joined.fault = joined.fault ?? HandlerFault(message: "|| joins triggers of one kind of event: give each a handler", file: "", line: 0, column: 0)
        }
        return joined
    }
}

extension Filter where Context == MessageContext {
    /// The message mentions the bot.
    public static var mentionsBot: Self { Self { $0.mentionsBot } }
    /// The message quotes one of the bot's.
    public static var quotesBot: Self { Self { $0.item.quotedItem?.direction?.isReceived == false } }
    /// The message was written by a moderator, an admin or an owner.
    public static var fromModerator: Self { Self { $0.member?.isModerator ?? false } }
    /// The message was written by an owner.
    public static var fromOwner: Self { Self { $0.member?.role == .owner } }
    /// The message was written by a member of one of the roles.
    public static func fromRole(_ roles: GroupMemberRole...) -> Self { Self { $0.member.map { roles.contains($0.role) } ?? false } }
    /// The message has a file.
    public static var hasFile: Self { Self { $0.attachment != nil } }
    /// The message is a command.
    public static var isCommand: Self { Self { $0.command != nil } }
    /// The text has the given part, without regard to case.
    public static func contains(_ part: String) -> Self {
        let wanted = part.folded
        return Self { message in [message.text, Markdown.shown(message.text)].contains { $0.folded.contains(wanted) } }
    }
    /// The chat has one of the names, as the bot's profile shows them. People choose their names: `fromTrustedContact(_:)` proves an identity.
    public static func inChat(_ names: String...) -> Self { Self { names.contains($0.chat.name) } }
}
