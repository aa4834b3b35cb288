/// A chat, named by its id.
public struct ChatReference: Sendable, Hashable {
    /// Kind of chat.
    public var type: ChatType
    /// Id of the contact, group, folder of notes or connection.
    public var id: Int64
    /// Part of a group, nil for all of it.
    public var scope: GroupChatScope?

    /// Names a chat.
    public init(type: ChatType, id: Int64, scope: GroupChatScope? = nil) {
        self.type = type
        self.id = id
        self.scope = scope
    }

    /// The chat with a contact.
    public static func direct(_ id: ContactID) -> ChatReference { ChatReference(type: .direct, id: id.rawValue) }
    /// A group or a part of it.
    public static func group(_ id: GroupID, scope: GroupChatScope? = nil) -> ChatReference {
        ChatReference(type: .group, id: id.rawValue, scope: scope)
    }
    /// Notes to oneself.
    public static func local(_ id: NoteFolderID) -> ChatReference { ChatReference(type: .local, id: id.rawValue) }
    /// A connection without a contact.
    public static func connection(_ id: ChatConnectionID) -> ChatReference { ChatReference(type: .contactConnection, id: id.rawValue) }
    /// A request to be a contact. Commands cannot name it.
    public static func contactRequest(_ id: UserContactRequestID) -> ChatReference { ChatReference(type: .contactRequest, id: id.rawValue) }
}

/// A part of a group that only some members see.
public enum GroupChatScope: Sendable, Hashable {
    /// The conversation of a member with the moderators; nil for this profile's own.
    case memberSupport(GroupMemberID?)
}

extension ChatType {
    /// The sign before ids and names in commands.
    var sign: String {
        switch self {
        case .direct: "@"
        case .group: "#"
        case .local: "*"
        case .contactRequest: "<@"
        case .contactConnection: ":"
        default: ""
        }
    }
}

extension ChatReference: CustomStringConvertible {
    /// `@4`, `#1`, `#1(_support:2)`, `*1`, `:3`, `<@5`.
    public var description: String { "\(type.sign)\(id)\(scope?.description ?? "")" }
}

extension GroupChatScope: CustomStringConvertible {
    /// `(_support)` or `(_support:2)`.
    public var description: String {
        switch self {
        case .memberSupport(let member): "(_support\(member.map { ":\($0)" } ?? ""))"
        }
    }
}

extension ChatReference {
    /// The whole chat, of a part of a group: lists of chats have that only.
    package var whole: ChatReference { ChatReference(type: type, id: id) }

    /// Reads what ``description`` prints of a chat that commands can name; nil for anything else.
    public init?(_ text: String) {
        var reader = CommandReader(bytes: Array(text.utf8), position: 0)
        // A number has one spelling here, and a number that is too large for an id names nothing.
        guard let reference = try? reader.chatReference(), reader.isAtEnd, reference.description == text else { return nil }
        self = reference
    }
}

extension CommandReader {
    /// `@4`, `#1`, `#1(_support:2)`, `*1` or `:3`.
    mutating func chatReference() throws(CommandMismatch) -> ChatReference {
        let type = try chatType()
        let id = try decimal()
        return ChatReference(type: type, id: id, scope: type == .group ? scope() : nil)
    }

    /// The sign of a kind of chat.
    mutating func chatType() throws(CommandMismatch) -> ChatType {
        for type in [ChatType.direct, .group, .local, .contactConnection] where skip(type.sign) { return type }
        throw CommandMismatch()
    }

    /// `(_support)` or `(_support:2)`, if it comes.
    mutating func scope() -> GroupChatScope? {
        optional("(_support") { reader throws(CommandMismatch) in
            let member = reader.optional(":") { reader throws(CommandMismatch) in try reader.id(GroupMemberID.self) }
            try reader.expect(")")
            return .memberSupport(member)
        }
    }
}
