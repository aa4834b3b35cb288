internal import Dispatch
internal import GRDB

extension DatabaseSet {
    /// Copies each existing database, with its key, into a folder under its own name. Nobody has them open.
    ///
    /// - Returns: the copies, which are on disk.
    public func copy(to folder: String, key: DatabaseKey?) throws(StorageError) -> [Member] {
        var copies: [Member] = []
        for member in try present {
            let copy = Member(label: member.label, path: folder + "/" + Files.name(of: member.path))
            do {
                try KeyChange.opened(member, key: key) { db in try DatabaseCopy(to: copy.path, key: key).make(from: db) }
            } catch {
                throw StorageError.wrapping(error, "the \(member.label) database \(member.path) cannot be backed up")
            }
            copies.append(copy)
        }
        return copies
    }
}

extension DatabaseFile {
    /// The queue of copies, which take longer than a task may block its thread.
    private static let copyQueue = DispatchQueue(label: "storage.copy")

    /// Copies open databases into a folder under their own names, as they are at one moment, and runs `body` at that moment.
    ///
    /// - Parameters:
    ///   - key: the key of the databases and of the copies.
    ///   - body: runs while nothing is written to the databases.
    /// - Returns: the copies, which are on disk.
    /// - Throws: `closed` if a database is closed or in memory; `diskFull`, `inputOutput` or `unavailable`.
    package static func copy(
        _ files: [DatabaseFile], to folder: String, key: DatabaseKey?, while body: @escaping @Sendable () throws -> Void
    ) async throws -> [DatabaseSet.Member] {
        // Closing a database waits until it is copied.
        let entered = files.prefix { $0.enterBackup() }
        defer { for file in entered { file.leaveBackup() } }
        let members = files.compactMap(\.member)
        guard entered.count == files.count, members.count == files.count else { throw StorageError(.closed, "a database to be copied is not open") }
        let copies = members.map { DatabaseSet.Member(label: $0.label, path: folder + "/" + Files.name(of: $0.path)) }
        let result = await withCheckedContinuation { (continuation: CheckedContinuation<Result<Void, any Error>, Never>) in
            copyQueue.async {
                continuation.resume(
                    returning: Result {
                        try holding(files) { databases in
                            for (database, copy) in zip(databases, copies) { try DatabaseCopy(to: copy.path, key: key).make(from: database) }
                            try body()
                        }
                    })
            }
        }
        try result.get()
        return copies
    }

    /// Blocks writes to the databases for the time of `body`, which gets a connection to each.
    private static func holding(_ files: some Collection<DatabaseFile>, _ held: [Database] = [], _ body: ([Database]) throws -> Void) throws {
        guard let first = files.first else { return try body(held) }
        try first.database.writeWithoutTransaction { db in try holding(files.dropFirst(), held + [db], body) }
    }
}
