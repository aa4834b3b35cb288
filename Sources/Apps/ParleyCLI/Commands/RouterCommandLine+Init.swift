internal import ArgumentParser
internal import ChatProtocol
internal import Foundation
internal import Parley
internal import SMPCrypto
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
        var newQueues: NewQueues?

        @Option(help: "always: acknowledge what survives a loss of power; 1s, 200ms …: what survives the end of the process, and flush so often.")
        var fsync = "always"

        @Option(name: .customLong("metrics-port"), help: "Serve metrics for Prometheus on this port of 127.0.0.1.")
        var metricsPort: UInt16?

        enum NewQueues: String, ExpressibleByArgument, CaseIterable { case everyone, password, nobody }

        func run() async throws {
            try folder.actAsOwner()
            let path = folder.data + "/" + RouterFile.name
            guard !FileManager.default.fileExists(atPath: path) else {
                throw Outcome.BadInput(description: "\(path) is there already: change it with an editor, or choose another folder with --data")
            }
            var file = RouterFile()
            file.hosts = try hosts()
            file.bind = bind
            file.port = Int(port)
            guard let policy = Durability(argument: fsync) else { throw Outcome.BadInput(description: "--fsync: " + Durability.help(for: fsync)) }
            file.fsync = policy
            file.metricsPort = metricsPort.map(Int.init)
            let who = try newQueues ?? askNewQueues()
            file.allowsNewQueues = who != .nobody

            let credential = try ServerCredential.loadOrGenerate(in: folder.data, lifetime: file.certificateDays.map { .days($0) } ?? .unlimited)
            if who == .password {
                file.passwordFile = "password"
                try Self.write(try password() + "\n", to: folder.data + "/password")
            }
            try Self.write(file.text, to: path)
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

        private func hosts() throws -> [String] {
            var names = host
            if names.isEmpty { names = [try Self.ask("The name or address under which others reach this machine: ", option: "--host")] }
            for name in names where (try? TransportHost(wireString: name)) == nil {
                throw Outcome.BadInput(description: "--host: \"\(name)\" is not the name or the address of a host")
            }
            return names
        }

        private func askNewQueues() throws -> NewQueues {
            guard Self.isInteractive else { return .everyone }
            let answer = try Self.ask("Who may create queues here (everyone, password, nobody)? ", option: "--new-queues")
            guard let who = NewQueues(rawValue: answer) else {
                throw Outcome.BadInput(description: "\"\(answer)\" is not one of everyone, password and nobody")
            }
            return who
        }

        private func password() throws -> String {
            let given = ProcessInfo.processInfo.environment["PARLEY_ROUTER_PASSWORD"] ?? ""
            if given.isEmpty { return Base64URL.encode(SystemRandomSource().bytes(18), padded: false) }
            guard (try? BasicAuth(wireString: given)) != nil else {
                throw Outcome.BadInput(description: "PARLEY_ROUTER_PASSWORD must be printable characters without spaces, @, : and /")
            }
            return given
        }

        private static let isInteractive = isatty(STDIN_FILENO) == 1 && Output.isTerminal

        private static func ask(_ question: String, option: String) throws -> String {
            guard isInteractive else { throw Outcome.BadInput(description: "\(option) is missing") }
            Output.show(prompt: question)
            defer { Output.endPrompt() }
            guard let answer = readLine()?.trimmingCharacters(in: .whitespaces), !answer.isEmpty else {
                throw Outcome.BadInput(description: "nothing was answered")
            }
            return answer
        }

        /// Makes a file that only its owner reads, whole or not at all.
        private static func write(_ text: String, to path: String) throws {
            let temporary = path + ".new"
            let isMade = FileManager.default.createFile(atPath: temporary, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
            guard isMade, rename(temporary, path) == 0 else {
                throw Outcome.Failed("router.storage", description: "\(path) cannot be written: \(String(cString: strerror(errno)))")
            }
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
