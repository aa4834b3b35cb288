public import SMPWire

/// SHA-256 of a router's CA certificate: the router's identity, pinned by every address that names it.
///
/// 32 bytes, or none in the address of a shortened link, which names a router that the client knows.
public struct KeyHash: WireCodable, StringCodable, Hashable, Sendable, CustomStringConvertible {
    /// No hash, as in the address of a shortened link.
    public static let none = KeyHash([])

    /// The bytes.
    public let bytes: Bytes

    /// - Precondition: at most 255 bytes.
    public init(_ bytes: Bytes) { self.bytes = bytes }

    /// True if it is ``none``.
    public var isNone: Bool { bytes.isEmpty }

    /// Appends the binary encoding.
    public func encode(to writer: inout WireWriter) { writer.write(short: bytes) }
    /// Reads the binary encoding.
    public init(from parser: inout WireParser) throws(WireError) { bytes = try parser.short() }

    /// Appends the textual encoding.
    public func encodeString(to writer: inout WireWriter) { writer.write(text: Base64URL.encode(bytes)) }
    /// Reads the textual encoding.
    public init(fromString parser: inout WireParser) throws(WireError) { bytes = try parser.base64URL(atMost: 255) }

    /// A textual form, for messages and logs.
    public var description: String { Base64URL.encode(bytes) }
}
