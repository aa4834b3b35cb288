/// Why a file could not be encrypted, decrypted, read or written.
package struct FileFormatError: Error, Sendable, CustomStringConvertible {
    /// The kind of fault. Bounded and stable: usable as a metric label.
    package enum Code: String, Sendable, Hashable {
        /// The encrypted file does not begin with a length and a header.
        case invalidHeader
        /// A file is shorter or longer than it must be.
        case invalidSize
        /// A file was made with another key, or was changed.
        case invalidTag
        /// A digest is another than the description says.
        case invalidDigest
        /// The file is too large.
        case tooLarge
        /// The system refused to open, read or write a file.
        case io
        /// The operation was cancelled.
        case cancelled
    }

    package let code: Code
    /// A description of the error, for a person.
    package let message: String

    /// True if there is no file at the path that was opened. Any other refusal may pass.
    package let isMissing: Bool

    package init(_ code: Code, _ message: String, isMissing: Bool = false) {
        self.code = code
        self.message = message
        self.isMissing = isMissing
    }

    package var description: String { "\(code.rawValue): \(message)" }
}
