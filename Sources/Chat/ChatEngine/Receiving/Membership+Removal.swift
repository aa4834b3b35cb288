import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore

// Removals of members, members who leave, and the end of a group.

extension Membership {
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
        // The removed member is notified before its connection is deleted.
        if group.isForwarder, received.forwardedBy == nil {
            try transaction.forwarding.forward([received], from: sender, to: [member], in: group)
        }
        try transaction.members.deleteConnections(of: [member], afterDelivery: group.isForwarder, keepsRows: true, user: user)
        if withMessages { try transaction.groupItems.moderateMessages(of: member, by: sender, in: group) }
        let wasMember = member.status != .removed && member.status != .left
        // The row stays as long as something names it: the note of the removal, at least, does.
        try transaction.members.endMembership(of: member, as: .removed, in: &group, keepsRow: wasMember, of: user)
        try transaction.groups.publishMemberCount(of: &group, user: user)
        try transaction.rosters.publishEnd(of: member, in: group)
        try transaction.channels.findRelays(afterLosing: member, in: group, of: user)
        var removed = member
        removed.status = .removed
        if wasMember {
            try transaction.groupItems.addEvent(
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
        try transaction.groups.deleteLink(of: group, user: user)
        // This profile, if it forwards, notifies members who are not connected to the sender.
        // A relay tells all members of it before it ends their connections.
        if !group.isServedHere {
            if group.isForwarder, received.forwardedBy == nil {
                try transaction.forwarding.forward([received], from: sender, to: .group(includesPending: true), in: group)
            }
            try transaction.members.deleteConnections(
                of: try transaction.conversations.connectedMembers(of: group), afterDelivery: group.isForwarder, keepsRows: false, user: user)
        }
        try db.members.update(group.membership.groupMemberID, status: .removed, at: now)
        try transaction.groups.showMembership(in: &group, of: user)
        if withMessages { try transaction.groupItems.moderateMessages(of: group.membership, by: sender, in: group) }
        try transaction.groupItems.addEvent(
            .userDeleted, from: sender, at: received.sentAt, id: received.message.messageID, signature: received.signature, in: &group, of: user)
        emit(.deletedMemberUser(user: user, groupInfo: group, member: sender, withMessages: withMessages, signature: received.signature))
    }

    func receiveLeave(
        _ received: GroupMessage, from member: GroupMember, in group: inout GroupInfo, of user: User
    ) throws -> ForwardAudience? {
        let audience = ForwardAudience(eventsOf: member)
        // A leaving relay still forwards posts from before this profile knew.
        try transaction.members.deleteConnections(of: [member], afterDelivery: member.isRelay, keepsRows: true, user: user)
        try transaction.members.endMembership(of: member, as: .left, in: &group, keepsRow: true, of: user)
        if member.isRelay { try db.relays.update(member: member.groupMemberID, status: .inactive, at: now) }
        try transaction.groups.publishMemberCount(of: &group, user: user)
        try transaction.rosters.publishEnd(of: member, in: group)
        try transaction.channels.findRelays(afterLosing: member, in: group, of: user)
        guard !group.mutesEvents(of: member) else { return audience }
        var left = member
        left.status = .left
        try transaction.groupItems.addEvent(
            .memberLeft, from: left, at: received.sentAt, id: received.message.messageID, signature: received.signature, in: &group, of: user)
        emit(.leftMember(user: user, groupInfo: group, member: left, signature: received.signature))
        // The owner learns that posts have a way less.
        if left.isRelay, let relay = try db.relays.find(member: left.groupMemberID) {
            emit(.groupRelayUpdated(user: user, groupInfo: group, member: left, groupRelay: relay))
        }
        return audience
    }

    func receiveGroupDeletion(_ received: GroupMessage, from member: GroupMember, in group: inout GroupInfo, of user: User) throws {
        guard GroupAction.deleteGroup.right.permits(member.role) else { throw Refusal.chat(.groupUserRole(groupInfo: group, requiredRole: .owner)) }
        try transaction.groups.deleteLink(of: group, user: user)
        let isServedHere = group.isServedHere
        if !isServedHere, group.isForwarder, received.forwardedBy == nil {
            try transaction.forwarding.forward([received], from: member, to: .group(includesPending: true), in: group)
        }
        try db.members.update(group.membership.groupMemberID, status: .groupDeleted, at: now)
        try transaction.groups.showMembership(in: &group, of: user)
        // A relay tells all members of it before it ends their connections.
        if !isServedHere {
            try transaction.members.deleteConnections(
                of: try transaction.conversations.connectedMembers(of: group), afterDelivery: group.isForwarder, keepsRows: false, user: user)
        }
        try transaction.groupItems.addEvent(
            .groupDeleted, from: member, at: received.sentAt, id: received.message.messageID, signature: received.signature, in: &group, of: user)
        emit(.groupDeleted(user: user, groupInfo: group, member: member, signature: received.signature))
    }
}
