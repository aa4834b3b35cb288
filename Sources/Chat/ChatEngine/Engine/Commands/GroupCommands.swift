import AsyncPrimitives
import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPAgent
import SMPCrypto
import SMPProtocol
import SMPWire

// Commands about groups and their members.

/// Commands about groups and their members.
struct GroupCommands: CommandFeature {
    let runner: CommandRunner
}

extension CommandRunner {
    /// Commands about groups.
    var groupCommands: GroupCommands { GroupCommands(runner: self) }
}

extension GroupCommands {
    func run(_ command: GroupCommand) async throws(ChatCoreError) -> ChatResponse {
        if let transaction = transaction(of: command) { return try await answer(transaction) }
        return switch command {
        case .createPublic(let id, let incognito, let relays, let profile):
            try await runner.channelCommands.create(profile, relays: relays, incognito: incognito, user: id)
        case .relays(let id):
            try await query { transaction in
                let user = try transaction.user()
                return .groupRelays(
                    user: user, groupInfo: try transaction.conversations.group(id, of: user), groupRelays: try transaction.db.relays.all(of: id))
            }
        case .addRelays(let id, let relays): try await runner.channelCommands.addRelays(relays, to: id)
        case .linkData(let id): try await runner.channelCommands.updatedLinkData(of: id)
        case .add(let id, let contact, let role): try await invite(contact, to: id, as: role)
        case .join(let id): try await join(id)
        case .members(let id):
            try await query(isLong: true) { transaction in
                let user = try transaction.user()
                let group = try transaction.conversations.group(id, of: user)
                return .groupMembers(user: user, group: Group(groupInfo: group, members: try transaction.db.members.members(of: id)))
            }
        case .list(let id, let contact, let search):
            try await query(isLong: true) { transaction in
                let user = try transaction.user(id)
                return .groupsList(user: user, groups: try transaction.db.groups.groups(user: user.userID, contact: contact, search: search))
            }
        case .info(let id):
            try await query { transaction in
                let user = try transaction.user()
                return .groupInfo(user: user, groupInfo: try transaction.conversations.group(id, of: user))
            }
        case .updateProfile(let id, let profile): try await update(id, to: profile)
        case .setPublicAccess(let id, let access): try await runner.connectionCommands.setPublicAccess(access, of: id)
        case .verifyDomain(let id): try await runner.connectionCommands.verifyDomain(of: id)
        case .createLink(let id, let role): try await createLink(of: id, as: role)
        case .deleteLink(let id):
            try await transaction { transaction in
                let user = try transaction.user()
                let group = try transaction.conversations.group(id, of: user)
                guard try transaction.db.groupLinks.find(group: id) != nil else { throw Refusal.store(.groupLinkNotFound(groupInfo: group)) }
                try transaction.groups.deleteLink(of: group, user: user)
                return .groupLinkDeleted(user: user, groupInfo: group)
            }
        case .link(let id):
            try await query { transaction in
                let user = try transaction.user()
                let group = try transaction.conversations.group(id, of: user)
                return .groupLink(user: user, groupInfo: group, groupLink: try transaction.groups.link(of: group))
            }
        case .addShortLink(let id): try await addShortLink(to: id)
        case .memberInfo(let id, let member): try await memberInfo(member, in: id)
        case .memberQueueInfo(let id, let member): try await memberQueueInfo(member, in: id)
        case .switchMember(let id, let member):
            try await withMember(member, in: id) { agent, connection throws(AgentError) in
                try await agent.switchQueue(of: connection)
            } answer: {
                .groupMemberSwitchStarted(user: $0, groupInfo: $1, member: $2, connectionStats: $3.api)
            }
        case .abortSwitchMember(let id, let member):
            try await withMember(member, in: id) { agent, connection throws(AgentError) in
                try await agent.abortSwitch(of: connection)
            } answer: {
                .groupMemberSwitchAborted(user: $0, groupInfo: $1, member: $2, connectionStats: $3.api)
            }
        case .syncMemberRatchet(let id, let member, let force): try await syncRatchet(of: member, in: id, force: force)
        case .memberSecurityCode(let id, let member): try await securityCode(of: member, in: id)
        case .verifyMember(let id, let member, let code): try await verify(member, in: id, code: code)
        case .createMemberContact(let id, let member): try await createContact(of: member, in: id)
        case .connectPrepared(let id, let incognito, let contact, let message):
            try await runner.connectionCommands.connectPreparedGroup(id, incognito: incognito, contact: contact, message: message)
        case .create, .acceptMember, .deleteMemberSupportChat, .setRole, .blockForAll, .remove, .leave, .allowRelay, .setAlias, .setCustomData,
            .setMemberSettings,
            .setLinkRole, .setLinkAdmission, .enableMember, .changeUser:
            throw ChatCoreError(.notACommand)
        }
    }

