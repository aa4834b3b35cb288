import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPWire

// Removals of members, members who leave, and the end of a group.

extension ChatTransaction {
    func receiveRemoval(
        of id: MemberID, withMessages: Bool, _ received: GroupMessage, from sender: GroupMember, in group: inout GroupInfo, of user: User
    ) throws -> ForwardAudience? {
        if id == group.membership.memberID {
            let wasCurrent = group.membership.status.isCurrent
            try receiveOwnRemoval(withMessages: withMessages, received, from: sender, in: &group, of: user)
            return group.isServedHere && wasCurrent && group.membership.status == .removed ? .everybodyAtLast : nil
        }
        guard let member = try db.members.find(id, group: group.groupID) else {
            guard GroupAction.remove.right.permits(sender.role) else {
                reportError("x.grp.mem.del with insufficient member permissions", of: user)
                return nil
            }
            reportError("x.grp.mem.del with unknown member ID", of: user)
            return .group(includesPending: true)
        }
        if case .refuse(let reason) = MemberChangeDecision.removal(of: member, by: sender) {
            reportError(reason, of: user)
            return nil
        }
        let audience = ForwardAudience(eventsOf: member)
        // The removed member hears of it before its connection is deleted.
        if group.isForwarder, received.forwardedBy == nil {
            try forward([received], from: sender, to: [member], in: group)
        }
        try deleteConnections(of: [member], afterDelivery: group.isForwarder, keepsRows: true, user: user)
        if withMessages { try moderateMessages(of: member, by: sender, in: group) }
        let wasMember = member.status != .removed && member.status != .left
        // The row stays as long as something names it: the note of the removal, at least, does.
        try endMembership(of: member, as: .removed, in: &group, keepsRow: wasMember, of: user)
        try publishMemberCount(of: &group, user: user)
        try findRelays(afterLosing: member, in: group, of: user)
        var removed = member
        removed.status = .removed
        if wasMember {
            try addEvent(
                .memberDeleted(groupMemberID: member.groupMemberID, profile: member.profile.published), from: sender, at: received.sentAt,
                id: received.message.messageID, signature: received.signature, in: &group, of: user)
        }
        emit(
            .deletedMember(
                user: user, groupInfo: group, byMember: sender, deletedMember: removed, withMessages: withMessages, signature: received.signature))
        return audience
    }

    private func receiveOwnRemoval(
        withMessages: Bool, _ received: GroupMessage, from sender: GroupMember, in group: inout GroupInfo, of user: User
    ) throws {
        if case .refuse(let reason) = MemberChangeDecision.removal(of: group.membership, by: sender) { return reportError(reason, of: user) }
        try deleteLink(of: group, user: user)
        // Others who are not connected to the sender hear of it by this profile, if it forwards.
        // A relay tells all members of it before it ends their connections.
        if !group.isServedHere {
            if group.isForwarder, received.forwardedBy == nil { try forward([received], from: sender, to: .group(includesPending: true), in: group) }
            try deleteConnections(of: try connectedMembers(of: group), afterDelivery: group.isForwarder, keepsRows: false, user: user)
        }
        try db.members.update(group.membership.groupMemberID, status: .removed, at: now)
        try showMembership(in: &group, of: user)
        if withMessages { try moderateMessages(of: group.membership, by: sender, in: group) }
        try addEvent(
            .userDeleted, from: sender, at: received.sentAt, id: received.message.messageID, signature: received.signature, in: &group, of: user)
        emit(.deletedMemberUser(user: user, groupInfo: group, member: sender, withMessages: withMessages, signature: received.signature))
    }

    func receiveLeave(
        _ received: GroupMessage, from member: GroupMember, in group: inout GroupInfo, of user: User
    ) throws -> ForwardAudience? {
        let audience = ForwardAudience(eventsOf: member)
        // A relay that leaves passes on what was posted before this profile knew.
        try deleteConnections(of: [member], afterDelivery: member.isRelay, keepsRows: true, user: user)
        try endMembership(of: member, as: .left, in: &group, keepsRow: true, of: user)
        if member.isRelay { try db.relays.update(member: member.groupMemberID, status: .inactive, at: now) }
        try publishMemberCount(of: &group, user: user)
        try findRelays(afterLosing: member, in: group, of: user)
        guard !group.mutesEvents(of: member) else { return audience }
        var left = member
        left.status = .left
        try addEvent(
            .memberLeft, from: left, at: received.sentAt, id: received.message.messageID, signature: received.signature, in: &group, of: user)
        emit(.leftMember(user: user, groupInfo: group, member: left, signature: received.signature))
        // The owner learns that posts have a way less.
        if left.isRelay, let relay = try db.relays.find(member: left.groupMemberID) {
            emit(.groupRelayUpdated(user: user, groupInfo: group, member: left, groupRelay: relay))
        }
        return audience
    }

