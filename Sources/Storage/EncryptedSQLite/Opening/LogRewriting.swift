internal import GRDB
internal import GRDBSQLite

// What an earlier process has written to a write-ahead log without seeing it on the disk.
//
// After a flush that the disk refused, the kernel still shows the bytes that it has dropped, and later flushes succeed without them. SQLite writes such frames
// again with the next transaction, but a process that comes after takes them for what they look like: what it commits behind them is lost
// with them when the power is, and what it folds into the database may be half a transaction. Only what is written again comes to the disk.

extension Database {
    /// Writes the unchanged log again, and waits until it is on disk. Call this before anything that relies on the log.
    ///
    /// Nobody else writes meanwhile. Where somebody does just now, it is his log, and he has done this.
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

/// The bytes of an open file as they are stored: beneath the encryption.
private struct StoredFile {
    /// Bytes written again at a time: SQLite's VFS of Unix takes no more than 128 KiB.
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
