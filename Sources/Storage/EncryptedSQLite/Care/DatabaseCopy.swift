internal import GRDB
internal import GRDBSQLite

/// A copy of a database as one transaction sees it, in one file of its own, under a key of its own or none. The copy has no free pages, and no
/// log beside it.
struct DatabaseCopy {
    let path: String
    let key: DatabaseKey?

    /// - Parameter path: is replaced once the copy is whole and on disk.
    init(to path: String, key: DatabaseKey?) {
        self.path = path
        self.key = key
    }

    /// The name under which the copy is made.
    var partial: String { path + ".partial" }

    /// Makes the copy; it is on disk, under its name, when this returns.
    ///
    /// - Parameter db: a connection outside transactions. It keeps its own key.
    func make(from db: Database) throws {
        try removePartial()
        FolderLock.makePrivateFile(partial)
        do {
            // In force until SQLite has closed the copy.
            let registration = try key.map { key throws(StorageError) in try DatabaseProtection.new(under: key).register(partial) }
            try withExtendedLifetime(registration) {
                try db.reservingRoom(key == nil ? 0 : PageLayout.reserved) { try db.execute(sql: "VACUUM INTO ?", arguments: [partial]) }
            }
            // SQLite does not wait for the disk here.
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
    /// Makes databases created from this one reserve space on their pages, at least as much as this one does.
    fileprivate func reservingRoom(_ count: Int, _ body: () throws -> Void) throws {
        // Holds what it was afterwards.
        var wanted = CInt(count)
        let code = sqlite3_file_control(sqliteConnection, "main", SQLITE_FCNTL_RESERVE_BYTES, &wanted)
        var before = wanted
        guard code == SQLITE_OK else { throw StorageError(.unavailable, "this SQLite cannot make encrypted databases (\(code))") }
        defer { _ = sqlite3_file_control(sqliteConnection, "main", SQLITE_FCNTL_RESERVE_BYTES, &before) }
        try body()
    }
}