    /// Ends a membership. The row of the member goes unless something names it.
    ///
    /// - Parameter keepsRow: Whether it stays in any case.
    func endMembership(
        of member: GroupMember, as status: GroupMemberStatus, in group: inout GroupInfo, keepsRow: Bool, of user: User
    ) throws {
        if member.requiresAttention {
            try db.groups.update(group.groupID, attentionBy: -1)
            group.membersRequireAttention = max(0, group.membersRequireAttention - 1)
        }
        if member.supportChat != nil {
            try db.supportChats.delete(member: member.groupMemberID, group: group.groupID)
            effects.removesFiles = true
        }
        if try keepsRow || db.items.hasItems(member: member.groupMemberID) {
            try db.members.update(member.groupMemberID, status: status, at: now)
        } else {
            try db.members.delete(member, user: user.userID)
        }
        if let current = try db.groups.find(group.groupID, user: user.userID) { group.groupSummary = current.groupSummary }
    }

    func receiveGroupDeletion(_ received: GroupMessage, from member: GroupMember, in group: inout GroupInfo, of user: User) throws {
        guard GroupAction.deleteGroup.right.permits(member.role) else { throw Refusal.chat(.groupUserRole(groupInfo: group, requiredRole: .owner)) }
        try deleteLink(of: group, user: user)
        let isServedHere = group.isServedHere
        if !isServedHere, group.isForwarder, received.forwardedBy == nil {
            try forward([received], from: member, to: .group(includesPending: true), in: group)
        }
        try db.members.update(group.membership.groupMemberID, status: .groupDeleted, at: now)
        try showMembership(in: &group, of: user)
        // A relay tells all members of it before it ends their connections.
        if !isServedHere {
            try deleteConnections(of: try connectedMembers(of: group), afterDelivery: group.isForwarder, keepsRows: false, user: user)
        }
        try addEvent(
            .groupDeleted, from: member, at: received.sentAt, id: received.message.messageID, signature: received.signature, in: &group, of: user)
        emit(.groupDeleted(user: user, groupInfo: group, member: member, signature: received.signature))
    }

    /// Enqueues the agent's deletion of the connections with members.
    ///
    /// - Parameters:
    ///   - afterDelivery: Whether what was sent to them before is delivered first.
    ///   - keepsRows: Whether the connections stay known as deleted ones.
    func deleteConnections(of members: [GroupMember], afterDelivery: Bool, keepsRows: Bool, user: User) throws {
        var connections: [Bytes] = []
        var last: [Delivery] = []
        let waiting = try db.pendingMessages.members(among: members.map(\.groupMemberID))
        if !waiting.isEmpty {
            for member in members where afterDelivery && member.openConnection != nil && waiting.contains(member.groupMemberID) {
                // No event of the connection comes any more that would send what waits. The agent keeps it until there is room.
                try sendPendingMessages(to: member)
            }
            try db.pendingMessages.delete(members: waiting)
        }
        for record in try members.flatMap({ try db.connections.connections(ofMember: $0.groupMemberID) }) where record.connection.status != .deleted {
            connections.append(record.agentConnectionID)
            // The rows go, or are of no use any more: what is not handed over yet travels with the work.
            if afterDelivery { last += try db.deliveries.waiting(connection: record.id) }
            effects.deliveries.removeAll { $0.connectionID == record.id }
            if keepsRows {
                try db.deliveries.abandonAll(connection: record.id)
                try db.connections.update(record.id, status: .deleted, at: now)
            } else {
                try db.connections.delete(record.id)
            }
        }
        guard !connections.isEmpty else { return }
        try enqueue(.delete(connections: connections, after: last, waitsForDelivery: afterDelivery), user: user)
    }
}
