package import SMPCrypto
package import SMPWire

/// One side of the agreement on the first keys of a ratchet: public keys, as sent (pqdr.md, "Initialization").
///
/// Anyone who makes an invitation offers such parameters, with the KEM at most proposed. Anyone who joins answers with its own.
package struct RatchetParameters: WireCodable, Hashable, Sendable {
    /// Part that the KEM has in the agreement.
    package enum KEM: Hashable, Sendable {
        /// A key that the peer may encapsulate to.
        case proposed(SNTRUP761.PublicKey)
        /// A secret for the key that the peer proposed, and a key for the peer's next step.
        case accepted(SNTRUP761.Ciphertext, SNTRUP761.PublicKey)
    }

    /// The version that the ratchet starts in.
    package var version: UInt16
    package var key1: X448.PublicKey
    package var key2: X448.PublicKey
    /// nil if the agreement is not post-quantum. Not encoded below ``RatchetVersion/kem``.
    package var kem: KEM?

    package init(version: UInt16, key1: X448.PublicKey, key2: X448.PublicKey, kem: KEM? = nil) {
        self.version = version
        self.key1 = key1
        self.key2 = key2
        self.kem = kem
    }

    /// True if the parameters can start an agreement: they accept no KEM.
    package var isOffer: Bool { if case .accepted? = kem { false } else { true } }

    package func encode(to writer: inout WireWriter) {
        writer.write(version)
        writer.write(key1)
        writer.write(key2)
        if version >= RatchetVersion.kem { writer.write(optional: kem) }
    }

    package init(from parser: inout WireParser) throws(WireError) {
        version = try parser.read()
        key1 = try parser.read()
        key2 = try parser.read()
        kem = version >= RatchetVersion.kem ? try parser.optional() : nil
    }
}

extension RatchetParameters.KEM: WireCodable {
    private static let proposedTag = UInt8(ascii: "P")
    private static let acceptedTag = UInt8(ascii: "A")

    package func encode(to writer: inout WireWriter) {
        switch self {
        case .proposed(let key):
            writer.write(byte: Self.proposedTag)
            writer.write(key)
        case .accepted(let ciphertext, let key):
            writer.write(byte: Self.acceptedTag)
            writer.write(ciphertext)
            writer.write(key)
        }
    }

    package init(from parser: inout WireParser) throws(WireError) {
        let start = parser.offset
        switch try parser.byte() {
        case Self.proposedTag: self = .proposed(try parser.read())
        case Self.acceptedTag: self = .accepted(try parser.read(), try parser.read())
        default: throw WireError(.invalidValue, "a KEM is proposed (P) or accepted (A)", at: start)
        }
    }
}
