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
            Programs send {"corrId":"1","cmd":"/users"} and get {"corrId":"1","resp":…}; events come as {"resp":…}. The socket has \
            no password: it is open to every program on this machine, and to none elsewhere.

            Programs written for simplex-chat 6.5 find its API with --api-version 6.5, or one by one by opening ws://127.0.0.1:5225/?api-version=6.5.

            The options of simplex-chat 6.5 that scripts use are taken in its spelling: -p, -d, -k, -s, --xftp-server, --files-folder, \
            --temp-folder, -m, -y and those about the network.
            """)

    @Option(name: .shortAndLong, help: "The port on 127.0.0.1; 0 for any that is free.")
    var port = 5225

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
        if let other = terminal.serverPort, port != 5225, other != port { throw ValidationError("--port and --chat-server-port are the same option: give one") }
        let port = terminal.serverPort ?? port
        guard (0...65_535).contains(port) else { throw ValidationError("--port \(port) is not a port: it is a number up to 65535") }
    }

    func run() async throws {
        var configuration = try options.configuration(data: data, at: compatible.databases, key: compatible.keySource)
        if !compatible.fileServers.isEmpty { configuration.fileServers = compatible.fileServers }
        configuration.relay = compatible.relayLimits
        if let presetContacts { configuration.presetContacts = try PresetContacts(path: presetContacts).profiles }
        let service = APIService(
            configuration: configuration, port: terminal.serverPort ?? port, version: apiVersion.version, json: options.json, options: compatible,
            work: ProfileAssistant.Work(profile))
        try await ServiceGroup(services: [service], gracefulShutdownSignals: [.sigterm, .sigint], logger: configuration.logger).run()
        if !options.json { Output.line("Stopped.") }
    }
}

/// The engine of a data folder with its socket.
private struct APIService: Service, CustomStringConvertible {
    let configuration: HostConfiguration
    let port: Int
    let version: APIVersion
    let json: Bool
    let options: ClientOptions
    let work: ProfileAssistant.Work

    var description: String { "API" }

    func run() async throws {
        var configuration = configuration
        // Clients of the API choose themselves what is encrypted, as with the official core.
        configuration.encryptsFiles = false
        configuration.takesCommandsBeforeStart = false
        configuration.refusesPostsWithoutRelay = false
        // And when connections agree on new keys.
        configuration.synchronizesConnections = false
        try await CoreHost.with(configuration) { [configuration] host in
            // Open before the core starts: a program that waits for the port then sees all that happens.
            let server = try await ChatSocketServer.start(host.core, port: port, version: version, logger: configuration.logger)
            for command in options.commands { _ = try await host.core.send(command, as: nil) }
            let assistant = ProfileAssistant(core: host.core, options: work, logger: configuration.logger)
            let events = work.watches ? host.core.events() : nil
            var address: String?
            if !options.maintenance {
                try await assistant.createProfile()
                try await start(host.core)
                address = try await assistant.createAddress()
                if options.relay {
                    // A core that is not started refuses both.
                    try await selectRelay(host.core)
                    try await publishRelay(host.core)
                }
            }
            report(server.port, address)
            let watching = events.map { events in Task { await assistant.run(events) } }
            try? await gracefulShutdown()
            watching?.cancel()
            await server.stop()
        }
    }

    private func start(_ core: any ChatCore) async throws(ChatCoreError) {
        do throws(ChatCoreError) {
            _ = try await core.send(.core(.start()), as: nil)
        } catch {
            // The program that connects makes the first profile, and starts the core then.
            guard error.isNoActiveUser else { throw error }
        }
    }

    /// Makes the relay's profile the active one, if there is one already.
    private func selectRelay(_ core: any ChatCore) async throws(ChatCoreError) {
        guard case .usersList(let users) = try await core.send(.users(.list), as: nil),
            let relay = users.map(\.user).first(where: \.isChatRelay), !relay.isActive
        else { return }
        _ = try await core.send(.users(.setActive(relay.userID)), as: nil)
    }

    /// Gives the relay an address, if it has none.
    private func publishRelay(_ core: any ChatCore) async throws(ChatCoreError) {
        guard case .usersList(let users) = try await core.send(.users(.list), as: nil),
            let relay = users.map(\.user).first(where: \.isChatRelay)
        else { return }
        do throws(ChatCoreError) {
            _ = try await core.send(.address(.show(user: relay.userID)), as: nil)
        } catch {
            guard case .store(error: .userContactLinkNotFound) = error.chatError else { throw error }
            _ = try await core.send(.address(.create(user: relay.userID)), as: nil)
        }
    }

    private func report(_ port: Int, _ address: String?) {
        guard !json else {
            let ready = Output.object { object in
                object.add("event", "ready")
                object.add("port", port)
                object.add("address", address)
            }
            return Output.line(ready)
        }
        if let address {
            Output.link(address)
            if LinkReach.isLocal(address) { Output.line(LinkReach.notice) }
        }
        Output.line("The API is at ws://127.0.0.1:\(port). Ctrl-C stops.")
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
