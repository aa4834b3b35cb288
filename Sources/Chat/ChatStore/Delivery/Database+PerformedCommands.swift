package import ChatAPI
package import ChatProtocol
package import ChatRules
import EncryptedSQLite
package import GRDB

// Commands that are performed once, and their outcomes.

extension Database {
    /// The outcome of the command of a profile that was performed under a key.
    package func commandOutcome(user: UserID, key: String) throws -> CommandOutcome? {
        try first(
            "SELECT outcome_json, performed_at FROM performed_commands WHERE user_id = ? AND command_key = ?", [user, key]
        ) { row in
            try CommandOutcome(parsing: row.text(), at: UTCTimestamp(stored: row.int()))
        }
    }

    package func insertCommandOutcome(_ outcome: CommandOutcome, user: UserID, key: String) throws {
        try run(
            "INSERT INTO performed_commands (user_id, command_key, outcome_json, performed_at) VALUES (?, ?, ?, ?)",
            [user, key, outcome.json.text, outcome.performedAt.stored])
    }

    /// Forgets commands that ran before a time.
    ///
    /// - Returns: how many, at most `limit`.
    package func deleteCommandOutcomes(before time: UTCTimestamp, limit: Int) throws -> Int {
        try run(
            """
            DELETE FROM performed_commands WHERE (user_id, command_key) IN (
                SELECT user_id, command_key FROM performed_commands WHERE performed_at < ? ORDER BY performed_at LIMIT ?)
            """, [time.stored, limit])
        return changesCount
    }
}
