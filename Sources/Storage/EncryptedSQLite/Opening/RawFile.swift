internal import SystemSupport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A file that is read without SQLite, while no connection to it is open: closing it would release the locks of the process on the file.
final class RawFile {
    private let descriptor: Int32
    let path: String

    /// Opens a file for reading; nil if there is none.
    init?(path: String) throws(StorageError) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        self.path = path
        if descriptor < 0 {
            guard errno == ENOENT else { throw StorageError(.unavailable, "cannot read \(path): \(Self.reason)") }
            return nil
        }
    }

    deinit { _ = close(descriptor) }

    var size: Int {
        get throws(StorageError) {
            var information = stat()
            guard fstat(descriptor, &information) == 0 else { throw StorageError(.inputOutput, "cannot get the size of \(path): \(Self.reason)") }
            return Int(information.st_size)
        }
    }

    /// Reads into the buffer.
    ///
    /// - Returns: the number of bytes read.
    func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(StorageError) -> Int {
        var done = 0
        while done < buffer.count {
            let count = pread(descriptor, buffer.baseAddress.map { $0 + done }, buffer.count - done, off_t(offset + done))
            if count == 0 { break }
            if count < 0 {
                if errno == EINTR { continue }
                throw StorageError(.inputOutput, "cannot read \(path): \(Self.reason)")
            }
            done += count
        }
        return done
    }

    func read(_ count: Int, at offset: Int) throws(StorageError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var isRead = 0
        do {
            isRead = try bytes.withUnsafeMutableBytes { try read($0, at: offset) }
        } catch let error as StorageError {
            throw error
        } catch {
            throw StorageError(.inputOutput, "cannot read \(path)", cause: error)
        }
        return Array(bytes.prefix(isRead))
    }

    private static var reason: String { String(cString: strerror(errno)) }
}

/// Operations on whole files. Each is on disk when it returns.
enum Files {
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    static func flush(_ path: String) throws(StorageError) {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw error("cannot open \(path)") }
        defer { _ = close(file) }
        guard fsync(file) == 0 else { throw error("cannot write \(path) to disk") }
    }

    /// Makes names in the folder of a file durable.
    static func flushFolder(of path: String) throws(StorageError) { try flush(folder(of: path)) }

    static func rename(_ path: String, to other: String) throws(StorageError) {
        #if canImport(Glibc)
            let code = Glibc.rename(path, other)
        #elseif canImport(Musl)
            let code = Musl.rename(path, other)
        #else
            let code = Darwin.rename(path, other)
        #endif
        guard code == 0 else { throw error("cannot rename \(path) to \(other)") }
    }

    /// Deletes a file, if there is one.
    static func delete(_ path: String) throws(StorageError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw error("cannot delete \(path)") }
    }

    /// Creates a folder that only its owner can read, unless it exists.
    static func makePrivateFolder(_ path: String) throws(StorageError) {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw error("cannot create the folder \(path)") }
    }

    /// Writes a small file that only its owner can read.
    static func write(_ text: String, to path: String) throws(StorageError) {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw error("cannot create \(path)") }
        defer { _ = close(file) }
        do throws(SystemError) {
            try WholeFile.write(Array(text.utf8), to: file)
        } catch {
            throw Self.error("cannot write \(path)", error)
        }
        guard fsync(file) == 0 else { throw error("cannot write \(path)") }
    }

    /// Lists the names in a folder; none if there is no folder.
    static func names(in folder: String) throws(StorageError) -> [String] {
        do throws(SystemError) {
            return try FolderListing.names(in: folder)
        } catch {
            guard error.number == ENOENT else { throw Self.error("cannot read the folder \(folder)", error) }
            return []
        }
    }

    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    static func name(of path: String) -> String { path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path }

    private static func error(_ what: String, _ reason: SystemError = SystemError()) -> StorageError {
        let code: StorageError.Code = [ENOSPC, EDQUOT].contains(reason.number) ? .diskFull : reason.number == EIO ? .inputOutput : .unavailable
        return StorageError(code, "\(what): \(reason)")
    }
}
