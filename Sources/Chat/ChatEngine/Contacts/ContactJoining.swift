import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPWire

/// The chat that a connection is made for.
enum JoinTarget: Sendable {
    /// A contact, or the member of a group, that the other side is found to be.
    case new
    case contact(Contact)
    /// A group that was prepared from a link, or a business chat.
    case group(GroupInfo, host: GroupMember)

    var contact: Contact? { if case .contact(let contact) = self { contact } else { nil } }
    var group: GroupInfo? { if case .group(let group, _) = self { group } else { nil } }

    /// The connection that was begun before.
    var connection: Connection? {
        switch self {
        case .new: nil
        case .contact(let contact): contact.activeConnection
        case .group(_, let host): host.activeConnection
        }
    }
}

/// The data to join a connection that the store knows already.
struct Joining: Sendable {
    var connectionID: ChatConnectionID
    var agentID: Bytes
    var info: Bytes
    var pqSupport: Bool
    var incognito: Profile?
    var pending: PendingContactConnection?
}

/// The first event of a connection, given the profile that is shown.
typealias Opening = (Profile) -> ChatMessageEvent

/// The beginning of a request to an address.
enum RequestStart: Sendable {
    /// There is a contact already.
    case exists(Contact)
    /// The same request was broken off before.
    case resume(Joining)
    /// A new connection; under the same tag if there was a request before.
    case begin(ContactRequestID?)
}

/// Stores connections by links, before the agent makes them and after a restart.
struct ContactJoining: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Connections by links.
    var contactJoining: ContactJoining { ContactJoining(transaction: self) }
}

extension ContactJoining {
    /// Stores a connection before the agent does anything outside, with the message that it begins with.
    func begin(
        _ new: NewConnectionRecord, link: FullLink, incognito: Profile?, target: JoinTarget, user: User, _ opening: Opening
    ) throws -> Joining {
        var record = new
        record.linkKey = link.key
        record.fullLink = link.created.fullLink
        record.shortLink = link.created.shortLink
        record.incognitoProfileID = try incognito.map { try db.profiles.insert($0, user: user.userID, incognito: true, at: now) }
        let id = try db.connections.insert(record, at: now)
        if let group = target.group, let incognito, let profile = record.incognitoProfileID {
            // The members of the group know the random profile, too.
            let name = try db.profiles.reserveDisplayName(incognito.displayName, user: user.userID)
            try db.members.update(group.membership.groupMemberID, incognitoProfile: profile, name: name)
        }
        return try joining(
            id, agentID: record.agentConnectionID, pqSupport: record.pqSupport, version: record.chatVersion, incognito: incognito, link: link,
            target: target, user: user, opening)
    }

    /// The data that the agent needs for a connection that is stored.
    private func joining(
        _ id: ChatConnectionID, agentID: Bytes, pqSupport: Bool, version: ChatVersion, incognito: Profile?, link: FullLink, target: JoinTarget, user: User,
        _ opening: Opening
    ) throws -> Joining {
        let user = try transaction.anyUser(user.userID)
        var shared = user.sharedProfile(incognito: incognito, contactPreferences: nil, usesProfileTTL: true)
        // Members see less of a profile than contacts do.
        if link.isGroup || target.group != nil {
            shared = (incognito ?? user.profile.published).redacted(for: target.group, role: target.group?.membership.role ?? .member, isOfMember: false)
        }
        return Joining(
            connectionID: id, agentID: agentID, info: try transaction.outbox.connectionInfo(opening(shared), pqSupport: pqSupport, peerVersion: version),
            pqSupport: pqSupport, incognito: incognito, pending: try db.connections.pendingConnection(id, user: user.userID))
    }

    /// The connection of an invitation that was broken off before; nil to begin a new one.
    func resumeInvitation(_ link: FullLink, user: User, version: ChatVersion, pqSupport: Bool) throws -> Joining? {
        guard let record = try db.connections.find(user: user.userID, linkKey: link.key) else { return nil }
        let connection = record.connection
        if connection.status == .new, connection.contactConnectionInitiated { return nil }
        guard connection.status == .prepared else {
            let whose = record.contactID.map { "contact \($0)" } ?? "connection"
            throw Refusal.command("connection is not RcvDirectMsgConnection: \"\(whose), status: \(connection.status.officialName)\"")
        }
        return try resume(record, link, target: .new, user: user, pqSupport: pqSupport, version: version) { .info($0) }
    }

