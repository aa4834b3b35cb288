#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Small files at once. The system reads and writes as much as it likes at a time, and may be interrupted before it has begun: here all is read
/// and written, or it is told why not.
package enum WholeFile {
    /// Bytes asked for at a time.
    private static let step = 64 << 10

    /// The content of a file, or as much of its beginning as the limit allows.
    ///
    /// - Throws: ``SystemError``.
    package static func contents(ofFile path: String, upTo limit: Int = .max) throws(SystemError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError() }
        defer { close(descriptor) }
        return try contents(of: descriptor, upTo: limit)
    }

    /// The rest of an open file, or as much of it as the limit allows.
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

    private static func untilNotInterrupted(_ call: () -> Int) -> Int {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }
}

/// Why the system did not do what it was asked, by `errno`.
package struct SystemError: Error, CustomStringConvertible {
    package let number: Int32

    /// The reason of the call that has just failed.
    package init() { number = errno }

    package var description: String { String(cString: strerror(number)) }
}

// Inside the type the system's function is hidden by its own of the same name.
private func writeSome(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int { write(descriptor, bytes, count) }
