public import ChatProtocol

extension ChatInfo {
    /// The chat, named by its id; nil for forms that are not known. The scope of a group is part of it.
    public var reference: ChatReference? {
        switch self {
        case .direct(let contact): .direct(contact.contactID)
        case .group(let group, let scope): .group(group.groupID, scope: scope?.scope)
        case .local(let folder): .local(folder.noteFolderID)
        case .contactRequest(let request): .contactRequest(request.contactRequestID)
        case .contactConnection(let connection): .connection(connection.connectionID)
        case .other: nil
        }
    }

    /// The kind of chat.
    public var chatType: ChatType? { reference?.type }

    /// The contact, of a direct chat.
    public var contact: Contact? { if case .direct(let contact) = self { contact } else { nil } }

    /// The group, of a group chat.
    public var groupInfo: GroupInfo? { if case .group(let group, _) = self { group } else { nil } }

    /// The part of a group.
    public var groupScope: GroupChatScopeInfo? { if case .group(_, let scope) = self { scope } else { nil } }

    /// The name to show: the local alias if there is one, else the published name.
    public var displayName: String {
        switch self {
        case .direct(let contact): contact.displayName
        case .group(let group, _): group.displayName
        case .local: ""
        case .contactRequest(let request): request.profile.displayName
        case .contactConnection(let connection): connection.localAlias
        case .other: ""
        }
    }

    /// The picture to show.
    public var image: ImageData? {
        switch self {
        case .direct(let contact): contact.profile.image
        case .group(let group, _): group.groupProfile.image
        case .contactRequest(let request): request.profile.image
        case .local, .contactConnection, .other: nil
        }
    }

    /// Notification and receipt settings; only contacts and groups have them.
    public var settings: ChatSettings? { contact?.chatSettings ?? groupInfo?.chatSettings }

    /// Tags; only contacts and groups have them.
    public var tags: [ChatTagID] { contact?.chatTags ?? groupInfo?.chatTags ?? [] }

    /// When the chat was last active, by which lists are ordered.
    public var timestamp: UTCTimestamp? {
        switch self {
        case .direct(let contact): contact.chatTimestamp ?? contact.updatedAt
        case .group(let group, _): group.chatTimestamp ?? group.updatedAt
        case .local(let folder): folder.chatTimestamp
        case .contactRequest(let request): request.updatedAt
        case .contactConnection(let connection): connection.updatedAt
        case .other: nil
        }
    }
}

extension Contact {
    /// The local alias if there is one, else the name that the contact published.
    public var displayName: String { profile.localAlias.isEmpty ? profile.displayName : profile.localAlias }
}

extension GroupInfo {
    /// The local alias if there is one, else the name that the group published.
    public var displayName: String { localAlias.isEmpty ? groupProfile.displayName : localAlias }

    /// True if it is a channel: messages go through relays and most members only read.
    public var isChannel: Bool { usesRelays }
}

extension GroupMember {
    /// The local alias if there is one, else the name that the member published.
    public var displayName: String { profile.localAlias.isEmpty ? profile.displayName : profile.localAlias }
}

extension GroupChatScopeInfo {
    /// The part of a group, named by the id of the member.
    public var scope: GroupChatScope? {
        switch self {
        case .memberSupport(let member): .memberSupport(member?.groupMemberID)
        case .other: nil
        }
    }
}
