import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPAgent
import SMPCrypto
import SMPProtocol
import SMPWire

// Channels come to be: at their owners, at their relays.

/// An invitation to relay, until it is served.
struct RelayRequest: Sendable {
    var user: User
    var group: GroupID
    var membership: GroupMember
    /// The owner who invites.
    var owner: GroupMember
    /// The agent's id of the invitation.
    var invitation: Bytes
    /// The link of the channel.
    var link: String
    /// True if the link is made by which subscribers come.
    var hasLink: Bool
}

/// A channel that is about to be made.
struct NewChannel: Sendable {
    var profile: GroupProfile
    var memberID: MemberID
    var rootKey: Ed25519.PrivateKey
    var memberKey: Ed25519.PrivateKey
    var incognito: Bool
    var linkID: GroupLinkID
}

extension ChatTransaction {
    // MARK: As the owner

    /// Stores a channel whose link the agent has made, before its relays are invited.
    func insertChannel(_ new: NewChannel, connection: Bytes, link: FullLink, of user: User) throws -> GroupInfo {
        let shown = try new.incognito ? db.profiles.insert(RandomProfile.make(random), user: user.userID, incognito: true, at: now) : nil
        let id = try db.groups.insert(NewGroupRecord(profile: new.profile), user: user.userID, at: now)
        try insertMembership(
            id, memberID: new.memberID, role: .owner, status: .creator, invitedBy: .user, incognitoProfile: shown, publicKey: new.memberKey.publicKey,
            of: user)
        try db.groups.update(id, usesRelays: true, ownStatus: nil, publicMemberCount: 1)
        try db.groups.update(id, rootKey: new.rootKey, memberKey: new.memberKey)
        try db.groups.update(id, isBeingCreated: true)
        try insertLink(link, id: new.linkID, connection: connection, of: id, user: user)
        return try group(id, of: user)
    }

    /// Stores the link by which subscribers find a channel, or come to a relay of it.
    private func insertLink(_ link: FullLink, id: GroupLinkID, connection: Bytes, of group: GroupID, user: User) throws {
        let linkID = try db.groupLinks.insert(
            group: group, user: user.userID, link: link, id: id, role: ChannelRules.subscriberRole, hasData: link.short != nil, at: now)
        var record = NewConnectionRecord(
            userID: user.userID, agentConnectionID: connection, status: .new, chatVersion: ChatVersions.initial.max)
        record.groupLinkID = linkID
        record.pqSupport = false
        _ = try db.connections.insert(record, at: now)
    }

    /// Stores a relay that is about to be invited.
    func insertRelay(_ relay: UserChatRelay, connection: Bytes, in group: GroupInfo, of user: User) throws -> GroupMember {
        let profile = relay.relayProfile
        let id = try db.members.insert(
            NewMemberRecord(
                groupID: group.groupID, memberID: MemberID(random.bytes(12)), role: .relay, category: .invitee, status: .invited, invitedBy: .user,
                invitedByMember: group.membership.groupMemberID,
                profile: Profile(
                    displayName: profile.displayName, fullName: profile.fullName, shortDescription: profile.shortDescription, image: profile.image),
                versions: ChatVersionRange(ChatVersions.initial)), user: user.userID, at: now)
        _ = try db.relays.insert(relay, member: id, group: group.groupID, at: now)
        let member = try member(id, in: group)
        try insertConnection(connection, with: member, status: .prepared, user: user)
        return member
    }

    /// The information with which a relay is invited.
    func relayInvitation(_ relay: GroupMember, to group: GroupInfo, of user: User) throws -> Bytes {
        guard let link = group.groupProfile.publicGroup?.groupLink else { throw Refusal.chat(.internalError(message: "no link of the channel")) }
        return try connectionInfo(
            .groupRelayInvitation(
                GroupRelayInvitation(
                    fromMember: MemberIDRole(memberID: group.membership.memberID, role: group.membership.role),
                    fromMemberProfile: memberProfile(in: group, of: user), relayMemberID: relay.memberID, groupLink: link)),
            pqSupport: false, peerVersion: ChatVersions.initial.max)
    }

