import AsyncPrimitives
import ChatAPI
import ChatProtocol
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

/// What is needed to join a connection that the store knows already.
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
            let joined = try await joinInvitation(full, user: user, incognito: incognito, contact: nil)
            guard let pending = joined.pending else { throw ChatCoreError(Refusal.chat(.invalidConnectionRequest).error) }
            return .sentConfirmation(user: joined.user, connection: pending, customUserProfile: joined.incognito)
        default:
            if full.isGroup { throw ChatCoreError(Refusal.unsupported("groups").error) }
            let joined = try await joinAddress(full, user: user, incognito: incognito, contact: nil, message: nil)
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
                let joined = try await joinInvitation(full, user: user, incognito: incognito, contact: contact)
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
                let joined = try await joinAddress(full, user: user, incognito: incognito, contact: contact, message: message)
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
            let resolved = try await core.agent { agent throws(AgentFault) in
                try await agent.resolveShortLink(user: agentUser, link: short.complete)
            }
            full = FullLink(resolved.fixed.connectionRequest, short: short)
        }
        let joined = try await joinAddress(full, user: user, incognito: incognito, contact: contact, message: nil)
        let current = try await query { try $0.contact(id, of: user) }
        return .sentInvitationToContact(user: joined.user, contact: current, customUserProfile: joined.incognito)
    }

    // MARK: Invitations

    private func joinInvitation(
        _ link: FullLink, user: User, incognito: Bool, contact: Contact?
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
                joining = try await begin(link, version, user: user, pqSupport: pqSupport, incognito: incognito, contact: contact) { record, _ in
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
        _ link: FullLink, user: User, incognito: Bool, contact: Contact?, message: MessageContent?
    ) async throws(ChatCoreError) -> JoinedConnection {
        try await core.locks.withLock("link " + link.key) { () throws(ChatCoreError) in
            let (version, _) = try compatible(link)
            let start = try await transaction { transaction in
                try transaction.resumeRequest(link, user: user, contact: contact, incognito: incognito, message: message)
            }
            let joining: Joining
            switch start {
            case .exists(let contact): return JoinedConnection(user: user, existing: contact)
            case .resume(let prepared): joining = prepared
            case .begin(let tag):
                joining = try await begin(link, version, user: user, pqSupport: true, incognito: incognito, contact: contact) { record, transaction in
                    record.usesAddressOfPeer = true
                    record.isInitiated = true
                    let tag = tag ?? ContactRequestID(transaction.random.bytes(16))
                    record.requestTag = tag
                    return try transaction.request(tag, of: contact, message: message)
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
        _ link: FullLink, _ version: ChatVersion, user: User, pqSupport: Bool, incognito: Bool, contact: Contact?,
        _ fill: @escaping @Sendable (inout NewConnectionRecord, ChatTransaction) throws -> Opening
    ) async throws(ChatCoreError) -> Joining {
        let profile = incognito ? RandomProfile.make(core.random) : nil
        let agentID = try await prepare(link, user: user, pqSupport: pqSupport)
        return try await core.leftovers.orDiscard(agentID) { () throws(ChatCoreError) in
            try await transaction { transaction in
                var record = NewConnectionRecord(
                    userID: user.userID, agentConnectionID: agentID.bytes, status: .prepared, chatVersion: version)
                record.contactID = contact?.contactID
                let opening = try fill(&record, transaction)
                return try transaction.begin(record, link: link, incognito: profile, user: user, opening)
            }
        }
    }

    /// The agent has joined.
    private func complete(_ joining: Joining, _ status: ConnectionStatus, user: User) async throws(ChatCoreError) -> JoinedConnection {
        try await transaction { transaction in
            try transaction.db.updateConnection(joining.connectionID, from: .prepared, to: status, at: transaction.now)
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
        return try await core.agent { agent throws(AgentFault) in
            try await agent.prepareToJoin(user: agentUser, link: link.link, pqSupport: pqSupport)
        }
    }

    private func join(_ joining: Joining, _ link: FullLink, user: User) async throws(ChatCoreError) -> Bool {
        let agentUser = try agentUser(of: user)
        return try await core.agent { agent throws(AgentFault) in
            try await agent.join(
                user: agentUser, connection: ConnectionID(joining.agentID), link: link.link, info: joining.info,
                pqSupport: joining.pqSupport, subscription: .subscribe)
        }
    }
}

/// What a connection begins with, given the profile that is shown.
private typealias Opening = (Profile) -> ChatMessageEvent

/// How a request to an address begins.
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
        _ new: NewConnectionRecord, link: FullLink, incognito: Profile?, user: User, _ opening: Opening
    ) throws -> Joining {
        var record = new
        record.linkKey = link.key
        record.fullLink = link.created.fullLink
        record.shortLink = link.created.shortLink
        record.incognitoProfileID = try incognito.map { try db.insertProfile($0, user: user.userID, incognito: true, at: now) }
        let id = try db.insertConnection(record, at: now)
        return try joining(
            id, agentID: record.agentConnectionID, pqSupport: record.pqSupport, version: record.chatVersion, incognito: incognito, user: user, opening)
    }

    /// What the agent needs for a connection that is stored.
    private func joining(
        _ id: ChatConnectionID, agentID: Bytes, pqSupport: Bool, version: ChatVersion, incognito: Profile?, user: User, _ opening: Opening
    ) throws -> Joining {
        let shared = try anyUser(user.userID).sharedProfile(incognito: incognito, contactPreferences: nil, usesProfileTTL: true)
        return Joining(
            connectionID: id, agentID: agentID, info: try connectionInfo(opening(shared), pqSupport: pqSupport, peerVersion: version),
            pqSupport: pqSupport, incognito: incognito, pending: try db.pendingConnection(id, user: user.userID))
    }

    /// The connection of an invitation that was broken off before; nil to begin a new one.
    fileprivate func resumeInvitation(_ link: FullLink, user: User, version: ChatVersion, pqSupport: Bool) throws -> Joining? {
        guard let record = try db.connection(user: user.userID, linkKey: link.key) else { return nil }
        let connection = record.connection
        if connection.status == .new, connection.contactConnectionInitiated { return nil }
        guard connection.status == .prepared else {
            let whose = record.contactID.map { "contact \($0)" } ?? "connection"
            throw Refusal.command("connection is not RcvDirectMsgConnection: \"\(whose), status: \(connection.status.officialName)\"")
        }
        return try resume(record, user: user, pqSupport: pqSupport, version: version) { .info($0) }
    }

    private func resume(
        _ record: ConnectionRecord, user: User, pqSupport: Bool, version: ChatVersion, _ opening: Opening
    ) throws -> Joining {
        try joining(
            record.id, agentID: record.agentConnectionID, pqSupport: pqSupport, version: version,
            incognito: try incognitoProfile(record.connection), user: user, opening)
    }

    fileprivate func resumeRequest(
        _ link: FullLink, user: User, contact: Contact?, incognito: Bool, message: MessageContent?
    ) throws -> RequestStart {
        let record: ConnectionRecord?
        if let contact {
            record = try contact.activeConnection.flatMap { try db.connection($0.connectionID) }
        } else {
            record = try db.connection(user: user.userID, linkKey: link.key)
        }
        guard let record else { return .begin(nil) }
        let tag = try db.requestTag(connection: record.id)
        guard record.connection.status == .prepared else {
            if let id = record.contactID, let known = try db.contact(id, of: user), contact != nil || known.status == .active {
                return .exists(known)
            }
            return .begin(tag)
        }
        guard incognito == (record.connection.customUserProfileID != nil) else {
            throw Refusal.command("incognito mode is different from prepared connection")
        }
        return .resume(
            try resume(
                record, user: user, pqSupport: record.connection.pqSupport, version: ChatVersion(clamping: record.connection.chatVersion),
                try request(tag, of: contact, message: message)))
    }

    /// What a request says.
    fileprivate func request(_ tag: ContactRequestID?, of contact: Contact?, message: MessageContent?) throws -> Opening {
        guard let contact, let prepared = try db.contactPreparation(contact.contactID) else {
            return { .contact(ContactRequest(profile: $0, requestID: tag)) }
        }
        var asked: ContactRequest.Message?
        if let message {
            let id = prepared.request ?? newSharedMessageID()
            if prepared.request == nil { try db.updateContact(contact.contactID, requestSharedMessageID: id) }
            asked = ContactRequest.Message(messageID: id, content: message)
        }
        return { [asked] in .contact(ContactRequest(profile: $0, requestID: tag, welcomeMessageID: prepared.welcome, message: asked)) }
    }

    /// Shows the message that was sent with a request.
    fileprivate func addRequestMessage(_ message: MessageContent, to contact: inout Contact, of user: User) throws {
        guard let id = try db.contactPreparation(contact.contactID)?.request else { return }
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
