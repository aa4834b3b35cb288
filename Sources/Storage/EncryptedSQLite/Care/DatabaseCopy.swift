internal import GRDB
internal import GRDBSQLite

/// A copy of a database as one transaction sees it, in a single file, under its own key or none. The copy has no free pages, and no log beside
/// it.
struct DatabaseCopy {
    let path: String
    let key: DatabaseKey?

    /// - Parameter path: the path of the copy, replaced when the copy is complete and on disk.
    init(to path: String, key: DatabaseKey?) {
        self.path = path
        self.key = key
    }

    /// The path at which the copy is made.
    var partial: String { path + ".partial" }

    /// Makes the copy. It is on disk, at its path, when this returns.
    ///
    /// - Parameter db: a connection outside transactions. It keeps its own key.
    func make(from db: Database) throws {
        try removePartial()
        FolderLock.makePrivateFile(partial)
        do {
            // The encryption is in force until SQLite has closed the copy.
            let registration = try key.map { key throws(StorageError) in try DatabaseProtection.new(under: key).register(partial) }
            try withExtendedLifetime(registration) {
                try db.reservingRoom(key == nil ? 0 : PageLayout.reserved) { try db.execute(sql: "VACUUM INTO ?", arguments: [partial]) }
            }
            // SQLite does not flush the copy.
            try Files.flush(partial)
            try Files.rename(partial, to: path)
            try Files.flushFolder(of: path)
        } catch {
            try? removePartial()
            throw error
        }
    }

    private func removePartial() throws(StorageError) {
        try Files.delete(partial)
        try Files.delete(partial + FileKind.journal.suffix)
    }
}

extension Database {
    /// Makes databases that are created from this one reserve bytes on their pages, at least as many as this one.
    fileprivate func reservingRoom(_ count: Int, _ body: () throws -> Void) throws {
        // After the call, this holds the previous value.
        var wanted = CInt(count)
        let code = sqlite3_file_control(sqliteConnection, "main", SQLITE_FCNTL_RESERVE_BYTES, &wanted)
        var before = wanted
        guard code == SQLITE_OK else { throw StorageError(.unavailable, "this SQLite cannot make encrypted databases (\(code))") }
        defer { _ = sqlite3_file_control(sqliteConnection, "main", SQLITE_FCNTL_RESERVE_BYTES, &before) }
        try body()
    }
}
