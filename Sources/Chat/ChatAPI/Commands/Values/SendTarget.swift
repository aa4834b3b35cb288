/// Where messages are sent.
public enum SendTarget: Sendable, Hashable {
    /// To a contact.
    case direct(ContactID)
    /// To a group, to a part of it, or in the name of the group.
    case group(GroupID, scope: GroupChatScope? = nil, asGroup: Bool = false)
}

extension SendTarget: CustomStringConvertible {
    /// `@4`, `#1`, `#1(_support)`, `#1(as_group=on)`.
    public var description: String {
        switch self {
        case .direct(let id): "@\(id)"
        case .group(let id, let scope, let asGroup): "#\(id)\(scope?.description ?? "")\(asGroup ? "(as_group=on)" : "")"
        }
    }

    /// The chat that the messages go to.
    public var chat: ChatReference {
        switch self {
        case .direct(let id): .direct(id)
        case .group(let id, let scope, _): .group(id, scope: scope)
        }
    }
}

extension CommandReader {
    /// `@4`, `#1`, `#1(_support)`, `#1(as_group=on)`.
    mutating func sendTarget() throws(CommandMismatch) -> SendTarget {
        if skip("@") { return .direct(try id()) }
        try expect("#")
        let id = try id(GroupID.self)
        let scope = scope()
        let asGroup = optional("(as_group=") { reader throws(CommandMismatch) in
            let value = try reader.flag()
            try reader.expect(")")
            return value
        }
        return .group(id, scope: scope, asGroup: asGroup ?? false)
    }
}

extension SendTarget {
    /// The target that messages into a chat go to; nil for a chat that takes none.
    public init?(_ chat: ChatReference) {
        switch chat.type {
        case .direct: self = .direct(ContactID(chat.id))
        case .group: self = .group(GroupID(chat.id), scope: chat.scope)
        default: return nil
        }
    }
}
