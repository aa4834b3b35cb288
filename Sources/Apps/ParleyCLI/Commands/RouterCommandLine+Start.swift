internal import ArgumentParser
internal import Logging
internal import Parley
internal import SMPProtocol
internal import SMPServer
internal import SMPWire
internal import ServiceLifecycle
internal import UnixSignals

extension RouterCommandLine {
    /// `parley server smp start`, and `parley server smp` alone.
    struct Start: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "start", abstract: "Run the router of a folder.",
            discussion: """
                Makes its keys at the first start and prints its address, smp://fingerprint@host:port, when it listens. \
                SIGTERM or Ctrl-C stops it, SIGHUP renews its certificate. What it has accepted is on disk before it says so, unless \
                --fsync says otherwise. Options go before what router.yaml in the folder says.
                """)

        @OptionGroup var folder: Folder

        @Option(help: "The port to listen on; 0 takes a free one. [default: 5223]")
        var port: UInt16?

        @Option(help: "The name or address under which others reach this machine; it is part of the printed address. [default: that of --bind]")
        var host: String?

        @Option(help: "The address of the network interface to listen on. [default: 127.0.0.1]")
        var bind: String?

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
            var file = try RouterFile(in: folder.data)
            try file.override(host: host, bind: bind, port: port, fsync: fsync, metricsPort: metricsPort)
            let configuration = try file.configuration(in: folder.data)
            let service = RouterService(json: folder.json, logger: logger) {
                let router = try await SMPRouter.start(configuration, logger: logger)
                return RouterService.Router(
                    address: router.address.wireString, waitUntilStopped: { await router.waitUntilStopped() },
                    renewCertificate: { try router.renewCertificate() }, stop: { await router.stop() })
            }
            try await ServiceGroup(services: [service], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger).run()
        }
    }
}
