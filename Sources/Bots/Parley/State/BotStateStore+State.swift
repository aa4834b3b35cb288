internal import ChatAPI
internal import EncryptedSQLite
internal import Foundation
internal import GRDB
internal import Logging

// Values, dialogues and timers of bots.

extension BotStateStore {
    static let stateTables = """
        CREATE TABLE state (
            user_id INTEGER NOT NULL,
            scope TEXT NOT NULL,
            name TEXT NOT NULL,
            version INTEGER NOT NULL,
            value BLOB NOT NULL,
            PRIMARY KEY (user_id, scope, name)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE dialogue (
            user_id INTEGER NOT NULL,
            scope TEXT NOT NULL,
            name TEXT NOT NULL,
            state BLOB NOT NULL,
            expires REAL,
            PRIMARY KEY (user_id, scope)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE timer (
            timer_id INTEGER PRIMARY KEY AUTOINCREMENT,
            user_id INTEGER NOT NULL,
            kind INTEGER NOT NULL,
            name TEXT NOT NULL,
            key TEXT NOT NULL,
            chat TEXT,
            due REAL NOT NULL,
            expires REAL,
            value BLOB,
            UNIQUE (user_id, kind, name, key)
        ) STRICT;
        CREATE INDEX timer_due ON timer (due);
        """

    // MARK: Values

    func value(_ key: StateKey, of user: UserID) async throws -> StateValue? {
        try await database.read { db in try Self.value(key, of: user, db) }
    }

    /// Changes a value in a transaction of its own.
    func update<Result: Sendable>(
        _ key: StateKey, of user: UserID, _ change: @escaping @Sendable (StateValue?) throws -> (StateValue?, Result)
    ) async throws -> Result {
        try await database.write { db in
            let before = try Self.value(key, of: user, db)
            let (after, result) = try change(before)
            if after != before { try Self.put(after, key, of: user, db) }
            return result
        }
    }

    private static func value(_ key: StateKey, of user: UserID, _ db: Database) throws -> StateValue? {
        try Row.fetchOne(
            db, sql: "SELECT version, value FROM state WHERE user_id = ? AND scope = ? AND name = ?", arguments: [user.rawValue, key.scope, key.name]
        ).map { StateValue(version: $0["version"], json: $0["value"]) }
    }

    private static func put(_ value: StateValue?, _ key: StateKey, of user: UserID, _ db: Database) throws {
        guard let value else {
            return try db.execute(
                sql: "DELETE FROM state WHERE user_id = ? AND scope = ? AND name = ?", arguments: [user.rawValue, key.scope, key.name])
        }
        try db.execute(
            sql: """
                INSERT INTO state (user_id, scope, name, version, value) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (user_id, scope, name) DO UPDATE SET version = excluded.version, value = excluded.value
                """, arguments: [user.rawValue, key.scope, key.name, value.version, value.json])
    }

    // MARK: The end of a handler

    /// Stores the changes of a handler and that its event is handled: all or nothing. A disk that fails is waited for: the bot has sent already what
    /// belongs to the changes, and the next event of the chat would move its progress past them.
    ///
    /// - Parameter stored: called once the changes are stored, in the order in which changes are stored.
    func commit(_ batch: HandlerChanges.Batch, _ mark: HandledMark, of user: UserID, stored: @escaping @Sendable () -> Void = {}) async throws {
        try await database.write(isPersistent: true) { db in
            for scope in batch.forgotten { try Self.forget(scope, of: user, db) }
            for (key, pending) in batch.values where !pending.changes.isEmpty {
                let stored = try Self.value(key, of: user, db)
                // Handlers of other chats may have changed it since this one read it.
                let value = stored == pending.seen ? pending.value : try pending.changes.reduce(stored) { try $1($0) }
                if value != stored { try Self.put(value, key, of: user, db) }
            }
            for (scope, record) in batch.dialogues { try Self.put(record, scope, of: user, db) }
            for change in batch.timers { try Self.apply(change, of: user, db) }
            try Self.note(mark, of: user, db)
        } afterCommit: {
            stored()
        }
    }

    /// Remembers that an event is handled, without anybody waiting for it. If the process dies first, the handlers run again and their effects are
    /// recognised.
    func note(_ mark: HandledMark, of user: UserID) {
        if case .none = mark { return }
        submit { db in try Self.note(mark, of: user, db) }
    }

