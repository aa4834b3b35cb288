internal import Dispatch
internal import GRDB

/// Backups of several databases, all of one moment: they can only be restored together.
struct BackupSet {
    private let members: [DatabaseSet.Member]
    private let folder: String
    private let key: DatabaseKey?

    init(of members: [DatabaseSet.Member], in folder: String, key: DatabaseKey?) {
        self.members = members
        self.folder = folder
        self.key = key
    }

    /// Makes the copies, or none of them.
    ///
    /// - Parameter make: makes one copy.
    /// - Returns: the paths of the copies, in the order of the databases.
    func make(_ make: (DatabaseSet.Member, DatabaseCopy) throws -> Void) throws(StorageError) -> [String] {
        try Files.makePrivateFolder(folder)
        let paths = Backups.manual(members.map(\.path), in: folder)
        var made: [String] = []
        for (member, path) in zip(members, paths) {
            do {
                try make(member, DatabaseCopy(to: path, key: key))
            } catch {
                for copy in made { try? Files.delete(copy) }
                throw StorageError.wrapping(error, "the \(member.label) database \(member.path) cannot be backed up")
            }
            made.append(path)
        }
        return paths
    }
}

extension DatabaseFile {
    /// The queue of copies, which take longer than a task may block its thread.
    private static let backupQueue = DispatchQueue(label: "storage.backup")

    /// Copies open databases into a folder, as they are at one moment: during the copy, writes wait, and reads continue.
    ///
    /// The copies belong together like the databases of a process that was killed at that moment.
    ///
    /// - Parameter key: the key of the databases and of the copies.
    /// - Returns: the paths of the copies, which are on disk. If one cannot be made, none is left.
    /// - Throws: `closed` if a database is closed or in memory; `diskFull`, `inputOutput` or `unavailable`.
    package static func backUp(_ files: [DatabaseFile], to folder: String, key: DatabaseKey?) async throws(StorageError) -> [String] {
        // Closing a database waits until it is copied.
        let entered = files.prefix { $0.enterBackup() }
        defer { for file in entered { file.leaveBackup() } }
        let members = files.compactMap(\.member)
        guard entered.count == files.count, members.count == files.count else { throw StorageError(.closed, "a database to be copied is not open") }
        let result = await withCheckedContinuation { (continuation: CheckedContinuation<Result<[String], StorageError>, Never>) in
            backupQueue.async {
                continuation.resume(
                    returning: Result { () throws(StorageError) in
                        try holding(files) { databases throws(StorageError) in
                            var rest = databases[...]
                            return try BackupSet(of: members, in: folder, key: key).make { _, copy in
                                if let db = rest.popFirst() { try copy.make(from: db) }
                            }
                        }
                    })
            }
        }
        return try result.get()
    }

    /// Blocks writes to the databases for the time of `body`, which gets a connection to each.
    private static func holding<T>(
        _ files: some Collection<DatabaseFile>, _ held: [Database] = [], _ body: ([Database]) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        guard let first = files.first else { return try body(held) }
        do {
            return try first.database.writeWithoutTransaction { db in try holding(files.dropFirst(), held + [db], body) }
        } catch {
            throw StorageError.wrapping(error, "databases cannot be backed up")
        }
    }
}
