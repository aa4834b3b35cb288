internal import ArgumentParser
internal import ChatProtocol
internal import Foundation
internal import Parley
internal import SMPProtocol
internal import SMPServer
internal import SMPTransport
internal import SMPWire

/// `parley server xftp`: a file router, and what its operator does.
struct FileRouterCommandLine: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "xftp", abstract: "Run a file router.",
        subcommands: [Init.self, Start.self, Address.self, Stats.self, Compact.self, Chunk.self, Renew.self], defaultSubcommand: Start.self)

    /// The folder of a file router.
    struct Folder: ParsableArguments, RouterFolder {
        @Option(help: "The folder for keys, files and file-router.yaml.")
        var data = "parley-file-router-data"

        @Flag(help: "Print JSON, one object a line, for scripts.")
        var json = false

        var control: ControlClient { ControlClient(folder: data, kind: "xftp") }
    }

    /// `parley server xftp init`.
    struct Init: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "init", abstract: "Make the folder of a file router: its keys and file-router.yaml.",
            discussion: """
                Asks on a terminal for what is not given. Nothing is overwritten: a folder that has a file-router.yaml is refused. A password is \
                taken from the environment variable PARLEY_ROUTER_PASSWORD, or made, and stands in the file `password` of the folder.
                """)

        @OptionGroup var folder: Folder

        @Option(help: "The name or address under which others reach this machine; can be given several times, the most wanted first.")
        var host: [String] = []

        @Option(help: "The address of the network interface to listen on.")
        var bind = "0.0.0.0"

        @Option(help: "The port to listen on.")
        var port: UInt16 = 443

        @Option(name: .customLong("new-files"), help: "Who may upload files: everyone, password or nobody.")
        var newFiles: RouterSetup.Creators?

        @Option(help: "Bytes of all files at most: 500mb, 20gb, 2tb. [default: as much as the disk takes]")
        var quota: String?

        @Option(help: "always: acknowledge what survives a loss of power; 1s, 200ms …: what survives the end of the process, and flush so often.")
        var fsync = "always"

        @Option(name: .customLong("metrics-port"), help: "Serve metrics for Prometheus on this port of 127.0.0.1.")
        var metricsPort: UInt16?

        func run() async throws {
            try folder.actAsOwner()
            try FileRouterFile.checkIsNew(in: folder.data)
            var file = FileRouterFile()
            file.hosts = try RouterSetup.hosts(host)
            file.bind = bind
            file.port = Int(port)
            file.fsync = try Durability(option: fsync)
            file.quota = try quota.map(Start.bytes)
            file.metricsPort = metricsPort.map(Int.init)
            let creators = try newFiles ?? RouterSetup.ask("Who may upload files here", option: "--new-files")
            file.allowsNewFiles = creators != .nobody
            try file.initialise(in: folder, creators: creators)
        }
    }

    /// `parley server xftp address`.
    struct Address: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "address", abstract: "Print the address of a file router, with a QR code on a terminal.")

        @OptionGroup var folder: Folder

        @Flag(name: .customLong("with-password"), help: "The address as clients of your own take it: with the password for uploading.")
        var withPassword = false

        func run() async throws { try FileRouterFile.showAddress(in: folder, withPassword: withPassword) }
    }
}