    /// The invitation of a relay is sent.
    func noteInvitation(of relay: GroupMember, connection: Bytes, isSecured: Bool) throws {
        if let record = try db.connections.find(agentID: connection) {
            try db.connections.update(record.id, from: .prepared, to: isSecured ? .sendReady : .joined, at: now)
        }
        guard try db.relays.find(member: relay.groupMemberID)?.status == .new else { return }
        try db.relays.update(member: relay.groupMemberID, status: .invited, at: now)
    }

    /// All relays of a new channel are invited.
    func finishChannel(_ id: GroupID, of user: User) throws -> ChatResponse {
        try db.groups.update(id, isBeingCreated: false)
        let group = try group(id, of: user)
        var chat = GroupConversation(group)
        var banner = ItemDraft(.chatBanner, isSent: true)
        banner.timestamp = UTCTimestamp(seconds: 0)
        try announce(banner, in: &chat, of: user)
        try addOwnOpening(to: &chat, of: user)
        return .publicGroupCreated(user: user, groupInfo: group, groupLink: try link(of: group), groupRelays: try db.relays.all(of: id))
    }

    /// Removes a channel that could not be made.
    func removeUnfinished(_ id: GroupID, of user: User) throws {
        let group = try group(id, of: user)
        try deleteLink(of: group, user: user)
        try deleteConnections(of: try db.members.relayMembers(of: id), afterDelivery: false, keepsRows: false, user: user)
        try db.groups.delete(group, user: user.userID)
    }

    /// A relay has accepted its invitation, and its link is what it should be.
    func continueRelay(_ relay: GroupMember, _ link: RelayLink, of user: User) throws {
        let id = relay.groupMemberID
        guard let known = try db.relays.find(member: id), known.status == .invited || known.status == .new,
            let confirmation = try db.relays.relayConfirmation(member: id),
            let connection = relay.activeConnection, let record = try db.connections.find(connection.connectionID)
        else { return }
        try db.members.update(id, publicKey: link.key)
        try db.members.update(relay, user: user.userID, profile: link.profile, at: now)
        try db.members.update(id, status: .accepted, at: now)
        try db.relays.update(member: id, status: .accepted, at: now)
        let group = try group(relay.groupID, of: user)
        if let current = try db.relays.find(member: id) {
            emit(.groupRelayUpdated(user: user, groupInfo: group, member: try member(id, in: group), groupRelay: current))
        }
        let info = try connectionInfo(.ok, pqSupport: false, peerVersion: ChatVersion(clamping: connection.chatVersion), inChannel: true)
        try enqueue(.allow(confirmation: confirmation, info: info), connection: record.agentConnectionID, user: user)
        try db.connections.update(record.id, status: .accepted, at: now)
    }

    /// The relays by which subscribers can come now.
    func publishedRelays(of group: GroupInfo) throws -> [GroupRelay] {
        let connected = Set(try db.members.relayMembers(of: group.groupID).filter { $0.status == .connected }.map(\.groupMemberID))
        return try db.relays.all(of: group.groupID).filter {
            connected.contains($0.groupMemberID) && ($0.status == .accepted || $0.status == .active) && $0.relayLink != nil
        }
    }

    /// The link of a channel shows a revision, with these relays.
    func notePublished(_ relays: [GroupRelay], of group: GroupInfo, revision: Int64, user: User) throws {
        let accepted = relays.filter { $0.status == .accepted }
        for relay in accepted { try db.relays.update(member: relay.groupMemberID, status: .active, at: now) }
        try db.groups.update(group.groupID, publishedRevision: revision)
        guard let current = try db.groups.find(group.groupID, user: user.userID), let link = try db.groupLinks.find(group: group.groupID) else { return }
        emit(
            .groupLinkDataUpdated(
                user: user, groupInfo: current, groupLink: link, groupRelays: try db.relays.all(of: group.groupID), relaysChanged: !accepted.isEmpty))
    }

    // MARK: As the relay

