internal import ArgumentParser
internal import ChatProtocol
internal import Foundation
internal import Parley
internal import SMPProtocol
internal import SMPServer
internal import SMPTransport
internal import SMPWire

extension RouterCommandLine {
    /// `parley server smp init`.
    struct Init: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "init", abstract: "Make the folder of a router: its keys and router.yaml.",
            discussion: """
                Asks on a terminal for what is not given. Nothing is overwritten: a folder that has a router.yaml is refused. A password is \
                taken from the environment variable PARLEY_ROUTER_PASSWORD, or made, and stands in the file `password` of the folder.
                """)

        @OptionGroup var folder: Folder

        @Option(help: "The name or address under which others reach this machine; can be given several times, the most wanted first.")
        var host: [String] = []

        @Option(help: "The address of the network interface to listen on.")
        var bind = "0.0.0.0"

        @Option(help: "The port to listen on.")
        var port: UInt16 = 5223

        @Option(name: .customLong("new-queues"), help: "Who may create queues: everyone, password or nobody.")
        var newQueues: RouterSetup.Creators?

        @Option(help: "always: acknowledge what survives a loss of power; 1s, 200ms …: what survives the end of the process, and flush so often.")
        var fsync = "always"

        @Option(name: .customLong("metrics-port"), help: "Serve metrics for Prometheus on this port of 127.0.0.1.")
        var metricsPort: UInt16?

        func run() async throws {
            try folder.actAsOwner()
            let path = folder.data + "/" + RouterFile.name
            guard !FileManager.default.fileExists(atPath: path) else {
                throw Outcome.BadInput(description: "\(path) is there already: change it with an editor, or choose another folder with --data")
            }
            var file = RouterFile()
            file.hosts = try RouterSetup.hosts(host)
            file.bind = bind
            file.port = Int(port)
            guard let policy = Durability(argument: fsync) else { throw Outcome.BadInput(description: "--fsync: " + Durability.help(for: fsync)) }
            file.fsync = policy
            file.metricsPort = metricsPort.map(Int.init)
            let who = try newQueues ?? RouterSetup.ask("Who may create queues here", option: "--new-queues")
            file.allowsNewQueues = who != .nobody

            let credential = try ServerCredential.loadOrGenerate(in: folder.data, lifetime: file.certificateDays.map { .days($0) } ?? .unlimited)
            if who == .password {
                file.passwordFile = "password"
                try RouterSetup.write(try RouterSetup.password() + "\n", to: folder.data + "/password")
            }
            try RouterSetup.write(file.text, to: path)
            let address = try RouterAddress(file, credential, in: folder.data)
            if folder.json {
                return Output.line(["event": "initialised", "address": .string(address.text), "file": .string(path)])
            }
            Output.line("The router's settings are in \(path), its keys beside it. Its address will be")
            Output.link(address.text)
            if who == .password { Output.line("Creating queues asks for the password in \(folder.data)/password.") }
            Output.line("The key of its identity, \(folder.data)/ca.key, issues its certificates: keep a copy where the router is not.")
            Output.line("Start it with: parley server smp start --data \(folder.data)")
        }
    }

    /// `parley server smp address`.
    struct Address: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "address", abstract: "Print the address of a router, with a QR code on a terminal.")

        @OptionGroup var folder: Folder

        @Flag(name: .customLong("with-password"), help: "The address as clients of your own take it: with the password for new queues.")
        var withPassword = false

        func run() async throws {
            let file = try RouterFile(in: folder.data)
            let credential: ServerCredential
            do {
                credential = try ServerCredential.load(from: folder.data)
            } catch {
                throw Outcome.BadInput(description: "there is no router in \(folder.data): \(error.message)")
            }
            let address = try RouterAddress(file, credential, in: folder.data)
            let text = withPassword ? address.textWithPassword : address.text
            if folder.json { Output.line(["address": .string(text)]) } else { Output.link(text, indent: "") }
        }
    }
}

/// Where clients find the router of a folder.
private struct RouterAddress {
    let text: String
    let textWithPassword: String

    init(_ file: RouterFile, _ credential: ServerCredential, in folder: String) throws {
        let hosts = (file.hosts.isEmpty ? ["127.0.0.1"] : file.hosts).compactMap { try? TransportHost(wireString: $0) }
        let port = file.port == 5223 ? nil : UInt16(file.port)
        guard let address = SMPServerAddress(hosts: hosts, port: port, keyHash: KeyHash(credential.fingerprint)) else {
            throw Outcome.BadInput(description: "the router's address has too many hosts")
        }
        text = address.wireString
        textWithPassword = SMPServerWithAuth(address, basicAuth: try file.password(in: folder)).wireString
    }
}
