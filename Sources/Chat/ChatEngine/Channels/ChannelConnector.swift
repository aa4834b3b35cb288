import AsyncPrimitives
import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import Logging
import SMPAgent
import SMPCrypto
import SMPProtocol
import SMPWire

/// Connections between owners, relays and subscribers of channels: calls of the agent, and the transactions before and after them.
///
/// Each can be interrupted anywhere and begun again.
struct ChannelConnector: Sendable {
    /// Seconds for which a test of this relay is worth an answer. Owners wait 40 seconds for it.
    static let relayTestAnswerPeriod: Int64 = 120

    let transactions: TransactionRunner
    let agent: any AgentService
    let locks: KeyedLock<String>
    let leftovers: AgentLeftovers
    let members: MemberConnector
    let tests: RelayTests
    /// The channels and subscribers that this profile takes as a relay.
    let policy: RelayPolicy
    /// The program that decides about invitations which the policy permits.
    let review = RelayReview()
    let logger: Logger

    init(
        transactions: TransactionRunner, agent: any AgentService, locks: KeyedLock<String>, leftovers: AgentLeftovers, members: MemberConnector,
        tests: RelayTests, policy: RelayPolicy, logger: Logger
    ) {
        self.transactions = transactions
        self.agent = agent
        self.locks = locks
        self.leftovers = leftovers
        self.members = members
        self.tests = tests
        self.policy = policy
        self.logger = logger
    }

    private func resolve(_ link: ConnectionShortLink, user: AgentUserID) async throws(ChatCoreError) -> ResolvedLink {
        try await agent.reporting { agent throws(AgentError) in try await agent.resolveShortLink(user: user, link: link.complete) }
    }

    /// Removes the channels whose making was broken off by the end of a process.
    func removeUnfinished() async throws(ChatCoreError) {
        try await transactions.transaction(isPersistent: true) { transaction in
            for (group, userID) in try transaction.db.groups.groupsBeingCreated() {
                guard let user = try transaction.db.users.find(userID) else { continue }
                try transaction.channels.removeUnfinished(group, of: user)
            }
        }
    }

    // MARK: As the owner

    /// Signs the rosters of channels that an earlier version has made, and asks for those of channels to which it has subscribed.
    func completeRosters() async throws(ChatCoreError) {
        let (owned, subscribed) = try await transactions.transaction(isPersistent: true) { transaction in
            (try transaction.db.rosters.ownedWithoutRoster(), try transaction.db.rosters.subscribedWithoutRoster())
        }
        for (group, user) in owned { await complete(group) { try $0.rosters.publishMissing(of: group, user: user) } }
        for (group, user) in subscribed { await complete(group) { try $0.rosters.requestMissing(of: group, user: user) } }
    }

    /// One channel that cannot be completed does not keep the others from starting.
    private func complete(_ group: GroupID, _ work: @escaping @Sendable (ChatTransaction) throws -> Void) async {
        do {
            try await transactions.transaction(isPersistent: true, work)
        } catch {
            logger.error("the roster of a channel could not be completed", metadata: ["code": "channel.roster", "group": "\(group)", "error": "\(error)"])
        }
    }

    /// Goes on with a relay that has accepted the invitation to a channel.
    func acceptRelay(_ id: GroupMemberID) async throws {
        guard let target = try await members.target(id), let text = target.member.relayLink, let link = try? ConnectionShortLink(wireString: text)
        else { return }
        let relay = try RelayLink(try await resolve(link, user: target.agentUser))
        guard relay.memberID == target.member.memberID else {
            throw Refusal.chat(.exception(message: "relay link: relay member ID mismatch"))
        }
        try await transactions.transaction { transaction in
            try transaction.channels.continueRelay(target.member, relay, of: target.user)
        }
    }

    // MARK: As the relay

    /// Relays for a channel whose owner has invited this profile.
    func serve(_ id: GroupID) async throws {
        do {
            try await serveNow(id)
        } catch {
            let cause = ChatCoreError(thrown: error)
            guard try await givesUp(id, cause), cause.isTemporary else { throw error }
            logger.notice("a channel is not served", metadata: ["reason": "\(cause.code)"])
        }
    }

    /// Ends the attempts at an invitation that cannot be served, or could not for a day: it would be one of those that wait for an answer, which an
    /// address keeps only so many of.
    ///
    /// - Returns: False if it is tried again.
    private func givesUp(_ id: GroupID, _ cause: ChatCoreError) async throws(ChatCoreError) -> Bool {
        try await transactions.transaction { transaction in
            guard let request = try transaction.relayRequests.find(id) else { return false }
            let invitedAt = try transaction.conversations.group(id, of: request.user).createdAt
            guard RelayInvitationRules.givesUp(isTemporary: cause.isTemporary, invitedAt: invitedAt, at: transaction.now) else { return false }
            try transaction.relayRequests.reject(request, cause.message)
            return true
        }
    }