    /// The transaction of the command; nil for a question, or a command that needs the agent.
    private func transaction(of command: GroupCommand) -> (@Sendable (ChatTransaction) throws -> ChatResponse)? {
        switch command {
        case .create(let id, let incognito, let profile): { try $0.groups.create(profile, incognito: incognito, user: id) }
        case .acceptMember(let id, let member, let role): { try $0.members.accept(member, in: id, as: role) }
        case .deleteMemberSupportChat(let id, let member): { try $0.members.deleteSupportChat(of: member, in: id) }
        case .setRole(let id, let members, let role): { try $0.members.setRole(role, of: members, in: id) }
        case .blockForAll(let id, let members, let isBlocked): { try $0.members.block(members, isBlocked, in: id) }
        case .remove(let id, let members, let withMessages): { try $0.members.remove(members, from: id, withMessages: withMessages) }
        case .leave(let id): { try $0.groups.leave(id) }
        case .allowRelay(let id): { try $0.relayRequests.allow(id) }
        case .setAlias(let id, let alias):
            { transaction in
                let user = try transaction.user()
                _ = try transaction.conversations.group(id, of: user)
                try transaction.db.groups.update(id, alias: alias)
                return .groupAliasUpdated(user: user, groupInfo: try transaction.conversations.group(id, of: user))
            }
        case .setCustomData(let id, let data):
            { transaction in
                let user = try transaction.user()
                _ = try transaction.conversations.group(id, of: user)
                try transaction.db.groups.update(id, customData: data)
                return .cmdOk(user: user)
            }
        case .setMemberSettings(let id, let member, let settings): { try $0.members.set(settings, of: member, in: id) }
        case .setLinkRole(let id, let role): { try $0.groups.setLinkRole(role, of: id) }
        case .setLinkAdmission(let id, let admission): { try $0.groups.setAdmission(admission, of: id) }
        case .enableMember(let id, let member):
            { transaction in
                let user = try transaction.user()
                let member = try transaction.conversations.member(member, in: try transaction.conversations.group(id, of: user))
                guard let connection = member.activeConnection else { throw Refusal.chat(.groupMemberNotActive) }
                try transaction.db.connections.update(connection.connectionID, authErrors: 0, quotaErrors: connection.quotaErrorCounter)
                return .cmdOk(user: user)
            }
        case .changeUser(let id, let newUser): { try $0.groups.move(id, to: newUser) }
        default: nil
        }
    }

    // MARK: Inviting and joining

    private func invite(_ contactID: ContactID, to id: GroupID, as role: GroupMemberRole) async throws(ChatCoreError) -> ChatResponse {
        try await core.locks.withLock("group \(id)") { () throws(ChatCoreError) in
            if let response = try await transaction({ try $0.groups.repeatInvitation(of: contactID, to: id, as: role) }) { return response }
            let user = try await query { try $0.user() }
            let agentUser = try runner.agentUser(of: user)
            let created = try await core.agent { agent throws(AgentError) in
                try await agent.createConnection(user: agentUser, mode: .invitation, linkData: nil, clientData: nil, pq: .off, subscription: .subscribe)
            }
            return try await core.leftovers.orDiscard(created.id) { () throws(ChatCoreError) in
                try await transaction { transaction in
                    try transaction.groups.invite(contactID, to: id, as: role, connection: created.id.bytes, link: created.link.wireString)
                }
            }
        }
    }

    private func join(_ id: GroupID) async throws(ChatCoreError) -> ChatResponse {
        try await core.locks.withLock("group \(id)") { () throws(ChatCoreError) in try await joinNow(id) }
    }

    private func joinNow(_ id: GroupID) async throws(ChatCoreError) -> ChatResponse {
        let (user, group, host, text) = try await query { transaction in
            try transaction.groups.invitation(to: id, of: try transaction.user())
        }
        guard let link = try? ConnectionRequestURI(wireString: text) else { throw ChatCoreError(Refusal.chat(.invalidConnectionRequest).error) }
        let agentUser = try runner.agentUser(of: user)
        let connection = try await connection(with: host, by: link, user: user)
        let info = try await transaction { transaction in
            for member in [host, group.membership] { try transaction.db.members.update(member.groupMemberID, status: .accepted, at: transaction.now) }
            return try transaction.outbox.connectionInfo(
                .acceptGroup(memberID: group.membership.memberID), pqSupport: false,
                peerVersion: ChatVersions.connectionVersion(local: ChatVersions.supported, peer: host.versionRange))
        }
        let isSecured: Bool
        do {
            isSecured = try await core.agent { agent throws(AgentError) in
                try await agent.join(user: agentUser, connection: connection, link: link, info: info, pqSupport: false, subscription: .subscribe)
            }
        } catch {
            try await transaction { transaction in
                for member in [host, group.membership] { try transaction.db.members.update(member.groupMemberID, status: .invited, at: transaction.now) }
            }
            throw error
        }
        return try await transaction { transaction in
            if let record = try transaction.db.connections.find(agentID: connection.bytes) {
                try transaction.db.connections.update(record.id, from: .prepared, to: isSecured ? .sendReady : .joined, at: transaction.now)
            }
            try transaction.groupInvitations.update(to: group, .accepted, of: user)
            return .userAcceptedGroupSent(user: user, groupInfo: try transaction.conversations.group(id, of: user), hostContact: nil)
        }
    }

