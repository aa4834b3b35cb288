internal import ChatAPI
package import ChatProtocol
public import CoreMetrics
internal import Foundation
public import Logging
package import Telemetry

/// The settings of a process that runs bots: its data, its routers, its limits and its monitoring.
public struct HostConfiguration: Sendable {
    /// The folder of databases and keys. One process at a time can use it.
    public var dataFolder: String
    /// Routers as `smp://fingerprint@host:port`. If empty, a router runs inside the process, unless ``network`` names the preset operators.
    public var servers: [String]
    /// The settings of the network.
    public var network: HostNetwork
    /// The source of the key of the databases; nil: ``DatabaseKeySource/standard(_:)``. With a key, new databases are created encrypted;
    /// without one, encrypted databases are refused.
    public var databaseKey: DatabaseKeySource?
    /// The router inside the process.
    public var router: EmbeddedRouterConfiguration
    /// File routers as `xftp://fingerprint@host:port`. If this and ``servers`` are empty, a file router runs inside the process, unless ``network``
    /// names the preset operators. If only this is empty, files cannot be sent.
    public var fileServers: [String]
    /// True if received files are encrypted on the disk, each with its own key, which the databases store; nil: files are encrypted if the databases are.
    ///
    /// ``ReceivedFile/bytes(upTo:)``, ``ReceivedFile/copy(to:)`` and ``OutgoingFile`` decrypt the files.
    public var encryptsFiles: Bool?
    /// The databases by their prefix, as official clients name theirs; replaces ``dataFolder``.
    package var databasePrefix: DataFolder?
    /// The contacts of each new profile, each with the address in its profile; none by default.
    package var presetContacts: [Profile] = []
    /// True if a core that has not been started accepts all commands; official cores refuse most of them.
    package var takesCommandsBeforeStart = true
    /// True if posts of an owner are refused while no relay of the channel can forward them. Official cores accept such posts, which nobody receives.
    package var refusesPostsWithoutRelay = true
    /// True if connections whose encryption is out of step agree on new keys automatically. If false, a command must start that, except for
    /// connections restored from a backup.
    package var synchronizesConnections = true
    /// The limits on channels and subscribers of a profile that relays for others.
    public var relay = HostRelay()
    /// The pace at which strangers join the groups that the bots host.
    public var joins = GroupJoinPace()
    /// A function that is called when the databases are open, before the bots start.
    package var onOpen: (@Sendable () -> Void)?
    /// The maximum number of handlers that run at once.
    public var maxConcurrentHandlers = 64
    /// The time for running handlers to end when the bots stop. After it, their tasks are cancelled, and their remaining work
    /// is done at the next start.
    public var shutdownTimeout: Duration = .seconds(10)
    /// The address at which `/metrics` and `/healthz` are served; nil for none.
    public var monitoring: MonitoringAddress?
    /// The backend for the metrics of the bots. The default is a new registry, which `/metrics` shows; a backend of another kind must export them itself.
    public var metrics: any MetricsFactory = MetricsRegistry()
    /// The export of metrics and traces to a collector; nil for none.
    package var telemetry: TelemetryExporter?
    /// True if handlers run without effects: messages and all other effects are logged with their kind and chat, and not performed.
    ///
    /// Reading works, and files are received. Bots store into a copy in memory, which is discarded at the end with the progress of handlers: the next run
    /// finds everything unchanged, and handles the same messages. Profiles, addresses, managed groups and channels are created as at every start, and
    /// contacts are accepted according to the settings of the address.
    public var isDryRun = false
    /// A function that receives each effect of a dry run, in addition to the log; nil for none.
    public var onSuppressedEffect: (@Sendable (SuppressedEffect) -> Void)?
    /// The logger.
    public var logger: Logger

    /// - Parameters:
    ///   - dataFolder: the data folder; nil: the environment variable `PARLEY_DATA`, or else `parley-data`.
    ///   - servers: the routers; if empty, those in the environment variable `PARLEY_SERVER`, separated by white space.
    ///   - fileServers: the file routers; if empty, those in the environment variable `PARLEY_FILE_SERVER`, separated by white space.
    public init(
        dataFolder: String? = nil, servers: [String] = [], fileServers: [String] = [], router: EmbeddedRouterConfiguration = EmbeddedRouterConfiguration(),
        network: HostNetwork = HostNetwork(),
        logger: Logger = Logger(label: "parley") { StructuredLogHandler(label: $0) }
    ) {
        let environment = ProcessInfo.processInfo.environment
        self.dataFolder = dataFolder ?? environment["PARLEY_DATA"].flatMap { $0.isEmpty ? nil : $0 } ?? "parley-data"
        func named(_ variable: String) -> [String] { environment[variable]?.split(whereSeparator: \.isWhitespace).map(String.init) ?? [] }
        self.servers = servers.isEmpty ? named("PARLEY_SERVER") : servers
        self.fileServers = fileServers.isEmpty ? named("PARLEY_FILE_SERVER") : fileServers
        self.network = network
        databaseKey = .standard(environment)
        self.router = router
        self.logger = logger
    }
}

extension HostConfiguration {
    /// The databases of the configuration.
    package var data: DataFolder { databasePrefix ?? DataFolder(path: dataFolder) }

    /// Refuses named routers beside those of the preset operators.
    ///
    /// - Throws: ``HostError`` `serversAndOperators`.
    func requireOneNetwork() throws(HostError) {
        guard network.usesPresetOperators, !servers.isEmpty else { return }
        throw HostError(
            .serversAndOperators,
            "routers are named together with the preset operators: leave out --server and PARLEY_SERVER, or use \"operators: none\" (--operators none)")
    }
}

/// A router inside the bots' process.
public struct EmbeddedRouterConfiguration: Sendable {
    /// The name or address at which others reach this machine; it is part of every address of the bots. Unless it names the loopback interface, the
    /// router listens on all interfaces, and requires a password for creating queues and for sending through it. The password is generated at the
    /// first start, in the file `router/password` of the data folder, and the bots use it.
    public var host: String
    /// The port; nil to choose a port at the first start and keep it.
    public var port: UInt16?
    /// The port of the file router; nil to choose a port at the first start and keep it.
    public var filePort: UInt16?

    /// Creates the value from its parts.
    public init(host: String = "127.0.0.1", port: UInt16? = nil, filePort: UInt16? = nil) {
        self.host = host
        self.port = port
        self.filePort = filePort
    }
}
