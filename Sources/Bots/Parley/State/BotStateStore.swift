internal import ChatAPI
internal import EncryptedSQLite
internal import GRDB
internal import Logging

/// The storage of a data folder's bots: the profile of each bot, and the progress of its handlers.
///
/// The database is `bots.db` in the data folder. Messages are not in it: they are in the core's store, and what has not been
/// handled is read from there again after a crash.
final class BotStateStore: Sendable {
    let database: DatabaseFile
    let logger: Logger
    /// The store that this one is a copy of. Profiles and groups that are made are noted there, too: they stay.
    let original: BotStateStore?

    /// - Parameters:
    ///   - path: nil for a store in memory.
    ///   - key: the data folder's, if it is encrypted.
    ///   - original: the store that this one becomes a copy of.
    /// - Throws: `StorageError`.
    init(
        path: String?, key: DatabaseKey? = nil, logger: Logger, health: @escaping @Sendable (DiskHealthChange) -> Void = { _ in },
        original: BotStateStore? = nil
    ) throws(StorageError) {
        self.logger = logger
        self.original = original
        database = try DatabaseFile(
            path: path, label: "bots", migrator: Self.template.migrator, template: Self.template, key: key, readers: 1, logger: logger, health: health)
    }

    private static let template = DatabaseTemplate(migrator)

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 profiles and progress") { db in
            try db.execute(
                sql: """
                    CREATE TABLE bot (
                        bot_id TEXT NOT NULL PRIMARY KEY,
                        user_id INTEGER NOT NULL UNIQUE
                    ) STRICT, WITHOUT ROWID;
                    CREATE TABLE chat_progress (
                        user_id INTEGER NOT NULL,
                        chat TEXT NOT NULL,
                        item_id INTEGER NOT NULL,
                        PRIMARY KEY (user_id, chat)
                    ) STRICT, WITHOUT ROWID;
                    CREATE TABLE handled (
                        user_id INTEGER NOT NULL,
                        kind TEXT NOT NULL,
                        reference INTEGER NOT NULL,
                        PRIMARY KEY (user_id, kind, reference)
                    ) STRICT, WITHOUT ROWID;
                    """)
        }
        migrator.registerMigration("2 handlers that processes died of") { db in
            try db.execute(
                sql: """
                    CREATE TABLE crash_suspect (
                        name BLOB NOT NULL PRIMARY KEY,
                        deaths INTEGER NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    CREATE TABLE quarantine (
                        quarantine_id INTEGER PRIMARY KEY AUTOINCREMENT,
                        name BLOB NOT NULL UNIQUE,
                        retries INTEGER NOT NULL DEFAULT 0,
                        quarantined_at REAL NOT NULL
                    ) STRICT;
                    """)
        }
        migrator.registerMigration("3 groups that bots keep") { db in
            try db.execute(
                sql: """
                    CREATE TABLE managed_group (
                        bot_id TEXT NOT NULL,
                        name TEXT NOT NULL,
                        group_id INTEGER NOT NULL,
                        PRIMARY KEY (bot_id, name)
                    ) STRICT, WITHOUT ROWID;
                    """)
        }
        migrator.registerMigration("4 state, dialogues and timers") { db in try db.execute(sql: stateTables) }
        migrator.registerMigration("5 weights of crashes") { db in
            // A death counted as one, and three were the limit.
            try db.execute(sql: "ALTER TABLE crash_suspect RENAME COLUMN deaths TO weight; UPDATE crash_suspect SET weight = min(weight, 4) * 3;")
        }
        migrator.registerMigration("6 trusted contacts and names of chats") { db in try db.execute(sql: trustTables) }
        migrator.registerMigration("7 times at which timers were set") { db in try db.execute(sql: timerTimes) }
        return migrator
    }

    /// The profile of a bot, if it has been given one.
    func userID(of botID: String) async throws -> UserID? {
        try await database.read { db in
            try Int64.fetchOne(db, sql: "SELECT user_id FROM bot WHERE bot_id = ?", arguments: [botID]).map { UserID($0) }
        }
    }

    /// Remembers the profile of a bot.
    func setUserID(_ userID: UserID, of botID: String) async throws {
        try await original?.setUserID(userID, of: botID)
        try await database.write { db in
            try db.execute(
                sql: "INSERT INTO bot (bot_id, user_id) VALUES (?, ?) ON CONFLICT (bot_id) DO UPDATE SET user_id = excluded.user_id",
                arguments: [botID, userID.rawValue])
        }
    }

    /// The group that was made for a managed group of a bot, if one was.
    func groupID(of group: String, bot botID: String) async throws -> GroupID? {
        try await database.read { db in
            try Int64.fetchOne(db, sql: "SELECT group_id FROM managed_group WHERE bot_id = ? AND name = ?", arguments: [botID, group]).map { GroupID($0) }
        }
    }

    /// Remembers the group that was made for a managed group of a bot.
    func setGroupID(_ id: GroupID, of group: String, bot botID: String) async throws {
        try await original?.setGroupID(id, of: group, bot: botID)
        try await database.write { db in
            try db.execute(
                sql: """
                    INSERT INTO managed_group (bot_id, name, group_id) VALUES (?, ?, ?)
                    ON CONFLICT (bot_id, name) DO UPDATE SET group_id = excluded.group_id
                    """,
                arguments: [botID, group, id.rawValue])
        }
    }

    /// The progress of the handlers of a profile.
    func progress(of userID: UserID) async throws -> HandledProgress {
        try await database.read { db in
            var progress = HandledProgress()
            for row in try Row.fetchAll(db, sql: "SELECT chat, item_id FROM chat_progress WHERE user_id = ?", arguments: [userID.rawValue]) {
                progress.items[row["chat"]] = ChatItemID(row["item_id"])
            }
            for row in try Row.fetchAll(db, sql: "SELECT kind, reference FROM handled WHERE user_id = ?", arguments: [userID.rawValue]) {
                guard let kind = HandledProgress.Kind(rawValue: row["kind"]) else { continue }
                progress.references[kind, default: []].insert(row["reference"])
            }
            return progress
        }
    }

    func submit(_ body: @escaping @Sendable (Database) throws -> Void) {
        database.submit(isPersistent: true, body) { [logger] result in
            if case .failure(let error) = result { logger.error("progress not stored", metadata: ["error": "\(error)"]) }
        }
    }

    /// Returns once everything that was noted before is on disk.
    func flush() async throws { try await database.write { _ in } }

    /// Ends the waits for a failing disk: unstored work runs again at the next start.
    func stopWaitingForDisk() { database.stopWaitingForDisk() }

    /// Stores the pending records and closes the database.
    func close() async throws(StorageError) { try await database.close() }
}

/// The progress of the handlers of one profile.
struct HandledProgress: Sendable, Hashable {
    /// Things that happen once.
    enum Kind: String, Sendable, Hashable {
        /// A contact has connected; the reference is the contact's id.
        case connected
        /// A contact request has come; the reference is the request's id.
        case request
    }

    /// The last handled item of each chat.
    var items: [String: ChatItemID] = [:]
    var references: [Kind: Set<Int64>] = [:]
}
