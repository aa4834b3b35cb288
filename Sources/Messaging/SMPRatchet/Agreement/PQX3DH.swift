package import SMPCrypto
package import SMPWire

/// The agreement on a ratchet's first keys: three X448 agreements and, if both sides want it, a KEM secret (pqdr.md,
/// "Initialization").
package enum PQX3DH {
    /// The secrets that both sides derive.
    package struct Secrets: Sendable, Equatable {
        /// The sending side's first key and the receiving side's first key, raw: it goes into the authentication of every message,
        /// and its hash is what people compare.
        package let associatedData: Bytes
        /// 32 bytes, to start the root chain with.
        package let rootKey: SecretBytes
        /// 32 bytes: the key of the sending side's first headers.
        package let headerKey: SecretBytes
        /// 32 bytes: the key of the headers that the receiving side sends first.
        package let nextHeaderKey: SecretBytes
    }

    /// The side that joins, and sends first.
    ///
    /// - Parameter kem: the secret that was encapsulated to the offered KEM key, if one was.
    /// - Throws: ``RatchetError`` `invalidKey` if a key of the peer is of small order.
    package static func initiate(
        key1: X448.PrivateKey, key2: X448.PrivateKey, offer: RatchetParameters, kem: SNTRUP761.SharedSecret?
    ) throws(RatchetError) -> Secrets {
        try mapping { () throws(CryptoError) in
            derive(
                sender: key1.publicKey, receiver: offer.key1,
                [
                    try key2.sharedSecret(with: offer.key1), try key1.sharedSecret(with: offer.key2),
                    try key2.sharedSecret(with: offer.key2),
                ], kem)
        }
    }

    /// The side that made the offer, and receives first.
    ///
    /// - Parameter kem: the secret that the peer encapsulated to our KEM key, if it did.
    /// - Throws: ``RatchetError`` `invalidKey` if a key of the peer is of small order.
    package static func respond(
        key1: X448.PrivateKey, key2: X448.PrivateKey, answer: RatchetParameters, kem: SNTRUP761.SharedSecret?
    ) throws(RatchetError) -> Secrets {
        try mapping { () throws(CryptoError) in
            derive(
                sender: answer.key1, receiver: key1.publicKey,
                [
                    try key1.sharedSecret(with: answer.key2), try key2.sharedSecret(with: answer.key1),
                    try key2.sharedSecret(with: answer.key2),
                ], kem)
        }
    }

    private static func derive(
        sender: X448.PublicKey, receiver: X448.PublicKey, _ agreements: [SecretBytes], _ kem: SNTRUP761.SharedSecret?
    ) -> Secrets {
        let input = (agreements + (kem.map { [$0] } ?? [])).reduce(SecretBytes([]), +)
        let output = HKDF.derive(from: input, salt: [], info: "SimpleXX3DH", count: 96)
        return Secrets(
            associatedData: sender.raw + receiver.raw, rootKey: output[64..<96], headerKey: output[0..<32],
            nextHeaderKey: output[32..<64])
    }
}
