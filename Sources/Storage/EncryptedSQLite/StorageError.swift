/// The reason why a database could not be opened, read or written.
public struct StorageError: Error, Sendable, CustomStringConvertible {
    /// The kind of error, from a closed set that is stable enough for metric labels.
    public enum Code: String, Sendable {
        /// The files cannot be created, read or written.
        case unavailable
        /// The database was written by a newer version: opening it could lose data.
        case newerDatabase
        /// Another process, or another part of this one, uses the same data folder.
        case locked
        /// A stored value cannot be read as it was written.
        case corrupt
        /// The database was closed.
        case closed
        /// A key is needed, and none was given.
        case keyNeeded
        /// The given key does not open the database.
        case wrongKey
        /// A key was given for a database that is not encrypted.
        case notEncrypted
        /// The given bytes or text cannot be a key.
        case invalidKey
        /// Another program wrote the database, or its log.
        case foreign
        /// The disk is full.
        case diskFull
        /// The disk fails to read or write.
        case inputOutput
    }

    /// The stable code.
    public let code: Code
    /// A sentence with the cause, for a person.
    public let message: String
    /// The underlying error, if there is one.
    public let cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The code, the message and the cause; no stored content.
    public var description: String { "\(code.rawValue): \(message)" + (cause.map { " (\($0))" } ?? "") }
}
