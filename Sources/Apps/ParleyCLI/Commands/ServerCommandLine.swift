internal import ArgumentParser
internal import Logging
internal import Parley
internal import SMPProtocol
internal import SMPServer
internal import SMPWire
internal import ServiceLifecycle
internal import UnixSignals

/// `parley server`: routers.
struct ServerCommandLine: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server", abstract: "Run a router.", subcommands: [Router.self])

    /// `parley server smp`: a message router.
    struct Router: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "smp", abstract: "Run a message router.",
            discussion: """
                Makes its keys at the first start and prints its address, smp://fingerprint@host:port, when it listens. \
                SIGTERM or Ctrl-C stops it. What it has accepted is on disk before it says so.
                """)

        @Option(help: "The folder for keys, queues and messages.")
        var data = "parley-router-data"

        @Option(help: "The port to listen on.")
        var port: UInt16 = 5223

        @Option(help: "The name or address under which others reach this machine; it is part of the printed address.")
        var host = "127.0.0.1"

        @Option(help: "The address of the network interface to listen on.")
        var bind = "127.0.0.1"

        @Option(name: .customLong("log-level"), help: "trace, debug, info, notice, warning, error or critical.")
        var logLevel: LogLevel = .notice

        @Flag(help: "Print JSON, one object a line, for scripts.")
        var json = false

        func run() async throws {
            let level = logLevel.level, format: StructuredLogHandler.Format = json ? .json : .text
            let logger = Logger(label: "parley.router") { StructuredLogHandler(label: $0, level: level, format: format) }
            var configuration = RouterConfiguration(storage: .folder(data))
            configuration.host = bind
            configuration.port = Int(port)
            do throws(WireError) {
                configuration.advertisedHosts = [try TransportHost(wireString: host)]
            } catch {
                throw Outcome.BadInput(description: "--host: \"\(host)\" is not the name or the address of a host")
            }
            let service = RouterService(configuration: configuration, json: json, logger: logger)
            try await ServiceGroup(services: [service], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger).run()
        }
    }
}

/// A router that runs until its service is told to stop.
private struct RouterService: Service, CustomStringConvertible {
    let configuration: RouterConfiguration
    let json: Bool
    let logger: Logger

    var description: String { "router" }

    func run() async throws {
        let router = try await SMPRouter.start(configuration, logger: logger)
        let address = router.address.wireString
        Output.line(json ? #"{"event":"ready","address":\#(Output.quoted(address))}"# : address)
        await withGracefulShutdownHandler {
            await router.waitUntilStopped()
        } onGracefulShutdown: {
            Task { await router.stop() }
        }
        await router.stop()
    }
}