    private func resume(
        _ record: ConnectionRecord, _ link: FullLink, target: JoinTarget, user: User, pqSupport: Bool, version: ChatVersion, _ opening: Opening
    ) throws -> Joining {
        try joining(
            record.id, agentID: record.agentConnectionID, pqSupport: pqSupport, version: version,
            incognito: try transaction.users.incognitoProfile(record.connection), link: link, target: target, user: user, opening)
    }

    private func connection(of active: Connection?) throws -> ConnectionRecord? { try active.flatMap { try db.connections.find($0.connectionID) } }

    func resumeRequest(
        _ link: FullLink, user: User, target: JoinTarget, incognito: Bool, message: MessageContent?
    ) throws -> RequestStart {
        let record: ConnectionRecord?
        switch target {
        case .new: record = try db.connections.find(user: user.userID, linkKey: link.key)
        // The target is as it was before the wait for the lock: another command may have begun to connect it.
        case .contact(let contact): record = try connection(of: try db.contacts.find(contact.contactID, of: user)?.activeConnection)
        case .group(let group, _): record = try connection(of: try db.members.host(of: group.groupID)?.activeConnection)
        }
        guard let record else { return .begin(nil) }
        let tag = try db.connections.requestTag(connection: record.id)
        guard record.connection.status == .prepared else {
            if !link.isGroup, let id = record.contactID, let known = try db.contacts.find(id, of: user), target.contact != nil || known.status == .active {
                return .exists(known)
            }
            return .begin(tag)
        }
        guard incognito == (record.connection.customUserProfileID != nil) else {
            throw Refusal.command("incognito mode is different from prepared connection")
        }
        return .resume(
            try resume(
                record, link, target: target, user: user, pqSupport: record.connection.pqSupport,
                version: ChatVersion(clamping: record.connection.chatVersion), try request(tag, of: target, message: message)))
    }

    /// The event of a request.
    func request(_ tag: ContactRequestID?, of target: JoinTarget, message: MessageContent?) throws -> Opening {
        let prepared: (welcome: SharedMessageID?, request: SharedMessageID?)?
        switch target {
        case .new: prepared = nil
        case .contact(let contact): prepared = try db.contacts.contactPreparation(contact.contactID)
        case .group(let group, _):
            let current = try db.groups.userID(ofGroup: group.groupID).flatMap { try db.groups.find(group.groupID, user: $0) }
            prepared = current?.preparedGroup.map { ($0.welcomeSharedMessageID, $0.requestSharedMessageID) }
        }
        guard let prepared else { return { .contact(ContactRequest(profile: $0, requestID: tag)) } }
        var asked: ContactRequest.Message?
        if let message {
            let id = prepared.request ?? newSharedMessageID()
            if prepared.request == nil {
                switch target {
                case .contact(let contact): try db.contacts.update(contact.contactID, requestSharedMessageID: id)
                case .group(let group, _): try db.groups.update(group.groupID, requestSharedMessageID: id)
                case .new: break
                }
            }
            asked = ContactRequest.Message(messageID: id, content: message)
        }
        return { [asked] in .contact(ContactRequest(profile: $0, requestID: tag, welcomeMessageID: prepared.welcome, message: asked)) }
    }

    /// Shows the message that was sent with a request.
    func addRequestMessage(_ message: MessageContent, to contact: inout Contact, of user: User) throws {
        guard let id = try db.contacts.contactPreparation(contact.contactID)?.request else { return }
        var draft = ItemDraft(.sentMessage(content: message), isSent: true)
        draft.sharedMessageID = id
        var item = try transaction.items.add(draft, to: &contact, of: user)
        // Official cores show the id only when the item is read again.
        item.meta.sharedMessageID = nil
        emit(.newChatItems(user: user, chatItems: [ItemInChat(chatInfo: .direct(contact: contact), chatItem: item)]))
    }
}

extension ConnectionStatus {
    /// The name in messages of official cores.
    fileprivate var officialName: String {
        switch self {
        case .new: "ConnNew"
        case .prepared: "ConnPrepared"
        case .joined: "ConnJoined"
        case .requested: "ConnRequested"
        case .accepted: "ConnAccepted"
        case .sendReady: "ConnSndReady"
        case .ready: "ConnReady"
        case .deleted: "ConnDeleted"
        case .failed: "ConnFailed"
        default: tag
        }
    }
}
