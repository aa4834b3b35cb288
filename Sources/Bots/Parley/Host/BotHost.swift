internal import ChatAPI
internal import ChatProtocol
internal import Foundation
internal import Logging
public import ServiceLifecycle
internal import Synchronization
internal import SystemSupport
internal import UnixSignals

/// Runs bots in one process, on one data folder.
///
/// It is a `Service`, so it can run beside others in a `ServiceGroup`; ``serve(onReady:)`` makes a group of its own that stops on
/// SIGTERM and SIGINT, and ``run(onReady:)`` is a whole program. Run by systemd with `Type=notify`, it says when every bot has started.
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

    /// A textual form, for messages and logs.
    public var description: String { "bots" }

    /// Runs the bots until the service is stopped.
    ///
    /// Then running handlers finish, handlers that take longer than ``HostConfiguration/shutdownTimeout`` are cancelled, and the data folder is
    /// closed.
    ///
    /// - Throws: ``HostError``, ``HandlerFault``, or `ChatCoreError` for a failure of the core.
    public func run() async throws {
        try Self.check(bots)
        try configuration.data.requireUnused()
        let monitor = HostMonitor(factory: configuration.metrics), current = Mutex<HostSession?>(nil)
        // From the first moment on, so that what starts the process learns how far it is.
        let endpoint = try await endpoint(monitor) { current.withLock { $0 } }
        let export = TelemetryRun(configuration.telemetry) { [registry = configuration.metrics as? MetricsRegistry] in
            // At the end, the core and its store are closed.
            guard monitor.phase != .stopping else { return PrometheusText(registry).metrics }
            return await monitor.status(of: current.withLock { $0 }).metrics(behind: registry).metrics
        }
        do {
            try await run(monitor) { session in current.withLock { $0 = session } }
            await export.stop()
            await endpoint?.stop()
        } catch {
            await export.stop()
            await endpoint?.stop()
            throw error
        }
    }

    private func endpoint(_ monitor: HostMonitor, _ session: @escaping @Sendable () -> HostSession?) async throws(HostError) -> MonitoringEndpoint? {
        guard let address = configuration.monitoring else { return nil }
        let endpoint = try await MonitoringEndpoint.start(address, registry: configuration.metrics as? MetricsRegistry, logger: configuration.logger) {
            await monitor.status(of: session())
        }
        configuration.logger.info("metrics and health are served", metadata: ["address": "\(address.host):\(endpoint.port)"])
        return endpoint
    }

    private func run(_ monitor: HostMonitor, onSession: @Sendable (HostSession) -> Void) async throws {
        let host = try await CoreHost.open(configuration, health: monitor.health)
        monitor.health.attachRouters { [weak host] in host?.isRouterStorageFailing == true }
        let stored: BotStateStore
        do {
            stored = try BotStateStore(path: host.dataFolder + "/bots.db", key: host.key, logger: configuration.logger, health: monitor.health.note)
        } catch {
            await host.close()
            throw error
        }
        do {
            do {
                try await host.establish(stored)
            } catch {
                await host.close()
                throw error
            }
            configuration.onOpen?()
            try await run(on: host, stored, monitor, onSession: onSession)
        } catch {
            // The first error is the one that counts.
            try? await stored.close()
            throw error
        }
        try await stored.close()
    }

    /// Runs the bots, and closes the core and what was opened for them, but not their store.
    private func run(
        on host: CoreHost, _ stored: BotStateStore, _ monitor: HostMonitor, onSession: @Sendable (HostSession) -> Void
    ) async throws {
        let logger = configuration.logger, store: BotStateStore
        do {
            store = configuration.isDryRun ? try await stored.copyInMemory() : stored
        } catch {
            await host.close()
            throw error
        }
        if configuration.isDryRun { logger.notice("dry run: effects are logged, and what bots store is forgotten at the end") }
        let session = HostSession(
            core: host.core, bots: bots, store: store, maxConcurrentHandlers: configuration.maxConcurrentHandlers,
            logger: logger, filesFolder: configuration.data.filesFolder, encryptsFiles: host.encryptsFiles,
            inFlight: configuration.isDryRun ? nil : inFlight(host), monitor: monitor,
            dryRun: configuration.isDryRun ? configuration.onSuppressedEffect ?? { _ in } : nil)
        host.answerChannelInvitations(of: bots, by: session)
        onSession(session)
        monitor.attachRelay { await Self.relayAnswer(.status, host, logger: logger)?.report }
        let socket = HostSocket(configuration.data, logger: logger)
        let failure: (any Error)?
        do {
            try await cancelWhenGracefulShutdown {
                do {
                    try await session.run { profiles in
                        let ready = HostReady(profiles: profiles, servers: host.servers, fileServers: host.fileServers)
                        tellOthers(ready, host)
                        await socket.open(session.core) { name, argument throws(ChatCoreError) in
                            switch name {
                            case "status": return await monitor.status(of: session).json
                            case HostBackup.request: return HostBackup.json(try await host.backUp(to: argument, with: stored.database))
                            case CaseOperator.listRequest, CaseOperator.undoRequest: return try await Self.caseAnswer(name, argument, session)
                            default:
                                guard let operation = RelayOperation(rawValue: name) else { return nil }
                                return await Self.relayAnswer(operation, host, logger: logger)?.json
                            }
                        }
                        monitor.enter(.ready)
                        onReady(ready)
                        ServiceManager.current.tell(.ready, logger: logger)
                    }
                } catch {
                    // What was interrupted because the service is to stop is not a failure.
                    guard Task.isCancelled else { throw error }
                }
            }
            failure = nil
        } catch {
            failure = error
        }
        monitor.enter(.stopping)
        ServiceManager.current.tell(.stopping, logger: logger)
        await socket.close()
        RunningProfiles.remove(dataFolder: host.dataFolder)
        store.stopWaitingForDisk()
        // Bots that could not continue do not say farewell.
        if failure == nil { await session.drain(within: configuration.shutdownTimeout) }
        await host.close()
        if let failure { throw failure }
    }

    /// The answer to a request of the operator of a relay.
    private struct RelayAnswer {
        /// The relay after the request; nil for a process that does not relay.
        let report: RelayReport?

        var json: JSONValue { report?.json ?? RelayOperator.noRelay }
    }

    /// - Returns: nil if no answer can be given now.
    private static func relayAnswer(_ operation: RelayOperation, _ host: CoreHost, logger: Logger) async -> RelayAnswer? {
        do {
            return RelayAnswer(report: try await host.relayReport(operation))
        } catch {
            logger.warning("the relay cannot be asked", metadata: ["request": "\(operation.rawValue)", "error": "\(error)"])
            return nil
        }
    }

    /// The answer to a request about cases.
    private static func caseAnswer(_ request: String, _ argument: String?, _ session: HostSession) async throws(ChatCoreError) -> JSONValue? {
        guard request == CaseOperator.undoRequest else {
            do {
                return .array(try await session.cases())
            } catch {
                throw error as? ChatCoreError ?? ChatCoreError(.invalidResponse, "the cases cannot be read: \(error)")
            }
        }
        guard let argument, let undo = try? JSONDecoder().decode(CaseOperator.Undo.self, from: Data(argument.utf8)) else { return nil }
        return try await session.undoCase(undo)
    }

    /// Runs the bots in a process that is theirs alone, until it gets SIGTERM or SIGINT: the last thing that a `main` does.
    ///
    /// Errors at the start are written to standard error and end the process with exit code 2 if what was given is wrong (an address, a key, a
    /// handler's pattern), so that another start would fail too, and with 1 for everything else. A crash ends the process within a moment,
    /// with one line on standard error; `SWIFT_BACKTRACE=enable=yes` in the environment asks for a backtrace instead.
    ///
    /// Use ``serve(onReady:)`` to take care of errors yourself.
    public func run(onReady: @escaping @Sendable (HostReady) -> Void) async {
        let program = ProcessInfo.processInfo.processName
        Heap.limitArenas()
        CrashHandling.install(program: program)
        OpenFiles.raiseLimit()
        if let shortage = OpenFiles.shortage() { ProcessFault.end(saying: "\(program): \(shortage) [\(OpenFiles.code)]", 2) }
        do {
            try await serve(onReady: onReady)
        } catch {
            ProcessFault(error).end(program: program)
        }
    }

    /// Runs the bots until the process receives SIGTERM or SIGINT.
    ///
    /// - Parameter onReady: Called once every bot has started.
    /// - Throws: ``HostError``, ``HandlerFault``, `StorageError`, or `ChatCoreError` for a failure of the core.
    public func serve(onReady: @escaping @Sendable (HostReady) -> Void = { _ in }) async throws {
        let host = BotHost(bots, configuration: configuration, onReady: onReady)
        let group = ServiceGroup(
            services: [host], gracefulShutdownSignals: [.sigterm, .sigint], logger: configuration.logger)
        try await group.run()
    }

    /// The record of the events that are being handled. Without it, everything works except the quarantine of events on which processes crash.
    private func inFlight(_ host: CoreHost) -> InFlightTable? {
        do throws(InFlightError) {
            return try InFlightTable(path: host.dataFolder + "/bots.inflight", slots: configuration.maxConcurrentHandlers)
        } catch {
            configuration.logger.warning("the events in progress cannot be recorded for a crash", metadata: ["reason": "\(error)"])
            return nil
        }
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

    /// Finds what hinders bots from running, each for itself and all in one process.
    ///
    /// - Throws: ``HandlerFault``, ``HostError``.
    static func check(_ bots: [Bot]) throws {
        if let fault = bots.lazy.flatMap(\.validationErrors).first { throw fault }
        if let name = repeated(bots.map(\.profile.name)) { throw HostError(.handlers, "two bots have the name \"\(name)\": give each its own") }
        if let id = repeated(bots.map(\.id)) { throw HostError(.handlers, "two bots have the id \"\(id)\": give each its own") }
        for bot in bots {
            if let id = repeated(bot.groups.map(\.id)) { throw HostError(.handlers, "two groups of \(bot.id) have the id \"\(id)\": give each its own") }
            if let id = repeated(bot.channels.map(\.id)) { throw HostError(.handlers, "two channels of \(bot.id) have the id \"\(id)\": give each its own") }
            try check(bot.profile.bio, "the bio of \(bot.id)")
            for group in bot.groups { try check(group.settings.summary, "the summary of the group \"\(group.id)\"") }
            for channel in bot.channels { try check(channel.settings.summary, "the summary of the channel \"\(channel.id)\"") }
        }
        if bots.count(where: \.isRelay) > 1 { throw HostError(.handlers, "two bots are relays, and a process can have one") }
        if let bot = bots.first(where: { $0.isRelay && $0.address == .none }) {
            throw HostError(.handlers, "\(bot.id) is a relay without an address, and nobody could use it")
        }
        if let channel = bots.flatMap(\.channels).first(where: \.relays.isEmpty) {
            throw HostError(.handlers, "the channel \"\(channel.id)\" has no relays: name at least one")
        }
    }

    /// - Throws: ``HostError`` `handlers` for a line that the official apps do not take.
    private static func check(_ line: String?, _ what: String) throws {
        guard let line, line.jsonLength > ChatLimits.shortDescription else { return }
        throw HostError(.handlers, "\(what) has \(line.jsonLength) bytes, more than \(ChatLimits.shortDescription): shorten it")
    }

    /// The first text that occurs twice; nil if there is none.
    private static func repeated(_ texts: [String]) -> String? {
        var known: Set<String> = []
        return texts.first { !known.insert($0).inserted }
    }
}

