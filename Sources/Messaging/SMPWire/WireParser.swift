/// Reads values one after another from bytes, never past their end.
///
/// A parser is a value: copy it to look ahead, and assign the copy back to keep what was read.
public struct WireParser: Sendable {
    private let bytes: Bytes
    private let end: Int
    /// Bytes from the start of the input.
    public private(set) var offset: Int

    /// Creates a parser at the first byte.
    public init(_ bytes: Bytes) {
        self.bytes = bytes
        offset = 0
        end = bytes.count
    }

    private init(_ bytes: Bytes, from start: Int, to end: Int) {
        self.bytes = bytes
        offset = start
        self.end = end
    }

    /// Bytes not yet read.
    public var remaining: Int { end - offset }
    /// True if nothing is left.
    public var isAtEnd: Bool { offset == end }

    /// The next byte, left unread.
    public var next: UInt8? { offset < end ? bytes[offset] : nil }

    /// An error at the present position.
    public func error(_ code: WireError.Code, _ subject: String) -> WireError { WireError(code, subject, at: offset) }

    /// Throws unless everything has been read.
    public func finish() throws(WireError) {
        guard isAtEnd else { throw error(.trailingBytes, "\(remaining) bytes after the value") }
    }

    /// Reads one byte.
    public mutating func byte() throws(WireError) -> UInt8 {
        guard offset < end else { throw error(.truncated, "a byte") }
        defer { offset += 1 }
        return bytes[offset]
    }

    /// Reads a fixed number of bytes.
    public mutating func take(_ count: Int) throws(WireError) -> Bytes {
        guard count >= 0, count <= remaining else { throw error(.truncated, "\(count) bytes of \(remaining)") }
        defer { offset += count }
        return Bytes(bytes[offset..<offset + count])
    }

    /// Reads a fixed number of bytes as an input of its own, without copying them. Its offsets are those of this input.
    public mutating func nested(_ count: Int) throws(WireError) -> WireParser {
        guard count >= 0, count <= remaining else { throw error(.truncated, "\(count) bytes of \(remaining)") }
        defer { offset += count }
        return WireParser(bytes, from: offset, to: offset + count)
    }

    /// Reads all that is left, possibly nothing.
    public mutating func rest() -> Bytes {
        defer { offset = end }
        return Bytes(bytes[offset..<end])
    }

    /// Reads all remaining bytes in place.
    fileprivate mutating func withRest<Result>(_ body: (ArraySlice<UInt8>) -> Result) -> Result {
        defer { offset = end }
        return body(bytes[offset..<end])
    }

    /// Reads bytes as long as they satisfy the predicate, possibly none.
    public mutating func take(while predicate: (UInt8) -> Bool) -> Bytes {
        let start = offset
        while offset < end, predicate(bytes[offset]) { offset += 1 }
        return Bytes(bytes[start..<offset])
    }

    /// Reads up to the delimiter, which stays unread, or to the end.
    public mutating func take(until delimiter: UInt8) -> Bytes { take { $0 != delimiter } }

    /// Moves past the byte if it is next.
    public mutating func skip(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        offset += 1
        return true
    }

    /// Moves past the text if it is next.
    public mutating func skip(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard count <= remaining else { return false }
        for index in 0..<count where bytes[offset + index] != text.utf8Start[index] { return false }
        offset += count
        return true
    }

    /// Moves past the byte, which must be next.
    public mutating func expect(_ byte: UInt8) throws(WireError) {
        guard skip(byte) else { throw error(isAtEnd ? .truncated : .invalidValue, "expected byte \(byte)") }
    }

    /// Moves past the text, which must be next.
    public mutating func expect(_ text: StaticString) throws(WireError) {
        guard skip(text) else { throw error(isAtEnd ? .truncated : .invalidValue, "expected \"\(text)\"") }
    }

    /// Reads the encoding of a value.
    public mutating func read<Value: WireDecodable>(_ type: Value.Type = Value.self) throws(WireError) -> Value {
        try Value(from: &self)
    }

    /// Reads the textual encoding of a value.
    public mutating func read<Value: StringDecodable>(string type: Value.Type) throws(WireError) -> Value {
        try Value(fromString: &self)
    }

    /// Reads bytes behind a one-byte length.
    public mutating func short() throws(WireError) -> Bytes { try take(Int(byte())) }

    /// Reads bytes behind a two-byte length.
    public mutating func large() throws(WireError) -> Bytes { try take(Int(read(UInt16.self))) }

    /// Reads `0` as nil, or `1` and a value.
    public mutating func optional<Value: WireDecodable>(_ type: Value.Type = Value.self) throws(WireError) -> Value? {
        try optional { parser throws(WireError) in try Value(from: &parser) }
    }

    /// Reads `0` as nil, or `1` and what `decode` reads.
    public mutating func optional<Value>(
        _ decode: (inout WireParser) throws(WireError) -> Value
    ) throws(WireError) -> Value? {
        switch try byte() {
        case UInt8(ascii: "0"): return nil
        case UInt8(ascii: "1"): return try decode(&self)
        default: throw WireError(.invalidValue, "the tag of an optional value is 0 or 1", at: offset - 1)
        }
    }

    /// Reads a one-byte count and as many values.
    public mutating func list<Value: WireDecodable>(of type: Value.Type = Value.self) throws(WireError) -> [Value] {
        try list { parser throws(WireError) in try Value(from: &parser) }
    }

    /// Reads a one-byte count and as many values as it says.
    public mutating func list<Value>(
        _ decode: (inout WireParser) throws(WireError) -> Value
    ) throws(WireError) -> [Value] {
        let count = Int(try byte())
        var values: [Value] = []
        values.reserveCapacity(min(count, remaining))
        for _ in 0..<count { values.append(try decode(&self)) }
        return values
    }

    /// Reads a list that must not be empty.
    public mutating func nonEmptyList<Value: WireDecodable>(of type: Value.Type = Value.self) throws(WireError) -> [Value] {
        if next == 0 { throw error(.invalidValue, "the list must not be empty") }
        return try list(of: type)
    }

    /// Reads comma-separated values; each item ends at a comma, a space, a line feed or the end.
    public mutating func stringList<Value: StringDecodable>(of type: Value.Type) throws(WireError) -> [Value] {
        var values: [Value] = []
        repeat {
            let start = offset
            let item = take { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\n") }
            var parser = WireParser(item)
            do {
                values.append(try Value(fromString: &parser))
                try parser.finish()
            } catch {
                throw WireError(error.code, error.subject, at: start + error.offset)
            }
        } while skip(UInt8(ascii: ","))
        return values
    }
}

extension WireWriter {
    /// Appends all that is left to read, without a copy of its own.
    public mutating func write(restOf parser: inout WireParser) { parser.withRest { write(raw: $0) } }
}
