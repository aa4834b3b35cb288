import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPCrypto
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
    /// The reason why the channel is not served, once that is decided.
    var refusal: RelayRefusal?
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

/// Makes channels with their relays, and subscribes to channels.
struct Channels: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Channels, with their relays and subscribers.
    var channels: Channels { Channels(transaction: self) }
}

extension Channels {
    /// Stores a channel whose link the agent has made, before its relays are invited.
    func insert(_ new: NewChannel, connection: Bytes, link: FullLink, of user: User) throws -> GroupInfo {
        let shown = try new.incognito ? db.profiles.insert(RandomProfile.make(random), user: user.userID, incognito: true, at: now) : nil
        let id = try db.groups.insert(NewGroupRecord(profile: new.profile), user: user.userID, at: now)
        try transaction.members.insertMembership(
            id, memberID: new.memberID, role: .owner, status: .creator, invitedBy: .user, incognitoProfile: shown, publicKey: new.memberKey.publicKey,
            of: user)
        try db.groups.update(id, usesRelays: true, ownStatus: nil, publicMemberCount: 1)
        try db.groups.update(id, rootKey: new.rootKey, memberKey: new.memberKey)
        try db.groups.update(id, isBeingCreated: true)
        try db.rosters.update(RosterState().applying(.first), of: id)
        try insertLink(link, id: new.linkID, connection: connection, of: id, user: user)
        return try transaction.conversations.group(id, of: user)
    }

    /// Stores the link by which subscribers find a channel, or come to a relay of it.
    func insertLink(_ link: FullLink, id: GroupLinkID, connection: Bytes, of group: GroupID, user: User) throws {
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
        let member = try transaction.conversations.member(id, in: group)
        try transaction.members.insertConnection(connection, with: member, status: .prepared, user: user)
        return member
    }

    /// The information with which a relay is invited.
    func relayInvitation(_ relay: GroupMember, to group: GroupInfo, of user: User) throws -> Bytes {
        guard let link = group.groupProfile.publicGroup?.groupLink else { throw Refusal.chat(.internalError(message: "no link of the channel")) }
        return try transaction.outbox.connectionInfo(
            .groupRelayInvitation(
                GroupRelayInvitation(
                    fromMember: MemberIDRole(memberID: group.membership.memberID, role: group.membership.role),
                    fromMemberProfile: transaction.conversations.memberProfile(in: group, of: user), relayMemberID: relay.memberID, groupLink: link)),
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
    func finish(_ id: GroupID, of user: User) throws -> ChatResponse {
        try db.groups.update(id, isBeingCreated: false)
        let group = try transaction.conversations.group(id, of: user)
        var chat = GroupConversation(group)
        var banner = ItemDraft(.chatBanner, isSent: true)
        banner.timestamp = UTCTimestamp(seconds: 0)
        try transaction.groupItems.announce(banner, in: &chat, of: user)
        try transaction.groups.addOwnOpening(to: &chat, of: user)
        return .publicGroupCreated(user: user, groupInfo: group, groupLink: try transaction.groups.link(of: group), groupRelays: try db.relays.all(of: id))
    }

    /// Removes a channel that could not be made.
    func removeUnfinished(_ id: GroupID, of user: User) throws {
        let group = try transaction.conversations.group(id, of: user)
        try transaction.groups.deleteLink(of: group, user: user)
        try transaction.members.deleteConnections(of: try db.members.relayMembers(of: id), afterDelivery: false, keepsRows: false, user: user)
        try db.groups.delete(group, user: user.userID)
    }

    /// A relay has accepted its invitation, and its link is valid.
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
        let group = try transaction.conversations.group(relay.groupID, of: user)
        if let current = try db.relays.find(member: id) {
            emit(.groupRelayUpdated(user: user, groupInfo: group, member: try transaction.conversations.member(id, in: group), groupRelay: current))
        }
        let info = try transaction.outbox.connectionInfo(.ok, pqSupport: false, peerVersion: ChatVersion(clamping: connection.chatVersion), inChannel: true)
        try enqueue(.connection(.allow(confirmation: confirmation, info: info)), connection: record.agentConnectionID, user: user)
        try db.connections.update(record.id, status: .accepted, at: now)
    }
}
