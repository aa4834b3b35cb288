internal import GRDBSQLite

/// The purpose for which SQLite uses a file.
package enum FileKind: Sendable, Hashable, CaseIterable {
    /// The database itself.
    case database
    /// The write-ahead log.
    case log
    /// The rollback journal.
    case journal
    /// A file without a name that is deleted when it is closed: sorts and temporary tables that do not fit into memory.
    case temporary
    /// A list of the journals of a transaction over several databases.
    case list

    init(openFlags flags: CInt) {
        if flags & SQLITE_OPEN_MAIN_DB != 0 {
            self = .database
        } else if flags & SQLITE_OPEN_WAL != 0 {
            self = .log
        } else if flags & SQLITE_OPEN_MAIN_JOURNAL != 0 {
            self = .journal
        } else if flags & SQLITE_OPEN_SUPER_JOURNAL != 0 {
            self = .list
        } else {
            self = .temporary
        }
    }

    /// The suffix that SQLite appends to the name of the database.
    var suffix: String {
        switch self {
        case .log: "-wal"
        case .journal: "-journal"
        case .database, .temporary, .list: ""
        }
    }
}

/// An open file between SQLite and the operating system. Layers are stacked; each changes or refuses the bytes that pass it.
///
/// Results are SQLite's result codes. SQLite uses a file from one thread at a time.
package protocol FileLayer: AnyObject {
    /// Fills the buffer; returns `SQLITE_IOERR_SHORT_READ`, with zeros after the end, if the file ends within it.
    func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> CInt
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> CInt
    func truncate(to size: Int64) -> CInt
    /// Waits until the written bytes are on disk.
    func sync(_ flags: CInt) -> CInt
    func size(_ size: inout Int64) -> CInt
    func close() -> CInt
    /// Returns the device characteristics above this layer, as `SQLITE_IOCAP_` flags.
    func characteristics(_ device: CInt) -> CInt
}

/// A file of the operating system, through SQLite's own VFS.
final class SystemFile: FileLayer {
    let file: UnsafeMutablePointer<sqlite3_file>
    private var methods: sqlite3_io_methods { file.pointee.pMethods.pointee }

    init(_ file: UnsafeMutablePointer<sqlite3_file>) { self.file = file }

    func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> CInt {
        methods.xRead(file, buffer.baseAddress, CInt(buffer.count), offset)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> CInt {
        methods.xWrite(file, bytes.baseAddress, CInt(bytes.count), offset)
    }

    func truncate(to size: Int64) -> CInt { methods.xTruncate(file, size) }
    func sync(_ flags: CInt) -> CInt { methods.xSync(file, flags) }
    func size(_ size: inout Int64) -> CInt { methods.xFileSize(file, &size) }
    func close() -> CInt { methods.xClose(file) }
    func characteristics(_ device: CInt) -> CInt { device }
}
