internal import ChatAPI
internal import ChatProtocol
internal import ChatSocket
internal import Hosting
internal import Logging
internal import ServiceLifecycle

/// The engine of a data folder with its socket.
struct APIService: Service, CustomStringConvertible {
    let configuration: HostConfiguration
    let socket: ChatSocketServer.Settings
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
        let health = APIHealth()
        try await CoreHost.with(configuration, health: health.folder) { [configuration] host in
            health.folder.attachRouters { [weak host] in host?.isRouterStorageFailing == true }
            health.attach(host.core)
            // Open before the core starts: a program that waits for the port then sees all that happens.
            var settings = socket
            settings.health = health.answer
            let server = try await ChatSocketServer.start(host.core, settings, logger: configuration.logger)
            for command in options.commands { _ = try await host.core.send(command, as: nil) }
            let assistant = ProfileAssistant(core: host.core, options: work, logger: configuration.logger)
            let events = work.watches ? host.core.events() : nil
            var address: String?
            if !options.maintenance {
                try await assistant.createProfile()
                try await start(host.core)
                // A core that is not started refuses both.
                try await assistant.selectRelay()
                address = try await assistant.createAddress()
            }
            health.enter(nil)
            report(server.endpoint, address)
            let watching = events.map { events in Task { await assistant.run(events) } }
            try? await gracefulShutdown()
            health.enter(.stopping)
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

    private func report(_ endpoint: SocketEndpoint, _ address: String?) {
        guard !json else {
            let ready = Output.object { object in
                object.add("event", "ready")
                if case .tcp(_, let port) = endpoint { object.add("port", port) }
                object.add("url", endpoint.url)
                object.add("address", address)
            }
            return Output.line(ready)
        }
        if let address {
            Output.link(address)
            if LinkReach.isLocal(address) { Output.line(LinkReach.notice) }
        }
        Output.line("The API is at \(endpoint.url). Ctrl-C stops.")
    }
}
