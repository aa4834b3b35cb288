import ChatRules
package import EncryptedSQLite
package import GRDB
package import Logging

/// The observer of every transaction. Tests make transactions fail by it.
package protocol ChatStoreInterceptor: Sendable {
    func willWrite() throws
    func didWrite() throws
}

/// The chat database: users, contacts, groups, and every item of every chat.
///
/// The SQL of the engine is in this module. Reads see the last commit. Writes that wait for the disk at the same time share one commit.
package final class ChatStore: Sendable {
    package let file: DatabaseFile
    private let interceptor: (any ChatStoreInterceptor)?
    /// The work for the next transaction: each entry submits something, and gets whether another submission follows immediately.
    private let deferred = DeferredWrites<@Sendable (_ joinsNext: Bool) -> Void>(for: .milliseconds(20))

    /// Opens, and if necessary makes or migrates, `<prefix>_chat.db`; nil keeps the database in memory.
    ///
    /// - Parameters:
    ///   - key: opens an encrypted database, or makes a new one encrypted.
    ///   - logger: takes what the database logs.
    ///   - health: told when the disk begins to fail and when it works again.
    /// - Throws: what opening a `DatabaseFile` does, such as `newerDatabase`, `wrongKey` or `unavailable`.
    package init(
        prefix: String?, key: DatabaseKey? = nil, logger: Logger = Logger(label: "chat.store"),
        health: @escaping @Sendable (DiskHealthChange) -> Void = { _ in }, interceptor: (any ChatStoreInterceptor)? = nil
    ) throws(StorageError) {
        self.interceptor = interceptor
        file = try DatabaseFile(
            path: prefix.map { $0 + "_chat.db" }, label: "chat", migrator: Self.template.migrator, template: Self.template, key: key,
            logger: logger, health: health,
            prepare: { db in db.add(function: Self.caseFolding) })
    }

    private static let template = DatabaseTemplate(ChatStoreMigrations.migrator)

    /// `folded(text)`: text in lower case beyond ASCII, for searches.
    package static let caseFolding = DatabaseFunction("folded", argumentCount: 1, pure: true) { values in
        guard let text = String.fromDatabaseValue(values[0]) else { return nil }
        return text.lowercased()
    }

    /// Runs queries on the last committed state.
    ///
    /// - Parameter isLong: whether they go through a good part of a table.
    package func read<T: Sendable>(isLong: Bool = false, _ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
        try await file.read(isLong: isLong, body)
    }

    /// Runs `body` in a transaction that may be shared with other writes; returns once it is on disk.
    ///
    /// - Parameter isPersistent: whether it waits, before later writes, for a disk that fails to work again.
    package func write<T: Sendable>(
        isPersistent: Bool = false, _ body: @escaping @Sendable (Database) throws -> T, afterCommit: (@Sendable (T) -> Void)? = nil
    ) async throws -> T {
        guard let interceptor else {
            submitDeferred(joinsNext: true)
            return try await file.write(isPersistent: isPersistent, body, afterCommit: afterCommit)
        }
        try interceptor.willWrite()
        submitDeferred(joinsNext: true)
        let value = try await file.write(isPersistent: isPersistent, body) { value in
            guard (try? interceptor.didWrite()) != nil else { return }
            afterCommit?(value)
        }
        try interceptor.didWrite()
        return value
    }

    /// Runs `body` in a transaction without waiting for it; completions come in the order of the writes.
    ///
    /// - Parameter isPersistent: whether it waits, before later writes, for a disk that fails to work again.
    package func submit<T: Sendable>(
        isPersistent: Bool = false, _ body: @escaping @Sendable (Database) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        submitDeferred(joinsNext: interceptor == nil)
        submitNow(isPersistent: isPersistent, body, completion: completion)
    }

    /// Runs `body` in the next transaction, before what that is for, or by itself after a moment. For what nobody waits for.
    package func submitLater<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T, completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        let submission: @Sendable (Bool) -> Void = { [self] joinsNext in
            submitNow(isPersistent: true, joinsNext: joinsNext, body, completion: completion)
        }
        deferred.add([submission]) { [self] in submitDeferred() }
    }

    /// - Parameter joinsNext: whether something is submitted right behind it.
    private func submitDeferred(joinsNext: Bool = false) {
        deferred.submitAll { submissions in for submit in submissions { submit(joinsNext) } }
    }

    private func submitNow<T: Sendable>(
        isPersistent: Bool, joinsNext: Bool = false, _ body: @escaping @Sendable (Database) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        guard let interceptor else {
            file.submit(isPersistent: isPersistent, joinsNext: joinsNext, body, completion: completion)
            return
        }
        do {
            try interceptor.willWrite()
        } catch {
            completion(.failure(error))
            return
        }
        file.submit(isPersistent: isPersistent, joinsNext: joinsNext, body) { result in
            do {
                try interceptor.didWrite()
                completion(result)
            } catch {
                completion(.failure(error))
            }
        }
    }

    /// From now on nothing waits for a disk that fails.
    package func stopWaitingForDisk() { file.stopWaitingForDisk() }

    /// Finishes what waits and closes the file.
    package func close() async throws(StorageError) {
        submitDeferred()
        try await file.close()
    }
}
