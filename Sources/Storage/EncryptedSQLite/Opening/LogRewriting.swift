internal import GRDB
internal import GRDBSQLite

// The rewriting of bytes that an earlier process has written to a write-ahead log without a successful flush.
//
// After a failed flush, the kernel still shows the bytes that it has dropped, and later flushes succeed without them. SQLite writes such frames again with the
// next transaction, but a later process takes them for stored ones: its commits after them are lost with them in a loss of power, and it may fold half a
// transaction into the database. Only bytes that are written again reach the disk.

extension Database {
    /// Writes the unchanged log again, and waits until it is on disk. Call this before anything that relies on the log.
    ///
    /// No other connection writes meanwhile. If another connection holds the write lock, it has already done this.
    func rewriteLog() throws {
        do {
            try execute(sql: "BEGIN IMMEDIATE TRANSACTION")
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            return
        }
        defer { try? rollback() }
        guard let log = StoredFile(logOf: sqliteConnection) else { return }
        try log.writeAgain()
    }
}

/// The stored bytes of an open file, below the encryption.
private struct StoredFile {
    /// Bytes written again at a time: SQLite's Unix VFS accepts at most 128 KiB.
    private static let step = 64 << 10

    private let layer: any FileLayer

    /// - Returns: nil if the connection has no log.
    init?(logOf connection: SQLiteConnection?) {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file) == SQLITE_OK, let file, file.pointee.pMethods != nil else {
            return nil
        }
        layer = ParleyVFS.stored(file)
    }

    func writeAgain() throws {
        var size: Int64 = 0
        try check(layer.size(&size))
        guard size > 0 else { return }
        var bytes = [UInt8](repeating: 0, count: Int(min(size, Int64(Self.step))))
        var offset: Int64 = 0
        while offset < size {
            let count = Int(min(size - offset, Int64(bytes.count)))
            try bytes.withUnsafeMutableBytes { buffer in
                let part = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(count))
                try check(layer.read(part, at: offset))
                try check(layer.write(UnsafeRawBufferPointer(part), at: offset))
            }
            offset += Int64(count)
        }
        try check(layer.sync(SQLITE_SYNC_NORMAL))
    }

    private func check(_ code: CInt) throws {
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code), message: "the log could not be written again") }
    }
}