    private func serveNow(_ id: GroupID) async throws {
        guard let request = try await transactions.query({ try $0.relayRequests.find(id) }) else { return }
        if request.refusal != nil { return try await tellRefusal(of: request) }
        if !request.hasLink, let refusal = try await makeLink(for: request) { return try await refuse(request, refusal) }
        try await members.accept(request.owner.groupMemberID, InvitationID(request.invitation), .admit(.accepted))
        try await transactions.transaction { transaction in
            guard try transaction.db.groups.find(id, user: request.user.userID)?.relayOwnStatus == .invited else { return }
            try transaction.db.groups.update(id, relayOwnStatus: .accepted)
        }
    }

    /// Gives up an invitation that the policy forbids. The client of an owner that knows no answer for it shows that the relay does not accept.
    private func refuse(_ request: RelayRequest, _ refusal: RelayRefusal) async throws {
        logger.notice("a channel is not served", metadata: ["reason": "\(refusal.rawValue)"])
        let isAnswered = try await transactions.query { transaction in
            try request.owner.supports(ChatVersions.relayCapabilities) && !transaction.relayRequests.hasTooManyOpenRefusals(of: request.user)
        }
        guard isAnswered else {
            return try await transactions.transaction { try $0.relayRequests.reject(request, refusal.rawValue) }
        }
        try await transactions.transaction { try $0.db.groups.update(request.group, relayRequestError: refusal.rawValue) }
        try await tellRefusal(of: request)
    }

    /// Tells an owner why this relay does not serve its channel. The connection for it ends when the owner has the answer.
    private func tellRefusal(of request: RelayRequest) async throws {
        try await members.accept(request.owner.groupMemberID, InvitationID(request.invitation), .admit(.accepted))
        try await transactions.transaction { try $0.relayRequests.end(request) }
    }

    /// Refuses a subscriber that the policy forbids. It may join by another relay, which a rejection would end: it is not answered.
    ///
    /// - Returns: False if it is taken.
    func refuses(_ id: GroupMemberID, _ invitation: InvitationID) async throws -> Bool {
        guard let target = try await members.target(id), target.group.isServedHere, target.member.category == .invitee, target.connection == nil,
            let refusal = try await currentPolicy().refusal(members: Int(target.group.groupSummary.currentMembers) - 1)
        else { return false }
        logger.notice("a subscriber is not taken", metadata: ["reason": "\(refusal.rawValue)"])
        try await transactions.transaction { transaction in
            // Nobody else may come under the identifier of a member whom the roster lists.
            if RosterRules.lists(target.member.role) {
                try transaction.db.members.update(target.member.groupMemberID, status: .unknown, at: transaction.now)
            } else {
                try transaction.db.members.delete(target.member, user: target.user.userID)
            }
            try transaction.enqueue(.connection(.reject(invitation: invitation.bytes)), user: target.user)
        }
        return true
    }

    /// The policy with what an operator has decided since.
    private func currentPolicy() async throws(ChatCoreError) -> RelayPolicy {
        policy.drained(try await transactions.query { try $0.db.relayUsage.isDrained() })
    }

    /// Makes the link by which subscribers of a channel come to this relay.
    ///
    /// - Returns: Why the channel is not served; nil if it is.
    private func makeLink(for request: RelayRequest) async throws(ChatCoreError) -> RelayRefusal? {
        guard let agentUser = Int64(request.user.agentUserID), let link = try? ConnectionShortLink(wireString: request.link) else {
            throw ChatCoreError(Refusal.chat(.invalidConnectionRequest).error)
        }
        if try await hasLeft(request, channel: nil) { return .left }
        let channel: ChannelLink
        let resolved = try await resolve(link, user: agentUser)
        do { channel = try ChannelLink(resolved) } catch { throw ChatCoreError(thrown: error) }
        guard channel.owners.contains(where: { $0.id == request.owner.memberID.bytes }) else {
            throw ChatCoreError(Refusal.chat(.exception(message: "the one who invites to relay is no owner of the channel")).error)
        }
        // The same channel can have another link.
        if try await hasLeft(request, channel: channel.identifier) { return .left }
        if let refusal = try await review(request, of: channel) { return refusal }
        // Invitations that come at the same time are counted one after another.
        return try await locks.withLock("relayed channels of \(request.user.userID)") { () async throws(ChatCoreError) in
            try await makeLink(for: request, of: channel, agentUser: agentUser)
        }
    }

    /// True if the relay has left the channel of an invitation, and its operator has not allowed it since.
    private func hasLeft(_ request: RelayRequest, channel identifier: String?) async throws(ChatCoreError) -> Bool {
        try await transactions.query { try $0.db.groups.hasLeft(link: request.link, identifier: identifier, user: request.user.userID) }
    }

