/// The extent to which a chat is deleted.
public enum ChatDeleteMode: Sendable, Hashable {
    /// Deletes the contact and the conversation; `notify` tells the other side.
    case full(notify: Bool = true)
    /// Deletes the contact and keeps the conversation; `notify` tells the other side.
    case entity(notify: Bool = true)
    /// Deletes the conversation and keeps the contact.
    case messages
}

extension ChatDeleteMode: CustomStringConvertible {
    /// As in a command.
    public var description: String {
        switch self {
        case .full(let notify): "full" + (notify ? "" : " notify=off")
        case .entity(let notify): "entity" + (notify ? "" : " notify=off")
        case .messages: "messages"
        }
    }
}

extension CommandReader {
    /// ` full`, ` entity` or ` messages`, the first two perhaps with ` notify=off`; nothing means ` full`.
    mutating func chatDeleteMode() -> ChatDeleteMode {
        if skip(" messages") { return .messages }
        if skip(" entity") { return .entity(notify: flag(after: " notify=", default: true)) }
        _ = skip(" full")
        return .full(notify: flag(after: " notify=", default: true))
    }
}