    private static func note(_ mark: HandledMark, of user: UserID, _ db: Database) throws {
        switch mark {
        case .item(let id, let chat):
            try db.execute(
                sql: """
                    INSERT INTO chat_progress (user_id, chat, item_id) VALUES (?, ?, ?)
                    ON CONFLICT (user_id, chat) DO UPDATE SET item_id = excluded.item_id WHERE item_id < excluded.item_id
                    """, arguments: [user.rawValue, chat, id.rawValue])
        case .once(let kind, let reference):
            try db.execute(
                sql: "INSERT OR IGNORE INTO handled (user_id, kind, reference) VALUES (?, ?, ?)", arguments: [user.rawValue, kind.rawValue, reference])
        case .timer(let id, let next?):
            try db.execute(sql: "UPDATE timer SET due = ? WHERE timer_id = ?", arguments: [next.timeIntervalSince1970, id])
        case .timer(let id, nil):
            try db.execute(sql: "DELETE FROM timer WHERE timer_id = ?", arguments: [id])
        case .none: break
        }
    }

    /// Deletes everything that is stored about a person or a chat.
    private static func forget(_ scope: String, of user: UserID, _ db: Database) throws {
        for table in ["state", "dialogue"] {
            try db.execute(sql: "DELETE FROM \(table) WHERE user_id = ? AND scope = ?", arguments: [user.rawValue, scope])
        }
        try db.execute(
            sql: "DELETE FROM timer WHERE user_id = ? AND (chat = ? OR key = ?)", arguments: [user.rawValue, scope, scope])
    }

    // MARK: Dialogues

    /// The dialogues of a profile by scope.
    func dialogues(of user: UserID) async throws -> [String: DialogueRecord] {
        try await database.read { db in
            var records: [String: DialogueRecord] = [:]
            for row in try Row.fetchAll(db, sql: "SELECT * FROM dialogue WHERE user_id = ?", arguments: [user.rawValue]) {
                records[row["scope"]] = DialogueRecord(
                    name: row["name"], state: row["state"], expires: (row["expires"] as Double?).map(Date.init(timeIntervalSince1970:)))
            }
            return records
        }
    }

    private static func put(_ record: DialogueRecord?, _ scope: String, of user: UserID, _ db: Database) throws {
        guard let record else {
            return try db.execute(sql: "DELETE FROM dialogue WHERE user_id = ? AND scope = ?", arguments: [user.rawValue, scope])
        }
        try db.execute(
            sql: "INSERT OR REPLACE INTO dialogue (user_id, scope, name, state, expires) VALUES (?, ?, ?, ?, ?)",
            arguments: [user.rawValue, scope, record.name, record.state, record.expires?.timeIntervalSince1970])
    }

    // MARK: Timers

    func apply(_ changes: [TimerChange], of user: UserID) async throws {
        try await database.write { db in for change in changes { try Self.apply(change, of: user, db) } }
    }