extension Bot {
    /// Runs the bot alone in this process until that gets SIGTERM or SIGINT, and prints its address with a QR code: the last thing that a
    /// `main` does.
    ///
    /// The data folder and the routers come from the environment variables `PARLEY_DATA` and `PARLEY_SERVER`, or from
    /// `configuration`. Errors end the process, as ``BotHost/run(onReady:)`` says; ``serve(configuration:)`` throws them.
    public func run(configuration: HostConfiguration = HostConfiguration()) async {
        await BotHost([self], configuration: configuration).run(onReady: Self.show)
    }

    /// Runs the bot alone in this process, as ``run(configuration:)`` does, in a program that takes care of errors itself.
    ///
    /// - Throws: what ``BotHost/serve(onReady:)`` does.
    public func serve(configuration: HostConfiguration = HostConfiguration()) async throws {
        try await BotHost([self], configuration: configuration).serve(onReady: Self.show)
    }

    private static func show(_ link: String, as title: String) {
        // A code of this machine's own address helps no phone.
        let code = isatty(STDOUT_FILENO) == 1 && !LinkReach.isLocal(link) ? QRCode.lines(for: link) ?? [] : []
        let text = (code + [title, VisibleText.line(link)]).joined(separator: "\n")
        try? FileHandle.standardOutput.write(contentsOf: Data((text + "\n").utf8))
    }

    /// Prints the addresses of the profiles and the links of trusted contacts, with QR codes on a terminal. The system's journal gets no links of trusted
    /// contacts: more people read it than may have them.
    @Sendable package static func show(_ ready: HostReady) {
        for profile in ready.profiles {
            for group in profile.managedGroups + profile.managedChannels {
                guard let link = group.link else { continue }
                let text = "\(VisibleText.name(group.name)) can be joined at\n\(VisibleText.line(link))\n"
                try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
            }
            if let link = profile.shortAddress ?? profile.address { show(link, as: "\(VisibleText.name(profile.name)) can be reached at") }
            for invitation in profile.invitations where !ServiceManager.current.reads(STDOUT_FILENO) {
                show(invitation.link, as: "\(VisibleText.name(invitation.name)) can connect once, as a trusted contact, at")
            }
        }
        if ready.profiles.contains(where: { ($0.shortAddress ?? $0.address).map(LinkReach.isLocal) ?? false }) {
            try? FileHandle.standardOutput.write(contentsOf: Data((LinkReach.programNotice + "\n").utf8))
        }
    }
}
