internal import EncryptedSQLite
internal import Foundation
internal import GRDB
internal import SystemSupport

/// Something that handlers are not given, because processes died while they handled it.
struct QuarantinedHandling: Sendable {
    let id: Int64
    let event: HandlerEventName
    /// True if somebody wants it to be handled at the next start.
    let isToBeRetried: Bool
    let quarantinedAt: Date
}

// The events on which processes crashed while a handler ran, and the quarantined ones.

extension BotStateStore {
    /// Things that are set aside at the most; the oldest make room for new ones.
    static var quarantineLimit: Int { 1_000 }

    /// Counts the events on which the previous process crashed.
    ///
    /// - Returns: the suspected and quarantined events, and the newly quarantined ones.
    func count(died keys: [InFlightKey], by end: ProcessEnd, at time: Date) async throws -> (suspects: CrashSuspects, new: [HandlerEventName]) {
        guard !keys.isEmpty else {
            return (CrashSuspects(try await database.read { db in try Self.suspects(db) }), [])
        }
        return try await database.write { db in
            var suspects = CrashSuspects(try Self.suspects(db)), new: [HandlerEventName] = []
            for count in suspects.processEnded(by: end, with: keys) {
                try db.execute(
                    sql: "INSERT INTO crash_suspect (name, weight) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET weight = excluded.weight",
                    arguments: [Data(count.key.bytes), count.weight])
                guard suspects.isQuarantined(count.key), let event = HandlerEventName(count.key) else { continue }
                new.append(event)
                try Self.insert(count.key, at: time, db)
            }
            return (suspects, new)
        }
    }

    private static func suspects(_ db: Database) throws -> [CrashSuspects.Count] {
        try Row.fetchAll(db, sql: "SELECT name, weight FROM crash_suspect").compactMap { row in
            InFlightKey(Array(row["name"] as Data)).map { CrashSuspects.Count(key: $0, weight: row["weight"]) }
        }
    }

    private static func insert(_ key: InFlightKey, at time: Date, _ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO quarantine (name, quarantined_at) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET retries = 0
                """, arguments: [Data(key.bytes), time.timeIntervalSince1970])
        try db.execute(
            sql: "DELETE FROM quarantine WHERE quarantine_id <= (SELECT quarantine_id FROM quarantine ORDER BY quarantine_id DESC LIMIT 1 OFFSET ?)",
            arguments: [quarantineLimit])
    }

    /// Something was handled after all: it is not looked for any more, without anybody waiting for that.
    func forgetSuspect(_ key: InFlightKey) {
        submit { db in
            try db.execute(sql: "DELETE FROM crash_suspect WHERE name = ?", arguments: [Data(key.bytes)])
            try db.execute(sql: "DELETE FROM quarantine WHERE name = ?", arguments: [Data(key.bytes)])
        }
    }

    /// The quarantined items, oldest first.
    func quarantined() async throws -> [QuarantinedHandling] {
        try await database.read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM quarantine ORDER BY quarantine_id").compactMap { row in
                guard let event = InFlightKey(Array(row["name"] as Data)).flatMap(HandlerEventName.init) else { return nil }
                return QuarantinedHandling(
                    id: row["quarantine_id"], event: event, isToBeRetried: row["retries"] as Int64 != 0,
                    quarantinedAt: Date(timeIntervalSince1970: row["quarantined_at"]))
            }
        }
    }

    /// Schedules a quarantined item for the next start: once more, however often processes crashed on it before.
    ///
    /// - Returns: false if there is no such thing.
    func retryQuarantined(_ id: Int64) async throws -> Bool {
        try await database.write { db in
            try db.execute(
                sql: "DELETE FROM crash_suspect WHERE name = (SELECT name FROM quarantine WHERE quarantine_id = ?)", arguments: [id])
            try db.execute(sql: "UPDATE quarantine SET retries = 1 WHERE quarantine_id = ?", arguments: [id])
            return db.changesCount > 0
        }
    }

    /// Forgets something that was set aside: it counts as handled.
    ///
    /// - Returns: false if there is no such thing.
    func dropQuarantined(_ id: Int64) async throws -> Bool {
        try await database.write { db in
            try db.execute(
                sql: "DELETE FROM crash_suspect WHERE name = (SELECT name FROM quarantine WHERE quarantine_id = ?)", arguments: [id])
            try db.execute(sql: "DELETE FROM quarantine WHERE quarantine_id = ?", arguments: [id])
            return db.changesCount > 0
        }
    }
}
