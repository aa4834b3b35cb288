internal import ChatAPI
package import ChatProtocol
public import CoreMetrics
internal import Foundation
public import Logging

/// Where bots keep their data and which routers they use.
public struct HostConfiguration: Sendable {
    /// The folder of databases and keys. One process at a time can use it.
    public var dataFolder: String
    /// Routers as `smp://fingerprint@host:port`. With none, a router runs inside the process, unless ``network`` names the preset operators.
    public var servers: [String]
    /// The settings of the network.
    public var network: HostNetwork
    /// Where the key of the databases comes from: ``DatabaseKeySource/standard(_:)`` if nothing is set. With one, new databases are made
    /// encrypted; without, encrypted ones are refused.
    public var databaseKey: DatabaseKeySource?
    /// The router inside the process.
    public var router: EmbeddedRouterConfiguration
    /// File routers as `xftp://fingerprint@host:port`. With none, and no ``servers``, a file router runs inside the process, unless ``network`` names
    /// the preset operators; with ``servers`` and none, files cannot be sent.
    public var fileServers: [String]
    /// True if received files are encrypted on the disk, each with its own key, which the databases store. With nil, files are encrypted if the databases are.
    ///
    /// ``ReceivedFile/bytes(upTo:)``, ``ReceivedFile/copy(to:)`` and ``OutgoingFile`` decrypt them.
    public var encryptsFiles: Bool?
    /// The databases by their prefix instead of ``dataFolder``, as official clients name theirs.
    package var databasePrefix: DataFolder?
    /// Contacts that each new profile begins with, each with the address in its profile; none by default.
    package var presetContacts: [Profile] = []
    /// True if a core that has not been started takes all commands; official ones refuse most of them.
    package var takesCommandsBeforeStart = true
    /// True if posts of an owner are refused while no relay of the channel can forward them. Official cores accept such posts, and nobody receives them.
    package var refusesPostsWithoutRelay = true
    /// True if connections whose encryption is out of step agree on new keys by themselves. If false, a command must do that, except for connections
    /// restored from a backup.
    package var synchronizesConnections = true
    /// The limits on channels and subscribers of a profile that relays for others.
    public var relay = HostRelay()
    /// The pace at which strangers join the groups that the bots host.
    public var joins = GroupJoinPace()
    /// Called once the databases are open, before the bots start.
    package var onOpen: (@Sendable () -> Void)?
    /// Handlers that run at once at the most.
    public var maxConcurrentHandlers = 64
    /// The time that running handlers have when the bots stop. Then their tasks are cancelled, and their remaining work
    /// is done at the next start.
    public var shutdownTimeout: Duration = .seconds(10)
    /// The address of `/metrics` and `/healthz`; nil if they are not served.
    public var monitoring: MonitoringAddress?
    /// Takes the metrics of the bots. By default a registry of its own, which `/metrics` shows; a backend of another kind has to show them itself.
    public var metrics: any MetricsFactory = MetricsRegistry()
    /// True if handlers run without effects: messages and everything else that they would do is logged with its kind and chat, and not done.
    ///
    /// Reading works, and files are received. What bots store is stored in a copy in memory, which is forgotten at the end with the progress of handlers: the
    /// next run finds everything as it was, and handles the same messages. Profiles, addresses, managed groups and channels are made as at every start,
    /// and contacts are accepted as the address says.
    public var isDryRun = false
    /// Takes each effect of a dry run, beside the log; nil for nobody.
    public var onSuppressedEffect: (@Sendable (SuppressedEffect) -> Void)?
    /// The logger.
    public var logger: Logger

    /// - Parameters:
    ///   - dataFolder: the environment variable `PARLEY_DATA`, or `parley-data`, if it is not given.
    ///   - servers: the environment variable `PARLEY_SERVER` (several separated by white space) if none are given.
    ///   - fileServers: the environment variable `PARLEY_FILE_SERVER` (several separated by white space) if none are given.
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
}

/// A router inside the bots' process.
public struct EmbeddedRouterConfiguration: Sendable {
    /// The name or address under which others reach this machine; it is part of every address that the bots give out. With any name other than that of
    /// the loopback interface the router listens on all interfaces, and creating queues and sending through it need a password: it is made
    /// at the first start, in the file `router/password` of the data folder, and the bots know it.
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
