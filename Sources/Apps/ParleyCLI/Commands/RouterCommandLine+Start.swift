internal import ArgumentParser
internal import Hosting
internal import Logging
internal import ServiceLifecycle
internal import UnixSignals

extension RouterCommandLine {
    /// `start`, and no command: runs the router of a folder.
    struct Start: AsyncParsableCommand {
        static var configuration: CommandConfiguration {
            let words = Settings.words
            return CommandConfiguration(
                commandName: "start", abstract: "Run the \(words.title) of a folder.",
                discussion: """
                    Makes its keys at the first start and prints its address, \(words.command)://fingerprint@host:port, when it listens. \
                    SIGTERM or Ctrl-C stops it, SIGHUP renews its certificate. \(words.promise) Options go before what \(words.file) in the folder says.
                    """)
        }

        @OptionGroup var folder: Folder

        @Option(help: "The port to listen on; 0 takes a free one. [default: \(Settings.defaults.port)]")
        var port: UInt16?

        @Option(help: "The name or address under which others reach this machine; it is part of the printed address. [default: that of --bind]")
        var host: String?

        @Option(help: "The address of the network interface to listen on. [default: 127.0.0.1]")
        var bind: String?

        @OptionGroup var options: Settings.Options

        @Option(
            help: "always: acknowledge what survives a loss of power; 1s, 200ms …: what survives the end of the process, and flush so often. [default: always]")
        var fsync: String?

        @Option(name: .customLong("metrics-port"), help: "Serve metrics for Prometheus on this port of 127.0.0.1. [default: none]")
        var metricsPort: UInt16?

        @Option(name: .customLong("log-level"), help: "trace, debug, info, notice, warning, error or critical.")
        var logLevel: LogLevel = .notice

        func run() async throws {
            let logger = RouterService.logger(logLevel.level, json: folder.json)
            try folder.actAsOwner()
            var file = try RouterFile<Settings>(in: folder.data)
            try file.override(host: host, bind: bind, port: port, fsync: fsync, metricsPort: metricsPort)
            try file.settings.override(by: options)
            let start = try Settings.starter(file, in: folder.data, logger: logger)
            let service = RouterService(json: folder.json, logger: logger, start: start)
            try await ServiceGroup(services: [service], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger).run()
        }
    }
}
