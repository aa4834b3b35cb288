internal import GRDBSQLite

/// The migrations of a database that this process does not open for writing, and that another process may open at any time.
enum StoredMigrations {
    /// Reads the names of the applied migrations from the main file alone: no lock is taken, and the log is not folded in.
    ///
    /// - Returns: nil if they cannot be read, as while another process writes the file.
    static func names(inDatabase path: String) -> Set<String>? {
        var uri = "file:"
        for byte in path.utf8 {
            let scalar = Unicode.Scalar(byte)
            let isPlain = scalar.properties.isAlphabetic && byte < 0x80 || ("0"..."9").contains(scalar) || "/._-".unicodeScalars.contains(scalar)
            uri += isPlain ? String(scalar) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        var connection: OpaquePointer?
        defer { sqlite3_close(connection) }
        guard sqlite3_open_v2(uri + "?immutable=1", &connection, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nil) == SQLITE_OK else {
            return nil
        }
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(connection, "SELECT identifier FROM grdb_migrations LIMIT 10000", -1, &statement, nil) == SQLITE_OK else { return nil }
        var names: Set<String> = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW:
                guard let text = sqlite3_column_text(statement, 0) else { return nil }
                names.insert(String(cString: text))
            case SQLITE_DONE: return names
            default: return nil
            }
        }
    }
}
