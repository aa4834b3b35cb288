package import ChatProtocol
import ChatRules
import EncryptedSQLite
package import GRDB

// Events of the agent whose effects add up, and so must count once although they may come again.

extension Database {
    /// Tells whether the effects of the event with this number are in the store.
    package func wasCounted(_ number: Int64) throws -> Bool {
        try first("SELECT 1 FROM counted_events WHERE event_number = ?", [number]) { _ in true } ?? false
    }

    package func insertCountedEvent(_ number: Int64, at time: UTCTimestamp) throws {
        try run("INSERT INTO counted_events (event_number, counted_at) VALUES (?, ?)", [number, time.stored])
    }

    /// Forgets events that were counted before a time.
    ///
    /// - Returns: how many, at most `limit`.
    package func deleteCountedEvents(before time: UTCTimestamp, limit: Int) throws -> Int {
        try run(
            """
            DELETE FROM counted_events WHERE event_number IN (
                SELECT event_number FROM counted_events WHERE counted_at < ? ORDER BY counted_at LIMIT ?)
            """, [time.stored, limit])
        return changesCount
    }
}
