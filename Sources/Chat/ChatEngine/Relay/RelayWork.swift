import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore

// The work of a relay, as the store keeps it: messages become tasks, tasks become bodies, bodies are given to members one after another.

/// Stores what a relay has to forward, and counts what it has forwarded.
struct RelayWork: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Messages that a relay has to forward.
    var relayWork: RelayWork { RelayWork(transaction: self) }
}

extension RelayWork {
    /// Waiting tasks that are looked at when a body is made.
    static let relayTasksRead = 512

    /// Keeps messages of a member to be passed on. The deletion of the channel is passed on alone and at once. Before the removal of this relay, what was
    /// accepted is.
    func add(_ forwards: [(audience: ForwardAudience, message: GroupMessage)], from sender: GroupMember, in group: GroupInfo) throws {
        if let last = forwards.first(where: { $0.audience == .everybodyAtLast && $0.message.message.tag == .deleteGroup }) {
            try db.relayWork.delete(group: group.groupID)
            try addTask(last.message, for: last.audience, from: sender, in: group)
        } else {
            for forward in forwards { try addTask(forward.message, for: forward.audience, from: sender, in: group) }
        }
        transaction.effects.relayedGroups.insert(group.groupID)
        transaction.effects.relayBacklogs[group.groupID] = try db.relayWork.taskSpan(group: group.groupID)
    }

    private func addTask(_ message: GroupMessage, for audience: ForwardAudience, from sender: GroupMember, in group: GroupInfo) throws {
        let author: MessageForward.Sender =
            audience == .channel || audience == .comments(asChannel: true) ? .channel : .member(sender.memberID, name: sender.profile.displayName)
        let forward = MessageForward(sender: author, brokerTimestamp: message.sentAt)
        try db.relayWork.insertTask(
            group: group.groupID, scope: RelayScope(audience), sender: sender.groupMemberID, element: forward.element(message.element),
            introduces: author != .channel && RelayIntroductionRules.makesKnown(message.message.event), endsService: audience == .everybodyAtLast, at: now)
    }

    /// Tells all members of a channel that this profile relays for it no longer, once they have what was accepted before, and then ends the connections
    /// with them.
    func endService(of group: GroupInfo, with message: OutgoingMessage) throws {
        try db.relayWork.insertJob(
            group: group.groupID, scope: .all, singleSender: nil, body: message.body, endsService: true, at: now)
        transaction.effects.relayedGroups.insert(group.groupID)
    }

    /// Makes one body of the oldest tasks of a group, as far as quotas allow.
    func makeJob(group: GroupID, policy: RelayPolicy) throws -> RelayProgress {
        guard let oldest = try db.relayUsage.oldestTask(group: group) else { return .none }
        var limit = Self.relayTasksRead
        // What ends the service, and what comes before it, is not held up.
        if try policy.hasQuota && !db.relayUsage.endsService(group: group) {
            switch try allowance(of: group, policy: policy) {
            case .wait(let time): return .waits(until: time)
            case .messages(let allowed): limit = min(limit, allowed ?? limit)
            }
        }
        guard let batch = RelayBatch(try db.relayWork.tasks(group: group, limit: limit)) else { return .none }
        if !batch.body.isEmpty {
            try db.relayWork.insertJob(
                group: group, scope: batch.scope, singleSender: batch.singleSender, senders: batch.introduced, body: batch.body, endsService: batch.endsService,
                at: oldest)
        }
        if !batch.tooLarge.isEmpty { emit(.chatError(error: .store(error: .largeMessage))) }
        try db.relayWork.deleteTasks(batch.delivered + batch.tooLarge)
        try db.relayUsage.add(messages: batch.delivered.count, to: group, at: now)
        return .made
    }

    /// Decides how much of what waits in a channel may be passed on.
    private func allowance(of group: GroupID, policy: RelayPolicy) throws -> RelayAllowance {
        let own = try db.relayUsage.current(of: group), allowance = policy.channelQuota.allowance(own, at: now)
        guard policy.totalQuota != RelayQuota(), case .messages = allowance else { return allowance }
        // A channel that its own quota holds up needs no share now.
        let others = try db.relayUsage.ofWaiting(except: group).filter { usage in
            if case .messages = policy.channelQuota.allowance(usage, at: now) { true } else { false }
        }
        return allowance.and(policy.totalQuota.share(own, of: try db.relayUsage.current(), others: others, at: now))
    }

    /// Counts members who were given the body of a job.
    func noteDeliveries(_ count: Int, of job: RelayJob) throws {
        try db.relayUsage.add(deliveries: count, bytes: Int64(job.body.count) * Int64(count), to: job.group, at: now)
    }

    /// Deletes the next connections with members of a group that this profile relays for no longer.
    ///
    /// - Returns: Their number.
    func deleteMemberConnections(of group: GroupID, limit: Int) throws -> Int {
        let connections = try db.relayWork.memberConnections(of: group, limit: limit)
        guard !connections.isEmpty else { return 0 }
        for connection in connections { try db.connections.delete(connection.id) }
        let user = try db.groups.userID(ofGroup: group).flatMap { try db.users.find($0) }
        try enqueue(.connection(.delete(connections: connections.map(\.agentID), after: [], waitsForDelivery: true)), user: user)
        return connections.count
    }

    /// Deletes the connections of tests that nobody waits for any more.
    ///
    /// - Returns: Their number.
    func deleteTests(before time: UTCTimestamp, limit: Int) throws -> Int {
        let tests = try db.relays.relayTests(before: time, limit: limit)
        for test in tests {
            try enqueue(.connection(.delete(connections: [test.connection], after: [])), user: try db.users.find(test.user))
            try db.relays.deleteRelayTest(test.connection)
        }
        return tests.count
    }
}
