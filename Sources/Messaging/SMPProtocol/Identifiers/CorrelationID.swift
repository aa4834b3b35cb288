package import SMPCrypto
package import SMPWire

/// Ties a response to its command: 24 random bytes that also serve as the nonce of the command's authenticator and of proxied
/// encryption. Messages that answer nothing have the empty id ``none``.
package struct CorrelationID: WireCodable, StringCodable, Hashable, Sendable, CustomStringConvertible {
    package static let length = 24
    package static let none = CorrelationID([])

    package let bytes: Bytes

    /// - Precondition: at most 255 bytes.
    package init(_ bytes: Bytes) { self.bytes = bytes }

    package init(_ nonce: BoxNonce) { bytes = nonce.bytes }

    package static func random(_ random: any RandomSource) -> CorrelationID { CorrelationID(random.bytes(length)) }

    package var isNone: Bool { bytes.isEmpty }

    /// The id as a nonce; nil unless it has 24 bytes.
    package var nonce: BoxNonce? { try? BoxNonce(bytes) }

    package func encode(to writer: inout WireWriter) { writer.write(short: bytes) }
    package init(from parser: inout WireParser) throws(WireError) { bytes = try parser.short() }

    package func encodeString(to writer: inout WireWriter) { writer.write(text: Base64URL.encode(bytes)) }
    package init(fromString parser: inout WireParser) throws(WireError) { bytes = try parser.base64URL(atMost: 255) }

    package var description: String { Base64URL.encode(bytes, padded: false) }
}
