import AsyncPrimitives
import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPAgent
import SMPCrypto
import SMPProtocol
import SMPWire

// Connecting by links.

/// A connection that was begun by a link.
struct JoinedConnection: Sendable {
    var user: User
    var pending: PendingContactConnection?
    var incognito: Profile?
    /// The contact that the link led to before.
    var existing: Contact?
}

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
private struct Joining: Sendable {
    var connectionID: ChatConnectionID
    var agentID: Bytes
    var info: Bytes
    var pqSupport: Bool
    var incognito: Profile?
    var pending: PendingContactConnection?
}

extension CommandRunner {
    func connect(_ link: CreatedConnectionLink?, user id: UserID, incognito: Bool) async throws(ChatCoreError) -> ChatResponse {
        let user = try await query { try $0.user(id) }
        guard let link else { throw ChatCoreError(Refusal.chat(.invalidConnectionRequest).error) }
        let full = try parsed(link)
        switch full.kind {
        case .invitation:
            let joined = try await joinInvitation(full, user: user, incognito: incognito, target: .new)
            guard let pending = joined.pending else { throw ChatCoreError(Refusal.chat(.invalidConnectionRequest).error) }
            return .sentConfirmation(user: joined.user, connection: pending, customUserProfile: joined.incognito)
        default:
            if case .contact(_, .channel, _, _)? = full.short {
                throw ChatCoreError(Refusal.command("channel links must be connected via APIConnectPreparedGroup").error)
            }
            let joined = try await joinAddress(full, user: user, incognito: incognito, target: .new, message: nil)
            if let contact = joined.existing { return .contactAlreadyExists(user: joined.user, contact: contact) }
            guard let pending = joined.pending else { throw ChatCoreError(Refusal.chat(.invalidConnectionRequest).error) }
            return .sentInvitation(user: joined.user, connection: pending, customUserProfile: joined.incognito)
        }
    }

    private func parsed(_ link: CreatedConnectionLink) throws(ChatCoreError) -> FullLink {
        do { return try FullLink(link) } catch { throw ChatCoreError(thrown: error) }
    }

    /// Connects the contact that was prepared from a link.
    func connectPrepared(
        _ id: ContactID, incognito: Bool, message: MessageContent?
    ) async throws(ChatCoreError) -> ChatResponse {
        let (user, contact, prepared) = try await query { transaction in
            let user = try transaction.user()
            let contact = try transaction.contact(id, of: user)
            guard let prepared = contact.preparedContact else { throw Refusal.command("contact doesn't have link to connect") }
            return (user, contact, prepared)
        }
        let full = try parsed(prepared.connectionLink)
        do {
            switch full.kind {
            case .invitation:
                let joined = try await joinInvitation(full, user: user, incognito: incognito, target: .contact(contact))
                return try await transaction { transaction in
                    var current = try transaction.contact(id, of: user)
                    if incognito { try transaction.addItems(changedFrom: contact, to: &current, of: user) }
                    if let message {
                        let item = try transaction.sendMessage(MessageContainer(content: message), to: &current, of: user)
                        transaction.emit(
                            .newChatItems(user: user, chatItems: [ItemInChat(chatInfo: .direct(contact: current), chatItem: item)]))
                    }
                    return .startedConnectionToContact(user: joined.user, contact: current, customUserProfile: joined.incognito)
                }
            default:
                let joined = try await joinAddress(full, user: user, incognito: incognito, target: .contact(contact), message: message)
                if let existing = joined.existing { return .contactAlreadyExists(user: joined.user, contact: existing) }
                return try await transaction { transaction in
                    var current = try transaction.contact(id, of: user)
                    if incognito { try transaction.addItems(changedFrom: contact, to: &current, of: user) }
                    if let message { try transaction.addRequestMessage(message, to: &current, of: user) }
                    return .startedConnectionToContact(user: joined.user, contact: current, customUserProfile: joined.incognito)
                }
            }
        } catch {
            // The connection may have begun: apps show it.
            if let current = try? await query({ try $0.contact(id, of: user) }) {
                core.hub.publish(.chatInfoUpdated(user: user, chatInfo: .direct(contact: current)))
            }
            throw error
        }
    }

