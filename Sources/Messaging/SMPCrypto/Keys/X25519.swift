internal import CSodium
public import SMPWire

/// Key agreement on Curve25519 (RFC 7748).
public enum X25519: AgreementAlgorithm {
    /// The name of the algorithm.
    public static let name = "X25519"
    /// Bytes of a public key.
    public static let publicSize = 32
    /// Bytes of a private key.
    public static let privateSize = 32
    /// The last byte of the algorithm's object identifier.
    public static let identifier: UInt8 = 110

    /// Derives the public key.
    public static func publicKey(of privateKey: SecretBytes) -> Bytes {
        Sodium.start()
        var key = Bytes(repeating: 0, count: publicSize)
        _ = privateKey.withPointer { crypto_scalarmult_base(&key, $0) }
        return key
    }

    /// Agrees on a shared secret; nil for a public key of small order.
    public static func agree(_ privateKey: SecretBytes, _ publicKey: Bytes) -> SecretBytes? {
        Sodium.start()
        var agreed = false
        let secret = SecretBytes(count: 32) { output in
            agreed = privateKey.withPointer { crypto_scalarmult(output, $0, publicKey) == 0 }
        }
        return agreed ? secret : nil
    }
}
