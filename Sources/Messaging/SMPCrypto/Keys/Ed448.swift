public import SMPWire

/// Signatures on Edwards448 (RFC 8032).
public enum Ed448: SignatureAlgorithm {
    public static let name = "Ed448"
    public static let publicSize = 57
    public static let privateSize = 57
    public static let signatureSize = 114
    public static let identifier: UInt8 = 113

    public static func publicKey(of privateKey: SecretBytes) -> Bytes { EVPKey.publicKey(of: privateKey, "ED448", size: publicSize) }

    public static func sign(_ message: Bytes, privateKey: SecretBytes, publicKey: Bytes) -> Bytes {
        EVPKey(private: privateKey, "ED448", public: publicKey).sign(message, size: signatureSize)
    }

    public static func verify(_ signature: Bytes, message: Bytes, publicKey: Bytes) -> Bool {
        EVPKey(public: publicKey, "ED448").verify(signature, message)
    }
}
