package import SMPWire

/// Key agreement on Curve448 (RFC 7748).
package enum X448: AgreementAlgorithm {
    package static let name = "X448"
    package static let publicSize = 56
    package static let privateSize = 56
    package static let identifier: UInt8 = 111

    package static func publicKey(of privateKey: SecretBytes) -> Bytes { EVPKey.publicKey(of: privateKey, "X448", size: publicSize) }

    package static func agree(_ privateKey: SecretBytes, _ publicKey: Bytes) -> SecretBytes? {
        EVPKey(private: privateKey, "X448", publicSize: publicSize).agree(EVPKey(public: publicKey, "X448"), size: 56)
    }
}
