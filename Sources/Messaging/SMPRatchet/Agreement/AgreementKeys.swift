package import SMPCrypto

/// Our private keys of an agreement that waits for the peer's parameters.
package struct AgreementKeys: Sendable, Equatable {
    package let key1: X448.PrivateKey
    package let key2: X448.PrivateKey
    /// The KEM key that was proposed, if any.
    package let kem: SNTRUP761.KeyPair?

    package init(key1: X448.PrivateKey, key2: X448.PrivateKey, kem: SNTRUP761.KeyPair? = nil) {
        self.key1 = key1
        self.key2 = key2
        self.kem = kem
    }

    /// Makes new keys.
    ///
    /// - Parameters:
    ///   - proposingKEM: whether to propose post-quantum encryption.
    ///   - keySource: where the keys come from; nil to make them at once.
    package init(proposingKEM: Bool, keySource: (any RatchetKeySource)? = nil, random: any RandomSource) {
        let material = RandomMaterial(random: random, source: keySource)
        self.init(key1: material.agreementKey(), key2: material.agreementKey(), kem: proposingKEM ? material.kemKeyPair() : nil)
    }

    /// The public keys, to be sent. Below ``RatchetVersion/kem`` they are without the KEM.
    package func offer(version: UInt16) -> RatchetParameters {
        RatchetParameters(
            version: version, key1: key1.publicKey, key2: key2.publicKey,
            kem: version >= RatchetVersion.kem ? kem.map { .proposed($0.publicKey) } : nil)
    }
}
