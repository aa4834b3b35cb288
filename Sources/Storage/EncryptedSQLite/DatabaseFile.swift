internal import Dispatch
package import GRDB
package import Logging

/// A database that only this process uses: write-ahead log, `synchronous=FULL`, mode 0600, encrypted if it has a key, migrated when it is opened.
package final class DatabaseFile: Sendable {
    /// A function that runs work later, on a thread of its choice. With it, a simulation decides when a database reads and writes.
    typealias Scheduler = @Sendable (@escaping @Sendable () -> Void) -> Void

    let database: any DatabaseWriter
    /// The file and its name in errors; nil for a database in memory.
    let member: DatabaseSet.Member?
    /// The scheduler of reads and writes; nil: they run on the database's own threads.
    private let scheduler: Scheduler?
    private let writer: GroupCommitWriter
    private let health: DiskHealth
    private let reads = ActiveReads()
    /// The queue of long reads, which take turns: short reads never wait for their connections.
    private let longReads = DispatchQueue(label: "storage.long-reads")
    /// The registration that keeps the encryption of the path in force.
    private let registration: ProtectionRegistration?
    /// The extent of the write-ahead log, for the next process if this one is killed.
    private let extent: LogExtent?

    /// Opens a database, creates it if necessary, and migrates it. Before the migration of an existing database, this makes a backup: see ``Backups``.
    ///
    /// - Parameters:
    ///   - path: the path; nil for a database in memory, which tests use.
    ///   - label: the name of the database in errors.
    ///   - template: the schema for databases in memory, of the same migrator; nil runs the migrations for each of them.
    ///   - key: the key of an encrypted database, or for a new one. Deriving keys from a passphrase takes a good part of a second, once for
    ///     each key object.
    ///   - prepare: runs on each connection, for functions and pragmas.
    ///   - health: called when the disk begins to fail and when it works again. Both are logged as well.
    /// - Throws: ``StorageError`` `newerDatabase` when a later version wrote it, `foreign` when another program did, `keyNeeded`, `wrongKey` or
    ///   `notEncrypted` when key and database do not fit, `corrupt`, `diskFull`, `inputOutput`, `locked`, else `unavailable`.
    package init(
        path: String?, label: String, migrator: DatabaseMigrator, template: DatabaseTemplate? = nil, key: DatabaseKey? = nil,
        readers: Int = 4,
        logger: Logger = Logger(label: "storage"), health: @escaping @Sendable (DiskHealthChange) -> Void = { _ in },
        prepare: @escaping @Sendable (Database) throws -> Void = { _ in }
    ) throws(StorageError) {
        self.health = DiskHealth(label: label, logger: logger, report: health)
        scheduler = nil
        member = path.map { DatabaseSet.Member(label: label, path: $0) }
        do {
            if let path {
                let opening = try DatabaseOpening(path: path, label: label, key: key)
                registration = opening.registration
                let pool = try opening.open(migrator: migrator, readers: readers, logger: logger, prepare: prepare)
                extent = try opening.extent(of: pool)
                database = pool
            } else {
                registration = nil
                extent = nil
                let configuration = DatabaseOpening.configuration(label: label, readers: 1, prepare: prepare)
                let queue = try DatabaseQueue(configuration: configuration)
                if let template { try template.apply(to: queue, configuration) } else { try migrator.migrate(queue) }
                database = queue
            }
            writer = GroupCommitWriter(database, health: self.health, extent: extent)
        } catch {
            throw StorageError.wrapping(error, "cannot open the \(label) database\(path.map { " \($0)" } ?? "")")
        }
    }

    /// Opens a database in memory again, in the state in which the next process would find a file.
    init(reopening other: DatabaseFile, scheduler: @escaping Scheduler) {
        database = other.database
        member = other.member
        health = other.health
        registration = nil
        extent = nil
        self.scheduler = scheduler
        writer = GroupCommitWriter(database, health: health, scheduler: scheduler)
    }

    /// Keeps the database open until ``leaveBackup()``.
    ///
    /// - Returns: false if the database is closed.
    func enterBackup() -> Bool { reads.enter() }

    func leaveBackup() { reads.leave() }

    /// Runs queries on the last committed state.
    ///
    /// - Parameter isLong: whether the queries read a large part of a table. Short ones run on the caller's thread: a change of threads would cost
    ///   more than they do.
    /// - Throws: ``StorageError`` `closed` after ``close()``; what the body throws.
    package func read<T: Sendable>(
        isLong: Bool = false, _ body: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        guard reads.enter() else { throw StorageError(.closed, "the database is closed") }
        defer { reads.leave() }
        do {
            guard isLong || scheduler != nil else { return try readHere(body) }
            return try await withCheckedThrowingContinuation { [database, longReads] continuation in
                let work: @Sendable () -> Void = { continuation.resume(with: Result { try database.read(body) }) }
                if let scheduler { scheduler(work) } else { longReads.async(execute: work) }
            }
        } catch {
            health.note(failure: error)
            throw error
        }
    }

    private func readHere<T>(_ body: (Database) throws -> T) throws -> T { try database.read(body) }

    /// Runs `body` in a transaction that may be shared with other writes; returns once it is on disk.
    ///
    /// `body` may run more than once, each time on a database without the effects of earlier runs: its only effects must be changes of the
    /// database and its result.
    ///
    /// - Parameter isPersistent: see ``submit(isPersistent:_:completion:)``.
    package func write<T: Sendable>(
        isPersistent: Bool = false, _ body: @escaping @Sendable (Database) throws -> T, afterCommit: (@Sendable (T) -> Void)? = nil
    ) async throws -> T {
        try await writer.write(isPersistent: isPersistent, body, afterCommit: afterCommit)
    }

    /// Makes writes fail instead of waiting for a failing disk from now on: for a caller that closes soon, and waits for the running writes itself.
    package func stopWaitingForDisk() { writer.stopWaitingForDisk() }

    /// Runs `body` in a transaction without waiting for it.
    ///
    /// - Parameters:
    ///   - isPersistent: whether the write waits, before all later writes, until a failing disk works again. The completion is called when it has
    ///     been written, or with the disk's error when the database is closed. For writes that must not be lost or change their order.
    ///   - joinsNext: whether the write waits for the next one, to share its transaction: for callers that submit the next one at once.
    package func submit<T: Sendable>(
        isPersistent: Bool = false, joinsNext: Bool = false, _ body: @escaping @Sendable (Database) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        writer.submit(isPersistent: isPersistent, joinsNext: joinsNext, body, completion: completion)
    }

    /// Finishes the waiting writes, folds the write-ahead log into the database and closes it. May be called again.
    package func close() async throws(StorageError) {
        writer.close()
        guard await reads.close() else { return }
        do {
            guard let pool = database as? DatabasePool else {
                // A read of a closed queue ends the process. A database in memory is freed when nobody reads it any more.
                return scheduler == nil ? try await database.writeWithoutTransaction { _ in } : ()
            }
            // Runs after the waiting jobs. After folding, the file can be copied as it is, and SQLCipher can read it; a log that a running read
            // leaves over is replayed when the file is opened next.
            _ = try? await pool.writeWithoutTransaction { [extent] db in
                extent?.finish()
                try db.checkpoint(.truncate)
            }
            try pool.close()
            // The path may get another key, or none, from now on.
            registration?.release()
        } catch {
            throw StorageError(.unavailable, "a database could not be closed", cause: error)
        }
    }
}
