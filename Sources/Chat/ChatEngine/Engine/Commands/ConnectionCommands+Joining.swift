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

extension ConnectionCommands {
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
            let contact = try transaction.conversations.contact(id, of: user)
            guard let prepared = contact.preparedContact else { throw Refusal.command("contact doesn't have link to connect") }
            return (user, contact, prepared)
        }
        let full = try parsed(prepared.connectionLink)
        do {
            switch full.kind {
            case .invitation:
                let joined = try await joinInvitation(full, user: user, incognito: incognito, target: .contact(contact))
                return try await transaction { transaction in
                    var current = try transaction.conversations.contact(id, of: user)
                    if incognito { try transaction.contacts.addItems(changedFrom: contact, to: &current, of: user) }
                    if let message {
                        let item = try transaction.contactRequests.sendMessage(MessageContainer(content: message), to: &current, of: user)
                        transaction.emit(
                            .newChatItems(user: user, chatItems: [ItemInChat(chatInfo: .direct(contact: current), chatItem: item)]))
                    }
                    return .startedConnectionToContact(user: joined.user, contact: current, customUserProfile: joined.incognito)
                }
            default:
                let joined = try await joinAddress(full, user: user, incognito: incognito, target: .contact(contact), message: message)
                if let existing = joined.existing { return .contactAlreadyExists(user: joined.user, contact: existing) }
                return try await transaction { transaction in
                    var current = try transaction.conversations.contact(id, of: user)
                    if incognito { try transaction.contacts.addItems(changedFrom: contact, to: &current, of: user) }
                    if let message { try transaction.contactJoining.addRequestMessage(message, to: &current, of: user) }
                    return .startedConnectionToContact(user: joined.user, contact: current, customUserProfile: joined.incognito)
                }
            }
        } catch {
            // The connection may have begun: apps show it.
            if let current = try? await query({ try $0.conversations.contact(id, of: user) }) {
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
            let group = try transaction.conversations.group(id, of: user)
            guard let prepared = group.preparedGroup else { throw Refusal.command("group doesn't have link to connect") }
            return (user, group, prepared)
        }
        if channel.usesRelays {
            return try await runner.channelCommands.connectPrepared(channel, prepared, incognito: incognito, contact: contact, user: user)
        }
        let (group, host) = try await query { transaction in
            let group = try transaction.conversations.group(id, of: user)
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
                let current = try transaction.conversations.group(id, of: user)
                if let message { try transaction.preparedGroups.addRequestMessage(message, to: current, of: user) }
                return .startedConnectionToGroup(
                    user: joined.user, groupInfo: try transaction.conversations.group(id, of: user), customUserProfile: joined.incognito)
            }
        } catch {
            // The connection may have begun: apps show it.
            if let current = try? await query({ try $0.conversations.group(id, of: user) }) {
                core.hub.publish(.chatInfoUpdated(user: user, chatInfo: .group(groupInfo: current, scope: nil)))
            }
            throw error
        }
    }

    /// Connects the contact of a member who has invited this profile.
    func acceptMemberContact(_ id: ContactID) async throws(ChatCoreError) -> ChatResponse {
        let (user, contact, invitation) = try await query { transaction in
            let user = try transaction.user()
            let contact = try transaction.conversations.contact(id, of: user)
            guard let invitation = contact.groupDirectInvitation else {
                throw Refusal.store(.memberContactGroupMemberNotFound(contactID: id))
            }
            guard !invitation.startedConnection else { throw Refusal.command("connection already started") }
            return (user, contact, invitation)
        }
        let agentUser = try runner.agentUser(of: user)
        do {
            try await core.members.joinContact(contact.contactID, by: invitation.link, user: user, agentUser: agentUser)
        } catch {
            if let current = try? await query({ try $0.conversations.contact(id, of: user) }) {
                core.hub.publish(.chatInfoUpdated(user: user, chatInfo: .direct(contact: current)))
            }
            throw error
        }
        return .memberContactAccepted(user: user, contact: try await query { try $0.conversations.contact(id, of: user) })
    }

    /// Connects to the address that a contact publishes.
    func connectViaAddress(_ id: ContactID, user userID: UserID, incognito: Bool) async throws(ChatCoreError) -> ChatResponse {
        let (user, contact) = try await query { transaction in
            let user = try transaction.user(userID)
            return (user, try transaction.conversations.contact(id, of: user))
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
            let agentUser = try runner.agentUser(of: user)
            let resolved = try await core.agent { agent throws(AgentError) in
                try await agent.resolveShortLink(user: agentUser, link: short.complete)
            }
            full = FullLink(resolved.fixed.connectionRequest, short: short)
        }
        let joined = try await joinAddress(full, user: user, incognito: incognito, target: .contact(contact), message: nil)
        let current = try await query { try $0.conversations.contact(id, of: user) }
        return .sentInvitationToContact(user: joined.user, contact: current, customUserProfile: joined.incognito)
    }

    // MARK: Invitations

    private func joinInvitation(
        _ link: FullLink, user: User, incognito: Bool, target: JoinTarget
    ) async throws(ChatCoreError) -> JoinedConnection {
        try await core.locks.withLock("link " + link.key) { () throws(ChatCoreError) in
            let (version, pqSupport) = try compatible(link)
            let prepared = try await transaction { transaction in
                try transaction.contactJoining.resumeInvitation(link, user: user, version: version, pqSupport: pqSupport)
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
                try transaction.contactJoining.resumeRequest(link, user: user, target: target, incognito: incognito, message: message)
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
                    return try transaction.contactJoining.request(tag, of: target, message: message)
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
    ///   - pqSupport: the offer of the agent.
    ///   - fill: sets the other properties of the record, and returns the opening of the connection.
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
                return try transaction.contactJoining.begin(record, link: link, incognito: profile, target: target, user: user, opening)
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
        let agentUser = try runner.agentUser(of: user)
        return try await core.agent { agent throws(AgentError) in
            try await agent.prepareToJoin(user: agentUser, link: link.link, pqSupport: pqSupport)
        }
    }

    private func join(_ joining: Joining, _ link: FullLink, user: User) async throws(ChatCoreError) -> Bool {
        let agentUser = try runner.agentUser(of: user)
        return try await core.agent { agent throws(AgentError) in
            try await agent.join(
                user: agentUser, connection: ConnectionID(joining.agentID), link: link.link, info: joining.info,
                pqSupport: joining.pqSupport, subscription: .subscribe)
        }
    }
}
