internal import GRDB
internal import GRDBSQLite
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The known extent of a database's write-ahead log: the number of committed frames.
///
/// Without it, a log that was removed or cut short after a process was killed would look like a log that never held more, and its data is nowhere else. The
/// extent is in a file beside the database, which is mapped into memory: recording a commit stores eight bytes, and waits for no disk. The system keeps these
/// bytes when the process dies. After a loss of power, the file may be behind the log, never ahead of it, because a commit is recorded once it is on disk.
///
/// Layout: 16 bytes that name the format; then the number that SQLite gives the log each time it restarts the log (`salt-1`), and the number of committed
/// frames, 32 bits each, as one word.
final class LogExtent: Sendable {
    static let suffix = "-extent"
    private static let format: [UInt8] = Array("PARLEY extent 1\n".utf8)
    private static let length = format.count + 8
    /// The sizes of the log's header and of each frame's header in bytes.
    private static let logHeader = 32, frameHeader = 24
    /// The number of restarts of the log that are possible between a recorded commit on disk and a loss of power.
    private static let newerLogs: UInt32 = 1 << 16

    private struct State {
        var salt: UInt32 = 0
        var frames: UInt32 = 0
        /// The number of frames from which a commit folds the log into the database; 0: never.
        var foldedFrames: UInt32 = 0
        var isFinished = false
    }

    private let path: String
    private nonisolated(unsafe) let memory: UnsafeMutableRawPointer
    private let state = Mutex(State())

    /// Creates the file, with an empty extent.
    ///
    /// - Parameter database: the path of the database, whose log is empty.
    /// - Returns: nil if the file cannot be created. The database works without it, but losses are not noticed.
    init?(of database: String) {
        path = database
        let file = open(database + Self.suffix, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { return nil }
        defer { close(file) }
        let image = Self.format + [UInt8](repeating: 0, count: 8)
        // The bytes are written, not only reserved: accessing a mapped page without space on a full disk would end the process.
        guard fchmod(file, 0o600) == 0, pwrite(file, image, image.count, 0) == image.count, ftruncate(file, off_t(image.count)) == 0,
            let memory = mmap(nil, Self.length, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), memory != MAP_FAILED
        else { return nil }
        self.memory = memory
    }

    deinit { munmap(memory, Self.length) }

    /// Records the commits of the writing connection from now on. The extent must live as long as the connection commits.
    func follow(_ db: Database) throws {
        // The hook replaces SQLite's hook for automatic checkpoints, and keeps its setting.
        let folded = try Int.fetchOne(db, sql: "PRAGMA wal_autocheckpoint") ?? 0
        state.withLock { $0.foldedFrames = UInt32(clamping: folded) }
        sqlite3_wal_hook(
            db.sqliteConnection,
            { extent, connection, name, frames in
                guard let extent else { return SQLITE_OK }
                let folds = Unmanaged<LogExtent>.fromOpaque(extent).takeUnretainedValue().note(UInt32(clamping: frames))
                // A failed checkpoint is repeated with the next commit.
                if folds { _ = sqlite3_wal_checkpoint(connection, name) }
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Records the number of committed frames of the log.
    ///
    /// - Returns: true if the log is to be folded into the database.
    private func note(_ frames: UInt32) -> Bool {
        state.withLock { state in
            let folds = state.foldedFrames > 0 && frames >= state.foldedFrames
            guard !state.isFinished else { return folds }
            // SQLite may have restarted the log after folding all of it into the database.
            let mayBeNew = frames <= state.frames || state.frames >= state.foldedFrames || state.frames == 0
            if mayBeNew { state.salt = Self.header(ofLogOf: path)?.salt ?? 0 }
            state.frames = frames
            store(state.salt == 0 ? 0 : UInt64(state.salt) << 32 | UInt64(frames))
            return folds
        }
    }

    private func store(_ value: UInt64) { (memory + Self.format.count).storeBytes(of: value, as: UInt64.self) }

    /// Records that the log is no longer needed, before it is folded into the database and the database is closed. Later commits are not recorded.
    func finish() {
        state.withLock { state in
            guard !state.isFinished else { return }
            state.isFinished = true
            store(0)
            // On disk before the log is removed: a loss of power must not restore the extent of a removed log.
            msync(memory, Self.length, MS_SYNC)
            unlink(path + Self.suffix)
        }
    }

    // MARK: Looking

    /// Removes the extent of a database that is about to be opened for a moment, which folds its log in, or whose loss is accepted.
    static func forget(_ database: String) throws(StorageError) {
        let path = database + suffix, file = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return }
            throw StorageError(.unavailable, "cannot open \(path): \(String(cString: strerror(errno)))")
        }
        defer { close(file) }
        // The file is not truncated: it may be mapped in this process, and accessing a mapped page without a file would end the process.
        let nothing = [UInt8](repeating: 0, count: 8)
        guard pwrite(file, nothing, nothing.count, off_t(format.count)) == nothing.count, fsync(file) == 0 else {
            throw StorageError(.inputOutput, "cannot write \(path): \(String(cString: strerror(errno)))")
        }
        try Files.delete(path)
    }

    /// Finds the loss in the log of a closed database; nil if none is known.
    static func loss(of database: String) throws(StorageError) -> LogLoss? {
        guard let file = try RawFile(path: database + suffix) else { return nil }
        let bytes = try file.read(length, at: 0)
        // An incomplete file was being created: nothing was committed then.
        guard bytes.count == length, bytes.starts(with: format) else { return nil }
        let value = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: format.count, as: UInt64.self) }
        let salt = UInt32(truncatingIfNeeded: value >> 32), frames = Int(UInt32(truncatingIfNeeded: value))
        guard frames > 0 else { return nil }
        guard let header = try header(of: database + FileKind.log.suffix) else { return .missing }
        let newer = header.salt &- salt
        guard newer == 0 else { return newer < newerLogs ? nil : .older }
        return header.size >= logHeader + frames * (frameHeader + header.pageSize) ? nil : .shorter
    }

    private struct Header {
        var salt: UInt32
        var pageSize: Int
        var size: Int
    }

    private static func header(ofLogOf database: String) -> Header? { (try? header(of: database + FileKind.log.suffix)) ?? nil }

    /// - Returns: nil if there is no log, or no complete header.
    private static func header(of log: String) throws(StorageError) -> Header? {
        guard let file = try RawFile(path: log) else { return nil }
        let bytes = try file.read(logHeader, at: 0)
        guard bytes.count == logHeader else { return nil }
        func word(_ offset: Int) -> UInt32 { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) } }
        return Header(salt: word(16), pageSize: Int(word(8)), size: try file.size)
    }
}

/// The loss of a part of a write-ahead log after its process was killed.
public enum LogLoss: Sendable, Hashable {
    /// The log is missing or empty.
    case missing
    /// The log ends before the last transaction.
    case shorter
    /// The log is older than the last one.
    case older
}

extension DatabaseSet.Member {
    /// Looks for a loss in the write-ahead log of the database, which nobody has open, and changes nothing. After the database has been opened, a loss can no
    /// longer be found.
    public func logLoss() throws(StorageError) -> LogLoss? { try LogExtent.loss(of: path) }

    /// Accepts the loss in the write-ahead log.
    public func acceptLogLoss() throws(StorageError) { try LogExtent.forget(path) }
}
