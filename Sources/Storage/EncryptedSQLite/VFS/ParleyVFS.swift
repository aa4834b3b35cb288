internal import GRDBSQLite
internal import Synchronization

/// The VFS of SQLite in this process: the operating system's, with encryption for databases that have a key.
///
/// It becomes the default VFS, because GRDB opens databases with the default one. Files of databases without a key are passed to the
/// operating system's VFS when they are opened, and cost nothing more.
package enum ParleyVFS {
    static let name: StaticString = "parley"

    struct State {
        /// The encryption of databases with a key, by their full path.
        var protections: [String: DatabaseProtection] = [:]
        /// The number of registrations of each database.
        var uses: [String: Int] = [:]
        var interposers: [any FileInterposer] = []
    }

    static let state = Mutex(State())

    /// The operating system's VFS.
    nonisolated(unsafe) static let system: UnsafeMutablePointer<sqlite3_vfs>? = sqlite3_vfs_find(nil)

    /// SQLite's result code for the registration, which happens once.
    private static let registration: CInt = {
        guard let system else { return SQLITE_ERROR }
        // Copied: functions that are not replaced work on any VFS with the same data.
        var vfs = system.pointee
        vfs.pNext = nil
        vfs.zName = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
        vfs.szOsFile = max(vfs.szOsFile, CInt(OpenFile.size))
        vfs.xOpen = { _, path, file, flags, outFlags in openFile(path, file, flags, outFlags) }
        vfs.xDelete = { _, path, syncsFolder in deleteFile(path, syncsFolder) }
        let registered = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        registered.initialize(to: vfs)
        return sqlite3_vfs_register(registered, 1)
    }()

    /// Makes this the default VFS. May be called again.
    static func register() throws(StorageError) {
        guard registration == SQLITE_OK else {
            throw StorageError(.unavailable, "SQLite refuses the encryption layer (\(registration)): is this a SQLite without an operating system?")
        }
    }

    /// Adds an interposer for files that are opened from now on.
    package static func add(_ interposer: any FileInterposer) throws(StorageError) {
        try register()
        state.withLock { $0.interposers.append(interposer) }
    }

    /// Removes an interposer for files that are opened from now on.
    package static func remove(_ interposer: any FileInterposer) {
        state.withLock { $0.interposers.removeAll { $0 === interposer } }
    }

    /// Checks whether files of a path are encrypted.
    static func isProtected(_ path: String) throws(StorageError) -> Bool {
        let full = try fullPath(path)
        return state.withLock { $0.protections[full] != nil }
    }

    /// Returns the path that SQLite passes to a VFS: absolute, without symbolic links.
    static func fullPath(_ path: String) throws(StorageError) -> String {
        try register()
        guard let system, let full = system.pointee.xFullPathname else { throw StorageError(.unavailable, "the system's VFS of SQLite has no paths") }
        var buffer = [CChar](repeating: 0, count: Int(system.pointee.mxPathname) + 1)
        let code = full(system, path, CInt(buffer.count), &buffer)
        // SQLITE_OK_SYMLINK reports that a link was followed.
        guard code & 0xFF == SQLITE_OK else { throw StorageError(.unavailable, "the path \(path) cannot be used") }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

// MARK: Functions that SQLite calls

/// The memory that SQLite keeps for an open file: SQLite's part, and the layers.
struct OpenFile {
    static var size: Int { MemoryLayout<OpenFile>.size }

    var methods: UnsafePointer<sqlite3_io_methods>?
    var handle: Unmanaged<LayeredFile>
}

/// The layers of an open file, down to the system's.
final class LayeredFile {
    let top: any FileLayer
    /// The layer beneath the encryption.
    let stored: any FileLayer
    let system: SystemFile
    /// The index of the write-ahead log, for an encrypted database; nil where the system's VFS keeps it.
    let index: WALIndexConnection?
    private let memory: UnsafeMutableRawPointer

    init(top: any FileLayer, stored: any FileLayer, system: SystemFile, index: WALIndexConnection?, memory: UnsafeMutableRawPointer) {
        self.top = top
        self.stored = stored
        self.system = system
        self.index = index
        self.memory = memory
    }

    deinit { memory.deallocate() }
}

private func openFile(
    _ path: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: CInt, _ outFlags: UnsafeMutablePointer<CInt>?
) -> CInt {
    guard let file, let system = ParleyVFS.system, let open = system.pointee.xOpen else { return SQLITE_CANTOPEN }
    file.pointee.pMethods = nil
    let kind = FileKind(openFlags: flags)
    let name = path.map { String(cString: $0) }
    let (protection, hidesTemporary, interposers) = ParleyVFS.state.withLock { state in
        (
            name.flatMap { state.protection(of: $0, kind) }, kind == .temporary && !state.protections.isEmpty,
            name.map { name in state.interposers.filter { $0.concerns(name) } } ?? []
        )
    }
    for interposer in interposers {
        if let name, let refusal = interposer.willOpen(name, kind) { return refusal }
    }
    guard protection != nil || hidesTemporary || !interposers.isEmpty else { return open(system, path, file, flags, outFlags) }

    let memory = UnsafeMutableRawPointer.allocate(byteCount: Int(system.pointee.szOsFile), alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: Int(system.pointee.szOsFile))
    let base = memory.assumingMemoryBound(to: sqlite3_file.self)
    let code = open(system, path, base, flags, outFlags)
    guard code == SQLITE_OK else {
        // If a VFS sets the methods, the file must be closed even after a failure.
        if base.pointee.pMethods != nil { _ = base.pointee.pMethods.pointee.xClose(base) }
        memory.deallocate()
        return code
    }
    let systemFile = SystemFile(base)
    var top: any FileLayer = systemFile
    for interposer in interposers { if let name { top = interposer.layer(over: top, name, kind) } }
    let stored = top
    do {
        if let protection { top = try protection.layer(over: top, kind) } else if hidesTemporary { top = try TemporaryFile(top) }
    } catch {
        _ = top.close()
        memory.deallocate()
        return SQLITE_NOMEM
    }
    let index = protection != nil && kind == .database ? name.map(WALIndexConnection.init(database:)) : nil
    let layered = LayeredFile(top: top, stored: stored, system: systemFile, index: index, memory: memory)
    UnsafeMutableRawPointer(file).assumingMemoryBound(to: OpenFile.self)
        .initialize(to: OpenFile(methods: FileMethods.table, handle: .passRetained(layered)))
    return SQLITE_OK
}

private func deleteFile(_ path: UnsafePointer<CChar>?, _ syncsFolder: CInt) -> CInt {
    guard let path, let system = ParleyVFS.system, let delete = system.pointee.xDelete else { return SQLITE_IOERR_DELETE_CODE }
    let interposers = ParleyVFS.state.withLock(\.interposers)
    if !interposers.isEmpty {
        let name = String(cString: path)
        for interposer in interposers where interposer.concerns(name) {
            if let refusal = interposer.willDelete(name) { return refusal }
        }
    }
    return delete(system, path, syncsFolder)
}

extension ParleyVFS.State {
    /// Returns the encryption of the database that a file belongs to.
    fileprivate func protection(of path: String, _ kind: FileKind) -> DatabaseProtection? {
        guard !protections.isEmpty else { return nil }
        switch kind {
        case .database: return protections[path]
        case .log, .journal: return path.hasSuffix(kind.suffix) ? protections[String(path.dropLast(kind.suffix.count))] : nil
        case .temporary, .list: return nil
        }
    }
}
