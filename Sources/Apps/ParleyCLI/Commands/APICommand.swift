internal import ArgumentParser
internal import ChatAPI
internal import ChatProtocol
internal import ChatSocket
internal import Logging
internal import Parley
internal import ServiceLifecycle
internal import UnixSignals

/// `parley api`: the engine alone, driven by other programs over a WebSocket.
struct APICommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "api", abstract: "Offer the engine to other programs over a WebSocket, as simplex-chat -p does.",
        discussion: """
            Programs send {"corrId":"1","cmd":"/users"} and get {"corrId":"1","resp":…}; events come as {"resp":…}. The socket has \
            no password: it is open to every program on this machine, and to none elsewhere.
            """)

    @Option(name: .shortAndLong, help: "The port on 127.0.0.1; 0 for any that is free.")
    var port = 5225

    @Option(help: "The folder for databases and keys. [default: $PARLEY_DATA, else parley-data]")
    var data: String?

    @OptionGroup var options: CommonOptions

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port \(port) is not a port: it is a number up to 65535") }
    }

    func run() async throws {
        let configuration = try options.configuration(data: data)
        let service = APIService(configuration: configuration, port: port, json: options.json)
        try await ServiceGroup(services: [service], gracefulShutdownSignals: [.sigterm, .sigint], logger: configuration.logger).run()
        if !options.json { Output.line("Stopped.") }
    }
}

/// The engine of a data folder with its socket.
private struct APIService: Service, CustomStringConvertible {
    let configuration: HostConfiguration
    let port: Int
    let json: Bool

    var description: String { "API" }

    func run() async throws {
        try await CoreHost.with(configuration) { host in
            // Open before the core starts: a program that waits for the port then sees all that happens.
            let server = try await ChatSocketServer.start(host.core, port: port, logger: configuration.logger)
            do throws(ChatCoreError) {
                _ = try await host.core.send(.core(.start()), as: nil)
            } catch {
                // The program that connects makes the first profile, and starts the core then.
                guard error.isNoActiveUser else { throw error }
            }
            report(server.port)
            try? await gracefulShutdown()
            await server.stop()
        }
    }

    private func report(_ port: Int) {
        if json { Output.line(["event": "ready", "port": .int(port)]) } else { Output.line("The API is at ws://127.0.0.1:\(port). Ctrl-C stops.") }
    }
}
