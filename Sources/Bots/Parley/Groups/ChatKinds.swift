package import ChatAPI

/// The kinds of chat that a handler answers in.
///
/// A handler of messages, edits, deletions or reactions answers in chats with contacts unless it says otherwise, so that a bot that is added to a
/// group does not begin to talk there: `On(.text, in: .groups)`, `On(.command("help"), in: [.contacts, .groups])`.
public struct ChatKinds: OptionSet, Sendable, Hashable {
    /// The bits of the kinds.
    public let rawValue: UInt8

    /// The kinds of these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Chats with one contact.
    public static let contacts = ChatKinds(rawValue: 1)
    /// Groups and channels: what all members see.
    public static let groups = ChatKinds(rawValue: 2)
    /// Conversations of one member with the moderators of a group. Reports arrive in them.
    public static let supportChats = ChatKinds(rawValue: 4)
    /// Chats with a customer who connected to a business address, and with the colleagues who were added.
    public static let businessChats = ChatKinds(rawValue: 8)
    /// Chats of every kind.
    public static let all: ChatKinds = [.contacts, .groups, .supportChats, .businessChats]

    /// The kind of one chat; empty for a chat that is neither with a contact nor a group.
    package init(_ info: ChatInfo) {
        switch info {
        case .direct: self = .contacts
        case .group(_, .some): self = .supportChats
        case .group(let group, nil): self = group.businessChat == nil ? .groups : .businessChats
        default: self = []
        }
    }
}