    /// Joins the group that was prepared from a link.
    func connectPreparedGroup(
        _ id: GroupID, incognito: Bool, contact: GroupOwnerContact? = nil, message: MessageContent?
    ) async throws(ChatCoreError) -> ChatResponse {
        let (user, channel, prepared) = try await query { transaction in
            let user = try transaction.user()
            let group = try transaction.group(id, of: user)
            guard let prepared = group.preparedGroup else { throw Refusal.command("group doesn't have link to connect") }
            return (user, group, prepared)
        }
        if channel.usesRelays {
            return try await connectPreparedChannel(channel, prepared, incognito: incognito, contact: contact, user: user)
        }
        let (group, host) = try await query { transaction in
            let group = try transaction.group(id, of: user)
            guard let host = try transaction.db.members.host(of: id) else { throw Refusal.store(.groupHostMemberNotFound(groupID: id)) }
            return (group, host)
        }
        let full = try parsed(prepared.connectionLink)
        if message != nil, prepared.requestSharedMessageID == nil {
            try await transaction { try $0.db.groups.update(id, requestSharedMessageID: $0.newSharedMessageID()) }
        }
        do {
            let joined = try await joinAddress(full, user: user, incognito: incognito, target: .group(group, host: host), message: message)
            return try await transaction { transaction in
                try transaction.db.groups.update(id, startedConnection: true, link: full)
                let current = try transaction.group(id, of: user)
                if let message { try transaction.addRequestMessage(message, to: current, of: user) }
                return .startedConnectionToGroup(
                    user: joined.user, groupInfo: try transaction.group(id, of: user), customUserProfile: joined.incognito)
            }
        } catch {
            // The connection may have begun: apps show it.
            if let current = try? await query({ try $0.group(id, of: user) }) {
                core.hub.publish(.chatInfoUpdated(user: user, chatInfo: .group(groupInfo: current, scope: nil)))
            }
            throw error
        }
    }

    /// Connects the contact of a member who has invited this profile.
    func acceptMemberContact(_ id: ContactID) async throws(ChatCoreError) -> ChatResponse {
        let (user, contact, invitation) = try await query { transaction in
            let user = try transaction.user()
            let contact = try transaction.contact(id, of: user)
            guard let invitation = contact.groupDirectInvitation else {
                throw Refusal.store(.memberContactGroupMemberNotFound(contactID: id))
            }
            guard !invitation.startedConnection else { throw Refusal.command("connection already started") }
            return (user, contact, invitation)
        }
        let agentUser = try agentUser(of: user)
        do {
            try await core.members.joinContact(contact.contactID, by: invitation.link, user: user, agentUser: agentUser)
        } catch {
            if let current = try? await query({ try $0.contact(id, of: user) }) {
                core.hub.publish(.chatInfoUpdated(user: user, chatInfo: .direct(contact: current)))
            }
            throw error
        }
        return .memberContactAccepted(user: user, contact: try await query { try $0.contact(id, of: user) })
    }

    /// Connects to the address that a contact publishes.
    func connectViaAddress(_ id: ContactID, user userID: UserID, incognito: Bool) async throws(ChatCoreError) -> ChatResponse {
        let (user, contact) = try await query { transaction in
            let user = try transaction.user(userID)
            return (user, try transaction.contact(id, of: user))
        }
        guard let address = contact.profile.contactLink, let link = try? ConnectionLink(wireString: address) else {
            throw ChatCoreError(Refusal.command("no address in contact profile").error)
        }
        if let connection = contact.activeConnection, connection.status != .prepared {
            throw ChatCoreError(Refusal.command("contact already has connection").error)
        }
        var full: FullLink
        switch link {
        case .full(let link): full = FullLink(link)
        case .short(let short):
            let agentUser = try agentUser(of: user)
            let resolved = try await core.agent { agent throws(AgentError) in
                try await agent.resolveShortLink(user: agentUser, link: short.complete)
            }
            full = FullLink(resolved.fixed.connectionRequest, short: short)
        }
        let joined = try await joinAddress(full, user: user, incognito: incognito, target: .contact(contact), message: nil)
        let current = try await query { try $0.contact(id, of: user) }
        return .sentInvitationToContact(user: joined.user, contact: current, customUserProfile: joined.incognito)
    }

