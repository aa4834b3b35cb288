package import GRDB
package import SystemSupport

/// The identity that a database shares with the other parts of its folder: databases of different folders, or of different times, do not fit together.
///
/// It is in a separate table outside the schema, so that it can be read before a database is migrated.
public struct FolderMark: Sendable, Hashable {
    /// The random id of the folder.
    public var folder: String
    /// The number of the folder's starts so far.
    public var generation: Int64
    /// The names of the folder's parts.
    public var parts: [String]
    /// The id of the backup that the database is a copy of; nil for one in use.
    public var backup: String?
    /// The identity of the file that the mark was written to: a copy of the database has another one. Nil if it is unknown.
    package var file: FileIdentity?

    /// Creates the value from its parts.
    public init(folder: String, generation: Int64, parts: [String], backup: String? = nil) {
        (self.folder, self.generation, self.parts, self.backup) = (folder, generation, parts, backup)
    }
}

extension FolderMark {
    /// The name of the table.
    private static let table = "parley_folder"
    /// The name of the table with the identity of the file, which earlier versions do not know.
    private static let fileTable = "parley_file"
    /// The names of both tables.
    package static let tables = [table, fileTable]

    /// Reads the mark; nil for a database without one.
    package static func read(_ db: Database) throws -> FolderMark? {
        guard try db.tableExists(table), let row = try Row.fetchOne(db, sql: "SELECT folder, generation, parts, backup FROM \(table) WHERE id = 1") else {
            return nil
        }
        guard let folder = String.fromDatabaseValue(row[0]), let generation = Int64.fromDatabaseValue(row[1]), let parts = String.fromDatabaseValue(row[2])
        else { throw StorageError(.corrupt, "the identity of the database's folder cannot be read. Restore a backup") }
        var mark = FolderMark(
            folder: folder, generation: generation, parts: parts.split(separator: " ").map(String.init), backup: String.fromDatabaseValue(row[3]))
        mark.file = try readFile(db)
        return mark
    }

    private static func readFile(_ db: Database) throws -> FileIdentity? {
        guard try db.tableExists(fileTable), let row = try Row.fetchOne(db, sql: "SELECT inode, birth FROM \(fileTable) WHERE id = 1"),
            let inode = Int64.fromDatabaseValue(row[0])
        else { return nil }
        return FileIdentity(inode: UInt64(bitPattern: inode), birth: Int64.fromDatabaseValue(row[1]))
    }

    /// Stores the identity of the database's file, if the database has a mark: the file replaces another one, and is not a copy of it.
    static func note(_ file: FileIdentity?, in db: Database) throws {
        guard try db.tableExists(table) else { return }
        try db.execute(
            sql: "CREATE TABLE IF NOT EXISTS \(fileTable) (id INTEGER PRIMARY KEY CHECK (id = 1), inode INTEGER NOT NULL, birth INTEGER) STRICT")
        if let file {
            try db.execute(
                sql: "INSERT OR REPLACE INTO \(fileTable) (id, inode, birth) VALUES (1, ?, ?)", arguments: [Int64(bitPattern: file.inode), file.birth])
        } else {
            try db.execute(sql: "DELETE FROM \(fileTable)")
        }
    }

    /// Writes the mark.
    ///
    /// - Parameter file: the identity of the file that the database is in.
    package func write(_ db: Database, in file: FileIdentity?) throws {
        try db.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS \(Self.table) (
                    id INTEGER PRIMARY KEY CHECK (id = 1),
                    folder TEXT NOT NULL,
                    generation INTEGER NOT NULL,
                    parts TEXT NOT NULL,
                    backup TEXT
                ) STRICT
                """)
        try db.execute(
            sql: "INSERT OR REPLACE INTO \(Self.table) (id, folder, generation, parts, backup) VALUES (1, ?, ?, ?, ?)",
            arguments: [folder, generation, parts.joined(separator: " "), backup])
        try Self.note(file, in: db)
    }
}

/// The state of a folder's database before it is opened.
public enum DatabasePresence: Sendable, Hashable {
    /// There is no file.
    case absent
    /// The file has no content.
    case empty
    /// The database exists; its mark, or nil if it has none.
    case present(FolderMark?)
}

extension DatabaseSet.Member {
    /// Inspects the database, which nobody has open.
    ///
    /// - Throws: ``StorageError``, as ``DatabaseSet/checkKey(_:)``.
    public func presence(key: DatabaseKey?) throws(StorageError) -> DatabasePresence {
        guard let file = try RawFile(path: path) else { return .absent }
        guard try file.size > 0 else {
            // The content of a new database may still be in its log only.
            guard let log = try RawFile(path: path + FileKind.log.suffix), try log.size > 0 else { return .empty }
            return try opened(key) { db in .present(try FolderMark.read(db)) }
        }
        return try opened(key) { db in .present(try FolderMark.read(db)) }
    }

    /// Marks the database, which nobody has open. The mark is on disk when this returns.
    public func write(_ mark: FolderMark, key: DatabaseKey?) throws(StorageError) {
        try opened(key) { db in
            try db.execute(sql: "PRAGMA synchronous = FULL")
            try db.inTransaction(.immediate) {
                try mark.write(db, in: FileIdentity(path: path))
                return .commit
            }
        }
    }

    private func opened<Result>(_ key: DatabaseKey?, _ body: (Database) throws -> Result) throws(StorageError) -> Result {
        do {
            return try KeyChange.opened(self, key: key, body)
        } catch {
            throw StorageError.wrapping(error, "the \(label) database \(path) cannot be opened")
        }
    }
}

extension DatabaseFile {
    /// Marks the database, which is open. The mark is on disk when this returns.
    package func write(_ mark: FolderMark) async throws {
        let file = member.flatMap { FileIdentity(path: $0.path) }
        try await write { db in try mark.write(db, in: file) }
    }
}
