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

    /// A relay that knew no rosters may know them now.
    func noteVersions(of relay: GroupMember, before old: ChatVersionRange, in group: GroupInfo) throws {
        guard relay.status == .connected, old.maxVersion < Int(ChatVersions.groupRoster), relay.supports(ChatVersions.groupRoster) else { return }
        if group.membership.role == .owner {
            // Versions go up and down as the relay likes: it gets each roster once.
            let version = try db.rosters.state(of: group.groupID).version ?? .first
            guard relay.readyConnection != nil, try db.rosters.servedVersion(to: relay.groupMemberID).map({ $0 < version }) ?? true else { return }
            try transaction.rosters.send(to: relay, in: group)
            try db.rosters.update(servedVersion: version, to: relay.groupMemberID)
        } else {
            try transaction.rosters.requestMissing(from: relay, in: group)
        }
    }

    /// A relay refuses to serve a channel of this profile.
    func receiveRejection(_ reason: RelayRejectionReason, by relay: GroupMember, in group: GroupInfo, of user: User) throws {
        if try db.relays.find(member: relay.groupMemberID)?.status == .invited {
            try db.relays.update(member: relay.groupMemberID, status: .rejected, at: now)
        }
        try db.members.update(relay.groupMemberID, status: .left, at: now)
        guard let changed = try db.relays.find(member: relay.groupMemberID) else { return }
        reportError("x.grp.relay.reject: the relay does not serve the channel: \(reason.code.prefix(100))", severity: "warning", of: user)
        emit(
            .groupRelayUpdated(
                user: user, groupInfo: group, member: try transaction.conversations.member(relay.groupMemberID, in: group), groupRelay: changed))
    }

    /// Ends the connection with a relay that has refused to serve a channel of this profile and connects all the same.
    ///
    /// - Returns: False for another member.
    func endsConnection(withRejected relay: GroupMember, of user: User) throws -> Bool {
        guard relay.isRelay, try db.relays.find(member: relay.groupMemberID)?.status == .rejected else { return false }
        try transaction.members.deleteConnections(of: [relay], afterDelivery: false, keepsRows: false, user: user)
        return true
    }

    /// Deletes the connections with relays that have refused to serve a channel. Such a relay deletes its side, and nothing tells this profile.
    ///
    /// - Returns: Their number.
    func deleteConnectionsOfRejected(before time: UTCTimestamp, limit: Int) throws -> Int {
        let rejected = try db.relays.connectedRejected(before: time, limit: limit)
        for (id, userID) in rejected {
            guard let user = try db.users.find(userID), let relay = try db.members.find(id) else { continue }
            try transaction.members.deleteConnections(of: [relay], afterDelivery: false, keepsRows: false, user: user)
        }
        return rejected.count
    }

    /// A relay tells this profile, the owner, what it does beside forwarding.
    func receiveCapabilities(_ capabilities: RelayCapabilities, of relay: GroupMember, in group: GroupInfo, of user: User) throws {
        guard RightDecision(.showRelayCapabilities, by: ActingMember(relay), inChannel: group.usesRelays) == .allow, group.membership.role == .owner else {
            return reportError("x.grp.relay.cap: only the owner receives the abilities of relays", severity: "warning", of: user)
        }
        try db.relays.update(member: relay.groupMemberID, capabilities: capabilities, at: now)
    }

    // MARK: As the subscriber

    /// An owner announces a relay: this profile joins the channel by it, too, or passes the announcement on as a relay.
    func receiveRelay(_ link: String, from owner: GroupMember, in group: GroupInfo, of user: User) throws -> ForwardAudience? {
        guard RightDecision(.announceRelay, by: ActingMember(owner, isForwarded: true), inChannel: group.usesRelays) == .allow else {
            reportError("x.grp.relay.new with insufficient member permissions", of: user)
            return nil
        }
        guard let link = try? ConnectionShortLink(wireString: link) else {
            reportError("x.grp.relay.new: no link of a relay", of: user)
            return nil
        }
        if group.isSubscribed, try db.members.relayMember(link: link.with(scheme: .server).wireString, group: group.groupID) == nil {
            guard try db.members.relayMembers(of: group.groupID).filter(\.status.isCurrent).count < ChannelLink.maximumRelays else {
                reportError("x.grp.relay.new: the channel has too many relays", severity: "warning", of: user)
                return nil
            }
            let relay = try relayMember(link, in: group, of: user)
            try enqueue(.channel(.joinRelay(member: relay.groupMemberID)), user: user)
        }
        return .group(includesPending: false)
    }

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
