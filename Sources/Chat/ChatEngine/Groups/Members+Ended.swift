import ChatAPI
import ChatRules
import ChatStore
import SMPWire

extension Members {
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
            transaction.effects.removesFiles = true
        }
        if try keepsRow || db.items.hasItems(member: member.groupMemberID) {
            try db.members.update(member.groupMemberID, status: status, at: now)
        } else {
            try db.members.delete(member, user: user.userID)
        }
        if let current = try db.groups.find(group.groupID, user: user.userID) { group.groupSummary = current.groupSummary }
    }

    /// Enqueues the agent's deletion of the connections with members.
    ///
    /// - Parameters:
    ///   - afterDelivery: Whether earlier messages to them are delivered first.
    ///   - keepsRows: Whether the connections stay known as deleted ones.
    func deleteConnections(of members: [GroupMember], afterDelivery: Bool, keepsRows: Bool, user: User) throws {
        var connections: [Bytes] = []
        var last: [Delivery] = []
        let waiting = try db.pendingMessages.members(among: members.map(\.groupMemberID))
        if !waiting.isEmpty {
            for member in members where afterDelivery && member.openConnection != nil && waiting.contains(member.groupMemberID) {
                // No further event of the connection would send the waiting messages. The agent keeps it until there is room.
                try transaction.outbox.sendPendingMessages(to: member)
            }
            try db.pendingMessages.delete(members: waiting)
        }
        for record in try members.flatMap({ try db.connections.connections(ofMember: $0.groupMemberID) }) where record.connection.status != .deleted {
            connections.append(record.agentConnectionID)
            // The rows are deleted, or no longer used: the work contains the messages that are not handed over yet.
            if afterDelivery { last += try db.deliveries.waiting(connection: record.id) }
            transaction.effects.deliveries.removeAll { $0.connectionID == record.id }
            if keepsRows {
                try db.deliveries.abandonAll(connection: record.id)
                try db.connections.update(record.id, status: .deleted, at: now)
            } else {
                try db.connections.delete(record.id)
            }
        }
        guard !connections.isEmpty else { return }
        try enqueue(.connection(.delete(connections: connections, after: last, waitsForDelivery: afterDelivery)), user: user)
    }
}
