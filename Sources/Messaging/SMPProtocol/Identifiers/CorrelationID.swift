public import SMPCrypto
public import SMPWire

/// Ties a response to its command: 24 random bytes that also serve as the nonce of the command's authenticator and of proxied
/// encryption. Messages that answer nothing have the empty id ``none``.
public struct CorrelationID: WireCodable, StringCodable, Hashable, Sendable, CustomStringConvertible {
    public static let length = 24
    public static let none = CorrelationID([])

    public let bytes: Bytes

    /// - Precondition: at most 255 bytes.
    public init(_ bytes: Bytes) { self.bytes = bytes }

    public init(_ nonce: BoxNonce) { bytes = nonce.bytes }

    public static func random(_ random: any RandomSource) -> CorrelationID { CorrelationID(random.bytes(length)) }

    public var isNone: Bool { bytes.isEmpty }

    /// The id as a nonce; nil unless it has 24 bytes.
    public var nonce: BoxNonce? { try? BoxNonce(bytes) }

    public func encode(to writer: inout WireWriter) { writer.write(short: bytes) }
    public init(from parser: inout WireParser) throws(WireError) { bytes = try parser.short() }

    public func encodeString(to writer: inout WireWriter) { writer.write(text: Base64URL.encode(bytes)) }
    public init(fromString parser: inout WireParser) throws(WireError) { bytes = try parser.base64URL(atMost: 255) }

    public var description: String { Base64URL.encode(bytes, padded: false) }
}
