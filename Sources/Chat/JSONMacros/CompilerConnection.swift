internal import FoundationEssentials
internal import JSONMacroExpansion

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The pipes to the compiler: standard input and output. A message is JSON behind its length, a 64-bit integer, the least byte first.
enum CompilerConnection {
    /// An end of the conversation in the middle of a message, or a pipe that fails.
    struct Broken: Error, CustomStringConvertible {
        let description: String
    }

    /// The longest message that is read, in bytes: declarations are source text that a person wrote.
    static let maximumLength: UInt64 = 256 << 20

    /// The next message; nil when the compiler has no more.
    static func receive() throws -> CompilerMessage? {
        guard let header = try read(8, isStart: true) else { return nil }
        let length = header.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        // An empty message ends the conversation, too.
        guard length > 0 else { return nil }
        guard length <= maximumLength, let payload = try read(Int(length), isStart: false) else {
            throw Broken(description: "a message of \(length) bytes")
        }
        return try JSONDecoder().decode(CompilerMessage.self, from: Data(payload))
    }

    /// Sends an answer.
    static func send(_ message: PluginMessage) throws {
        let payload = try JSONEncoder().encode(message)
        let length = UInt64(payload.count)
        try write((0..<8).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } + payload)
    }

    /// Ends the program with a message on standard error, which the compiler shows.
    static func fail(_ message: String) -> Never {
        _ = try? write(Array("\(message)\n".utf8), to: STDERR_FILENO)
        exit(1)
    }

    /// So many bytes; nil if the input is over before the first one of a message.
    private static func read(_ count: Int, isStart: Bool) throws -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let read = bytes.withUnsafeMutableBytes { buffer in
                unistdRead(STDIN_FILENO, UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
            }
            if read < 0, errno == EINTR { continue }
            if read == 0, filled == 0, isStart { return nil }
            guard read > 0 else { throw Broken(description: "the compiler's pipe ended within a message") }
            filled += read
        }
        return bytes
    }

    private static func write(_ bytes: [UInt8], to descriptor: CInt = STDOUT_FILENO) throws {
        var sent = 0
        while sent < bytes.count {
            let written = bytes.withUnsafeBytes { unistdWrite(descriptor, UnsafeRawBufferPointer(rebasing: $0[sent...])) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw Broken(description: "the compiler's pipe is closed") }
            sent += written
        }
    }
}

private func unistdRead(_ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer) -> Int { read(descriptor, buffer.baseAddress, buffer.count) }

private func unistdWrite(_ descriptor: CInt, _ buffer: UnsafeRawBufferPointer) -> Int { write(descriptor, buffer.baseAddress, buffer.count) }
