internal import ArgumentParser
internal import ChatAPI
internal import ChatProtocol
internal import ChatSocket
internal import Hosting
internal import Logging
internal import ServiceLifecycle
internal import UnixSignals

/// `parley api`: the engine alone, driven by other programs over a WebSocket.
struct APICommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "api", abstract: "Offer the engine to other programs over a WebSocket, as simplex-chat -p does.",
        discussion: """
            Programs send {"corrId":"1","cmd":"/users"} and get {"corrId":"1","resp":…}; events come as {"resp":…}. Without --listen and \
            --token-file, the socket is open to every program on this machine, and to none elsewhere. GET /healthz on the same port tells \
            whether the core works.

            Programs written for simplex-chat 6.5 find its API with --api-version 6.5, or one by one by opening ws://127.0.0.1:5225/?api-version=6.5.

            The options of simplex-chat 6.5 that scripts use are taken in its spelling: -p, -d, -k, -s, --xftp-server, --files-folder, \
            --temp-folder, -m, -y and those about the network.
            """)

    @OptionGroup(title: "The socket") var socket: ListenOptions

    @Option(help: "The folder for databases and keys. [default: $PARLEY_DATA, else parley-data]")
    var data: String?

    @Option(help: "The version of the API for programs that name none: 6.5, 7.0-beta or 7.0.")
    var apiVersion = APIVersionArgument(.newest)

    @Option(
        help: "Contacts that each new profile begins with: a JSON file with a list of profiles, each with its address as contactLink.",
        completion: .file(extensions: ["json"]))
    var presetContacts: String?

    @OptionGroup(title: "The profile") var profile: ProfileOptions

    @OptionGroup(title: "As simplex-chat has them") var compatible: ClientOptions

    @OptionGroup var terminal: TerminalOptions

    @OptionGroup var options: CommonOptions

    func validate() throws {
        if data != nil, compatible.database != nil { throw ValidationError("--data and -d both name the databases: give one of them") }
        _ = try socket.endpoint(other: terminal.serverPort)
    }

    func run() async throws {
        var settings = ChatSocketServer.Settings(try socket.endpoint(other: terminal.serverPort))
        // Read before the process becomes the folder's owner, who may not be able to.
        settings.token = try socket.token()
        settings.version = apiVersion.version
        var configuration = try options.configuration(data: data, at: compatible.databases, key: compatible.keySource)
        if !compatible.fileServers.isEmpty { configuration.fileServers = compatible.fileServers }
        configuration.relay = compatible.relayLimits
        if let presetContacts { configuration.presetContacts = try PresetContacts(path: presetContacts).profiles }
        let service = APIService(
            configuration: configuration, socket: settings, json: options.json, options: compatible,
            work: ProfileAssistant.Work(profile, isRelay: compatible.relay))
        try await ServiceGroup(services: [service], gracefulShutdownSignals: [.sigterm, .sigint], logger: configuration.logger).run()
        if !options.json { Output.line("Stopped.") }
    }
}

/// A version of the API as an argument.
struct APIVersionArgument: ExpressibleByArgument {
    let version: APIVersion

    init(_ version: APIVersion) { self.version = version }

    init?(argument: String) {
        guard let version = APIVersion(name: argument) else { return nil }
        self.version = version
    }

    var defaultValueDescription: String { version.name }

    static var allValueStrings: [String] { APIVersion.allCases.map(\.name) }
}
