internal import GRDBSQLite
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The index of the write-ahead log of one encrypted database, shared by all connections of this process.
///
/// SQLite's own VFS keeps the index in the file `-shm`. Its header has checksums over clear pages, so the index of an encrypted database
/// stays in ordinary memory instead. The file is still created, empty and locked, to refuse other processes, which cannot see the index.
final class WALIndex: Sendable {
    private struct State: ~Copyable {
        /// SQLite's regions, 32 KiB each.
        var regions: [UnsafeMutableRawPointer] = []
        var regionSize = 0
        /// For each slot, the number of connections that hold it in shared mode; -1 if one holds it exclusively.
        var holders = [Int](repeating: 0, count: WALIndex.slotCount)

        deinit { for region in regions { region.deallocate() } }
    }

    private struct Registry {
        var indexes: [String: (index: WALIndex, connections: Int)] = [:]
    }

    /// The lock slots of an index.
    static let slotCount = Int(SQLITE_SHM_NLOCK)
    private static let registry = Mutex(Registry())

    private let path: String
    private let guardFile: CInt
    private let state = Mutex(State())

    private init(path: String, guardFile: CInt) {
        self.path = path
        self.guardFile = guardFile
    }

    deinit { _ = close(guardFile) }

    /// Returns the index of a database, which is created for its first connection.
    ///
    /// - Parameter database: the full path of the database.
    /// - Returns: `SQLITE_BUSY_TIMEOUT` when another process uses the database, `SQLITE_CANTOPEN` when the guard file cannot be created.
    static func connect(to database: String) -> Result<WALIndex, IndexFailure> {
        registry.withLock { registry in
            if let known = registry.indexes[database] {
                registry.indexes[database] = (known.index, known.connections + 1)
                return .success(known.index)
            }
            let path = database + "-shm"
            let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard file >= 0 else { return .failure(IndexFailure(code: SQLITE_CANTOPEN)) }
            guard lockOut(others: file) else {
                _ = close(file)
                return .failure(IndexFailure(code: SQLITE_BUSY_TIMEOUT_CODE))
            }
            let index = WALIndex(path: path, guardFile: file)
            registry.indexes[database] = (index, 1)
            return .success(index)
        }
    }

    /// Ends the use by one connection, which holds no lock any more.
    ///
    /// - Parameter deletes: whether the guard file is deleted with the last connection.
    static func disconnect(from database: String, deletes: Bool) {
        registry.withLock { registry in
            guard let known = registry.indexes[database] else { return }
            guard known.connections == 1 else {
                registry.indexes[database] = (known.index, known.connections - 1)
                return
            }
            if deletes { _ = unlink(known.index.path) }
            registry.indexes[database] = nil
        }
    }

    /// Locks the bytes that SQLite's own VFS locks in a `-shm` file, for as long as the file is open. Unlike locks of the process, these locks of the
    /// open file outlive the closing of other descriptors of the file.
    private static func lockOut(others file: CInt) -> Bool {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = off_t((22 + slotCount) * 4)
        lock.l_len = off_t(slotCount + 1)
        return fcntl(file, setOpenFileLock, &lock) == 0
    }

    /// Returns the memory of a region.
    ///
    /// - Returns: nil for a region that does not exist when `extends` is false, or when there is no memory.
    func region(_ number: Int, size: Int, extends: Bool) -> UnsafeMutableRawPointer? {
        // SQLite requests regions one after the other, and at most one for every 4,096 frames of the log.
        guard number >= 0, size > 0 else { return nil }
        return state.withLock { state in
            if state.regions.isEmpty { state.regionSize = size }
            guard size == state.regionSize else { return nil }
            guard extends || number < state.regions.count else { return nil }
            while state.regions.count <= number {
                let region = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
                region.initializeMemory(as: UInt8.self, repeating: 0, count: size)
                state.regions.append(region)
            }
            return state.regions[number]
        }
    }

    /// Takes slots for a connection that holds none of them.
    ///
    /// - Returns: false if another connection's lock prevents it.
    func lock(_ slots: Range<Int>, exclusively: Bool) -> Bool {
        state.withLock { state in
            guard slots.allSatisfy({ exclusively ? state.holders[$0] == 0 : state.holders[$0] >= 0 }) else { return false }
            for slot in slots { state.holders[slot] = exclusively ? -1 : state.holders[slot] + 1 }
            return true
        }
    }

    /// Releases slots that a connection holds.
    func unlock(_ slots: [Int]) {
        state.withLock { state in
            for slot in slots { state.holders[slot] = state.holders[slot] < 0 ? 0 : state.holders[slot] - 1 }
        }
    }

    /// Orders earlier writes to the index before later reads.
    func barrier() { state.withLock { _ in } }
}

/// `F_OFD_SETLK` of Linux, which the C library declares only with extensions that Swift does not enable.
let setOpenFileLock: CInt = 37

/// The reason why an index cannot be used, as SQLite's result code.
struct IndexFailure: Error {
    let code: CInt
}

/// One connection's use of a ``WALIndex``. SQLite uses it from one thread at a time.
final class WALIndexConnection {
    private let database: String
    private var index: WALIndex?
    private var shared: Set<Int> = []
    private var exclusive: Set<Int> = []

    /// - Parameter database: the full path of the database.
    init(database: String) { self.database = database }

    /// Maps a region of the index: `xShmMap` of SQLite's VFS.
    func map(
        _ region: CInt, _ size: CInt, _ extends: CInt, _ address: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    ) -> CInt {
        address?.pointee = nil
        if index == nil {
            switch WALIndex.connect(to: database) {
            case .success(let connected): index = connected
            case .failure(let error): return error.code
            }
        }
        guard let index else { return SQLITE_CANTOPEN }
        guard let memory = index.region(Int(region), size: Int(size), extends: extends != 0) else { return extends != 0 ? SQLITE_NOMEM : SQLITE_OK }
        address?.pointee = memory
        return SQLITE_OK
    }

    /// Locks or unlocks slots: `xShmLock`.
    func lock(_ offset: CInt, _ count: CInt, _ flags: CInt) -> CInt {
        let first = Int(offset), count = Int(count)
        guard let index, first >= 0, count >= 1, count <= WALIndex.slotCount - first else { return SQLITE_MISUSE }
        let slots = first..<first + count
        let held = slots.filter { shared.contains($0) || exclusive.contains($0) }
        if flags & SQLITE_SHM_UNLOCK != 0 {
            index.unlock(held)
            shared.subtract(held)
            exclusive.subtract(held)
            return SQLITE_OK
        }
        let isExclusive = flags & SQLITE_SHM_EXCLUSIVE != 0
        // A slot that the connection already holds is not counted twice.
        if !isExclusive, slots.allSatisfy(shared.contains) { return SQLITE_OK }
        guard held.isEmpty else { return SQLITE_MISUSE }
        guard index.lock(slots, exclusively: isExclusive) else { return SQLITE_BUSY }
        if isExclusive { exclusive.formUnion(slots) } else { shared.formUnion(slots) }
        return SQLITE_OK
    }

    /// Orders accesses to the index: `xShmBarrier`.
    func barrier() { index?.barrier() }

    /// Ends the use of the index: `xShmUnmap`.
    func unmap(deletes: Bool) -> CInt {
        guard let index else { return SQLITE_OK }
        index.unlock(Array(shared) + Array(exclusive))
        shared = []
        exclusive = []
        self.index = nil
        WALIndex.disconnect(from: database, deletes: deletes)
        return SQLITE_OK
    }
}
