import AsyncPrimitives
import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import EncryptedSQLite
import Logging
import SMPAgent
import SMPCrypto
import SMPProtocol
import Synchronization
import SystemSupport

/// The parts of an engine, assembled once. Each part holds those that it needs, and none holds this core.
///
/// Transactions run through ``transactions``, which dispatches their effects to ``outbox``, ``jobs``, ``hub`` and the expiry timer. What becomes of
/// messages and jobs comes back through handlers that ``outbox`` and ``jobs`` hold weakly.
final class EngineCore: Sendable {
    let configuration: NativeCoreConfiguration
    let agent: any AgentService
    let store: ChatStore
    let clock: EngineClock
    let hub = ChatEventHub()
    /// Locks by entity, for commands that consist of several transactions.
    let locks = KeyedLock<String>()
    let lifecycle = EngineLifecycle()
    let crashGuard: CrashLoopGuard
    let transactions: TransactionRunner
    let jobs: JobQueue
    let network: NetworkController
    let servers: ServerConfigurator
    let addresses: AddressPublisher
    let requests: RequestAcceptor
    let members: MemberConnector
    let channels: ChannelConnector
    let leftovers: AgentLeftovers
    let folders: FileFolders
    let files: FileTransferController
    /// The present key of the databases.
    let storeKey: Mutex<DatabaseKey?>

    let relayTests = RelayTests()

    private let outbox: OutboxDispatcher
    private let relay: RelayDeliverer
    private let tracker: DeliveryTracker
    private let jobHandler: AgentJobHandler
    let expiry: ExpiryTimer
    private let receiver: Receiver
    private let receiving = Mutex<Task<Void, Never>?>(nil)
    /// Held while the core starts or stops: parts that one of them has started must not be stopped by the other.
    private let transition = AsyncLock()

    var logger: Logger { configuration.logger }
    var random: any RandomSource { transactions.random }
    var isRunning: Bool { lifecycle.isRunning }
    /// True while most commands are refused because the core does not run: from `/_stop` to the next `/_start`, and before the first one unless
    /// ``NativeCoreConfiguration/takesCommandsBeforeStart``. A core that its own program stops takes them, and their messages wait in the store.
    var refusesMostCommands: Bool {
        !isRunning && !isClosed && (lifecycle.refusesCommands || !configuration.takesCommandsBeforeStart)
    }
    var isClosed: Bool { lifecycle.isClosed }

    /// - Parameters:
    ///   - reports: The agent's events.
    ///   - service: The transfer of files, whose events come by `fileEvents`.
    ///   - inFlight: The record of the events that are being received, for the next process after a crash; nil to keep no record.
    init(
        configuration: NativeCoreConfiguration, store: ChatStore, agent: any AgentService, reports: AsyncStream<AgentNotification>,
        files service: any FileService, fileEvents: FileEventRelay, random: any RandomSource,
        clock delays: any Clock<Duration>, now: @escaping @Sendable () -> UTCTimestamp, age: (@Sendable () -> UTCTimestamp)? = nil,
        inFlight: InFlightTable? = nil
    ) {
        let logger = configuration.logger
        (self.configuration, self.store, self.agent) = (configuration, store, agent)
        storeKey = Mutex(configuration.key)
        clock = EngineClock(delays: delays, timeOfDay: now, age: age)
        crashGuard = CrashLoopGuard(table: inFlight)

        let signal = ExpirySignal(), relaySignal = RelaySignal()
        folders = FileFolders(files: configuration.filesFolder, temporary: configuration.temporaryFolder)
        outbox = OutboxDispatcher(
            agent: agent, store: store, clock: clock, waitsForKeys: configuration.agent.synchronizesRatchets, logger: logger)
        jobs = JobQueue(store: store, clock: clock, crashGuard: crashGuard, logger: logger)
        transactions = TransactionRunner(
            store: store, clock: clock, random: random, folders: folders, refusesPostsWithoutRelay: configuration.refusesPostsWithoutRelay,
            effects: EffectDispatcher(hub: hub, outbox: outbox, jobs: jobs, expiry: signal, relay: relaySignal, relayTests: relayTests))
        leftovers = AgentLeftovers(transactions: transactions, jobs: jobs, logger: logger)
        network = NetworkController(transactions: transactions, agent: agent, files: service, locks: locks, options: configuration.network)
        servers = ServerConfigurator(configuration: configuration, transactions: transactions, agent: agent, network: network)
        addresses = AddressPublisher(transactions: transactions, agent: agent, locks: locks)
        requests = RequestAcceptor(transactions: transactions, agent: agent, locks: locks, leftovers: leftovers)
        members = MemberConnector(transactions: transactions, agent: agent, locks: locks, leftovers: leftovers)
        channels = ChannelConnector(
            transactions: transactions, agent: agent, locks: locks, leftovers: leftovers, members: members, tests: relayTests,
            policy: configuration.relayPolicy, logger: logger)
        let backlog = RelayBacklog(limit: configuration.relayPolicy.maximumBacklog, store: store, logger: logger)
        relay = RelayDeliverer(transactions: transactions, agent: agent, policy: configuration.relayPolicy, backlog: backlog, logger: logger)
        relaySignal.attach(relay)
        files = FileTransferController(transactions: transactions, service: service, locks: locks, logger: logger)
        fileEvents.attach(files.receive)
        if configuration.reportsHosts {
            fileEvents.attachHosts { [hub] server, isConnected in
                for host in server.hosts.prefix(1) {
                    hub.publish(
                        isConnected
                            ? .hostConnected(protocolName: "xftp", transportHost: host.description)
                            : .hostDisconnected(protocolName: "xftp", transportHost: host.description))
                }
            }
        }
        let cleaner = FileCleaner(transactions: transactions, service: service, locks: locks, logger: logger)
        expiry = ExpiryTimer(
            transactions: transactions, signal: signal, periods: RetentionPeriods(configuration), files: cleaner, logger: logger)

        tracker = DeliveryTracker(transactions: transactions, outbox: outbox, lifecycle: lifecycle, logger: logger)
        outbox.attach(tracker)
        jobHandler = AgentJobHandler(
            connections: ConnectionJobPerformer(transactions: transactions, agent: agent, logger: logger),
            contacts: ContactJobPerformer(requests: requests, addresses: addresses),
            groups: GroupJobPerformer(
                members: members, joins: JoinPacer(configuration.joinPace, clock: delays), refuses: channels.refuses, logger: logger),
            files: files, channels: ChannelJobPerformer(channels: channels, clock: clock),
            profiles: ProfileJobPerformer(servers: servers, agent: agent, logger: logger), hub: hub, logger: logger)
        jobs.attach(jobHandler)
        receiver = Receiver(
            agent: agent, reports: reports, transactions: transactions, outbox: outbox, tracker: tracker, backlog: backlog, crashGuard: crashGuard,
            lifecycle: lifecycle, reportsHosts: configuration.reportsHosts, logger: logger)
    }

