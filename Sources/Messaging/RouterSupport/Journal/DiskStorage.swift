import SMPWire
import Synchronization
import SystemSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Segments as files `journal-<hexadecimal base>.log` in a folder, readable by their owner only. An advisory lock keeps
/// others out until the storage is released.
package final class DiskStorage: SegmentStorage {
    private let folder: String
    /// The descriptor of the lock file; negative after ``release()``.
    private let lock: Mutex<Int32>

    /// Creates the folder if necessary.
    ///
    /// - Throws: ``RouterError`` `inUse` or `storage`.
    package init(folder: String) throws(RouterError) {
        self.folder = folder
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw Self.failure("cannot make the folder", folder) }
        let path = folder + "/router.lock"
        let descriptor = openFile(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure("cannot open", path) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let isTaken = errno == EWOULDBLOCK
            let error = isTaken ? RouterError(.inUse, "another router uses \(folder)") : Self.failure("cannot lock", path)
            close(descriptor)
            throw error
        }
        lock = Mutex(descriptor)
    }

    deinit { release() }

    package func release() {
        lock.withLock { lock in
            if lock >= 0 { close(lock) }
            lock = -1
        }
    }

    package func list() throws(RouterError) -> [UInt64] {
        let names: [String]
        do throws(SystemError) { names = try FolderListing.names(in: folder) } catch {
            throw RouterError(.storage, "cannot list \(folder): \(error)")
        }
        var bases: [UInt64] = []
        for name in names where name.hasPrefix("journal-") && name.hasSuffix(".log") {
            guard let base = UInt64(name.dropFirst(8).dropLast(4), radix: 16) else {
                throw RouterError(.corrupted, "\(folder)/\(name) is not the name of a journal segment")
            }
            bases.append(base)
        }
        return bases.sorted()
    }

    package func create(base: UInt64) throws(RouterError) -> any SegmentFile {
        // An existing file is left over from a failed attempt; nothing was written to it.
        let file = try DiskFile(path(base), flags: O_RDWR | O_CREAT | O_TRUNC)
        try synchronizeFolder()
        return file
    }

    package func open(base: UInt64) throws(RouterError) -> any SegmentFile { try DiskFile(path(base), flags: O_RDWR) }

    package func remove(base: UInt64) throws(RouterError) {
        // An earlier attempt may have removed it and failed to synchronize the folder.
        guard unlink(path(base)) == 0 || errno == ENOENT else { throw Self.failure("cannot remove", path(base)) }
        try synchronizeFolder()
    }

    private var extentPath: String { folder + "/" + JournalExtent.fileName }

    package func extent() throws(RouterError) -> JournalExtent? {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try WholeFile.contents(ofFile: extentPath, upTo: JournalExtent.maximumSize)
        } catch {
            if error.isMissingFile { return nil }
            throw RouterError(.storage, "cannot read \(extentPath): \(error)")
        }
        guard let extent = JournalExtent(bytes) else {
            throw RouterError(
                .corrupted,
                "\(extentPath), which records the length of the journal, is empty or damaged. If the journal files beside it are those of the last run, remove it: it is created again. Otherwise restore the folder from a backup"
            )
        }
        return extent
    }

    package func keep(_ extent: JournalExtent) throws(RouterError) {
        do throws(SystemError) {
            try WholeFile.replace(extentPath, with: extent.bytes)
        } catch {
            throw RouterError(.storage, "cannot write \(extentPath): \(error)")
        }
    }

    package func describe(base: UInt64) -> String { path(base) }

    private func path(_ base: UInt64) -> String {
        let digits = String(base, radix: 16)
        return folder + "/journal-" + String(repeating: "0", count: 16 - digits.count) + digits + ".log"
    }

    /// Synchronizes the folder. A new name in it survives a loss of power only after that.
    private func synchronizeFolder() throws(RouterError) {
        let descriptor = openFile(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure("cannot open", folder) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw Self.failure("cannot synchronize", folder) }
    }

    static func failure(_ what: String, _ path: String) -> RouterError {
        RouterError(.storage, "\(what) \(path): \(String(cString: strerror(errno)))")
    }
}

/// A file that stays open, and readable after its removal, until its last user releases it.
final class DiskFile: SegmentFile {
    private let path: String
    private let descriptor: Int32
    private let length: Atomic<Int>

    init(_ path: String, flags: Int32) throws(RouterError) {
        self.path = path
        descriptor = openFile(path, flags | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw DiskStorage.failure("cannot open", path) }
        let end = lseek(descriptor, 0, SEEK_END)
        guard end >= 0 else {
            let error = DiskStorage.failure("cannot measure", path)
            close(descriptor)
            throw error
        }
        length = Atomic(Int(end))
    }

    deinit { close(descriptor) }

    var size: Int { length.load(ordering: .acquiring) }

    func append(_ bytes: Bytes) throws(RouterError) {
        let start = size
        do throws(RouterError) {
            try write(bytes, at: start)
        } catch {
            // A partial write would look like a torn tail in the middle once writing succeeds again.
            _ = ftruncate(descriptor, off_t(start))
            throw error
        }
        length.store(start + bytes.count, ordering: .releasing)
    }

    func rewrite(_ bytes: Bytes, at offset: Int) throws(RouterError) { try write(bytes, at: offset) }

    private func write(_ bytes: Bytes, at offset: Int) throws(RouterError) {
        var done = 0
        while done < bytes.count {
            let written = bytes.withUnsafeBytes { buffer in
                pwrite(descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done, off_t(offset + done))
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw DiskStorage.failure("cannot write", path) }
            done += written
        }
    }

    func read(at offset: Int, count: Int) throws(RouterError) -> Bytes {
        let wanted = max(0, min(count, size - offset))
        var failed = false
        let bytes = Bytes(unsafeUninitializedCapacity: wanted) { buffer, initialized in
            while initialized < wanted {
                let read = pread(
                    descriptor, buffer.baseAddress?.advanced(by: initialized), wanted - initialized, off_t(offset + initialized))
                if read < 0, errno == EINTR { continue }
                guard read > 0 else {
                    failed = read < 0
                    return
                }
                initialized += read
            }
        }
        if failed { throw DiskStorage.failure("cannot read", path) }
        return bytes
    }

    func synchronize() throws(RouterError) {
        #if canImport(Darwin)
            let result = fcntl(descriptor, F_FULLFSYNC)
        #else
            let result = fdatasync(descriptor)
        #endif
        guard result == 0 else { throw DiskStorage.failure("cannot synchronize", path) }
    }

    func truncate(to size: Int) throws(RouterError) {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw DiskStorage.failure("cannot cut", path) }
        length.store(size, ordering: .releasing)
        try synchronize()
    }
}

private func openFile(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 { open(path, flags, mode) }
