internal import ArgumentParser
internal import ChatProtocol
internal import Foundation
internal import Hosting
internal import RouterSupport
internal import SMPTransport

extension RouterCommandLine {
    /// `init`: makes the folder of a router.
    struct Init: AsyncParsableCommand {
        static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "init", abstract: "Make the folder of a \(Settings.words.title): its keys and \(Settings.words.file).",
                discussion: """
                    Asks on a terminal for what is not given. Nothing is overwritten: a folder that has a \(Settings.words.file) is refused. A password is \
                    taken from the environment variable PARLEY_ROUTER_PASSWORD, or made, and stands in the file `password` of the folder.
                    """)
        }

        @OptionGroup var folder: Folder

        @Option(help: "The name or address under which others reach this machine; can be given several times, the most wanted first.")
        var host: [String] = []

        @Option(help: "The address of the network interface to listen on.")
        var bind = "0.0.0.0"

        @Option(help: "The port to listen on.")
        var port = UInt16(clamping: Settings.defaults.port)

        @Option(name: .customLong(Settings.words.creationKey), help: "Who may \(Settings.words.create): everyone, password or nobody.")
        var creators: RouterSetup.Creators?

        @OptionGroup var options: Settings.Options

        @Option(help: "always: acknowledge what survives a loss of power; 1s, 200ms …: what survives the end of the process, and flush so often.")
        var fsync = "always"

        @Option(name: .customLong("metrics-port"), help: "Serve metrics for Prometheus on this port of 127.0.0.1.")
        var metricsPort: UInt16?

        func run() async throws {
            try folder.actAsOwner()
            let path = folder.data + "/" + RouterFile<Settings>.name
            guard !FileManager.default.fileExists(atPath: path) else {
                throw Outcome.BadInput(description: "\(path) is there already: change it with an editor, or choose another folder with --data")
            }
            var file = RouterFile<Settings>()
            file.hosts = try RouterSetup.hosts(host)
            file.bind = bind
            file.port = Int(port)
            file.fsync = try Durability(option: fsync)
            try file.settings.override(by: options)
            file.metricsPort = metricsPort.map(Int.init)
            let creators = try creators ?? RouterSetup.ask("Who may \(Settings.words.create) here", option: "--\(Settings.words.creationKey)")
            file.allowsCreation = creators != .nobody
            try write(&file, to: path, creators: creators)
        }

        /// Writes the keys, the password and the settings of a new router, and prints its address.
        private func write(_ file: inout RouterFile<Settings>, to path: String, creators: RouterSetup.Creators) throws {
            let words = Settings.words
            let credential = try ServerCredential.loadOrGenerate(in: folder.data, lifetime: file.certificateDays.map { .days($0) } ?? .unlimited)
            if creators == .password {
                file.passwordFile = "password"
                try RouterSetup.write(try RouterSetup.password() + "\n", to: folder.data + "/password")
            }
            try RouterSetup.write(file.text, to: path)
            let address = try file.address(credential, in: folder.data)
            if folder.json {
                return Output.line(["event": "initialised", "address": .string(address.text), "file": .string(path)])
            }
            Output.line("The router's settings are in \(path), its keys in the same folder. Its address will be")
            Output.link(address.text)
            if creators == .password { Output.line("\(words.creating) asks for the password in \(folder.data)/password.") }
            Output.line("The key of its identity, \(folder.data)/ca.key, issues its certificates: keep a copy where the router is not.")
            Output.line("Start it with: parley server \(words.command) start --data \(folder.data)")
        }
    }

    /// `address`: prints the address of a router.
    struct Address: AsyncParsableCommand {
        static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "address", abstract: "Print the address of a \(Settings.words.title), with a QR code on a terminal.")
        }

        @OptionGroup var folder: Folder

        @Flag(
            name: .customLong("with-password"),
            help: "The address as clients of your own take it: with the password for \(Settings.words.passwordUse).")
        var withPassword = false

        func run() async throws {
            let file = try RouterFile<Settings>(in: folder.data)
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
    }
}
