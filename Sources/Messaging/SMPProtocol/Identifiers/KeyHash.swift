public import SMPWire

/// SHA-256 of a router's CA certificate: the router's identity, pinned by every address that names it.
///
/// 32 bytes, or none in the address of a shortened link, which names a router that the client knows.
public struct KeyHash: WireCodable, StringCodable, Hashable, Sendable, CustomStringConvertible {
    public static let none = KeyHash([])

    public let bytes: Bytes

    /// - Precondition: at most 255 bytes.
    public init(_ bytes: Bytes) { self.bytes = bytes }

    public var isNone: Bool { bytes.isEmpty }

    public func encode(to writer: inout WireWriter) { writer.write(short: bytes) }
    public init(from parser: inout WireParser) throws(WireError) { bytes = try parser.short() }

    public func encodeString(to writer: inout WireWriter) { writer.write(text: Base64URL.encode(bytes)) }
    public init(fromString parser: inout WireParser) throws(WireError) { bytes = try parser.base64URL(atMost: 255) }

    public var description: String { Base64URL.encode(bytes) }
}