    /// The connection with the host of a group, made if there is none.
    private func connection(with host: GroupMember, by link: ConnectionRequestURI, user: User) async throws(ChatCoreError) -> ConnectionID {
        if let known = host.activeConnection, let agentID = Base64URL.decode(known.agentConnectionID) { return ConnectionID(agentID) }
        let agentUser = try runner.agentUser(of: user)
        let connection = try await core.agent { agent throws(AgentError) in
            try await agent.prepareToJoin(user: agentUser, link: link, pqSupport: false)
        }
        try await core.leftovers.orDiscard(connection) { () throws(ChatCoreError) in
            try await transaction { try $0.members.insertConnection(connection.bytes, with: host, status: .prepared, user: user) }
        }
        return connection
    }

    // MARK: Profile and links

    private func update(_ id: GroupID, to profile: GroupProfile) async throws(ChatCoreError) -> ChatResponse {
        let (response, group, user) = try await transaction { transaction in
            let user = try transaction.user()
            let response = try transaction.groups.update(try transaction.conversations.group(id, of: user), to: profile, of: user)
            return (response, try transaction.conversations.group(id, of: user), user)
        }
        if group.businessChat == nil, let link = try await query({ try $0.db.groupLinks.find(group: id) }), link.shortLinkDataSet {
            try await core.members.publishLink(of: group, user: user)
        }
        return response
    }

    private func createLink(of id: GroupID, as role: GroupMemberRole) async throws(ChatCoreError) -> ChatResponse {
        try await core.locks.withLock("group \(id)") { () throws(ChatCoreError) in
            let (user, group) = try await query { transaction in
                let user = try transaction.user()
                let group = try transaction.conversations.group(id, of: user)
                try transaction.conversations.require(.admin, in: group)
                guard role <= .member else { throw Refusal.chat(.groupMemberInitialRole(groupInfo: group, initialRole: role)) }
                guard try transaction.db.groupLinks.find(group: id) == nil else { throw Refusal.store(.duplicateGroupLink(groupInfo: group)) }
                return (user, group)
            }
            let linkID = GroupLinkID(core.random.bytes(16))
            let contents = try GroupLinkContents(group, id: linkID)
            let agentUser = try runner.agentUser(of: user)
            let created = try await core.agent { agent throws(AgentError) in
                try await agent.createConnection(
                    user: agentUser, mode: .contact, linkData: contents.linkData, clientData: contents.clientData, pq: .off, subscription: .subscribe)
            }
            let link = FullLink(created.link, short: created.shortLink?.groupLink)
            return try await core.leftovers.orDiscard(created.id) { () throws(ChatCoreError) in
                try await transaction { transaction in
                    let link = try transaction.db.groupLinks.insert(
                        group: id, user: user.userID, link: link, id: linkID, role: role, hasData: link.short != nil, at: transaction.now)
                    var record = NewConnectionRecord(
                        userID: user.userID, agentConnectionID: created.id.bytes, status: .new, chatVersion: ChatVersions.initial.max)
                    record.groupLinkID = link
                    record.pqSupport = false
                    _ = try transaction.db.connections.insert(record, at: transaction.now)
                    return .groupLinkCreated(user: user, groupInfo: group, groupLink: try transaction.groups.link(of: group))
                }
            }
        }
    }

    private func addShortLink(to id: GroupID) async throws(ChatCoreError) -> ChatResponse {
        let (user, group) = try await query { transaction in
            let user = try transaction.user()
            let group = try transaction.conversations.group(id, of: user)
            _ = try transaction.groups.link(of: group)
            return (user, group)
        }
        guard let link = try await core.members.publishLink(of: group, user: user) else {
            throw ChatCoreError(Refusal.store(.groupLinkNotFound(groupInfo: group)).error)
        }
        return .groupLink(user: user, groupInfo: group, groupLink: link)
    }

    // MARK: The connection with a member

