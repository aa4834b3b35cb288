package import ChatAPI
import ChatRules
import ChatStore
import GRDB
import SMPAgent

// For tests that move the time and wait for what happens.

extension NativeCore {
    /// Removes the messages whose time is over.
    package func removeExpiredMessages() async throws(ChatCoreError) { try await engine.expiry.removeExpired() }

    /// The messages of any kind that no router has yet, edits and reactions too, with the other work for the agent, its events that are not handled, and what a
    /// relay has to deliver. For tests that wait until everything has arrived.
    package func unfinishedMessages() async throws -> Int {
        // A message passes the chat store and then the agent, an event the other way.
        let events = try await unfinishedWorkOfAgent()
        let waiting = try await engine.store.read { db in
            try Int.fetchOne(
                db,
                sql: """
                    SELECT (SELECT count(*) FROM relay_tasks) + (SELECT count(*) FROM relay_jobs)
                        + (SELECT count(*) FROM deliveries WHERE done = 0) + (SELECT count(*) FROM agent_work)
                        + (SELECT count(*) FROM chat_items WHERE parent_item_id IS NOT NULL AND status = 'sndNew')
                    """) ?? 0
        }
        return waiting + max(events, try await unfinishedWorkOfAgent())
    }

    private func unfinishedWorkOfAgent() async throws -> Int {
        guard let agentDatabase else { return 0 }
        return try await AgentStore.unfinishedWork(in: agentDatabase)
    }
}
