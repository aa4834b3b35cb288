package import ChatAPI
import ChatRules
import ChatStore
import GRDB
import SMPAgent

// For tests that move the time and wait for what happens.

extension NativeCore {
    /// Removes the messages whose time is over.
    package func removeExpiredMessages() async throws(ChatCoreError) { try await engine.expiry.removeExpired() }

    /// The messages of any kind that no router has yet, edits and reactions too, with the other work for the agent and what a relay has to deliver. For
    /// tests that wait until everything has arrived.
    package func unfinishedMessages() async throws -> Int {
        // In the order in which a message passes both.
        let waiting = try await engine.store.read { db in
            try Int.fetchOne(
                db,
                sql: """
                    SELECT (SELECT count(*) FROM relay_tasks) + (SELECT count(*) FROM relay_jobs)
                        + (SELECT count(*) FROM deliveries WHERE done = 0) + (SELECT count(*) FROM agent_work)
                        + (SELECT count(*) FROM chat_items WHERE parent_item_id IS NOT NULL AND status = 'sndNew')
                    """) ?? 0
        }
        guard let agentDatabase else { return waiting }
        return waiting + (try await AgentStore.unsentMessages(in: agentDatabase))
    }
}
