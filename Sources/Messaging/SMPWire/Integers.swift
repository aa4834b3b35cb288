// Integers are big-endian; the 64-bit one is signed (simplex-messaging.md, "Syntax").

extension FixedWidthInteger where Self: WireEncodable {
    /// Appends the big-endian bytes.
    public func encode(to writer: inout WireWriter) {
        withUnsafeBytes(of: bigEndian) { writer.write(raw: $0) }
    }
}

extension FixedWidthInteger where Self: WireDecodable {
    /// Reads the big-endian bytes.
    public init(from parser: inout WireParser) throws(WireError) {
        var value: Self = 0
        for _ in 0..<Self.bitWidth / 8 { value = value << 8 | Self(try parser.byte()) }
        self = value
    }
}

extension UInt16: WireEncodable, WireDecodable {}
extension UInt32: WireEncodable, WireDecodable {}
extension Int64: WireEncodable, WireDecodable {}

extension FixedWidthInteger where Self: StringEncodable {
    /// Appends the decimal digits.
    public func encodeString(to writer: inout WireWriter) { writer.write(text: String(self)) }
}

extension FixedWidthInteger where Self: StringDecodable {
    /// Reads decimal digits; a sign only for signed types.
    public init(fromString parser: inout WireParser) throws(WireError) {
        let start = parser.offset
        var text = Bytes()
        if Self.isSigned, let sign = parser.next, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            text.append(try parser.byte())
        }
        text += parser.take { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        guard let value = Self(String(decoding: text, as: UTF8.self)) else {
            throw WireError(.invalidValue, "a number that fits \(Self.bitWidth) bits", at: start)
        }
        self = value
    }
}

extension UInt16: StringEncodable, StringDecodable {}
extension UInt32: StringEncodable, StringDecodable {}
extension Int64: StringEncodable, StringDecodable {}

extension Bool: WireEncodable, WireDecodable, StringEncodable, StringDecodable {
    /// `T` or `F`.
    public func encode(to writer: inout WireWriter) { writer.write(byte: UInt8(ascii: self ? "T" : "F")) }

    /// Reads the binary encoding.
    public init(from parser: inout WireParser) throws(WireError) {
        switch try parser.byte() {
        case UInt8(ascii: "T"): self = true
        case UInt8(ascii: "F"): self = false
        default: throw WireError(.invalidValue, "a truth value is T or F", at: parser.offset - 1)
        }
    }

    /// Appends the textual encoding.
    public func encodeString(to writer: inout WireWriter) { encode(to: &writer) }

    /// Reads the textual encoding.
    public init(fromString parser: inout WireParser) throws(WireError) { try self.init(from: &parser) }
}
