import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore

/// The lifetimes of records that are not the user's, in seconds.
struct RetentionPeriods: Sendable {
    /// Deliveries, for their receipts.
    var deliveries: Int64
    /// Idempotency keys of commands.
    var commandKeys: Int64
    /// Numbers of the agent's events. Events that were not confirmed come again with the next start.
    var countedEvents: Int64 = 30 * 86_400
    /// Ids of messages of groups, by which copies are recognized: routers keep messages for three weeks.
    var groupMessages: Int64 = 30 * 86_400
    /// Messages that wait for members. Earlier messages in the members' queues are not kept longer, either.
    static let waitingMessages: Int64 = 21 * 86_400
    /// Probes, by which members and contacts find out that they are the same.
    var probes: Int64 = 14 * 86_400
    /// Those who were refused when they asked to join a group, with the connections over which they were told.
    var refusedJoiners: Int64 = 7 * 86_400
    /// Connections with owners whose invitation to relay was refused, and with relays that refused one of this profile.
    var relayRefusals = RelayInvitationRules.refusalLifetime
    /// Connections of tests of relays, which are over within a minute.
    var relayTests: Int64 = 300

    init(_ configuration: NativeCoreConfiguration) {
        deliveries = configuration.receiptPeriod
        commandKeys = configuration.commandKeyPeriod
    }
}

extension TransactionRunner {
    /// The maximum number of rows removed in one transaction, so that a received message does not wait long for it.
    private static let pruningBatch = 1_000

    /// Removes expired records and unreferenced bodies.
    func prune(_ periods: RetentionPeriods, at now: UTCTimestamp) async throws(ChatCoreError) {
        let deliveries = now.adding(seconds: -periods.deliveries)
        try await removeInBatches { try $0.db.deliveries.delete(before: deliveries, limit: $1) }
        let commands = now.adding(seconds: -periods.commandKeys)
        try await removeInBatches { try $0.db.commands.delete(before: commands, limit: $1) }
        let events = now.adding(seconds: -periods.countedEvents)
        try await removeInBatches { try $0.db.countedEvents.delete(before: events, limit: $1) }
        let messages = now.adding(seconds: -periods.groupMessages)
        try await removeInBatches { try $0.db.receivedMessages.delete(before: messages, limit: $1) }
        try await removeInBatches { try $0.db.receivedMessages.deleteReusedMessageIDs(before: messages, limit: $1) }
        try await removeInBatches { try $0.db.moderations.delete(before: messages, limit: $1) }
        let waiting = now.adding(seconds: -RetentionPeriods.waitingMessages)
        try await removeInBatches { try $0.db.pendingMessages.delete(before: waiting, limit: $1) }
        let probes = now.adding(seconds: -periods.probes)
        try await removeInBatches { try $0.db.probes.delete(before: probes, limit: $1) }
        let joiners = now.adding(seconds: -periods.refusedJoiners)
        try await removeInBatches { try $0.groups.deleteRefusedJoiners(before: joiners, limit: $1) }
        let tests = now.adding(seconds: -periods.relayTests)
        try await removeInBatches { try $0.relayWork.deleteTests(before: tests, limit: $1) }
        let refusals = now.adding(seconds: -periods.relayRefusals)
        try await removeInBatches { try $0.relayRequests.deleteOpenRefusals(before: refusals, limit: $1) }
        try await removeInBatches { try $0.channels.deleteConnectionsOfRejected(before: refusals, limit: $1) }
        try await removeInBatches { try $0.db.deliveries.deleteUnusedBodies(limit: $1) }
    }

    private func removeInBatches(_ remove: @escaping @Sendable (ChatTransaction, Int) throws -> Int) async throws(ChatCoreError) {
        let limit = Self.pruningBatch
        while try await transaction({ try remove($0, limit) }) == limit {}
    }
}
