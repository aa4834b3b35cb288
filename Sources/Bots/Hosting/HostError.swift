/// The reason why bots could not be started.
public struct HostError: Error, Sendable, CustomStringConvertible {
    /// The kind of fault; stable.
    public enum Code: String, Sendable {
        /// The data folder cannot be created or used.
        case dataFolder
        /// Another process uses the data folder.
        case dataFolderInUse
        /// The key of the databases cannot be read.
        case databaseKey
        /// A router's address cannot be read.
        case serverAddress
        /// Routers and preset operators are both named.
        case serversAndOperators
        /// The conditions of use of the preset operators are not accepted.
        case conditionsNotAccepted
        /// The router inside the process cannot run.
        case router
        /// Another program listens on the port of the router inside the process.
        case portInUse
        /// Metrics and health cannot be served.
        case monitoring
        /// The definition of the bots is invalid.
        case handlers
        /// The quarantine has no entry of that name.
        case quarantine
        /// A part of the data folder is missing.
        case folderPartMissing
        /// A part of the data folder is empty, and had content.
        case folderPartEmpty
        /// A part of the data folder is damaged.
        case folderPartDamaged
        /// A part of the data folder cannot be read.
        case folderPartUnreadable
        /// A part of the data folder is older than the others.
        case folderPartOlder
        /// A part of the data folder belongs to another folder.
        case folderPartForeign
        /// A backup is incomplete, or its target is in use.
        case backup
    }

    /// The stable code.
    public let code: Code
    /// A description of the error and its fix.
    public let message: String

    /// True if the cause is wrong input.
    package let isInput: Bool

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.init(code, message, isInput: code.isInput)
    }

    private init(_ code: Code, _ message: String, isInput: Bool) {
        self.code = code
        self.message = message
        self.isInput = isInput
    }

    /// Creates the error for a named folder that does not exist or has no profiles.
    package static func noDataFolder(_ message: String) -> HostError { HostError(.dataFolder, message, isInput: true) }

    /// A textual form, for messages and logs.
    public var description: String { message }
}

extension HostError.Code {
    /// True if the cause is wrong input.
    package var isInput: Bool {
        switch self {
        case .serverAddress, .serversAndOperators, .conditionsNotAccepted, .handlers, .databaseKey, .quarantine: true
        case .dataFolder, .dataFolderInUse, .router, .portInUse, .monitoring: false
        case .folderPartMissing, .folderPartEmpty, .folderPartDamaged, .folderPartUnreadable, .folderPartOlder, .folderPartForeign, .backup: false
        }
    }
}
