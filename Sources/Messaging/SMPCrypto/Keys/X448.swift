public import SMPWire

/// Key agreement on Curve448 (RFC 7748).
public enum X448: AgreementAlgorithm {
    public static let name = "X448"
    public static let publicSize = 56
    public static let privateSize = 56
    public static let identifier: UInt8 = 111

    public static func publicKey(of privateKey: SecretBytes) -> Bytes { EVPKey.publicKey(of: privateKey, "X448", size: publicSize) }

    public static func agree(_ privateKey: SecretBytes, _ publicKey: Bytes) -> SecretBytes? {
        EVPKey(private: privateKey, "X448", publicSize: publicSize).agree(EVPKey(public: publicKey, "X448"), size: 56)
    }
}
