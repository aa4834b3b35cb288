#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Reading and writing of whole small files. The system may read and write a part at a time, and may be interrupted before it has begun: these
/// functions read and write everything, or throw the reason.
package enum WholeFile {
    /// Bytes requested at a time.
    private static let step = 64 << 10

    /// Reads the content of a file, or as much of its beginning as the limit allows.
    ///
    /// - Throws: ``SystemError``.
    package static func contents(ofFile path: String, upTo limit: Int = .max) throws(SystemError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError() }
        defer { close(descriptor) }
        return try contents(of: descriptor, upTo: limit)
    }

    /// Reads the rest of an open file, or as much of it as the limit allows.
    ///
    /// - Throws: ``SystemError``.
    package static func contents(of descriptor: Int32, upTo limit: Int = .max) throws(SystemError) -> [UInt8] {
        var contents: [UInt8] = []
        while contents.count < limit {
            var failure: SystemError?
            let piece = [UInt8](unsafeUninitializedCapacity: min(step, limit - contents.count)) { buffer, count in
                let result = untilNotInterrupted { read(descriptor, buffer.baseAddress, buffer.count) }
                if result < 0 { failure = SystemError() }
                count = max(0, result)
            }
            if let failure { throw failure }
            if piece.isEmpty { break }
            contents += piece
        }
        return contents
    }

    /// Writes all of the bytes.
    ///
    /// - Throws: ``SystemError``; a part may have been written then.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                untilNotInterrupted { writeSome(descriptor, buffer.baseAddress.map { $0 + done }, buffer.count - done) }
            }
            guard count > 0 else { throw SystemError() }
            done += count
        }
    }

    /// Replaces or creates a file, so that it has the old or the complete new content whenever the process or the power ends. Only its owner can
    /// read it. It is on disk when this returns.
    ///
    /// - Throws: ``SystemError``; then the file has the old content or, if only the folder could not be synchronized, possibly the new one.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(SystemError) { try replace(path) { _ in bytes } }

    /// Replaces or creates a file as ``replace(_:with:)`` does, with content that may depend on the file's identity.
    ///
    /// - Parameter content: makes the content for the identity of the new file; nil if the identity is unknown.
    /// - Throws: ``SystemError``, as ``replace(_:with:)``.
    package static func replace(_ path: String, content: (FileIdentity?) -> [UInt8]) throws(SystemError) {
        let temporary = path + ".new"
        // A file left by a crash may be readable by others.
        unlink(temporary)
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw SystemError() }
        do throws(SystemError) {
            defer { close(file) }
            try write(content(FileIdentity(path: temporary)), to: file)
            guard fsync(file) == 0 else { throw SystemError() }
        } catch {
            unlink(temporary)
            throw error
        }
        guard renameFile(temporary, path) == 0 else { throw SystemError() }
        try synchronizeFolder(of: path)
    }

    /// Makes the names in the folder of a file durable.
    ///
    /// - Throws: ``SystemError``.
    package static func synchronizeFolder(of path: String) throws(SystemError) {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError() }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw SystemError() }
    }

    private static func untilNotInterrupted(_ call: () -> Int) -> Int {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }
}

/// The reason of a failed system call, by `errno`.
package struct SystemError: Error, CustomStringConvertible {
    package let number: Int32

    /// Creates the error of the call that has just failed.
    package init() { number = errno }

    /// True if there is no such file.
    package var isMissingFile: Bool { number == ENOENT }

    package var description: String { String(cString: strerror(number)) }
}

private func renameFile(_ path: String, _ other: String) -> Int32 { rename(path, other) }

// Inside the type, its own function of the same name hides the system's.
private func writeSome(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int { write(descriptor, bytes, count) }
