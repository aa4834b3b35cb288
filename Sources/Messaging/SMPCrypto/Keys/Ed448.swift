package import SMPWire

/// Signatures on Edwards448 (RFC 8032).
package enum Ed448: SignatureAlgorithm {
    package static let name = "Ed448"
    package static let publicSize = 57
    package static let privateSize = 57
    package static let signatureSize = 114
    package static let identifier: UInt8 = 113

    package static func publicKey(of privateKey: SecretBytes) -> Bytes { EVPKey.publicKey(of: privateKey, "ED448", size: publicSize) }

    package static func sign(_ message: Bytes, privateKey: SecretBytes, publicKey: Bytes) -> Bytes {
        EVPKey(private: privateKey, "ED448", public: publicKey).sign(message, size: signatureSize)
    }

    package static func verify(_ signature: Bytes, message: Bytes, publicKey: Bytes) -> Bool {
        EVPKey(public: publicKey, "ED448").verify(signature, message)
    }
}
