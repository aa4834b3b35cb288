package import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB

// Events of the agent whose effects add up, and so must count once although they may come again.

/// Events of the agent that have been counted.
package struct CountedEventTable {
    let db: Database

    /// Tells whether the effects of the event with this number are in the store.
    package func contains(_ number: Int64) throws -> Bool {
        try db.first("SELECT 1 FROM counted_events WHERE event_number = ?", [number]) { _ in true } ?? false
    }

    package func insert(_ number: Int64, at time: UTCTimestamp) throws {
        try db.run("INSERT INTO counted_events (event_number, counted_at) VALUES (?, ?)", [number, time.stored])
    }

    /// Forgets events that were counted before a time.
    ///
    /// - Returns: how many, at most `limit`.
    package func delete(before time: UTCTimestamp, limit: Int) throws -> Int {
        try db.run(
            """
            DELETE FROM counted_events WHERE event_number IN (
                SELECT event_number FROM counted_events WHERE counted_at < ? ORDER BY counted_at LIMIT ?)
            """, [time.stored, limit])
        return db.changesCount
    }
}
