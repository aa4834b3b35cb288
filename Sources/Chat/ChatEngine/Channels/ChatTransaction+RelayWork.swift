import ChatAPI
import ChatProtocol
import SMPWire

// The work of a relay, as the store keeps it: messages become tasks, tasks become bodies, bodies are given to members one after another.

extension ChatTransaction {
    /// Waiting tasks that are looked at when a body is made.
    static let relayTasksRead = 512

    /// Keeps messages of a member to be passed on.
    func addRelayTasks(_ forwards: [(audience: ForwardAudience, message: GroupMessage)], from sender: GroupMember, in group: GroupInfo) throws {
        if let last = forwards.first(where: { $0.audience == .everybodyAtLast }) {
            try db.deleteRelayWork(group: group.groupID)
            try addRelayTask(last.message, for: last.audience, from: sender, in: group)
        } else {
            for forward in forwards { try addRelayTask(forward.message, for: forward.audience, from: sender, in: group) }
        }
        effects.relayedGroups.insert(group.groupID)
    }

    private func addRelayTask(_ message: GroupMessage, for audience: ForwardAudience, from sender: GroupMember, in group: GroupInfo) throws {
        let author: MessageForward.Sender =
            audience == .channel || audience == .comments(asChannel: true) ? .channel : .member(sender.memberID, name: sender.profile.displayName)
        let forward = MessageForward(sender: author, brokerTimestamp: message.sentAt)
        try db.insertRelayTask(
            group: group.groupID, scope: RelayScope(audience), sender: sender.groupMemberID, element: forward.element(message.element),
            endsService: audience == .everybodyAtLast, at: now)
    }

    /// Tells all members of a channel that this profile relays for it no longer, and then ends the connections with them.
    func endService(of group: GroupInfo, with message: OutgoingMessage) throws {
        try db.deleteRelayWork(group: group.groupID)
        try db.insertRelayJob(
            group: group.groupID, scope: .all, singleSender: nil, body: message.body, endsService: true, at: now)
        effects.relayedGroups.insert(group.groupID)
    }

    /// Makes one body of the oldest tasks of a group.
    ///
    /// - Returns: False if none wait.
    func makeRelayJob(group: GroupID) throws -> Bool {
        guard let batch = RelayBatch(try db.relayTasks(group: group, limit: Self.relayTasksRead)) else { return false }
        if !batch.body.isEmpty {
            try db.insertRelayJob(
                group: group, scope: batch.scope, singleSender: batch.singleSender, body: batch.body, endsService: batch.endsService, at: now)
        }
        if !batch.tooLarge.isEmpty { emit(.chatError(error: .store(error: .largeMessage))) }
        try db.deleteRelayTasks(batch.delivered + batch.tooLarge)
        return true
    }

    /// Deletes the next connections with members of a group that this profile relays for no longer.
    ///
    /// - Returns: Their number.
    func deleteMemberConnections(of group: GroupID, limit: Int) throws -> Int {
        let connections = try db.memberConnections(of: group, limit: limit)
        guard !connections.isEmpty else { return 0 }
        for connection in connections { try db.deleteConnection(connection.id) }
        let user = try db.userID(ofGroup: group).flatMap { try db.user($0) }
        try enqueue(.delete(connections: connections.map(\.agentID), after: [], waitsForDelivery: true), user: user)
        return connections.count
    }

    /// Deletes the connections of tests that nobody waits for any more.
    ///
    /// - Returns: Their number.
    func deleteRelayTests(before time: UTCTimestamp, limit: Int) throws -> Int {
        let tests = try db.relayTests(before: time, limit: limit)
        for test in tests {
            try enqueue(.delete(connections: [test.connection], after: []), user: try db.user(test.user))
            try db.deleteRelayTest(test.connection)
        }
        return tests.count
    }
}
