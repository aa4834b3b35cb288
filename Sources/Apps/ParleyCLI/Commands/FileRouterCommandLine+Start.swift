internal import ArgumentParser
internal import Logging
internal import Parley
internal import SMPProtocol
internal import SMPServer
internal import SMPWire
internal import ServiceLifecycle
internal import UnixSignals
internal import XFTPServer

extension FileRouterCommandLine {
    /// `parley server xftp start`, and `parley server xftp` alone.
    struct Start: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "start", abstract: "Run the file router of a folder.",
            discussion: """
                Makes its keys at the first start and prints its address, xftp://fingerprint@host:port, when it listens. \
                SIGTERM or Ctrl-C stops it, SIGHUP renews its certificate. A piece of a file is on the disk before the router accepts it. \
                Options go before what file-router.yaml in the folder says.
                """)

        @OptionGroup var folder: Folder

        @Option(help: "The port to listen on; 0 takes a free one. [default: 443]")
        var port: UInt16?

        @Option(help: "The name or address under which others reach this machine; it is part of the printed address. [default: that of --bind]")
        var host: String?

        @Option(help: "The address of the network interface to listen on. [default: 127.0.0.1]")
        var bind: String?

        @Option(help: "Bytes of all files at most: 500mb, 20gb, 2tb. [default: as much as the disk takes]")
        var quota: String?

        @Option(
            help: "always: acknowledge what survives a loss of power; 1s, 200ms …: what survives the end of the process, and flush so often. [default: always]")
        var fsync: String?

        @Option(name: .customLong("metrics-port"), help: "Serve metrics for Prometheus on this port of 127.0.0.1. [default: none]")
        var metricsPort: UInt16?

        @Option(name: .customLong("log-level"), help: "trace, debug, info, notice, warning, error or critical.")
        var logLevel: LogLevel = .notice

        func run() async throws {
            let level = logLevel.level, format: StructuredLogHandler.Format = folder.json ? .json : .text
            let logger = Logger(label: "parley.router") { StructuredLogHandler(label: $0, level: level, format: format) }
            try folder.actAsOwner()
            var file = try FileRouterFile(in: folder.data)
            try file.override(host: host, bind: bind, port: port, fsync: fsync, metricsPort: metricsPort)
            if let quota { file.quota = try Self.bytes(quota) }
            let configuration = try file.configuration(in: folder.data)
            let service = RouterService(json: folder.json, logger: logger) {
                let router = try await FileRouter.start(configuration, logger: logger)
                return RouterService.Router(
                    address: router.address.wireString, waitUntilStopped: { await router.waitUntilStopped() },
                    renewCertificate: { try router.renewCertificate() }, stop: { await router.stop() })
            }
            try await ServiceGroup(services: [service], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger).run()
        }

        static func bytes(_ text: String) throws -> Int64 {
            guard let count = ByteCount(argument: text) else { throw Outcome.BadInput(description: "--quota: " + ByteCount.help(for: text)) }
            return count.bytes
        }
    }
}
