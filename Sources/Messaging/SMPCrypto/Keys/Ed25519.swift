internal import CSodium
public import SMPWire

/// Signatures on Edwards25519 (RFC 8032).
public enum Ed25519: SignatureAlgorithm {
    public static let name = "Ed25519"
    public static let publicSize = 32
    public static let privateSize = 32
    public static let signatureSize = 64
    public static let identifier: UInt8 = 112

    public static func publicKey(of privateKey: SecretBytes) -> Bytes {
        Sodium.start()
        var key = Bytes(repeating: 0, count: publicSize)
        _ = SecretBytes(count: 64) { expanded in
            _ = privateKey.withPointer { crypto_sign_seed_keypair(&key, expanded, $0) }
        }
        return key
    }

    public static func sign(_ message: Bytes, privateKey: SecretBytes, publicKey: Bytes) -> Bytes {
        Sodium.start()
        var signature = Bytes(repeating: 0, count: signatureSize)
        _ = (privateKey + SecretBytes(publicKey)).withPointer {
            crypto_sign_detached(&signature, nil, message, UInt64(message.count), $0)
        }
        return signature
    }

    public static func verify(_ signature: Bytes, message: Bytes, publicKey: Bytes) -> Bool {
        Sodium.start()
        return crypto_sign_verify_detached(signature, message, UInt64(message.count), publicKey) == 0
    }
}
