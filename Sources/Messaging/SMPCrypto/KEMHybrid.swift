/// A combined secret of X25519 and sntrup761, which is secure as long as one of the two is.
package enum KEMHybrid {
    /// Computes the SHA3-256 hash of both secrets, for use with boxes.
    ///
    /// - Throws: ``CryptoError`` `invalidKey` if the public key is of small order.
    package static func secret(
        _ privateKey: X25519.PrivateKey, with publicKey: X25519.PublicKey, kem: SecretBytes
    ) throws(CryptoError) -> BoxSecret {
        try BoxSecret(Hash.sha3_256(try privateKey.sharedSecret(with: publicKey) + kem))
    }
}
