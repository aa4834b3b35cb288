package import ChatAPI
import GRDB

// For tests that move the time and wait for what happens.

extension NativeCore {
    /// Removes the messages whose time is over.
    package func removeExpiredMessages() async throws(ChatCoreError) { try await engine.expiry.removeExpired() }

    /// The messages that are still to be handed on: comments that no router has, and what a relay has to deliver. For tests that wait until
    /// everything has arrived.
    package func unfinishedMessages() async throws -> Int {
        try await engine.store.read { db in
            try Int.fetchOne(
                db,
                sql: """
                    SELECT (SELECT count(*) FROM relay_tasks) + (SELECT count(*) FROM relay_jobs)
                        + (SELECT count(*) FROM chat_items WHERE parent_item_id IS NOT NULL AND status = 'sndNew')
                    """) ?? 0
        }
    }
}