    private static func apply(_ change: TimerChange, of user: UserID, _ db: Database) throws {
        switch change {
        case .set(let timer):
            // A new id: a handler of the replaced timer may still run, and deletes its own timer only.
            try db.execute(
                sql: """
                    INSERT OR REPLACE INTO timer (user_id, kind, name, key, chat, due, expires, value, set_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    user.rawValue, timer.kind.rawValue, timer.name, timer.key, timer.chat, timer.due.timeIntervalSince1970,
                    timer.expires?.timeIntervalSince1970, timer.value, timer.setAt?.timeIntervalSince1970,
                ])
        case .cancel(let kind, let name, let key):
            try db.execute(
                sql: "DELETE FROM timer WHERE user_id = ? AND kind = ? AND name = ? AND key = ?", arguments: [user.rawValue, kind.rawValue, name, key])
        }
    }

    /// A page of the timers that are due, the oldest first.
    ///
    /// - Parameter offset: the number of timers before the page.
    func dueTimers(of users: [UserID], at time: Date, from offset: Int = 0, limit: Int) async throws -> [TimerRecord] {
        try await database.read { db in
            try Row.fetchAll(
                db, sql: "SELECT * FROM timer WHERE due <= ? AND user_id IN (\(Self.list(users))) ORDER BY due, timer_id LIMIT ? OFFSET ?",
                arguments: [time.timeIntervalSince1970, limit, offset]
            ).compactMap(Self.timer)
        }
    }

    /// Checks whether a timer still exists. A replacement has another id.
    func hasTimer(_ id: Int64) async throws -> Bool {
        try await database.read { db in try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM timer WHERE timer_id = ?)", arguments: [id]) ?? false }
    }

    private static func list(_ users: [UserID]) -> String { users.map { "\($0.rawValue)" }.joined(separator: ",") }

    /// The time of the next timer that is not due yet; nil if there is none.
    func nextTimer(of users: [UserID], after time: Date) async throws -> Date? {
        try await database.read { db in
            try Double.fetchOne(
                db, sql: "SELECT MIN(due) FROM timer WHERE due > ? AND user_id IN (\(Self.list(users)))", arguments: [time.timeIntervalSince1970]
            ).map(Date.init(timeIntervalSince1970:))
        }
    }

    /// Makes the stored timers of recurring handlers match the bot.
    func prepare(_ recurrences: [Recurrence], of user: UserID, at now: Date) async throws {
        let stored = Dictionary(try await timers(.recurring, of: user).map { ($0.name, $0) }) { first, _ in first }
        var changes: [TimerChange] = []
        for name in stored.keys where !recurrences.contains(where: { $0.name == name }) { changes.append(.cancel(kind: .recurring, name: name, key: "")) }
        for recurrence in recurrences {
            let rule = Data(recurrence.ruleText.utf8)
            var due = stored[recurrence.name].flatMap { $0.value == rule ? $0.due : nil }
            if let known = due, let next = recurrence.next(after: now, now: now), known > next {
                // It was stored while the clock was wrong.
                logger.warning(
                    "a schedule was due later than its next time, and is planned again: the clock was wrong before, or is wrong now",
                    metadata: ["code": "timer.future", "schedule": "\(recurrence.name)", "due": "\(known)", "next": "\(next)"])
                due = next
            } else if let known = due {
                guard recurrence.missed == .skip, known < now else { continue }
                due = recurrence.next(after: known, now: now)
            } else {
                due = recurrence.first(from: now)
            }
            guard let due else { continue }
            changes.append(.set(TimerRecord(id: 0, userID: user, kind: .recurring, name: recurrence.name, key: "", due: due, value: rule)))
        }
        if !changes.isEmpty { try await apply(changes, of: user) }
    }

    /// The timers of one kind of a profile.
    func timers(_ kind: TimerRecord.Kind, of user: UserID) async throws -> [TimerRecord] {
        try await database.read { db in
            try Row.fetchAll(
                db, sql: "SELECT * FROM timer WHERE user_id = ? AND kind = ? ORDER BY due, timer_id", arguments: [user.rawValue, kind.rawValue]
            ).compactMap(Self.timer)
        }
    }

    /// The records of cases of all groups.
    func moderationRecords() async throws -> [(user: UserID, bot: String, group: GroupID, record: ModerationRecord)] {
        let rows = try await database.read { db in
            try Row.fetchAll(
                db,
                sql: "SELECT s.user_id, b.bot_id, s.scope, s.version, s.value FROM state s LEFT JOIN bot b ON b.user_id = s.user_id WHERE s.name = ?",
                arguments: [ModerationRecord.stateName]
            ).map { row in
                (UserID(row["user_id"]), row["bot_id"] as String? ?? "", row["scope"] as String, StateValue(version: row["version"], json: row["value"]))
            }
        }
        return try rows.compactMap { user, bot, scope, value in
            guard let chat = ChatReference(scope), chat.type == .group else { return nil }
            return (user, bot, GroupID(chat.id), try ModerationRecord(stored: value))
        }
    }

    /// The timer of a name and a key; nil if there is none.
    func timer(_ kind: TimerRecord.Kind, _ name: String, key: String, of user: UserID) async throws -> TimerRecord? {
        try await database.read { db in
            try Row.fetchOne(
                db, sql: "SELECT * FROM timer WHERE user_id = ? AND kind = ? AND name = ? AND key = ?",
                arguments: [user.rawValue, kind.rawValue, name, key]
            ).flatMap(Self.timer)
        }
    }

    private static func timer(_ row: Row) -> TimerRecord? {
        guard let kind = TimerRecord.Kind(rawValue: row["kind"]) else { return nil }
        return TimerRecord(
            id: row["timer_id"], userID: UserID(row["user_id"]), kind: kind, name: row["name"], key: row["key"], chat: row["chat"],
            due: Date(timeIntervalSince1970: row["due"]), expires: (row["expires"] as Double?).map(Date.init(timeIntervalSince1970:)),
            value: row["value"])
    }
}
