/// The reason why a router cannot start or continue.
public struct RouterError: Error, Sendable, CustomStringConvertible {
    /// A stable code from a fixed set, usable as a metric label.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// A setting is invalid.
        case invalidConfiguration
        /// Another process uses the data folder.
        case inUse
        /// The data was written by a later version.
        case newerFormat
        /// Stored data is damaged: the router serves nothing rather than wrong data.
        case corrupted
        /// The storage cannot be read or written.
        case storage
        /// Another listener uses the address.
        case addressInUse
        /// The address cannot be listened on, or the certificates cannot be used.
        case transport
        /// The router has stopped.
        case stopped
    }

    /// The stable code.
    public let code: Code
    /// A message that a person can act on.
    public let message: String
    /// The error that led to this one.
    public let cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// A textual form, for messages and logs.
    public var description: String { "\(code.rawValue): \(message)" + (cause.map { " (\($0))" } ?? "") }
}