    /// The answer of the policy and of the program to an invitation. A program may take its time: others are not kept waiting.
    ///
    /// - Returns: Why the channel is not served; nil if it is.
    private func review(_ request: RelayRequest, of channel: ChannelLink) async throws(ChatCoreError) -> RelayRefusal? {
        let served = try await servedChannels(of: request)
        if let refusal = try await refusal(of: channel, served: served) { return refusal }
        let answer = await review.answer(
            to: RelayInvitation(
                user: request.user.userID, group: request.group, profile: channel.data.groupProfile, channelID: channel.identifier,
                ownerName: request.owner.displayName, ownerKeys: channel.owners.map(\.key.wireString), served: served))
        switch answer {
        case .success(.accept): return nil
        case .success(.refuse): return .declined
        case .success(.postpone): throw ChatCoreError(.unreachable, "the answer to the invitation is postponed")
        case .failure(let error):
            logger.error("an invitation to relay was not answered", metadata: ["error": "\(type(of: error))"])
            throw ChatCoreError(.unreachable, "the program did not answer the invitation")
        }
    }

    private func servedChannels(of request: RelayRequest) async throws(ChatCoreError) -> Int {
        try await transactions.query { try $0.db.groups.servedChannels(user: request.user.userID) }
    }

    private func refusal(of channel: ChannelLink, served: Int) async throws(ChatCoreError) -> RelayRefusal? {
        try await currentPolicy().refusal(channel: channel.identifier, owners: channel.owners.map(\.key), served: served)
    }

    private func makeLink(
        for request: RelayRequest, of channel: ChannelLink, agentUser: AgentUserID
    ) async throws(ChatCoreError) -> RelayRefusal? {
        if let refusal = try await refusal(of: channel, served: servedChannels(of: request)) { return refusal }
        let keys = Ed25519.generateKeyPair(transactions.random), linkID = GroupLinkID(transactions.random.bytes(16))
        guard let data = try? ShortLinkUserData.encode(RelayShortLinkData(relayProfile: request.membership.profile.published)) else {
            throw ChatCoreError(AgentError(.command(.large, context: "link data")))
        }
        let created = try await agent.reporting { agent throws(AgentError) in
            try await agent.createAddress(
                user: agentUser, identity: LinkIdentity(key: keys.privateKey, entityID: request.membership.memberID.bytes),
                clientData: GroupLinkClientData(groupLinkID: linkID).jsonText, subscription: .subscribe
            ) { _ in UserContactData(userData: UserLinkData(data)) }
        }
        try await leftovers.orDiscard(created.id) { () throws(ChatCoreError) in
            try await transactions.transaction { transaction in
                try transaction.relayRequests.insertChannel(
                    request, channel, key: keys.privateKey, connection: created.id.bytes,
                    link: FullLink(created.link, short: created.shortLink?.with(type: .group)), id: linkID)
            }
        }
        return nil
    }

    /// Proves to the tester of this relay that it has the key of its address.
    ///
    /// - Parameter limit: The time from which on a failed attempt is the last: nobody waits for the answer for long.
    func answerTest(_ invitation: InvitationID, challenge: Bytes, agentUser: AgentUserID, until limit: UTCTimestamp) async throws {
        do {
            try await answerTest(invitation, challenge: challenge, agentUser: agentUser)
        } catch {
            guard transactions.clock.time.now >= limit else { throw error }
            logger.debug("a test of the relay was not answered", metadata: ["error": "\(ChatCoreError(thrown: error).code)"])
        }
    }

    private func answerTest(_ invitation: InvitationID, challenge: Bytes, agentUser: AgentUserID) async throws {
        let found = try await transactions.query { transaction -> (User, ConnectionRecord)? in
            guard let user = try transaction.db.users.find(agentID: agentUser), let address = try transaction.db.addresses.find(ofUser: user.userID),
                let connection = try transaction.db.connections.find(ofAddress: address.userContactLinkID)
            else { return nil }
            return (user, connection)
        }
        guard let (user, address) = found else { return }
        guard let key = try await agent.linkPrivateKey(of: ConnectionID(address.agentConnectionID)) else {
            throw Refusal.chat(.internalError(message: "no short link key for relay address"))
        }
        let info = try await transactions.query { transaction in
            try transaction.outbox.connectionInfo(
                .testGroupRelay(challenge: Base64URLBytes(challenge), signature: Base64URLBytes(key.signature(for: challenge))), pqSupport: false,
                peerVersion: ChatVersions.initial.max)
        }
        let made = try await agent.prepareToAccept(user: agentUser, invitation: invitation, pqSupport: false)
        try await leftovers.orDiscard(made) { () throws(ChatCoreError) in
            try await transactions.transaction { try $0.db.relays.insertRelayTest(made.bytes, user: user.userID, at: $0.now) }
            _ = try await agent.reporting { agent throws(AgentError) in
                try await agent.accept(user: agentUser, connection: made, invitation: invitation, info: info, pqSupport: false, subscription: .subscribe)
            }
        }
    }

