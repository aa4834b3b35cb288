import ChatAPI
import ChatProtocol

// What is kept for a time only. Items that disappear are the timer's own work.

extension EngineCore {
    /// Rows that are removed in one transaction at most: a received message does not wait long behind it.
    static let forgettingBatch = 1_000
    /// How long numbers of the agent's events are remembered, in seconds: those that were not confirmed come again with the next start.
    static let countedEventPeriod: Int64 = 30 * 86_400

    /// Forgets deliveries whose receipts are not expected any more, and keys of commands that will not be given again.
    func forgetOld(at now: UTCTimestamp) async throws(ChatCoreError) {
        let deliveries = now.adding(seconds: -configuration.receiptPeriod)
        try await removeInBatches { try $0.db.deleteDeliveries(before: deliveries, limit: $1) }
        let commands = now.adding(seconds: -configuration.commandKeyPeriod)
        try await removeInBatches { try $0.db.deleteCommandOutcomes(before: commands, limit: $1) }
        let events = now.adding(seconds: -Self.countedEventPeriod)
        try await removeInBatches { try $0.db.deleteCountedEvents(before: events, limit: $1) }
    }

    private func removeInBatches(_ remove: @escaping @Sendable (ChatTransaction, Int) throws -> Int) async throws(ChatCoreError) {
        let limit = Self.forgettingBatch
        while try await transaction({ try remove($0, limit) }) == limit {}
    }
}
