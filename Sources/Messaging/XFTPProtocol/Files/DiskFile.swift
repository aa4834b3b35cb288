package import SMPWire
import SystemSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An open file that is read and written in pieces. Its calls block: not for event loops.
///
/// Reads and writes without an offset continue where the last call of any caller ended.
package final class DiskFile: Sendable {
    private let descriptor: Int32
    private let path: String

    private init(_ descriptor: Int32, _ path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { closeDescriptor(descriptor) }

    /// Opens a regular file to read it: a folder, a device or a pipe is refused, and not waited for.
    ///
    /// - Throws: ``FileFormatError`` `io`; with ``FileFormatError/isMissing`` if there is no file.
    package static func open(_ path: String) throws(FileFormatError) -> DiskFile {
        let file = try DiskFile(openAllowed(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), path).checked()
        guard file.status().st_mode & S_IFMT == S_IFREG else { throw FileFormatError(.io, "\(path) is not a file") }
        return file
    }

    /// Makes a file, readable by its owner only.
    ///
    /// - Parameter replaces: whether a file that is there is emptied, instead of refused.
    /// - Throws: ``FileFormatError`` `io`.
    package static func create(_ path: String, replaces: Bool = false) throws(FileFormatError) -> DiskFile {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | (replaces ? O_TRUNC : O_EXCL)
        return try DiskFile(openAllowed(path, flags), path).checked()
    }

    private func checked() throws(FileFormatError) -> DiskFile {
        guard descriptor >= 0 else {
            let error = SystemError()
            throw FileFormatError(.io, "\(path) cannot be opened: \(error)", isMissing: error.number == ENOENT)
        }
        return self
    }

    private func status() -> stat {
        var status = stat()
        _ = fstat(descriptor, &status)
        return status
    }

    /// Bytes.
    package var size: Int64 { Int64(status().st_size) }

    /// Reads up to as many bytes as the buffer holds, fewer only at the end of the file.
    ///
    /// - Throws: ``FileFormatError`` `io`.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileFormatError) -> Int {
        guard DiskInterposers.allow(.read, on: path) else { throw failure("read") }
        return try repeated(buffer.count) { done, left in readSome(descriptor, buffer.baseAddress.map { $0 + done }, left) }
    }

    /// Reads up to `count` bytes behind what was read before, fewer only at the end of the file.
    ///
    /// - Throws: ``FileFormatError`` `io`.
    package func read(_ count: Int) throws(FileFormatError) -> Bytes {
        guard DiskInterposers.allow(.read, on: path) else { throw failure("read") }
        var result = Result<Void, FileFormatError>.success(())
        let bytes = Bytes(unsafeUninitializedCapacity: count) { buffer, written in
            result = Result { () throws(FileFormatError) in
                written = try repeated(count) { done, left in readSome(descriptor, buffer.baseAddress.map { $0 + done }, left) }
            }
        }
        try result.get()
        return bytes
    }

    /// Reads from an offset up to as many bytes as the buffer holds, fewer only at the end of the file.
    ///
    /// - Throws: ``FileFormatError`` `io`.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileFormatError) -> Int {
        guard DiskInterposers.allow(.read, on: path) else { throw failure("read") }
        return try repeated(buffer.count) { done, left in pread(descriptor, buffer.baseAddress.map { $0 + done }, left, off_t(offset) + off_t(done)) }
    }

    /// Reads up to `count` bytes from an offset, fewer only at the end of the file.
    ///
    /// - Throws: ``FileFormatError`` `io`.
    package func read(_ count: Int, at offset: Int64) throws(FileFormatError) -> Bytes {
        var result = Result<Void, FileFormatError>.success(())
        let bytes = Bytes(unsafeUninitializedCapacity: count) { buffer, written in
            result = Result { () throws(FileFormatError) in written = try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset) }
        }
        try result.get()
        return bytes
    }

    /// Writes all of the bytes behind what was written before.
    ///
    /// - Throws: ``FileFormatError`` `io`; a part may have been written then.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(FileFormatError) {
        guard DiskInterposers.allow(.write, on: path) else { throw failure("written") }
        var done = 0
        while done < bytes.count {
            let count = writeSome(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure("written") }
            done += count
        }
    }

    /// - Throws: ``FileFormatError`` `io`.
    package func write(_ bytes: Bytes) throws(FileFormatError) {
        try bytes.withUnsafeBytes { buffer in Result { () throws(FileFormatError) in try write(buffer) } }.get()
    }

    /// Puts on the disk what was written.
    ///
    /// - Throws: ``FileFormatError`` `io`.
    package func synchronize() throws(FileFormatError) {
        guard DiskInterposers.allow(.synchronize, on: path), fsync(descriptor) == 0 else { throw failure("put on the disk") }
    }

    private func repeated(_ count: Int, _ call: (_ done: Int, _ left: Int) -> Int) throws(FileFormatError) -> Int {
        var done = 0
        while done < count {
            let result = call(done, count - done)
            if result < 0, errno == EINTR { continue }
            guard result >= 0 else { throw failure("read") }
            if result == 0 { break }
            done += result
        }
        return done
    }

    private func failure(_ what: String) -> FileFormatError { FileFormatError(.io, "\(path) cannot be \(what): \(SystemError())") }

    // MARK: Names

    /// Puts on the disk which files a folder has.
    ///
    /// - Throws: ``FileFormatError`` `io`.
    package static func synchronizeFolder(_ path: String) throws(FileFormatError) {
        let descriptor = openAllowed(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFormatError(.io, "\(path) cannot be opened: \(SystemError())") }
        defer { closeDescriptor(descriptor) }
        guard DiskInterposers.allow(.synchronize, on: path), fsync(descriptor) == 0 else {
            throw FileFormatError(.io, "\(path) cannot be put on the disk: \(SystemError())")
        }
    }

    /// Gives a file another name, in the place of a file that has it.
    ///
    /// - Throws: ``FileFormatError`` `io`.
    package static func rename(_ path: String, to new: String) throws(FileFormatError) {
        guard DiskInterposers.allow(.rename, on: path), renameFile(path, new) == 0 else {
            throw FileFormatError(.io, "\(path) cannot be renamed to \(new): \(SystemError())")
        }
    }

    /// Removes a file, if there is one.
    ///
    /// - Throws: ``FileFormatError`` `io`.
    package static func remove(_ path: String) throws(FileFormatError) {
        guard DiskInterposers.allow(.remove, on: path), unlink(path) == 0 || errno == ENOENT else {
            throw FileFormatError(.io, "\(path) cannot be removed: \(SystemError())")
        }
    }
}

// Inside the type the system's functions are hidden by its own of the same names.
private func openAllowed(_ path: String, _ flags: Int32) -> Int32 { DiskInterposers.allow(.open, on: path) ? open(path, flags, 0o600) : -1 }
private func closeDescriptor(_ descriptor: Int32) { if descriptor >= 0 { _ = close(descriptor) } }
private func readSome(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int { read(descriptor, bytes, count) }
private func writeSome(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int { write(descriptor, bytes, count) }
private func renameFile(_ old: String, _ new: String) -> Int32 { rename(old, new) }