    /// An owner invites this profile to relay for a channel. What the channel is its link tells.
    func receiveRelayInvitation(
        _ invitation: GroupRelayInvitation, _ id: InvitationID, versions: VersionRange, in context: ReceivingContext
    ) throws {
        let user = context.user
        guard user.isChatRelay else { return reportError("x.grp.relay.inv: not a relay", of: user) }
        guard invitation.fromMember.role == .owner, invitation.fromMember.memberID != invitation.relayMemberID else {
            return reportError("x.grp.relay.inv: not an owner", of: user)
        }
        // The same event again, after a crash.
        if try db.groups.hasGroup(relayInvitation: id.bytes) { return }
        let group = try db.groups.insert(
            NewGroupRecord(profile: GroupProfile(displayName: "relay_request_" + invitation.fromMemberProfile.displayName, fullName: "")),
            user: user.userID, at: now)
        try db.groups.update(group, usesRelays: true, ownStatus: .invited, publicMemberCount: nil)
        try db.groups.update(group, relayInvitation: id.bytes, link: invitation.groupLink)
        let owner = try db.members.insert(
            NewMemberRecord(
                groupID: group, memberID: invitation.fromMember.memberID, role: .owner, category: .host, status: .accepted,
                profile: invitation.fromMemberProfile, versions: ChatVersionRange(versions)), user: user.userID, at: now)
        try insertMembership(group, memberID: invitation.relayMemberID, role: .relay, status: .accepted, host: owner, of: user)
        try enqueue(.serveChannel(group: group), user: user)
    }

    /// The invitation by which a group was made; nil if it is done, or given up.
    func relayRequest(_ id: GroupID) throws -> RelayRequest? {
        guard let userID = try db.groups.userID(ofGroup: id), let user = try db.users.find(userID), let group = try db.groups.find(id, user: userID),
            group.isServedHere, let owner = try db.members.host(of: id), let (invitation, link) = try db.groups.relayInvitation(of: id),
            group.relayOwnStatus == .invited
        else { return nil }
        return RelayRequest(
            user: user, group: id, membership: group.membership, owner: owner, invitation: invitation, link: link,
            hasLink: try db.groupLinks.find(group: id) != nil)
    }

    /// Ends an invitation that is not accepted. The protocol has no answer for it: the owner sees that the relay does not accept.
    ///
    /// The link for subscribers is deleted, if it was made already: it has a queue on a router.
    func rejectRelayRequest(_ request: RelayRequest, _ reason: String) throws {
        try db.groups.update(request.group, relayOwnStatus: .rejected)
        try db.groups.update(request.group, relayRequestError: reason)
        try deleteLink(of: try group(request.group, of: request.user), user: request.user)
        try enqueue(.reject(invitation: request.invitation), user: request.user)
    }

    /// Stores what the link of a channel tells that this profile relays for, and the link by which subscribers come.
    func insertRelayedChannel(
        _ request: RelayRequest, _ channel: ChannelLink, key: Ed25519.PrivateKey, connection: Bytes, link: FullLink, id: GroupLinkID
    ) throws {
        let user = request.user
        try db.groups.update(try group(request.group, of: user), user: user.userID, profile: channel.data.groupProfile, at: now)
        try db.groups.update(request.group, rootKey: channel.rootKey, memberKey: key)
        try db.members.update(request.membership.groupMemberID, publicKey: key.publicKey)
        try addOwners(channel.owners, contact: nil, to: try group(request.group, of: user), of: user)
        try insertLink(link, id: id, connection: connection, of: request.group, user: user)
    }

    /// The event that answers the invitation of an owner.
    func relayAcceptance(in group: GroupInfo) throws -> ChatMessageEvent {
        guard let link = try db.groupLinks.find(group: group.groupID)?.connectionLink.shortLink else {
            throw Refusal.chat(.exception(message: "processRelayRequest: relay link doesn't have short link"))
        }
        return .acceptGroupRelay(link: link)
    }

    /// Somebody tests whether this profile has the key of its address.
    func receiveRelayTest(_ challenge: Base64URLBytes, _ id: InvitationID, in context: ReceivingContext) throws {
        guard context.user.isChatRelay else { return reportError("x.grp.relay.test: not a relay", of: context.user) }
        let limit = now.adding(seconds: ChannelConnector.relayTestAnswerPeriod)
        try enqueue(.answerRelayTest(invitation: id.bytes, challenge: challenge.bytes, until: limit), user: context.user)
    }
}
