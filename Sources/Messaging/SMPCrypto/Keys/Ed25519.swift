internal import CSodium
public import SMPWire

/// Signatures on Edwards25519 (RFC 8032).
public enum Ed25519: SignatureAlgorithm {
    /// The name of the algorithm.
    public static let name = "Ed25519"
    /// Bytes of a public key.
    public static let publicSize = 32
    /// Bytes of a private key.
    public static let privateSize = 32
    /// Bytes of a signature.
    public static let signatureSize = 64
    /// The last byte of the algorithm's object identifier.
    public static let identifier: UInt8 = 112

    /// Derives the public key.
    public static func publicKey(of privateKey: SecretBytes) -> Bytes {
        Sodium.start()
        var key = Bytes(repeating: 0, count: publicSize)
        _ = SecretBytes(count: 64) { expanded in
            _ = privateKey.withPointer { crypto_sign_seed_keypair(&key, expanded, $0) }
        }
        return key
    }

    /// Signs a message.
    public static func sign(_ message: Bytes, privateKey: SecretBytes, publicKey: Bytes) -> Bytes {
        Sodium.start()
        var signature = Bytes(repeating: 0, count: signatureSize)
        _ = (privateKey + SecretBytes(publicKey)).withPointer {
            crypto_sign_detached(&signature, nil, message, UInt64(message.count), $0)
        }
        return signature
    }

    /// Verifies a signature.
    public static func verify(_ signature: Bytes, message: Bytes, publicKey: Bytes) -> Bool {
        Sodium.start()
        return crypto_sign_verify_detached(signature, message, UInt64(message.count), publicKey) == 0
    }
}
