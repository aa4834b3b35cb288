import GRDB

/// The chat database: who the users and their contacts are, and every item of every chat.
///
/// All plain SQL of the engine is in this type's extensions, behind methods that say what they do. Reads see the last commit; writes
/// go through ``StoreWriter``, which commits those that wait together.
final class ChatStore: Sendable {
    private let database: any DatabaseWriter
    private let lock: DataFolderLock?
    let writer: StoreWriter

    /// Opens, and if need be makes or migrates, `<prefix>_chat.db` (mode 0600, write-ahead log, `synchronous=FULL`).
    ///
    /// - Throws: ``ChatStoreError`` `locked`, `newerDatabase` or `unavailable`.
    init(prefix: String) throws(ChatStoreError) {
        let lock = try DataFolderLock(prefix: prefix)
        let path = prefix + "_chat.db"
        do {
            // SQLite makes its files with the process's mask: making the main one first fixes the mode of the log files as well.
            makePrivateFile(path)
            let pool = try DatabasePool(path: path, configuration: Self.configuration())
            // GRDB lowers `synchronous` while it sets the journal mode, after `prepareDatabase`: raise it on the open writer.
            try pool.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA synchronous = FULL") }
            database = pool
        } catch {
            throw ChatStoreError(.unavailable, "cannot open \(path)", cause: error)
        }
        self.lock = lock
        writer = StoreWriter(database)
        try migrate()
    }

    /// A database in memory, for tests and for runs that leave nothing behind.
    init() throws(ChatStoreError) {
        do {
            database = try DatabaseQueue(configuration: Self.configuration())
        } catch {
            throw ChatStoreError(.unavailable, "cannot make a database in memory", cause: error)
        }
        lock = nil
        writer = StoreWriter(database)
        try migrate()
    }

    private static func configuration() -> Configuration {
        var configuration = Configuration()
        configuration.label = "chat"
        configuration.foreignKeysEnabled = true
        configuration.maximumReaderCount = 4
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA temp_store = MEMORY")
            db.add(function: ChatStore.caseFolding)
        }
        return configuration
    }

    /// `folded(text)`: text in lower case beyond ASCII, for searches.
    private static let caseFolding = DatabaseFunction("folded", argumentCount: 1, pure: true) { values in
        guard let text = String.fromDatabaseValue(values[0]) else { return nil }
        return text.lowercased()
    }

    private func migrate() throws(ChatStoreError) {
        let migrator = ChatStoreMigrations.migrator
        do {
            if try database.read(migrator.hasBeenSuperseded) {
                throw ChatStoreError(.newerDatabase, "the chat database was written by a newer version: update, or use another data folder")
            }
            try migrator.migrate(database)
        } catch let error as ChatStoreError {
            throw error
        } catch {
            throw ChatStoreError(.unavailable, "the chat database could not be migrated", cause: error)
        }
    }

    /// Runs queries on the last committed state.
    func read<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
        try await database.read(body)
    }

    /// Runs `body` in a transaction that may be shared with other writes; returns once it is on disk.
    func write<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T, afterCommit: (@Sendable (T) -> Void)? = nil
    ) async throws -> T {
        try await writer.write(body, afterCommit: afterCommit)
    }

    /// Finishes what waits, folds the write-ahead log into the database and gives the data folder back.
    func close() async throws(ChatStoreError) {
        writer.close()
        do {
            // Runs behind the jobs that wait. A log that is left over would still be replayed, but a folded file can be copied as it is.
            if let pool = database as? DatabasePool {
                try await pool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
            }
            try database.close()
        } catch {
            lock?.release()
            throw ChatStoreError(.unavailable, "the chat database could not be closed", cause: error)
        }
        lock?.release()
    }
}
