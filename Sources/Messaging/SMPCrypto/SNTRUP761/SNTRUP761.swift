package import SMPWire

/// Streamlined NTRU Prime 761, a post-quantum key encapsulation mechanism (draft-josefsson-ntruprime-streamlined).
package enum SNTRUP761 {
    package static let publicKeySize = 1158
    package static let secretKeySize = 1763
    package static let ciphertextSize = 1039
    package static let sharedSecretSize = 32

    /// 32 bytes that both sides end up with.
    package typealias SharedSecret = SecretBytes

    /// The key to which the other side encapsulates: 1158 bytes.
    package struct PublicKey: Hashable, Sendable {
        package let bytes: Bytes

        /// - Throws: ``CryptoError`` `invalidKey` unless there are 1158 bytes.
        package init(_ bytes: Bytes) throws(CryptoError) {
            guard bytes.count == publicKeySize else { throw CryptoError(.invalidKey, "a KEM public key has 1158 bytes") }
            self.bytes = bytes
        }

        init(unchecked bytes: Bytes) { self.bytes = bytes }
    }

    /// The key that decapsulates: 1763 bytes, including the public key.
    package struct SecretKey: Sendable, Equatable {
        package let bytes: SecretBytes

        /// - Throws: ``CryptoError`` `invalidKey` unless there are 1763 bytes.
        package init(_ bytes: SecretBytes) throws(CryptoError) {
            guard bytes.count == secretKeySize else { throw CryptoError(.invalidKey, "a KEM secret key has 1763 bytes") }
            self.bytes = bytes
        }

        init(unchecked bytes: SecretBytes) { self.bytes = bytes }
    }

    /// The message to the owner of the public key: 1039 bytes.
    package struct Ciphertext: Hashable, Sendable {
        package let bytes: Bytes

        /// - Throws: ``CryptoError`` `invalidSize` unless there are 1039 bytes.
        package init(_ bytes: Bytes) throws(CryptoError) {
            guard bytes.count == ciphertextSize else { throw CryptoError(.invalidSize, "a KEM ciphertext has 1039 bytes") }
            self.bytes = bytes
        }

        init(unchecked bytes: Bytes) { self.bytes = bytes }
    }

    package struct KeyPair: Sendable, Equatable {
        package let publicKey: PublicKey
        package let secretKey: SecretKey

        package init(publicKey: PublicKey, secretKey: SecretKey) {
            self.publicKey = publicKey
            self.secretKey = secretKey
        }
    }

    /// A fresh secret and its ciphertext.
    package struct Encapsulation: Sendable {
        package let ciphertext: Ciphertext
        package let sharedSecret: SharedSecret

        package init(ciphertext: Ciphertext, sharedSecret: SharedSecret) {
            self.ciphertext = ciphertext
            self.sharedSecret = sharedSecret
        }
    }
}

extension SNTRUP761.PublicKey: WireCodable, StringCodable {
    /// The bytes behind a two-byte length.
    package func encode(to writer: inout WireWriter) { writer.write(large: bytes) }

    package init(from parser: inout WireParser) throws(WireError) {
        bytes = try parser.sized(SNTRUP761.publicKeySize, "a KEM public key")
    }

    /// Base64url of the bytes.
    package func encodeString(to writer: inout WireWriter) { writer.write(text: Base64URL.encode(bytes)) }

    package init(fromString parser: inout WireParser) throws(WireError) {
        bytes = try parser.sizedString(SNTRUP761.publicKeySize, "a KEM public key")
    }
}

extension SNTRUP761.Ciphertext: WireCodable, StringCodable {
    /// The bytes behind a two-byte length.
    package func encode(to writer: inout WireWriter) { writer.write(large: bytes) }

    package init(from parser: inout WireParser) throws(WireError) {
        bytes = try parser.sized(SNTRUP761.ciphertextSize, "a KEM ciphertext")
    }

    /// Base64url of the bytes.
    package func encodeString(to writer: inout WireWriter) { writer.write(text: Base64URL.encode(bytes)) }

    package init(fromString parser: inout WireParser) throws(WireError) {
        bytes = try parser.sizedString(SNTRUP761.ciphertextSize, "a KEM ciphertext")
    }
}

extension WireParser {
    /// Bytes behind a two-byte length that must be `size`.
    fileprivate mutating func sized(_ size: Int, _ subject: String) throws(WireError) -> Bytes {
        let start = offset
        let bytes = try large()
        guard bytes.count == size else { throw WireError(.invalidValue, "\(subject) has \(size) bytes", at: start) }
        return bytes
    }

    fileprivate mutating func sizedString(_ size: Int, _ subject: String) throws(WireError) -> Bytes {
        let start = offset
        let bytes = try base64URL()
        guard bytes.count == size else { throw WireError(.invalidValue, "\(subject) has \(size) bytes", at: start) }
        return bytes
    }
}
