internal import ArgumentParser
internal import Logging
internal import SMPProtocol
internal import SMPWire

/// The settings that only one kind of router has, and the words for that kind in its settings file and its commands.
protocol RouterSettings: Sendable {
    /// The options of `init` and `start` that only this kind has.
    associatedtype Options: ParsableArguments
    /// The output of `stats` for a person.
    associatedtype Report: RouterReport

    static var words: RouterWords { get }
    static var defaults: RouterDefaults { get }
    /// The keys of the settings file.
    static var keys: [String] { get }
    /// The commands of the operator that only this kind has.
    static var commands: [any ParsableCommand.Type] { get }

    init()
    /// Reads the keys of this kind.
    mutating func read(_ file: RouterFileReader)
    /// Replaces settings by options of the command line.
    mutating func override(by options: Options) throws
    /// The part of the file between the address and the certificate, in which everything that can be set is explained.
    static func text(of file: RouterFile<Self>) -> String
    /// The address of the router; nil for too many hosts.
    static func address(hosts: [TransportHost], port: Int, keyHash: KeyHash, password: BasicAuth?) -> RouterAddress?
    /// The function that starts the router of a folder.
    ///
    /// - Throws: ``Outcome/BadInput`` if the password cannot be read.
    static func starter(_ file: RouterFile<Self>, in folder: String, logger: Logger) throws -> RouterService.Starter
    /// Compacts the journal of a router that does not run.
    ///
    /// - Returns: its bytes before and after; nil if this kind cannot do that.
    static func compactStopped(_ file: RouterFile<Self>, in folder: String, logger: Logger) async throws -> (before: Int, after: Int)?
}

/// The words for a kind of router.
struct RouterWords: Sendable {
    /// The command, which is also the scheme of addresses.
    let command: String
    /// The name of the kind, where kinds must be distinguished.
    let kind: String
    /// The name of the kind, where it is clear which router is meant.
    let title: String
    /// The data folder by default.
    let folder: String
    /// The contents of the data folder.
    let contents: String
    /// The settings file in the data folder.
    let file: String
    /// The key of the file's version.
    let versionKey: String
    /// The key of the file, and the option, that says who may create something.
    let creationKey: String
    /// The key of the file with the number that one address may create in an hour.
    let creationsPerAddressKey: String
    /// The verb phrase for what clients may create, such as "upload files".
    let create: String
    /// The same as the beginning of a sentence.
    let creating: String
    /// The use of the password, after "the password for".
    let passwordUse: String
    /// The sentence about the durability of what the router has accepted.
    let promise: String
    /// True if the journal of a router that does not run can be compacted.
    let compactsStopped: Bool
    /// The port of metrics in the example.
    let metricsPort: Int
}

/// The settings of a kind of router that differ from those of other kinds only in what holds without them.
struct RouterDefaults: Sendable {
    let port: Int
    let connections: Int
    let connectionsPerAddress: Int
    let handshakes: Int
}

/// The address of a router, as others use it and as its owner's clients do.
struct RouterAddress {
    let text: String
    let textWithPassword: String
}
