package import ChatAPI
package import ChatProtocol
package import ChatRules
import EncryptedSQLite
import GRDB

// Commands that are performed once, and their outcomes.

/// Outcomes of commands that are performed once.
package struct CommandTable {
    let db: Database

    /// The outcome of the command of a profile that was performed under a key.
    package func outcome(user: UserID, key: String) throws -> CommandOutcome? {
        try db.first(
            "SELECT outcome_json, performed_at FROM performed_commands WHERE user_id = ? AND command_key = ?", [user, key]
        ) { row in
            try CommandOutcome(parsing: row.text(), at: UTCTimestamp(stored: row.int()))
        }
    }

    package func insert(_ outcome: CommandOutcome, user: UserID, key: String) throws {
        try db.run(
            "INSERT INTO performed_commands (user_id, command_key, outcome_json, performed_at) VALUES (?, ?, ?, ?)",
            [user, key, outcome.json.text, outcome.performedAt.stored])
    }

    /// Forgets commands that ran before a time.
    ///
    /// - Returns: how many, at most `limit`.
    package func delete(before time: UTCTimestamp, limit: Int) throws -> Int {
        try db.run(
            """
            DELETE FROM performed_commands WHERE (user_id, command_key) IN (
                SELECT user_id, command_key FROM performed_commands WHERE performed_at < ? ORDER BY performed_at LIMIT ?)
            """, [time.stored, limit])
        return db.changesCount
    }
}
