/// Why a chat message could not be read or made.
public struct ChatProtocolError: Error, Sendable, CustomStringConvertible {
    /// The kind of fault. Bounded and stable: usable as a metric label.
    public enum Code: String, Sendable, Hashable {
        /// There are no bytes.
        case emptyBody
        /// The first byte of a body or element is unknown.
        case unknownPrefix
        /// A binary part of a body is truncated or wrong.
        case malformedBinary
        /// The JSON of a message is malformed or lacks what its event needs.
        case malformedJSON
        /// The event is not one of chat clients: its tag does not start with `x.`.
        case unknownEvent
        /// A compressed part is corrupt, or does not tell its length.
        case malformedCompression
        /// A message is above the limit of its place, before or after compression or decompression.
        case tooLarge
        /// A part does not follow the one before it.
        case outOfOrder
        /// A body holds more messages than ``ChatLimits/messagesPerBody``.
        case tooManyMessages
    }

    /// The kind of fault.
    public let code: Code
    /// A description of the fault, without any part of the message's content.
    public let message: String
    /// The error of the layer below, if there is one.
    public let cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// A textual form, for messages and logs.
    public var description: String { cause.map { "\(code.rawValue): \(message) (\($0))" } ?? "\(code.rawValue): \(message)" }
}
