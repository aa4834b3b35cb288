/// Why bytes or text could not be read as a protocol value.
///
/// The offset counts bytes from the start of the input that the parser was made for, so that a fault in the middle of a
/// 16 KiB block or of a link that a person pasted can be pointed at.
public struct WireError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of fault. Bounded and stable: usable as a metric label.
    public enum Code: String, Sendable, Hashable {
        /// The input ends before the value does.
        case truncated
        /// Bytes are left over after the value.
        case trailingBytes
        /// A byte, tag or character is not allowed here.
        case invalidValue
        /// A length or count is above what this place allows.
        case tooLong
    }

    /// The stable code.
    public let code: Code
    /// The name of the value that was being read.
    public let subject: String
    /// Bytes from the start of the input.
    public let offset: Int

    /// Creates an error.
    public init(_ code: Code, _ subject: String, at offset: Int = 0) {
        self.code = code
        self.subject = subject
        self.offset = offset
    }

    /// A textual form, for messages and logs.
    public var description: String { "\(code.rawValue) at byte \(offset): \(subject)" }
}
