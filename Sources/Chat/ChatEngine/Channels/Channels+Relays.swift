import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPProtocol
import SMPWire

// The relays of a channel change: at its owner, at its subscribers.

extension Channels {
    /// The time for which a subscriber searches for a relay of a channel that has lost its last one, in seconds: a day.
    static let relaySearchPeriod: Int64 = 86_400

    // MARK: As the owner

    /// The relays that are to be invited to a channel of this profile.
    ///
    /// - Throws: `groupUserRole` for anybody but its owner; `userChatRelayNotFound`.
    func beginAddingRelays(_ ids: [UserChatRelayID], to id: GroupID) throws -> (User, GroupInfo, [UserChatRelay]) {
        let user = try transaction.user(), group = try transaction.conversations.group(id, of: user)
        guard group.usesRelays, group.membership.role == .owner, group.membership.status.isCurrent else {
            throw Refusal.chat(.groupUserRole(groupInfo: group, requiredRole: .owner))
        }
        guard try !db.groups.groupsBeingCreated().contains(where: { $0.0 == id }) else { throw Refusal.command("the channel is still being made") }
        try removeUninvitedRelays(of: id, user: user)
        let atWork = Set(try db.relays.all(of: id).filter { $0.status != .inactive && $0.status != .rejected }.map(\.userChatRelay.address))
        var relays: [UserChatRelay] = []
        for id in ids {
            guard let relay = try db.servers.chatRelay(id, user: user.userID) else { throw Refusal.store(.userChatRelayNotFound(chatRelayID: id)) }
            if !atWork.contains(relay.address), !relays.contains(relay) { relays.append(relay) }
        }
        return (user, group, relays)
    }

    /// Removes relays whose invitation was never sent, because it failed or the process ended.
    func removeUninvitedRelays(of id: GroupID, user: User) throws {
        for relay in try db.relays.all(of: id) where relay.status == .new {
            guard let member = try db.members.find(relay.groupMemberID) else { continue }
            try transaction.members.deleteConnections(of: [member], afterDelivery: false, keepsRows: false, user: user)
            try db.members.delete(member, user: user.userID)
        }
    }

    // MARK: As the subscriber

    /// Joins a channel by the relays that its link names and this profile does not know yet.
    func joinNewRelays(of channel: ChannelLink, in group: GroupInfo, user: User) throws {
        guard group.isSubscribed, group.groupProfile.publicGroup?.publicGroupID == channel.data.groupProfile.publicGroup?.publicGroupID else { return }
        for link in channel.relays where try db.members.relayMember(link: link.with(scheme: .server).wireString, group: group.groupID) == nil {
            let relay = try relayMember(link, in: group, of: user)
            try enqueue(.channel(.joinRelay(member: relay.groupMemberID)), user: user)
        }
    }

    /// Starts the search for relays that replace a relay that no longer serves a channel.
    func findRelays(afterLosing member: GroupMember, in group: GroupInfo, of user: User) throws {
        guard member.isRelay, group.isSubscribed else { return }
        try enqueue(.channel(.findRelays(group: group.groupID, until: now.adding(seconds: Self.relaySearchPeriod))), user: user)
    }
}