    // MARK: Invitations

    private func joinInvitation(
        _ link: FullLink, user: User, incognito: Bool, target: JoinTarget
    ) async throws(ChatCoreError) -> JoinedConnection {
        try await core.locks.withLock("link " + link.key) { () throws(ChatCoreError) in
            let (version, pqSupport) = try compatible(link)
            let prepared = try await transaction { transaction in
                try transaction.resumeInvitation(link, user: user, version: version, pqSupport: pqSupport)
            }
            let joining: Joining
            if let prepared {
                joining = prepared
            } else {
                joining = try await begin(link, version, user: user, pqSupport: pqSupport, incognito: incognito, target: target) { record, _ in
                    record.pqSupport = pqSupport
                    return { .info($0) }
                }
            }
            let isSecured = try await join(joining, link, user: user)
            return try await complete(joining, isSecured ? .sendReady : .joined, user: user)
        }
    }

    // MARK: Addresses

    private func joinAddress(
        _ link: FullLink, user: User, incognito: Bool, target: JoinTarget, message: MessageContent?
    ) async throws(ChatCoreError) -> JoinedConnection {
        try await core.locks.withLock("link " + link.key) { () throws(ChatCoreError) in
            // Hosts of groups take no messages; businesses, whose links are addresses, do.
            if message != nil, link.isGroup { throw ChatCoreError(Refusal.chat(.connectionRequestMessageProhibited).error) }
            let (version, _) = try compatible(link)
            let start = try await transaction { transaction in
                try transaction.resumeRequest(link, user: user, target: target, incognito: incognito, message: message)
            }
            let joining: Joining
            switch start {
            case .exists(let contact): return JoinedConnection(user: user, existing: contact)
            case .resume(let prepared): joining = prepared
            case .begin(let tag):
                joining = try await begin(link, version, user: user, pqSupport: !link.isGroup, incognito: incognito, target: target) {
                    record, transaction in
                    record.groupLinkTag = link.groupLinkID
                    record.pqSupport = !link.isGroup
                    record.usesAddressOfPeer = true
                    record.isInitiated = true
                    let tag = tag ?? ContactRequestID(transaction.random.bytes(16))
                    record.requestTag = tag
                    return try transaction.request(tag, of: target, message: message)
                }
            }
            _ = try await join(joining, link, user: user)
            return try await complete(joining, .joined, user: user)
        }
    }

    // MARK: What both have in common

    /// Makes a connection in the agent and, before the agent does anything outside, in the store. Nothing of it stays if the store refuses.
    ///
    /// - Parameters:
    ///   - pqSupport: what the agent offers.
    ///   - fill: says what the record has besides, and what the connection begins with.
    private func begin(
        _ link: FullLink, _ version: ChatVersion, user: User, pqSupport: Bool, incognito: Bool, target: JoinTarget,
        _ fill: @escaping @Sendable (inout NewConnectionRecord, ChatTransaction) throws -> Opening
    ) async throws(ChatCoreError) -> Joining {
        let profile = incognito ? RandomProfile.make(core.random) : nil
        let agentID = try await prepare(link, user: user, pqSupport: pqSupport)
        return try await core.leftovers.orDiscard(agentID) { () throws(ChatCoreError) in
            try await transaction { transaction in
                var record = NewConnectionRecord(
                    userID: user.userID, agentConnectionID: agentID.bytes, status: .prepared, chatVersion: version)
                record.contactID = target.contact?.contactID
                if case .group(let group, let host) = target {
                    record.memberID = host.groupMemberID
                    try transaction.db.groups.update(group.groupID, startedConnection: false, link: link)
                }
                let opening = try fill(&record, transaction)
                return try transaction.begin(record, link: link, incognito: profile, target: target, user: user, opening)
            }
        }
    }

    /// The agent has joined.
    private func complete(_ joining: Joining, _ status: ConnectionStatus, user: User) async throws(ChatCoreError) -> JoinedConnection {
        try await transaction { transaction in
            try transaction.db.connections.update(joining.connectionID, from: .prepared, to: status, at: transaction.now)
            var pending = joining.pending
            pending?.status = status
            return JoinedConnection(user: try transaction.anyUser(user.userID), pending: pending, incognito: joining.incognito)
        }
    }

