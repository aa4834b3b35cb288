/// Why the socket of the API could not be opened.
public struct SocketFault: Error, Sendable, CustomStringConvertible {
    /// The kind of fault; stable.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The port is in use or may not be used.
        case port
    }

    public let code: Code
    /// A description of the error and its fix.
    public let message: String
    /// The underlying error.
    public let cause: any Error

    init(_ code: Code, _ message: String, cause: any Error) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    public var description: String { "\(message) (\(cause))" }
}