    // MARK: As the subscriber

    /// Joins a channel by the relays that its link names and this profile does not know yet.
    ///
    /// - Parameter limit: The time up to which a link without any relay to come by is read again.
    /// - Throws: A temporary error while there is no relay.
    func findRelays(_ id: GroupID, until limit: UTCTimestamp) async throws(ChatCoreError) {
        let found = try await transactions.query { transaction -> (User, GroupInfo)? in
            guard let userID = try transaction.db.groups.userID(ofGroup: id), let user = try transaction.db.users.find(userID),
                let group = try transaction.db.groups.find(id, user: userID), group.isSubscribed
            else { return nil }
            return (user, group)
        }
        guard let (user, group) = found, let agentUser = Int64(user.agentUserID), let text = group.groupProfile.publicGroup?.groupLink,
            let link = try? ConnectionShortLink(wireString: text)
        else { return }
        let resolved = try await resolve(link, user: agentUser)
        let channel: ChannelLink
        do { channel = try ChannelLink(resolved) } catch { throw ChatCoreError(thrown: error) }
        let hasRelay = try await transactions.transaction { transaction in
            try transaction.channels.joinNewRelays(of: channel, in: try transaction.conversations.group(id, of: user), user: user)
            return try transaction.db.members.relayMembers(of: id).contains { $0.status.isCurrent }
        }
        if !hasRelay, transactions.clock.time.now < limit { throw ChatCoreError(.unreachable, "the channel has no relay at the moment") }
    }

    /// Joins a channel by one of its relays.
    func joinRelay(_ id: GroupMemberID) async throws(ChatCoreError) {
        try await locks.withLock("relay \(id)") { () throws(ChatCoreError) in
            guard let target = try await members.target(id), !target.group.membership.status.isRemoved, let text = target.member.relayLink,
                let link = try? ConnectionShortLink(wireString: text)
            else { return }
            if let status = target.member.activeConnection?.status, status != .prepared { return }
            let resolved = try await resolve(link, user: target.agentUser)
            let relay: RelayLink
            do { relay = try RelayLink(resolved) } catch { throw ChatCoreError(thrown: error) }
            try await transactions.transaction {
                try $0.channels.completeRelay(target.member, memberID: relay.memberID, key: relay.key, profile: relay.profile, of: target.user)
            }
            try await join(target, by: resolved.fixed.connectionRequest)
        }
    }

    private func join(_ target: MemberConnector.Target, by link: ConnectionRequestURI) async throws(ChatCoreError) {
        guard agent.compatibility(of: link, pqSupport: false) != nil else { throw ChatCoreError(Refusal.chat(.invalidConnectionRequest).error) }
        let connection: ConnectionID
        if let known = target.connection {
            connection = known
        } else {
            connection = try await agent.reporting { agent throws(AgentError) in
                try await agent.prepareToJoin(user: target.agentUser, link: link, pqSupport: false)
            }
            try await leftovers.orDiscard(connection) { () throws(ChatCoreError) in
                try await transactions.transaction { transaction in
                    let group = try transaction.conversations.group(target.group.groupID, of: target.user)
                    let incognito = group.isIncognito ? group.membership.profile.profileID : nil
                    try transaction.channels.insertRelayConnection(
                        connection.bytes, with: target.member, tag: FullLink(link).groupLinkID, incognito: incognito, user: target.user)
                }
            }
        }
        let info = try await transactions.query { transaction in
            let group = try transaction.conversations.group(target.group.groupID, of: target.user)
            guard let key = group.groupKeys?.memberSigningKey else { throw Refusal.chat(.internalError(message: "no group keys for channel membership")) }
            let relay = try transaction.conversations.member(target.member.groupMemberID, in: group).memberID
            let profile = transaction.conversations.memberProfile(in: group, of: target.user)
            // A relay takes who is on its roster only with a proof of the key, which no other relay can use.
            return try transaction.outbox.connectionInfo(
                .member(profile: profile, memberID: group.membership.memberID, key: key.publicKey, relay: relay), pqSupport: false,
                peerVersion: ChatVersions.initial.max, inChannel: true, signer: ChannelSigner(group))
        }
        _ = try await agent.reporting { agent throws(AgentError) in
            try await agent.join(user: target.agentUser, connection: connection, link: link, info: info, pqSupport: false, subscription: .subscribe)
        }
        try await transactions.transaction { transaction in
            guard let record = try transaction.db.connections.find(agentID: connection.bytes) else { return }
            try transaction.db.connections.update(record.id, from: .prepared, to: .joined, at: transaction.now)
        }
    }
}
