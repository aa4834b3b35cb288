import AsyncPrimitives
import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPAgent
import SMPCrypto
import SMPProtocol
import SMPWire

// Commands about channels and their relays.

/// Commands about channels and their relays.
struct ChannelCommands: CommandFeature {
    let runner: CommandRunner
}

extension CommandRunner {
    /// Commands about channels and their relays.
    var channelCommands: ChannelCommands { ChannelCommands(runner: self) }
}

extension ChannelCommands {
    // MARK: Making

    /// Makes a channel and invites its relays. It is there once all are invited, or not at all.
    func create(
        _ profile: GroupProfile, relays ids: [UserChatRelayID], incognito: Bool, user id: UserID
    ) async throws(ChatCoreError) -> ChatResponse {
        let (user, relays) = try await query { transaction in
            let user = try transaction.user(id)
            try transaction.users.checkName(profile.displayName)
            let relays = try ids.map { id in
                guard let relay = try transaction.db.servers.chatRelay(id, user: user.userID) else {
                    throw Refusal.store(.userChatRelayNotFound(chatRelayID: id))
                }
                return relay
            }
            return (user, relays)
        }
        guard !relays.isEmpty else { throw ChatCoreError(Refusal.command("no relays").error) }
        let group = try await createChannel(profile, incognito: incognito, user: user)
        var results: [AddRelayResult] = [], failures: [ChatCoreError] = []
        for (relay, failure) in await invite(relays, to: group, user: user) {
            results.append(AddRelayResult(relay: relay, error: failure.map { $0.chatError ?? .chat(error: .internalError(message: $0.message)) }))
            if let failure { failures.append(failure) }
        }
        guard let first = failures.first else { return try await transaction { try $0.channels.finish(group.groupID, of: user) } }
        try await transaction { try $0.channels.removeUnfinished(group.groupID, of: user) }
        // With nothing but the network in the way, the same command can be given again.
        guard !failures.allSatisfy(\.isTemporary) else { throw first }
        return .publicGroupCreationFailed(user: user, results: results)
    }

    private func createChannel(_ profile: GroupProfile, incognito: Bool, user: User) async throws(ChatCoreError) -> GroupInfo {
        let root = Ed25519.generateKeyPair(core.random), own = Ed25519.generateKeyPair(core.random)
        let id = Hash.sha256(root.publicKey.raw), memberID = MemberID(core.random.bytes(12)), linkID = GroupLinkID(core.random.bytes(16))
        let owner = LinkOwner(id: memberID.bytes, key: own.publicKey, authorizedBy: root.privateKey)
        @Sendable func published(_ link: ConnectionShortLink) -> GroupProfile {
            var profile = profile
            profile.publicGroup = PublicGroupProfile(
                groupType: .channel, groupLink: link.with(type: .channel).wireString, publicGroupID: Base64URLBytes(id)
            ).keepingUnknownMembers(of: profile.publicGroup)
            return profile
        }
        let agentUser = try runner.agentUser(of: user)
        let created = try await core.agent { agent throws(AgentError) in
            try await agent.createAddress(
                user: agentUser, identity: LinkIdentity(key: root.privateKey, entityID: id),
                clientData: GroupLinkClientData(groupLinkID: linkID).jsonText, subscription: .subscribe
            ) { (link: ConnectionShortLink) throws(AgentError) in
                do {
                    let contents = try GroupLinkContents(channel: published(link), members: 1, owner: owner, relays: [], id: linkID)
                    guard case .contact(let data) = contents.linkData else { throw AgentError(.command(.large, context: "link data")) }
                    return data
                } catch {
                    throw AgentError(.command(.large, context: "link data"))
                }
            }
        }
        return try await core.leftovers.orDiscard(created.id) { () throws(ChatCoreError) in
            guard let short = created.shortLink?.with(type: .channel) else {
                throw ChatCoreError(Refusal.chat(.exception(message: "failed to create relayed group link: no short link")).error)
            }
            let new = NewChannel(
                profile: published(short), memberID: memberID, rootKey: root.privateKey, memberKey: own.privateKey, incognito: incognito, linkID: linkID)
            return try await transaction {
                try $0.channels.insert(new, connection: created.id.bytes, link: FullLink(created.link, short: short), of: user)
            }
        }
    }

    /// Invites relays side by side.
    func invite(
        _ relays: [UserChatRelay], to group: GroupInfo, user: User
    ) async -> [(relay: UserChatRelay, failure: ChatCoreError?)] {
        await withTaskGroup(of: (Int, ChatCoreError?).self) { tasks in
            for (index, relay) in relays.enumerated() {
                tasks.addTask {
                    do {
                        try await invite(relay, to: group, user: user)
                        return (index, nil)
                    } catch {
                        return (index, ChatCoreError(thrown: error))
                    }
                }
            }
            var failures: [Int: ChatCoreError] = [:]
            for await (index, failure) in tasks { failures[index] = failure }
            return relays.enumerated().map { ($0.element, failures[$0.offset]) }
        }
    }

