package import EncryptedSQLite
package import GRDB
package import Logging

/// Told of every transaction; tests make them fail.
protocol StoreInterceptor: Sendable {
    func willWrite() throws
    /// Inside the transaction; a throw undoes it.
    func isWriting() throws
    func didWrite() throws
}

extension StoreInterceptor {
    func isWriting() throws {}
}

/// The agent's database (`<prefix>_agent.db`): connections with their queues and ratchets, messages that wait, and what is needed to
/// recognise repeated ones.
///
/// Changes are on disk when the call that made them returns, except for those whose loss a restart repairs.
package final class AgentStore: Sendable {
    /// The database itself, for backups.
    package let file: DatabaseFile
    private let interceptor: (any StoreInterceptor)?
    private let deferred: DeferredWrites<StoreChange>
    let log: Logger

    /// Opens, and if necessary makes or migrates, a database. The caller holds the lock of the data folder.
    ///
    /// - Parameters:
    ///   - path: nil for a database in memory, for tests and for runs that leave nothing behind.
    ///   - key: opens an encrypted database, or makes a new one encrypted.
    ///   - logger: the logger of the store and its database.
    ///   - health: called when the disk begins to fail and when it works again.
    /// - Throws: what opening a `DatabaseFile` does, such as `newerDatabase`, `wrongKey` or `unavailable`.
    package convenience init(
        path: String?, key: DatabaseKey? = nil, logger: Logger = Logger(label: "agent.store"),
        health: @escaping @Sendable (DiskHealthChange) -> Void = { _ in }
    ) throws(StorageError) {
        try self.init(path: path, key: key, logger: logger, health: health, interceptor: nil)
    }

    init(
        path: String?, key: DatabaseKey? = nil, logger: Logger = Logger(label: "agent.store"),
        health: @escaping @Sendable (DiskHealthChange) -> Void = { _ in }, interceptor: (any StoreInterceptor)?
    ) throws(StorageError) {
        self.interceptor = interceptor
        log = logger
        deferred = .init(AgentRuntime())
        file = try DatabaseFile(
            path: path, label: "agent", migrator: AgentSchema.migrator, template: Self.template, key: key, logger: logger, health: health)
    }

    private static let template = DatabaseTemplate(AgentSchema.migrator)

    /// A store on a database that is open.
    init(_ file: DatabaseFile, interceptor: (any StoreInterceptor)?, runtime: AgentRuntime) {
        self.file = file
        self.interceptor = interceptor
        log = Logger(label: "agent.store")
        deferred = .init(runtime)
    }

    /// Makes the changes in one transaction, all or none; returns once it is on disk.
    ///
    /// - Parameter isPersistent: whether they wait for a disk that fails to work again.
    func apply(_ changes: [StoreChange], isPersistent: Bool) async throws {
        guard !changes.isEmpty else { return }
        try await write(isPersistent: isPersistent) { database in
            try StoreChange.apply(changes, to: database)
        }
    }

    /// Makes changes whose loss a restart repairs, with one of the next transactions.
    func applyLater(_ changes: [StoreChange]) { deferred.add(changes) { [self] in submitDeferred() } }

    /// Returns when the deferred changes that were given before are made.
    func flush() async throws { try await write { _ in } }

    /// Reads in one transaction.
    ///
    /// - Parameter isLong: whether it goes through a good part of a table.
    package func read<Value: Sendable>(
        isLong: Bool = false, _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await file.read(isLong: isLong, body)
    }

    /// Runs `body` in a transaction that takes the deferred changes along.
    package func write<Value: Sendable>(
        isPersistent: Bool = false, _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try interceptor?.willWrite()
        submitDeferred(joinsNext: true)
        let value =
            if let interceptor {
                try await file.write(isPersistent: isPersistent) { database in
                    try interceptor.isWriting()
                    return try body(database)
                }
            } else {
                try await file.write(isPersistent: isPersistent, body)
            }
        try interceptor?.didWrite()
        return value
    }

    /// From now on nothing waits for a disk that fails.
    func stopWaitingForDisk() { file.stopWaitingForDisk() }

    /// Finishes waiting writes and closes the database.
    package func close() async throws(StorageError) {
        submitDeferred()
        try await file.close()
    }

    /// - Parameter joinsNext: whether something is written right behind it.
    private func submitDeferred(joinsNext: Bool = false) {
        deferred.submitAll { submit($0.withoutConfirmedEvents, joinsNext: joinsNext) }
    }

    private func submit(_ changes: [StoreChange], joinsNext: Bool) {
        guard !changes.isEmpty else { return }
        do {
            try interceptor?.willWrite()
        } catch {
            return
        }
        file.submit(isPersistent: true, joinsNext: joinsNext) { [interceptor] database in
            try interceptor?.isWriting()
            // One that cannot be made must not undo the others.
            var failures: [any Error] = []
            try StoreChange.apply(changes, to: database) { error in
                // Tried again as a whole.
                if let error = error as? DatabaseError, error.isOfDisk { throw error }
                failures.append(error)
            }
            return failures
        } completion: { [log] result in
            switch result {
            case .success(let failures):
                for failure in failures { log.error("a deferred change could not be made", metadata: ["error": "\(failure)"]) }
            case .failure(let error) where (error as? StorageError)?.code == .closed:
                // What can be deferred may be lost: the next process does it again.
                log.debug("deferred changes are left to the next process", metadata: ["changes": "\(changes.count)"])
            case .failure(let error):
                log.error("deferred changes could not be made", metadata: ["error": "\(error)"])
            }
        }
    }
}

extension DeferredWrites<StoreChange> {
    convenience init(_ runtime: AgentRuntime) {
        self.init(most: 256, for: .milliseconds(100), clock: runtime.clock) { _ = runtime.task($0) }
    }
}