    /// Calls the agent for a command.
    func agent<T>(_ call: (any AgentService) async throws(AgentError) -> T) async throws(ChatCoreError) -> T {
        try await agent.reporting(call)
    }
}

// MARK: Starting and stopping

extension EngineCore {
    /// Begins to send and receive, first the unfinished work of an earlier run.
    ///
    /// - Parameters:
    ///   - isMain: False for a second program beside the app, in which nothing expires and no files are received.
    ///   - sendsFiles: True if files are transferred although it is not the app.
    /// - Returns: False if the core was running.
    @discardableResult
    func start(isMain: Bool = true, sendsFiles: Bool = true) async throws(ChatCoreError) -> Bool {
        try await transition.withLock { () throws(ChatCoreError) in try await startParts(isMain, transfersFiles: isMain || sendsFiles) }
    }

    private func startParts(_ isMain: Bool, transfersFiles: Bool) async throws(ChatCoreError) -> Bool {
        try checkOpen()
        try checkStoreUnchanged()
        guard lifecycle.begin() else { return false }
        do {
            await loadCrashes()
            try await servers.apply()
            if receiving.withLock({ $0 }) == nil {
                try await agent { agent throws(AgentError) in try await agent.start() }
                try await tellDifference()
            } else {
                await agent.resume()
            }
            if transfersFiles { try await files.start() }
            // New queues are to be made on the servers that are set now.
            for job in try await jobs.start() where job.task == .profile(.setServers) { await jobs.attempt(at: job.id) }
        } catch {
            _ = lifecycle.end()
            throw ChatCoreError(thrown: error)
        }
        receiving.withLock { task in
            guard task == nil else { return }
            task = Task { [receiver] in await receiver.run() }
        }
        outbox.start()
        if isMain { expiry.start() }
        do {
            try await channels.removeUnfinished()
            try await channels.completeRosters()
            try await relay.start()
        } catch {
            throw ChatCoreError(thrown: error)
        }
        let agent = agent
        Task {
            // The start of many connections leaves free memory in small parts.
            if await agent.subscribeAll().count >= Self.connectionsBeforeTrim { Heap.trim() }
        }
        if isMain { Task { [self] in try? await CommandRunner(core: self, actor: nil).fileCommands.receiveMarkedFiles() } }
        return true
    }

    /// Takes over the crash counts of earlier processes, before anything is received or tried.
    private func loadCrashes() async {
        do {
            try await crashGuard.load(from: store, at: clock.time, logger: logger)
        } catch {
            // Bots that run without it are better than bots that do not run.
            logger.error("it is not known what earlier processes died of", metadata: ["error": "\(error)"])
        }
    }

    /// From this many subscribed connections on, the memory that subscribing has freed goes back to the system. That takes some milliseconds.
    private static let connectionsBeforeTrim = 50

    /// Stops sending and receiving.
    func stop() async {
        await transition.withLock {
            guard lifecycle.end() else { return }
            expiry.stop()
            relay.stop()
            outbox.stop()
            jobs.stop()
            await files.stop()
            await agent.suspend(timeout: .zero)
        }
    }

    /// Resumes a suspended agent, and the messages written meanwhile.
    func activate() async {
        await transition.withLock {
            await agent.resume()
            if isRunning { outbox.start() }
        }
    }

    /// Refuses to continue when the core is closed.
    func checkOpen() throws(ChatCoreError) {
        guard !isClosed else { throw ChatCoreError(.closed, "The core is closed.") }
    }

    /// Ends everything; the core cannot be started again. Calling it twice is harmless.
    func close() async {
        guard lifecycle.close() else { return }
        // Work that waits for the disk would delay the services that are being stopped.
        store.stopWaitingForDisk()
        await stop()
        await closeStores()
        hub.finish()
    }

    /// Closes the databases, once received events are stored. Later requests are refused.
    func closeStores() async {
        store.stopWaitingForDisk()
        // Reports that wait for messages would delay the reports after them.
        outbox.close()
        await agent.close()
        await receiving.withLock { $0 }?.value
        do {
            try await store.close()
        } catch {
            logger.error("the store could not be closed", metadata: ["error": "\(error.code)"])
        }
    }
}
