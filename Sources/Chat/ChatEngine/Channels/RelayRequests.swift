import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPAgent
import SMPCrypto
import SMPWire

/// Receives requests to this profile to be a relay.
struct RelayRequests: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Requests to be a relay.
    var relayRequests: RelayRequests { RelayRequests(transaction: self) }
}

extension RelayRequests {
    /// An owner invites this profile to relay a channel. The link of the channel describes it.
    func receive(
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
        try transaction.members.insertMembership(group, memberID: invitation.relayMemberID, role: .relay, status: .accepted, host: owner, of: user)
        try enqueue(.channel(.serve(group: group)), user: user)
    }

    /// The invitation by which a group was made; nil if it is done, or given up.
    func find(_ id: GroupID) throws -> RelayRequest? {
        guard let userID = try db.groups.userID(ofGroup: id), let user = try db.users.find(userID), let group = try db.groups.find(id, user: userID),
            group.isServedHere, let owner = try db.members.host(of: id), let (invitation, link) = try db.groups.relayInvitation(of: id),
            group.relayOwnStatus == .invited
        else { return nil }
        return RelayRequest(
            user: user, group: id, membership: group.membership, owner: owner, invitation: invitation, link: link,
            hasLink: try db.groupLinks.find(group: id) != nil, refusal: try db.groups.relayRefusal(of: id))
    }

    /// Ends an invitation whose owner was told that it is not accepted.
    ///
    /// The link for subscribers is deleted, if it was made already: it has a queue on a router.
    func end(_ request: RelayRequest) throws {
        // The owner may have answered already.
        guard try db.groups.find(request.group, user: request.user.userID) != nil else { return }
        try db.groups.update(request.group, relayOwnStatus: .rejected)
        try transaction.groups.deleteLink(of: try transaction.conversations.group(request.group, of: request.user), user: request.user)
        try forgetOldest(of: request.user)
    }

    /// Ends an invitation that is not answered: the owner sees that the relay does not accept.
    func reject(_ request: RelayRequest, _ reason: String) throws {
        try db.groups.update(request.group, relayRequestError: reason)
        try end(request)
        try enqueue(.connection(.reject(invitation: request.invitation)), user: request.user)
        guard let group = try db.groups.find(request.group, user: request.user.userID) else { return }
        if try db.groups.relayRefusal(of: request.group) == .left { try forget(request.owner, in: group, of: request.user) }
    }

    /// True if this relay does not serve the channel of an invitation.
    func isRefused(_ group: GroupInfo) throws -> Bool {
        guard group.isServedHere else { return false }
        return try group.relayOwnStatus == .rejected || db.groups.relayRefusal(of: group.groupID) != nil
    }

    /// Deletes the connection with an owner who has the reason why this relay does not serve its channel.
    ///
    /// The record of the invitation is deleted as well if this relay has left the channel: the record of the channel says enough.
    func forget(_ owner: GroupMember, in group: GroupInfo, of user: User) throws {
        try transaction.members.deleteConnections(of: [owner], afterDelivery: false, keepsRows: false, user: user)
        guard try db.groups.relayRefusal(of: group.groupID) == .left else { return }
        try transaction.groups.deleteLink(of: group, user: user)
        try db.groups.delete(group, user: user.userID)
    }

    /// Accepts invitations to a channel again that this relay has left.
    func allow(_ id: GroupID) throws -> ChatResponse {
        let user = try transaction.user(), group = try transaction.conversations.group(id, of: user)
        try db.groups.allowRelay(id, identifier: group.groupProfile.publicGroup?.publicGroupID.description, user: user.userID)
        return .relayGroupAllowed(user: user, groupInfo: try transaction.conversations.group(id, of: user))
    }

    /// Stores the data from the link of a channel that this profile relays, and the link for subscribers.
    func insertChannel(
        _ request: RelayRequest, _ channel: ChannelLink, key: Ed25519.PrivateKey, connection: Bytes, link: FullLink, id: GroupLinkID
    ) throws {
        let user = request.user
        try db.groups.update(try transaction.conversations.group(request.group, of: user), user: user.userID, profile: channel.data.groupProfile, at: now)
        try db.groups.update(request.group, rootKey: channel.rootKey, memberKey: key)
        try db.members.update(request.membership.groupMemberID, publicKey: key.publicKey)
        try transaction.channels.addOwners(channel.owners, contact: nil, to: try transaction.conversations.group(request.group, of: user), of: user)
        try transaction.channels.insertLink(link, id: id, connection: connection, of: request.group, user: user)
    }

    /// Somebody tests whether this profile has the key of its address.
    func receiveTest(_ challenge: Base64URLBytes, _ id: InvitationID, in context: ReceivingContext) throws {
        guard context.user.isChatRelay else { return reportError("x.grp.relay.test: not a relay", of: context.user) }
        let limit = now.adding(seconds: ChannelConnector.relayTestAnswerPeriod)
        try enqueue(.channel(.answerTest(invitation: id.bytes, challenge: challenge.bytes, until: limit)), user: context.user)
    }
}
