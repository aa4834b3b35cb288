package import SMPCrypto

/// Why keys could not be agreed on, or a message not be encrypted or decrypted.
///
/// Nothing of keys or plaintext is in an error, so it may be logged.
package struct RatchetError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of fault, with the counts that belong to it.
    package enum Code: Sendable, Hashable {
        /// The peer's bytes are not a message or a header.
        case malformedMessage
        /// No key decrypts the header: the ratchets are out of step, or the message is not for this ratchet.
        case header
        /// The last message of the chain came again.
        case duplicateMessage
        /// A message before the last one came whose key is not kept: it came again. The number says how many before the last one.
        case earlierMessage(UInt32)
        /// More messages are missing before this one than ``Ratchet/maximumSkipped``; the number counts them and the message itself.
        case tooManySkipped(UInt32)
        /// The body was made with another key, or was changed on its way.
        case decryptionFailed
        /// The decrypted bytes are shorter than the length that they declare.
        case invalidPadding
        /// The message, or its header, does not fit its padded length.
        case messageTooLong
        /// Nothing was received yet, and this side may only send after that.
        case cannotSend
        /// The peer accepts a KEM key that was not proposed to it, or proposes none where it must.
        case kemState
        /// A key of the peer gives no shared secret.
        case invalidKey
        /// Stored state cannot be read, or was stored by a later version.
        case malformedState
        /// The cryptographic library refused an operation that is valid.
        case libraryFailure

        /// Stable and bounded: usable as a metric label.
        package var name: String {
            switch self {
            case .malformedMessage: "malformedMessage"
            case .header: "header"
            case .duplicateMessage: "duplicateMessage"
            case .earlierMessage: "earlierMessage"
            case .tooManySkipped: "tooManySkipped"
            case .decryptionFailed: "decryptionFailed"
            case .invalidPadding: "invalidPadding"
            case .messageTooLong: "messageTooLong"
            case .cannotSend: "cannotSend"
            case .kemState: "kemState"
            case .invalidKey: "invalidKey"
            case .malformedState: "malformedState"
            case .libraryFailure: "libraryFailure"
            }
        }
    }

    package let code: Code
    /// A description of the error, for a person.
    package let message: String
    /// The fault below this one.
    package let cause: CryptoError?

    package init(_ code: Code, _ message: String, cause: CryptoError? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    package var description: String {
        let counted =
            switch code {
            case .earlierMessage(let count), .tooManySkipped(let count): "\(code.name)(\(count))"
            default: code.name
            }
        return "\(counted): \(message)" + (cause.map { " (\($0))" } ?? "")
    }
}

extension RatchetError {
    init(_ error: CryptoError) {
        let code: Code =
            switch error.code {
            case .invalidKey: .invalidKey
            case .decryptionFailed: .decryptionFailed
            case .messageTooLong: .messageTooLong
            case .invalidPadding: .invalidPadding
            case .invalidSize, .invalidSignature, .libraryFailure: .libraryFailure
            }
        self.init(code, error.message, cause: error)
    }
}

/// Runs what can fail in cryptography, with the errors of this module.
func mapping<Result>(_ body: () throws(CryptoError) -> Result) throws(RatchetError) -> Result {
    do {
        return try body()
    } catch {
        throw RatchetError(error)
    }
}
