internal import ArgumentParser
internal import Hosting
internal import Logging

/// Options of every command that opens a data folder.
///
/// The help shows them in this order: what most people need comes first.
struct CommonOptions: ParsableArguments {
    @Option(name: .customLong("log-level"), help: "trace, debug, info, notice, warning, error or critical.")
    var logLevel: LogLevel = .notice

    @Flag(help: "Print JSON, one object a line, for scripts.")
    var json = false

    @OptionGroup var keys: KeyOptions

    @Option(
        name: [.long, .customShort("s")],
        help:
            "A router as smp://fingerprint@host:port; can be given several times, or once with several separated by spaces. Without it a router runs inside the process."
    )
    var server: [String] = []

    @Option(
        name: .customLong("router-host"),
        help:
            "The name or address under which others reach the router inside the process. With one but 127.0.0.1 it listens on all interfaces and asks for a password, kept in router/password of the data folder, of who creates queues or sends through it."
    )
    var routerHost = "127.0.0.1"

    @Option(name: .customLong("router-port"), help: "The port of the router inside the process; else one is chosen and kept.", transform: PortArgument.read)
    var routerPort: UInt16?

    @Option(
        name: .customLong("file-server"),
        help:
            "A file router as xftp://fingerprint@host:port; can be given several times. Without it, and without --server, a file router runs inside the process."
    )
    var fileServer: [String] = []

    @Option(
        name: .customLong("file-router-port"), help: "The port of the file router inside the process; else one is chosen and kept.",
        transform: PortArgument.read)
    var fileRouterPort: UInt16?

    @OptionGroup var network: NetworkArguments

    /// The configuration for opening the data folder; asks a person at a terminal for the key if the folder is encrypted and none is given.
    ///
    /// - Parameters:
    ///   - file: what a bots.yaml says about the network; the command line wins.
    ///   - databases: the databases, where they are named by their prefix instead of `data`.
    ///   - key: the source of their key, where an option of the command names it.
    func configuration(
        data: String?, at databases: DataFolder? = nil, key: DatabaseKeySource? = nil, network file: HostNetwork = HostNetwork()
    ) throws -> HostConfiguration {
        var configuration = try settings(data: data, network: file)
        configuration.databasePrefix = databases
        configuration.databaseKey = try keys.source(for: configuration.data, given: key)
        return configuration
    }

    /// The configuration without the key of the databases.
    func settings(data: String?, network file: HostNetwork = HostNetwork()) throws -> HostConfiguration {
        let level = logLevel.level, format: StructuredLogHandler.Format = json ? .json : .text
        let configuration = HostConfiguration(
            dataFolder: data, servers: server.flatMap { $0.split(whereSeparator: \.isWhitespace).map(String.init) },
            fileServers: fileServer.flatMap { $0.split(whereSeparator: \.isWhitespace).map(String.init) },
            router: EmbeddedRouterConfiguration(host: routerHost, port: routerPort, filePort: fileRouterPort),
            network: try network.network(over: file),
            logger: Logger(label: "parley") { StructuredLogHandler(label: $0, level: level, format: format) })
        if configuration.network.acceptsConditions, !configuration.network.usesPresetOperators {
            throw Outcome.BadInput("noOperators", description: "--accept-conditions means nothing without --operators preset")
        }
        return configuration
    }
}

/// A level as a person types it.
struct LogLevel: ExpressibleByArgument {
    let level: Logger.Level

    static let notice = LogLevel(level: .notice)

    init(level: Logger.Level) { self.level = level }

    init?(argument: String) {
        guard let level = Logger.Level(rawValue: argument.lowercased()) else { return nil }
        self.level = level
    }

    static var allValueStrings: [String] { Logger.Level.allCases.map(\.rawValue) }
    var defaultValueDescription: String { level.rawValue }
}