    // MARK: The agent's part

    /// The chat version that a connection by this link begins with, and whether it can be protected by post-quantum encryption.
    private func compatible(_ link: FullLink) throws(ChatCoreError) -> (ChatVersion, pqSupport: Bool) {
        guard let compatibility = core.agent.compatibility(of: link.link, pqSupport: true) else {
            throw ChatCoreError(Refusal.chat(.invalidConnectionRequest).error)
        }
        let version = compatibility.agentVersion < 5 ? ChatVersions.initial.max : ChatVersions.compressionAndPostQuantum
        return (version, compatibility.pqSupport)
    }

    private func prepare(_ link: FullLink, user: User, pqSupport: Bool) async throws(ChatCoreError) -> ConnectionID {
        let agentUser = try agentUser(of: user)
        return try await core.agent { agent throws(AgentError) in
            try await agent.prepareToJoin(user: agentUser, link: link.link, pqSupport: pqSupport)
        }
    }

    private func join(_ joining: Joining, _ link: FullLink, user: User) async throws(ChatCoreError) -> Bool {
        let agentUser = try agentUser(of: user)
        return try await core.agent { agent throws(AgentError) in
            try await agent.join(
                user: agentUser, connection: ConnectionID(joining.agentID), link: link.link, info: joining.info,
                pqSupport: joining.pqSupport, subscription: .subscribe)
        }
    }
}

/// The first event of a connection, given the profile that is shown.
private typealias Opening = (Profile) -> ChatMessageEvent

/// The beginning of a request to an address.
private enum RequestStart: Sendable {
    /// There is a contact already.
    case exists(Contact)
    /// The same request was broken off before.
    case resume(Joining)
    /// A new connection; under the same tag if there was a request before.
    case begin(ContactRequestID?)
}

extension ChatTransaction {
    /// Stores a connection before the agent does anything outside, with the message that it begins with.
    fileprivate func begin(
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
        let user = try anyUser(user.userID)
        var shared = user.sharedProfile(incognito: incognito, contactPreferences: nil, usesProfileTTL: true)
        // Members see less of a profile than contacts do.
        if link.isGroup || target.group != nil {
            shared = (incognito ?? user.profile.published).redacted(for: target.group, role: target.group?.membership.role ?? .member)
        }
        return Joining(
            connectionID: id, agentID: agentID, info: try connectionInfo(opening(shared), pqSupport: pqSupport, peerVersion: version),
            pqSupport: pqSupport, incognito: incognito, pending: try db.connections.pendingConnection(id, user: user.userID))
    }

    /// The connection of an invitation that was broken off before; nil to begin a new one.
    fileprivate func resumeInvitation(_ link: FullLink, user: User, version: ChatVersion, pqSupport: Bool) throws -> Joining? {
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
            incognito: try incognitoProfile(record.connection), link: link, target: target, user: user, opening)
    }

    private func connection(of active: Connection?) throws -> ConnectionRecord? { try active.flatMap { try db.connections.find($0.connectionID) } }

    fileprivate func resumeRequest(
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
    fileprivate func request(_ tag: ContactRequestID?, of target: JoinTarget, message: MessageContent?) throws -> Opening {
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
    fileprivate func addRequestMessage(_ message: MessageContent, to contact: inout Contact, of user: User) throws {
        guard let id = try db.contacts.contactPreparation(contact.contactID)?.request else { return }
        var draft = ItemDraft(.sentMessage(content: message), isSent: true)
        draft.sharedMessageID = id
        var item = try addItem(draft, to: &contact, of: user)
        // Official cores show the id only when the item is read again.
        item.meta.sharedMessageID = nil
        emit(.newChatItems(user: user, chatItems: [ItemInChat(chatInfo: .direct(contact: contact), chatItem: item)]))
    }

    /// Shows what changed in what is allowed, before anybody is connected.
    func addItems(changedFrom old: Contact, to contact: inout Contact, of user: User) throws {
        let contents = FeatureItems.changedBeforeConnecting(from: old.mergedPreferences, to: contact.mergedPreferences)
        try addInternalItems(contents, isSent: false, to: &contact, of: user)
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
