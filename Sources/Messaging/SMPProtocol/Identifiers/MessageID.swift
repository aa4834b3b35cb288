public import SMPWire

/// The id that a router gives a message: 24 random bytes, also the nonce of its encryption for the recipient.
public struct MessageID: WireCodable, StringCodable, Hashable, Sendable, CustomStringConvertible {
    public static let length = 24

    public let bytes: Bytes

    /// - Precondition: at most 255 bytes.
    public init(_ bytes: Bytes) { self.bytes = bytes }

    public func encode(to writer: inout WireWriter) { writer.write(short: bytes) }
    public init(from parser: inout WireParser) throws(WireError) { bytes = try parser.short() }
    public func encodeString(to writer: inout WireWriter) { writer.write(text: Base64URL.encode(bytes)) }
    public init(fromString parser: inout WireParser) throws(WireError) { bytes = try parser.base64URL(atMost: 255) }

    public var description: String { Base64URL.encode(bytes, padded: false) }
}
