package import SMPWire

/// The parameters behind `?` in a link. Unknown ones are kept but looked at by nobody; of repeated ones the first counts.
package struct QueryString {
    private var items: [(name: String, value: Bytes)] = []

    package init() {}

    /// Reads to a space, line feed or the end.
    package init(from parser: inout WireParser) {
        let text = parser.take { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\n") }
        for item in text.split(separator: UInt8(ascii: "&")) {
            let parts = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            items.append(
                (String(decoding: Self.unescape(parts[0]), as: UTF8.self), parts.count > 1 ? Self.unescape(parts[1]) : []))
        }
    }

    package mutating func append(_ name: String, _ value: some StringProtocol) { items.append((name, Bytes(value.utf8))) }

    package mutating func append(_ name: String, _ value: some StringEncodable) { append(name, value.wireString) }

    var isEmpty: Bool { items.isEmpty }

    package func bytes(_ name: String) -> Bytes? { items.first { $0.name == name }?.value }

    /// The value of a key, parsed as a whole by `read`; nil if there is none.
    func value<Value>(
        _ name: String, _ read: (inout WireParser) throws(WireError) -> Value
    ) throws(WireError) -> Value? {
        guard let bytes = bytes(name) else { return nil }
        var parser = WireParser(bytes)
        let value = try read(&parser)
        try parser.finish()
        return value
    }

    func value<Value: StringDecodable>(_ name: String, as _: Value.Type = Value.self) throws(WireError) -> Value? {
        try value(name) { parser throws(WireError) in try Value(fromString: &parser) }
    }

    /// The value of a parameter that must be there.
    func required<Value: StringDecodable>(_ name: String, as _: Value.Type = Value.self) throws(WireError) -> Value {
        guard let value = try value(name, as: Value.self) else { throw WireError(.invalidValue, "parameter \(name) is missing") }
        return value
    }

    /// Values are escaped unless they are inside a value that is escaped as a whole.
    package func encode(to writer: inout WireWriter, escaping: Bool = true) {
        for (index, item) in items.enumerated() {
            if index > 0 { writer.write(byte: UInt8(ascii: "&")) }
            writer.write(text: item.name)
            writer.write(byte: UInt8(ascii: "="))
            if escaping { Self.escape(item.value, to: &writer) } else { writer.write(raw: item.value) }
        }
    }

    private static let hexDigits = Bytes("0123456789ABCDEF".utf8)

    private static func escape(_ bytes: Bytes, to writer: inout WireWriter) {
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "~"):
                writer.write(byte: byte)
            default:
                writer.write(byte: UInt8(ascii: "%"))
                writer.write(byte: hexDigits[Int(byte >> 4)])
                writer.write(byte: hexDigits[Int(byte & 15)])
            }
        }
    }

    private static func unescape(_ text: Bytes.SubSequence) -> Bytes {
        var bytes = Bytes()
        var index = text.startIndex
        while index < text.endIndex {
            if text[index] == UInt8(ascii: "%"), index + 2 < text.endIndex, let high = digit(text[index + 1]),
                let low = digit(text[index + 2])
            {
                bytes.append(high << 4 | low)
                index += 3
            } else {
                bytes.append(text[index] == UInt8(ascii: "+") ? UInt8(ascii: " ") : text[index])
                index += 1
            }
        }
        return bytes
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(UnicodeScalar(byte)).hexDigitValue.map(UInt8.init)
    }
}
