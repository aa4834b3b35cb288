internal import ChatAPI
internal import EncryptedSQLite
internal import Foundation
internal import GRDB
internal import Logging

// Timers that were set while the clock was wrong.

extension BotStateStore {
    /// The times of timers, and the last time that was seen.
    static let timerTimes = """
        ALTER TABLE timer ADD COLUMN set_at REAL;
        ALTER TABLE timer ADD COLUMN first_set_at REAL;
        ALTER TABLE timer ADD COLUMN first_due REAL;
        CREATE TABLE clock (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            seen REAL NOT NULL
        ) STRICT;
        """

    /// Gives timers that were set while the clock was wrong the delay that was left, and dialogues with them. Recurring ones are planned anew by
    /// ``prepare(_:of:at:)``.
    ///
    /// - Returns: their number.
    @discardableResult
    func correctTimers(at now: Date) async throws -> Int {
        let now = now.timeIntervalSince1970
        let count = try await database.write { db in
            let seen = try Double.fetchOne(db, sql: "SELECT seen FROM clock")
            let rows = try Row.fetchAll(
                db, sql: "SELECT * FROM timer WHERE kind != ? AND (set_at > ? OR set_at < ?)",
                arguments: [TimerRecord.Kind.recurring.rawValue, now + TimerTimes.tolerance, ImplausibleTime.end])
            var count = 0
            for row in rows {
                var times = TimerTimes(setAt: row["set_at"], due: row["due"])
                if let setAt = row["first_set_at"] as Double?, let due = row["first_due"] as Double? { times.original = .init(setAt: setAt, due: due) }
                guard let right = times.corrected(at: now, seen: seen) else { continue }
                count += 1
                let expires = (row["expires"] as Double?).map { $0 + right.due - times.due }
                try db.execute(
                    sql: "UPDATE timer SET due = ?, expires = ?, set_at = ?, first_set_at = ?, first_due = ? WHERE timer_id = ?",
                    arguments: [right.due, expires, right.setAt, right.original?.setAt, right.original?.due, row["timer_id"] as Int64])
                guard row["kind"] as Int64 == TimerRecord.Kind.dialogue.rawValue else { continue }
                try db.execute(
                    sql: "UPDATE dialogue SET expires = ? WHERE user_id = ? AND scope = ?",
                    arguments: [right.due, row["user_id"] as Int64, row["key"] as String])
            }
            if StoredTerms.mayBeWrong(at: now, seen: seen) { try StoredTerms.correct(db, at: now, seen: seen) }
            try Self.note(now, db)
            return count
        }
        if count > 0 {
            logger.warning(
                "timers were set while the clock was wrong, or it is wrong now: they get the delay that was left",
                metadata: ["code": "timer.corrected", "timers": "\(count)"])
        }
        return count
    }

    /// Notes the time, so that it is known later how much of a delay had passed.
    func noteTime(_ now: Date) {
        let now = now.timeIntervalSince1970
        submit { db in try Self.note(now, db) }
    }

    private static func note(_ time: Double, _ db: Database) throws {
        try db.execute(sql: "INSERT OR REPLACE INTO clock (id, seen) VALUES (1, ?)", arguments: [time])
    }
}
