import ChatProtocol

/// A text does not fit a form.
struct CommandMismatch: Error {}

/// Reads a command from its beginning to its end.
struct CommandReader {
    private let bytes: [UInt8]
    private(set) var position: Int
    /// The version of the API of the program that sends the command.
    let version: APIVersion

    init(bytes: [UInt8], position: Int = 0, version: APIVersion = .newest) {
        self.bytes = bytes
        self.version = version
        self.position = position
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    var isAtEnd: Bool { position == bytes.count }
    var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Reads what `text` says, if it comes next.
    mutating func skip(_ text: String) -> Bool {
        guard bytes[position...].starts(with: text.utf8) else { return false }
        position += text.utf8.count
        return true
    }

    /// Reads what `text` says.
    mutating func expect(_ text: String) throws(CommandMismatch) {
        guard skip(text) else { throw CommandMismatch() }
    }

    /// Reads bytes as long as they fit.
    mutating func take(while fits: (UInt8) -> Bool) -> String {
        let start = position
        while let next, fits(next) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// Reads all that is left.
    mutating func rest() -> String { take { _ in true } }

    /// Reads up to the next space.
    mutating func word() -> String { take { $0 != 0x20 } }

    /// Reads something, or nothing if it does not fit.
    mutating func optional<Value>(
        _ read: (inout CommandReader) throws(CommandMismatch) -> Value
    ) -> Value? {
        let start = position
        if let value = try? read(&self) { return value }
        position = start
        return nil
    }

    /// Reads something that follows a word, or nothing if it does not fit.
    mutating func optional<Value>(
        _ beginning: String, _ read: (inout CommandReader) throws(CommandMismatch) -> Value
    ) -> Value? {
        optional { reader throws(CommandMismatch) in
            try reader.expect(beginning)
            return try read(&reader)
        }
    }

    /// Reads the first of two things that fits.
    mutating func either<Value>(
        _ first: (inout CommandReader) throws(CommandMismatch) -> Value,
        or second: (inout CommandReader) throws(CommandMismatch) -> Value
    ) throws(CommandMismatch) -> Value {
        if let value = optional(first) { return value }
        return try second(&self)
    }
}
