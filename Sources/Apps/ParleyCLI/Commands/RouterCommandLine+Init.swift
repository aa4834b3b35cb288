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
            try RouterFile.checkIsNew(in: folder.data)
            var file = RouterFile()
            file.hosts = try RouterSetup.hosts(host)
            file.bind = bind
            file.port = Int(port)
            file.fsync = try Durability(option: fsync)
            file.metricsPort = metricsPort.map(Int.init)
            let creators = try newQueues ?? RouterSetup.ask("Who may create queues here", option: "--new-queues")
            file.allowsNewQueues = creators != .nobody
            try file.initialise(in: folder, creators: creators)
        }
    }

    /// `parley server smp address`.
    struct Address: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "address", abstract: "Print the address of a router, with a QR code on a terminal.")

        @OptionGroup var folder: Folder

        @Flag(name: .customLong("with-password"), help: "The address as clients of your own take it: with the password for new queues.")
        var withPassword = false

        func run() async throws { try RouterFile.showAddress(in: folder, withPassword: withPassword) }
    }
}
