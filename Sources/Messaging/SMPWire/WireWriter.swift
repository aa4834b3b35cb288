/// Collects the encodings of values one after another.
public struct WireWriter: Sendable {
    /// The bytes written so far.
    public private(set) var bytes: Bytes

    /// Creates a writer without bytes.
    public init(reservingCapacity capacity: Int = 0) {
        bytes = []
        if capacity > 0 { bytes.reserveCapacity(capacity) }
    }

    /// The bytes written, without a copy.
    public consuming func finish() -> Bytes { bytes }

    /// Puts a number, big-endian, in the place of what was written there.
    mutating func replace(at offset: Int, with number: UInt16) {
        bytes[offset] = UInt8(number >> 8)
        bytes[offset + 1] = UInt8(truncatingIfNeeded: number)
    }

    /// Appends one byte.
    public mutating func write(byte: UInt8) { bytes.append(byte) }

    /// Appends bytes as they are, without a length.
    public mutating func write(raw: some Sequence<UInt8>) { bytes.append(contentsOf: raw) }

    /// Appends text as UTF-8, without a length.
    public mutating func write(text: some StringProtocol) { bytes.append(contentsOf: text.utf8) }

    /// Appends the encoding of a value.
    public mutating func write(_ value: some WireEncodable) { value.encode(to: &self) }

    /// Appends the textual encoding of a value.
    public mutating func write(string value: some StringEncodable) { value.encodeString(to: &self) }

    /// Appends bytes behind a one-byte length.
    ///
    /// - Precondition: at most 255 bytes; the callers' types bound what they hold. Longer input keeps its first 255 bytes'
    ///   length modulo 256 on the official implementation, which no peer can read; it is a programming error here.
    public mutating func write(short value: some Collection<UInt8>) {
        precondition(value.count <= 255, "a short byte string holds at most 255 bytes")
        bytes.append(UInt8(value.count))
        bytes.append(contentsOf: value)
    }

    /// Appends bytes behind a two-byte length.
    ///
    /// - Precondition: at most 65,535 bytes.
    public mutating func write(large value: some Collection<UInt8>) {
        precondition(value.count <= 65_535, "a large byte string holds at most 65,535 bytes")
        write(UInt16(value.count))
        bytes.append(contentsOf: value)
    }

    /// Appends `0`, or `1` and the encoding of the value.
    public mutating func write(optional value: (some WireEncodable)?) {
        guard let value else { return write(byte: UInt8(ascii: "0")) }
        write(byte: UInt8(ascii: "1"))
        value.encode(to: &self)
    }

    /// Appends `0`, or `1` and what `encode` writes.
    public mutating func write<Value>(optional value: Value?, _ encode: (inout WireWriter, Value) -> Void) {
        guard let value else { return write(byte: UInt8(ascii: "0")) }
        write(byte: UInt8(ascii: "1"))
        encode(&self, value)
    }

    /// Appends a one-byte count and the encodings of the elements.
    ///
    /// - Precondition: at most 255 elements.
    public mutating func write(list: some Collection<some WireEncodable>) {
        precondition(list.count <= 255, "a list holds at most 255 elements")
        bytes.append(UInt8(list.count))
        for element in list { element.encode(to: &self) }
    }

    /// Appends the textual encodings of the elements, separated by commas.
    public mutating func write(stringList list: some Collection<some StringEncodable>) {
        for (index, element) in list.enumerated() {
            if index > 0 { write(byte: UInt8(ascii: ",")) }
            element.encodeString(to: &self)
        }
    }
}
