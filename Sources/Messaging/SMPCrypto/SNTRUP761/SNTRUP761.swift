public import SMPWire

/// Streamlined NTRU Prime 761, a post-quantum key encapsulation mechanism (draft-josefsson-ntruprime-streamlined).
public enum SNTRUP761 {
    public static let publicKeySize = 1158
    public static let secretKeySize = 1763
    public static let ciphertextSize = 1039
    public static let sharedSecretSize = 32

    /// 32 bytes that both sides end up with.
    public typealias SharedSecret = SecretBytes

    /// The key to which the other side encapsulates: 1158 bytes.
    public struct PublicKey: Hashable, Sendable {
        public let bytes: Bytes

        /// - Throws: ``CryptoError`` `invalidKey` unless there are 1158 bytes.
        public init(_ bytes: Bytes) throws(CryptoError) {
            guard bytes.count == publicKeySize else { throw CryptoError(.invalidKey, "a KEM public key has 1158 bytes") }
            self.bytes = bytes
        }

        init(unchecked bytes: Bytes) { self.bytes = bytes }
    }

    /// The key that decapsulates: 1763 bytes, including the public key.
    public struct SecretKey: Sendable, Equatable {
        public let bytes: SecretBytes

        /// - Throws: ``CryptoError`` `invalidKey` unless there are 1763 bytes.
        public init(_ bytes: SecretBytes) throws(CryptoError) {
            guard bytes.count == secretKeySize else { throw CryptoError(.invalidKey, "a KEM secret key has 1763 bytes") }
            self.bytes = bytes
        }

        init(unchecked bytes: SecretBytes) { self.bytes = bytes }
    }

    /// The message to the owner of the public key: 1039 bytes.
    public struct Ciphertext: Hashable, Sendable {
        public let bytes: Bytes

        /// - Throws: ``CryptoError`` `invalidSize` unless there are 1039 bytes.
        public init(_ bytes: Bytes) throws(CryptoError) {
            guard bytes.count == ciphertextSize else { throw CryptoError(.invalidSize, "a KEM ciphertext has 1039 bytes") }
            self.bytes = bytes
        }

        init(unchecked bytes: Bytes) { self.bytes = bytes }
    }

    public struct KeyPair: Sendable, Equatable {
        public let publicKey: PublicKey
        public let secretKey: SecretKey

        public init(publicKey: PublicKey, secretKey: SecretKey) {
            self.publicKey = publicKey
            self.secretKey = secretKey
        }
    }

    /// A fresh secret and its ciphertext.
    public struct Encapsulation: Sendable {
        public let ciphertext: Ciphertext
        public let sharedSecret: SharedSecret

        public init(ciphertext: Ciphertext, sharedSecret: SharedSecret) {
            self.ciphertext = ciphertext
            self.sharedSecret = sharedSecret
        }
    }
}

extension SNTRUP761.PublicKey: WireCodable, StringCodable {
    /// The bytes behind a two-byte length.
    public func encode(to writer: inout WireWriter) { writer.write(large: bytes) }

    public init(from parser: inout WireParser) throws(WireError) {
        bytes = try parser.sized(SNTRUP761.publicKeySize, "a KEM public key")
    }

    /// Base64url of the bytes.
    public func encodeString(to writer: inout WireWriter) { writer.write(text: Base64URL.encode(bytes)) }

    public init(fromString parser: inout WireParser) throws(WireError) {
        bytes = try parser.sizedString(SNTRUP761.publicKeySize, "a KEM public key")
    }
}

extension SNTRUP761.Ciphertext: WireCodable, StringCodable {
    /// The bytes behind a two-byte length.
    public func encode(to writer: inout WireWriter) { writer.write(large: bytes) }

    public init(from parser: inout WireParser) throws(WireError) {
        bytes = try parser.sized(SNTRUP761.ciphertextSize, "a KEM ciphertext")
    }

    /// Base64url of the bytes.
    public func encodeString(to writer: inout WireWriter) { writer.write(text: Base64URL.encode(bytes)) }

    public init(fromString parser: inout WireParser) throws(WireError) {
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
