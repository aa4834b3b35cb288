package import SMPWire

/// The 24-byte nonce of a box.
package struct BoxNonce: Hashable, Sendable, WireCodable, StringCodable, CustomStringConvertible {
    package static let size = 24

    /// 24 bytes.
    package let bytes: Bytes

    /// - Throws: ``CryptoError`` `invalidSize` unless there are 24 bytes.
    package init(_ bytes: Bytes) throws(CryptoError) {
        guard bytes.count == BoxNonce.size else { throw CryptoError(.invalidSize, "a nonce has 24 bytes") }
        self.bytes = bytes
    }

    /// Creates a nonce of the first 24 bytes, with zero bytes appended if there are fewer: nonces are made of identifiers in this way.
    package init(padding bytes: Bytes) {
        self.bytes = Bytes(bytes.prefix(BoxNonce.size)) + Bytes(repeating: 0, count: max(0, BoxNonce.size - bytes.count))
    }

    /// - Precondition: 24 bytes.
    init(copying bytes: Slice<UnsafeRawBufferPointer>) {
        precondition(bytes.count == BoxNonce.size, "a nonce has 24 bytes")
        self.bytes = Bytes(bytes)
    }

    package static func random(_ source: any RandomSource) -> BoxNonce { BoxNonce(padding: source.bytes(size)) }

    /// The nonce of the answer that a proxy forwards.
    package var reversed: BoxNonce { BoxNonce(padding: bytes.reversed()) }

    /// Appends the 24 bytes, without a length.
    package func encode(to writer: inout WireWriter) { writer.write(raw: bytes) }
    package init(from parser: inout WireParser) throws(WireError) { bytes = try parser.take(BoxNonce.size) }

    /// Appends the base64url form.
    package func encodeString(to writer: inout WireWriter) { writer.write(text: Base64URL.encode(bytes)) }
    package init(fromString parser: inout WireParser) throws(WireError) { self.init(padding: try parser.base64URL()) }

    package var description: String { Base64URL.encode(bytes) }
}