    private func invite(_ relay: UserChatRelay, to group: GroupInfo, user: User) async throws(ChatCoreError) {
        guard let address = try? ConnectionShortLink(wireString: relay.address) else {
            throw ChatCoreError(Refusal.chat(.invalidConnectionRequest).error)
        }
        let agentUser = try runner.agentUser(of: user)
        let link = try await core.agent { agent throws(AgentError) in
            try await agent.resolveShortLink(user: agentUser, link: address.complete)
        }.fixed.connectionRequest
        guard core.agent.compatibility(of: link, pqSupport: false) != nil else { throw ChatCoreError(Refusal.chat(.invalidConnectionRequest).error) }
        let connection = try await core.agent { agent throws(AgentError) in
            try await agent.prepareToJoin(user: agentUser, link: link, pqSupport: false)
        }
        let (member, info) = try await core.leftovers.orDiscard(connection) { () throws(ChatCoreError) in
            try await transaction { transaction in
                let member = try transaction.channels.insertRelay(relay, connection: connection.bytes, in: group, of: user)
                return (member, try transaction.channels.relayInvitation(member, to: group, of: user))
            }
        }
        let isSecured = try await core.agent { agent throws(AgentError) in
            try await agent.join(user: agentUser, connection: connection, link: link, info: info, pqSupport: false, subscription: .subscribe)
        }
        try await transaction { try $0.channels.noteInvitation(of: member, connection: connection.bytes, isSecured: isSecured) }
    }

    // MARK: Joining

    /// Joins the channel that was prepared from its link, by all its relays. One is enough; those that cannot be reached now are tried again.
    func connectPrepared(
        _ group: GroupInfo, _ prepared: PreparedGroup, incognito: Bool, contact: GroupOwnerContact?, user: User
    ) async throws(ChatCoreError) -> ChatResponse {
        try await core.locks.withLock("group \(group.groupID)") { () throws(ChatCoreError) in
            guard let text = prepared.connectionLink.shortLink, let short = try? ConnectionShortLink(wireString: text) else {
                throw ChatCoreError(Refusal.chat(.exception(message: "failed to retrieve relays: no short link")).error)
            }
            let agentUser = try runner.agentUser(of: user)
            let resolved = try await core.agent { agent throws(AgentError) in
                try await agent.resolveShortLink(user: agentUser, link: short.complete)
            }
            let channel: ChannelLink
            do { channel = try ChannelLink(resolved) } catch { throw ChatCoreError(thrown: error) }
            let full = FullLink(resolved.fixed.connectionRequest, short: short)
            let (joining, relays) = try await transaction { transaction in
                let joining = try transaction.channels.beginSubscription(
                    group.groupID, channel, link: full, incognito: incognito, contact: contact, of: user)
                return (joining, try channel.relays.map { try transaction.channels.relayMember($0, in: joining, of: user) })
            }
            let failures = await join(relays)
            let members = try await query { transaction in
                try relays.map { try transaction.conversations.member($0.groupMemberID, in: joining) }
            }
            let results = zip(members, failures).map { member, failure in
                RelayConnectionResult(
                    relayMember: member, error: failure.map { $0.chatError ?? .chat(error: .internalError(message: $0.message)) })
            }
            guard failures.contains(where: { $0 == nil }) else {
                // The connection may have begun: apps show it.
                core.hub.publish(.chatInfoUpdated(user: user, chatInfo: .group(groupInfo: joining, scope: nil)))
                throw failures.compactMap(\.self).first { $0.isTemporary } ?? failures.compactMap(\.self).first
                    ?? ChatCoreError(Refusal.chat(.exception(message: "no relay connection results")).error)
            }
            return try await transaction { transaction in
                for (member, failure) in zip(members, failures) where failure?.isTemporary == true {
                    try transaction.enqueue(.channel(.joinRelay(member: member.groupMemberID)), user: user)
                }
                try transaction.db.groups.update(group.groupID, startedConnection: true, link: full)
                let current = try transaction.conversations.group(group.groupID, of: user)
                return .startedConnectionToGroup(
                    user: user, groupInfo: current, customUserProfile: current.isIncognito ? current.membership.profile.published : nil,
                    relayResults: results)
            }
        }
    }

    /// Joins by relays side by side.
    ///
    /// - Returns: The failures, in the order of the relays; nil for success.
    private func join(_ relays: [GroupMember]) async -> [ChatCoreError?] {
        await withTaskGroup(of: (Int, ChatCoreError?).self) { tasks in
            for (index, relay) in relays.enumerated() {
                tasks.addTask {
                    do {
                        try await core.channels.joinRelay(relay.groupMemberID)
                        return (index, nil)
                    } catch {
                        return (index, ChatCoreError(thrown: error))
                    }
                }
            }
            var failures: [Int: ChatCoreError] = [:]
            for await (index, failure) in tasks { failures[index] = failure }
            return relays.indices.map { failures[$0] }
        }
    }

    // MARK: What links tell

    /// Reads the data of a channel's link again.
    func updatedLinkData(of id: GroupID) async throws(ChatCoreError) -> ChatResponse {
        let (user, group) = try await query { transaction in
            let user = try transaction.user()
            return (user, try transaction.conversations.group(id, of: user))
        }
        guard let text = group.groupProfile.publicGroup?.groupLink, let short = try? ConnectionShortLink(wireString: text) else {
            throw ChatCoreError(Refusal.command("not a public group").error)
        }
        let agentUser = try runner.agentUser(of: user)
        let resolved = try await core.agent { agent throws(AgentError) in
            try await agent.resolveShortLink(user: agentUser, link: short.complete)
        }
        let channel: ChannelLink
        do { channel = try ChannelLink(resolved) } catch { throw ChatCoreError(thrown: error) }
        return try await transaction { transaction in
            let (current, _) = try transaction.preparedGroups.update(id, fromLink: channel.data, of: user)
            try transaction.channels.joinNewRelays(of: channel, in: current, user: user)
            return .groupInfo(user: user, groupInfo: current)
        }
    }
}
