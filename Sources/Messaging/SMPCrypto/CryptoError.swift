/// The reason why a cryptographic operation failed.
///
/// Errors contain no keys or plaintext, so they may be logged.
public struct CryptoError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of fault. Stable and from a fixed set: usable as a metric label.
    public enum Code: String, Sendable, Hashable {
        /// A key has the wrong size, algorithm or encoding, or the peer's key gives no shared secret.
        case invalidKey
        /// A signature or authenticator has the wrong size or does not belong to the message.
        case invalidSignature
        /// Bytes of a fixed size (nonce, IV, ciphertext of the KEM …) have another size.
        case invalidSize
        /// The ciphertext was made with another key or nonce, or was changed later.
        case decryptionFailed
        /// The message does not fit its padded length.
        case messageTooLong
        /// The decrypted bytes are shorter than the length they declare.
        case invalidPadding
        /// The cryptographic library refused a valid operation.
        case libraryFailure
    }

    /// The stable code.
    public let code: Code
    /// A description of the attempt, for a person.
    public let message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// A textual form, for messages and logs.
    public var description: String { "\(code.rawValue): \(message)" }
}
