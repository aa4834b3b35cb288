internal import ArgumentParser
internal import ChatProtocol
internal import Foundation
internal import SMPProtocol
internal import SMPServer
internal import SMPTransport
internal import SMPWire

/// The options that name the data folder of a router of any kind.
protocol RouterFolder {
    var data: String { get }
    var json: Bool { get }
    var control: ControlClient { get }
}

extension RouterFolder {
    /// Becomes the owner of the folder. To be called before anything is written there.
    func actAsOwner() throws { try FolderOwner.become(of: data) }
}

/// The settings file of a router of any kind.
protocol RouterSettings {
    /// The name of the file in the data folder.
    static var name: String { get }
    /// The word for the kind of router in commands.
    static var kind: String { get }
    /// The work that a password protects, as the beginning of a sentence.
    static var creation: String { get }

    var hosts: [String] { get set }
    var bind: String { get set }
    var port: Int { get set }
    var passwordFile: String? { get set }
    var fsync: Durability { get set }
    var metricsPort: Int? { get set }
    var certificateDays: Int? { get }
    /// The file as text.
    var text: String { get }

    init(in folder: String) throws
    /// The address of the router; nil for too many hosts.
    func address(hosts: [TransportHost], keyHash: KeyHash, password: BasicAuth?) -> RouterAddress?
}

/// The address of a router, as others use it and as its owner's clients do.
struct RouterAddress {
    let text: String
    let textWithPassword: String
}

extension RouterSettings {
    /// The password for creating something on the router; nil if there is none.
    func password(in folder: String) throws -> BasicAuth? { try RouterSetup.password(inFile: passwordFile, folder: folder) }

    /// The address of the router of a folder.
    func address(_ credential: ServerCredential, in folder: String) throws -> RouterAddress {
        let hosts = (hosts.isEmpty ? ["127.0.0.1"] : hosts).compactMap { try? TransportHost(wireString: $0) }
        guard let address = address(hosts: hosts, keyHash: KeyHash(credential.fingerprint), password: try password(in: folder)) else {
            throw Outcome.BadInput(description: "the router's address has too many hosts")
        }
        return address
    }

    /// Refuses a folder that has a settings file.
    static func checkIsNew(in folder: String) throws {
        let path = folder + "/" + name
        guard !FileManager.default.fileExists(atPath: path) else {
            throw Outcome.BadInput(description: "\(path) is there already: change it with an editor, or choose another folder with --data")
        }
    }

    /// Writes the keys, the password and the settings of a new router, and prints its address.
    mutating func initialise(in folder: some RouterFolder, creators: RouterSetup.Creators) throws {
        let path = folder.data + "/" + Self.name
        let credential = try ServerCredential.loadOrGenerate(in: folder.data, lifetime: certificateDays.map { .days($0) } ?? .unlimited)
        if creators == .password {
            passwordFile = "password"
            try RouterSetup.write(try RouterSetup.password() + "\n", to: folder.data + "/password")
        }
        try RouterSetup.write(text, to: path)
        let address = try address(credential, in: folder.data)
        if folder.json {
            return Output.line(["event": "initialised", "address": .string(address.text), "file": .string(path)])
        }
        Output.line("The router's settings are in \(path), its keys in the same folder. Its address will be")
        Output.link(address.text)
        if creators == .password { Output.line("\(Self.creation) asks for the password in \(folder.data)/password.") }
        Output.line("The key of its identity, \(folder.data)/ca.key, issues its certificates: keep a copy where the router is not.")
        Output.line("Start it with: parley server \(Self.kind) start --data \(folder.data)")
    }

    /// Prints the address of the router of a folder.
    static func showAddress(in folder: some RouterFolder, withPassword: Bool) throws {
        let file = try Self(in: folder.data)
        let credential: ServerCredential
        do {
            credential = try ServerCredential.load(from: folder.data)
        } catch {
            throw Outcome.BadInput(description: "there is no router in \(folder.data): \(error.message)")
        }
        let address = try file.address(credential, in: folder.data)
        let text = withPassword ? address.textWithPassword : address.text
        if folder.json { Output.line(["address": .string(text)]) } else { Output.link(text, indent: "") }
    }

    /// Replaces settings by options of the command line.
    mutating func override(host: String?, bind: String?, port: UInt16?, fsync: String?, metricsPort: UInt16?) throws {
        if let port { self.port = Int(port) }
        if let bind { self.bind = bind }
        if let host {
            guard (try? TransportHost(wireString: host)) != nil else {
                throw Outcome.BadInput(description: "--host: \"\(host)\" is not the name or the address of a host")
            }
            hosts = [host]
        } else if hosts.isEmpty {
            hosts = ["127.0.0.1"]
        }
        if let fsync { self.fsync = try Durability(option: fsync) }
        if let metricsPort { self.metricsPort = Int(metricsPort) }
    }
}

extension Durability {
    /// Reads the option `--fsync`.
    init(option text: String) throws {
        guard let policy = Durability(argument: text) else { throw Outcome.BadInput(description: "--fsync: " + Durability.help(for: text)) }
        self = policy
    }
}
