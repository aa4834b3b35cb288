/// The reason why a socket of the API could not be opened.
package struct SocketFault: Error, Sendable, CustomStringConvertible {
    /// The kind of fault; stable.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// The port is in use or may not be used.
        case port
        /// The Unix socket cannot be made, or nobody answers at it.
        case localSocket
    }

    package let code: Code
    /// A description of the error and its fix.
    package let message: String
    /// The underlying error.
    package let cause: any Error

    init(_ code: Code, _ message: String, cause: any Error) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    package var description: String { "\(message) (\(cause))" }
}
