package import SMPWire

/// The id that a router gives a message: 24 random bytes, also the nonce of its encryption for the recipient.
package struct MessageID: WireCodable, StringCodable, Hashable, Sendable, CustomStringConvertible {
    package static let length = 24

    package let bytes: Bytes

    /// - Precondition: at most 255 bytes.
    package init(_ bytes: Bytes) { self.bytes = bytes }

    package func encode(to writer: inout WireWriter) { writer.write(short: bytes) }
    package init(from parser: inout WireParser) throws(WireError) { bytes = try parser.short() }
    package func encodeString(to writer: inout WireWriter) { writer.write(text: Base64URL.encode(bytes)) }
    package init(fromString parser: inout WireParser) throws(WireError) { bytes = try parser.base64URL(atMost: 255) }

    package var description: String { Base64URL.encode(bytes, padded: false) }
}
