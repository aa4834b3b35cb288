public import GRDB
internal import Synchronization

/// A database of this process's own: write-ahead log, `synchronous=FULL`, mode 0600, migrated when it is opened.
public final class DatabaseFile: Sendable {
    private let database: any DatabaseWriter
    private let writer: GroupCommitWriter
    private let isClosed = Mutex(false)

    /// Opens a database, makes it if need be, and migrates it.
    ///
    /// - Parameters:
    ///   - path: nil for a database in memory, which tests use.
    ///   - label: what the database is called in errors.
    ///   - prepare: runs on each connection, for functions and pragmas.
    /// - Throws: ``StorageError`` `newerDatabase` when a later version wrote it, else `unavailable`.
    public init(
        path: String?, label: String, migrator: DatabaseMigrator, readers: Int = 4,
        prepare: @escaping @Sendable (Database) throws -> Void = { _ in }
    ) throws(StorageError) {
        var configuration = Configuration()
        configuration.label = label
        configuration.foreignKeysEnabled = true
        configuration.maximumReaderCount = readers
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA temp_store = MEMORY")
            try prepare(db)
        }
        do {
            if let path {
                // SQLite makes its files with the process's mask; the log files take the mode of the main one.
                FolderLock.makePrivateFile(path)
                let pool = try DatabasePool(path: path, configuration: configuration)
                // GRDB lowers `synchronous` while it sets the journal mode, after `prepareDatabase`.
                try pool.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA synchronous = FULL") }
                database = pool
            } else {
                database = try DatabaseQueue(configuration: configuration)
            }
            writer = GroupCommitWriter(database)
            if try database.read(migrator.hasBeenSuperseded) {
                throw StorageError(
                    .newerDatabase, "the \(label) database was written by a newer version: update, or use another data folder")
            }
            try migrator.migrate(database)
        } catch let error as StorageError {
            throw error
        } catch {
            throw StorageError(.unavailable, "cannot open the \(label) database\(path.map { " \($0)" } ?? "")", cause: error)
        }
    }

    /// Runs queries on the last committed state.
    ///
    /// - Throws: ``StorageError`` `closed` after ``close()``; what the body throws.
    public func read<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
        guard !isClosed.withLock(\.self) else { throw StorageError(.closed, "the database is closed") }
        return try await database.read(body)
    }

    /// Runs `body` in a transaction that may be shared with other writes; returns once it is on disk.
    public func write<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T, afterCommit: (@Sendable (T) -> Void)? = nil
    ) async throws -> T {
        try await writer.write(body, afterCommit: afterCommit)
    }

    /// Runs `body` in a transaction without waiting for it.
    public func submit<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T, completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        writer.submit(body, completion: completion)
    }

    /// Finishes what waits, folds the write-ahead log into the database and closes it. Calling it twice is harmless.
    public func close() async throws(StorageError) {
        writer.close()
        let isFirst = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return !isClosed
        }
        guard isFirst else { return }
        do {
            guard let pool = database as? DatabasePool else {
                // A read of a queue that is closed ends the process. One in memory goes when nobody reads it any more.
                return try await database.writeWithoutTransaction { _ in }
            }
            // Runs behind the jobs that wait. A folded file can be copied as it is; a log that is left over because somebody reads is
            // replayed when the file is opened next.
            _ = try? await pool.writeWithoutTransaction { db in try db.checkpoint(.truncate) }
            try pool.close()
        } catch {
            throw StorageError(.unavailable, "a database could not be closed", cause: error)
        }
    }
}
