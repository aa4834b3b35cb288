internal import ChatAPI
internal import Foundation
internal import Logging
internal import ResidentMemory
public import ServiceLifecycle
internal import ServiceManager
internal import UnixSignals

/// Runs bots in one process, on one data folder.
///
/// It is a `Service`, so it can run beside others in a `ServiceGroup`; ``run(onReady:)`` makes a group of its own that stops on
/// SIGTERM and SIGINT. Run by systemd with `Type=notify`, it says when every bot has started.
public struct BotHost: Service, CustomStringConvertible {
    private let bots: [Bot]
    private let configuration: HostConfiguration
    private let onReady: @Sendable (HostReady) -> Void

    /// - Parameter onReady: called once every bot has started: it has its address, and its routers are being connected to.
    public init(
        _ bots: [Bot], configuration: HostConfiguration = HostConfiguration(), onReady: @escaping @Sendable (HostReady) -> Void = { _ in }
    ) {
        self.bots = bots
        self.configuration = configuration
        self.onReady = onReady
    }

    public var description: String { "bots" }

    /// Runs the bots until the service is told to stop: then handlers that run finish, those that take longer than
    /// ``HostConfiguration/drainLimit`` are cancelled, and the data folder is closed.
    ///
    /// - Throws: ``HostError``, ``HandlerFault``, or ``ChatCoreError`` for what the core cannot do.
    public func run() async throws {
        try Self.check(bots)
        let host = try await CoreHost.open(configuration)
        do {
            let store = try BotStateStore(path: host.dataFolder + "/bots.db", key: host.key, logger: configuration.logger)
            let session = HostSession(
                core: host.core, bots: bots, store: store, parallelHandlers: configuration.parallelHandlers,
                logger: configuration.logger)
            try await cancelWhenGracefulShutdown {
                do {
                    try await session.run { profiles in
                        let ready = HostReady(profiles: profiles, servers: host.servers)
                        tellOthers(ready, host)
                        onReady(ready)
                        ServiceManager.current.tell(.ready, logger: configuration.logger)
                        ResidentMemory.releaseSoon()
                    }
                } catch {
                    // What was interrupted because the service is to stop is not a failure.
                    guard Task.isCancelled else { throw error }
                }
            }
            ServiceManager.current.tell(.stopping, logger: configuration.logger)
            RunningProfiles.remove(dataFolder: host.dataFolder)
            await session.drain(within: configuration.drainLimit)
            await host.close()
            try await store.close()
        } catch {
            await host.close()
            throw error
        }
    }

    /// Runs the bots until the process gets SIGTERM or SIGINT.
    public func run(onReady: @escaping @Sendable (HostReady) -> Void) async throws {
        let host = BotHost(bots, configuration: configuration, onReady: onReady)
        let group = ServiceGroup(
            services: [host], gracefulShutdownSignals: [.sigterm, .sigint], logger: configuration.logger)
        try await group.run()
    }

    /// Other processes cannot look into the folder while this one uses it.
    private func tellOthers(_ ready: HostReady, _ host: CoreHost) {
        let profiles = ready.profiles.map {
            RunningProfiles.Profile(name: $0.name, userID: $0.chats.userID, address: $0.address, shortAddress: $0.shortAddress)
        }
        do {
            try RunningProfiles(profiles).write(dataFolder: host.dataFolder)
        } catch {
            configuration.logger.warning("parley profile cannot show these bots while they run", metadata: ["error": "\(error)"])
        }
    }

    private static func check(_ bots: [Bot]) throws {
        if let fault = bots.lazy.flatMap(\.faults).first { throw fault }
        var names: Set<String> = [], ids: Set<String> = []
        for bot in bots where !names.insert(bot.profile.name).inserted || !ids.insert(bot.id).inserted {
            throw HostError(.handlers, "two bots have the name or id \"\(bot.profile.name)\": give each its own")
        }
    }
}

extension Bot {
    /// Runs the bot alone in this process until it gets SIGTERM or SIGINT, and prints its address with a QR code.
    ///
    /// The data folder and the routers come from the environment variables `PARLEY_DATA` and `PARLEY_SERVER`, or from
    /// `configuration`.
    public func run(configuration: HostConfiguration = HostConfiguration()) async throws {
        try await BotHost([self], configuration: configuration).run { ready in
            for profile in ready.profiles {
                guard let link = profile.shortAddress ?? profile.address else { continue }
                let code = isatty(STDOUT_FILENO) == 1 ? QRCode.lines(for: link) ?? [] : []
                let text = (["\(profile.name) can be reached at", link] + code).joined(separator: "\n")
                try? FileHandle.standardOutput.write(contentsOf: Data((text + "\n").utf8))
            }
        }
    }
}
