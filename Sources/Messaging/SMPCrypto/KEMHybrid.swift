/// A secret of X25519 and sntrup761 together: it holds as long as one of the two does.
package enum KEMHybrid {
    /// The SHA3-256 of both secrets, to be used for boxes.
    ///
    /// - Throws: ``CryptoError`` `invalidKey` if the public key is of small order.
    package static func secret(
        _ privateKey: X25519.PrivateKey, with publicKey: X25519.PublicKey, kem: SecretBytes
    ) throws(CryptoError) -> BoxSecret {
        try BoxSecret(Hash.sha3_256(try privateKey.sharedSecret(with: publicKey) + kem))
    }
}