    func connected(
        _ id: GroupMemberID, in group: GroupID
    ) async throws(ChatCoreError) -> (user: User, group: GroupInfo, member: GroupMember, connection: Connection, agentID: ConnectionID) {
        try await query { transaction in
            let user = try transaction.user()
            let group = try transaction.conversations.group(group, of: user)
            let member = try transaction.conversations.member(id, in: group)
            guard let connection = member.activeConnection, let agentID = Base64URL.decode(connection.agentConnectionID) else {
                throw Refusal.chat(.groupMemberNotActive)
            }
            return (user, group, member, connection, ConnectionID(agentID))
        }
    }

    private func withMember<T: Sendable>(
        _ id: GroupMemberID, in group: GroupID, _ call: (any AgentService, ConnectionID) async throws(AgentError) -> T,
        answer: (User, GroupInfo, GroupMember, T) -> ChatResponse
    ) async throws(ChatCoreError) -> ChatResponse {
        let found = try await connected(id, in: group)
        let value = try await core.agent { agent throws(AgentError) in try await call(agent, found.agentID) }
        return answer(found.user, found.group, found.member, value)
    }

    private func memberInfo(_ id: GroupMemberID, in group: GroupID) async throws(ChatCoreError) -> ChatResponse {
        let (user, group, member) = try await query { transaction in
            let user = try transaction.user()
            let group = try transaction.conversations.group(group, of: user)
            return (user, group, try transaction.conversations.member(id, in: group))
        }
        var stats: AgentConnectionStats?
        if let connection = member.activeConnection, connection.status != .deleted, let agentID = Base64URL.decode(connection.agentConnectionID) {
            stats = try await core.agent { agent throws(AgentError) in try await agent.stats(of: ConnectionID(agentID)) }
        }
        return .groupMemberInfo(user: user, groupInfo: group, member: member, connectionStats: stats?.api)
    }

    private func memberQueueInfo(_ id: GroupMemberID, in group: GroupID) async throws(ChatCoreError) -> ChatResponse {
        let found = try await connected(id, in: group)
        return .queueInfo(user: found.user, receivedMessage: nil, queueInfo: try await runner.contactCommands.queueInfo(of: found.agentID))
    }

    private func syncRatchet(of id: GroupMemberID, in group: GroupID, force: Bool) async throws(ChatCoreError) -> ChatResponse {
        let found = try await connected(id, in: group)
        let stats = try await core.agent { agent throws(AgentError) in
            try await agent.synchronizeRatchet(of: found.agentID, pqSupport: found.connection.pqSupport, force: force)
        }
        try await transaction { transaction in
            var (member, chat) = try transaction.conversations.conversation(
                with: try transaction.conversations.member(id, in: found.group), in: try transaction.conversations.group(group, of: found.user))
            try transaction.groupItems.addEvent(
                .sentConnectionEvent(event: .ratchetSync(status: stats.ratchetSyncState.api, member: member.reference)), in: &chat, of: found.user)
            member = chat.supportMember ?? member
        }
        return .groupMemberRatchetSyncStarted(user: found.user, groupInfo: found.group, member: found.member, connectionStats: stats.api)
    }

    private func createContact(of id: GroupMemberID, in group: GroupID) async throws(ChatCoreError) -> ChatResponse {
        let (user, group) = try await query { transaction in
            let user = try transaction.user()
            let group = try transaction.conversations.group(group, of: user)
            let member = try transaction.conversations.member(id, in: group)
            try transaction.conversations.require(.author, in: group)
            guard group.allowsUser(.directMessages) else { throw Refusal.command("direct messages not allowed") }
            guard let connection = member.activeConnection else { throw Refusal.chat(.groupMemberNotActive) }
            guard connection.peerChatVersions.maxVersion >= Int(ChatVersions.groupDirectInvitation) else {
                throw Refusal.chat(.peerChatVersionIncompatible)
            }
            guard member.contactID == nil else { throw Refusal.command("member contact already exists") }
            return (user, group)
        }
        let agentUser = try runner.agentUser(of: user)
        let created = try await core.agent { agent throws(AgentError) in
            try await agent.createConnection(user: agentUser, mode: .invitation, linkData: nil, clientData: nil, pq: .off, subscription: .subscribe)
        }
        return try await core.leftovers.orDiscard(created.id) { () throws(ChatCoreError) in
            try await transaction { transaction in
                let member = try transaction.conversations.member(id, in: group)
                guard member.contactID == nil else { throw Refusal.command("member contact already exists") }
                let contact = try transaction.memberContacts.add(
                    member, connection: created.id.bytes, link: created.link.wireString, in: group, of: user)
                return .newMemberContact(user: user, contact: contact, groupInfo: group, member: member)
            }
        }
    }
}
