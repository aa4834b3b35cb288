/// Bytes behind a one-byte length: at most 255 of them.
package struct ShortBytes: WireCodable, StringCodable, Hashable, Sendable {
    package var bytes: Bytes

    package init(_ bytes: Bytes) { self.bytes = bytes }

    package func encode(to writer: inout WireWriter) { writer.write(short: bytes) }
    package init(from parser: inout WireParser) throws(WireError) { bytes = try parser.short() }

    /// The textual form is padded base64url.
    package func encodeString(to writer: inout WireWriter) { writer.write(text: Base64URL.encode(bytes)) }
    package init(fromString parser: inout WireParser) throws(WireError) {
        let start = parser.offset
        bytes = try parser.base64URL()
        guard bytes.count <= 255 else { throw WireError(.tooLong, "at most 255 bytes in base64url", at: start) }
    }
}

/// Bytes behind a two-byte length: at most 65,535 of them.
package struct LargeBytes: WireCodable, Hashable, Sendable {
    package var bytes: Bytes

    package init(_ bytes: Bytes) { self.bytes = bytes }

    package func encode(to writer: inout WireWriter) { writer.write(large: bytes) }
    package init(from parser: inout WireParser) throws(WireError) { bytes = try parser.large() }
}

/// All the bytes that are left: only the last field of a value can have this type.
package struct TailBytes: WireCodable, Hashable, Sendable {
    package var bytes: Bytes

    package init(_ bytes: Bytes) { self.bytes = bytes }

    package func encode(to writer: inout WireWriter) { writer.write(raw: bytes) }
    package init(from parser: inout WireParser) throws(WireError) { bytes = parser.rest() }
}

/// Text is encoded as its UTF-8 bytes behind a one-byte length; bytes that are not UTF-8 are refused.
extension String: WireEncodable, WireDecodable {
    /// Appends the binary encoding.
    public func encode(to writer: inout WireWriter) { writer.write(short: Bytes(utf8)) }

    /// Reads the binary encoding.
    public init(from parser: inout WireParser) throws(WireError) {
        let start = parser.offset
        guard let text = String(validating: try parser.short(), as: UTF8.self) else {
            throw WireError(.invalidValue, "text that is UTF-8", at: start)
        }
        self = text
    }
}
