import AsyncPrimitives
package import ChatAPI
package import ChatProtocol
import ChatRules
import ChatStore
package import EncryptedSQLite
import Logging
package import SMPAgent
package import SMPClient
import SMPCrypto
import SystemSupport
import XFTPAgent

/// A chat core of our own: profiles, contacts and messages in one folder, over the agent beneath it.
///
/// All profiles are live at once; commands say which they are for. It keeps its data in `<prefix>_chat.db` and `<prefix>_agent.db` and
/// holds `<prefix>.lock`, so that no two cores use one folder.
///
/// Everything that a response says is on disk. A message is written into the store together with the item that shows it, and stays
/// there until the agent has it: a crash at any moment neither loses nor doubles it.
package final class NativeCore: IdempotentChatCore {
    let engine: EngineCore
    private let lock: FolderLock?
    /// The agent's database; nil if the agent has none of its own.
    let agentDatabase: DatabaseFile?
    private let network: (any SMPRouting)?

    /// A core over an agent that is there already.
    ///
    /// - Parameter reports: the events of the agent.
    init(
        configuration: NativeCoreConfiguration, store: ChatStore, agent: any AgentService, reports: AsyncStream<AgentNotification>,
        network: (any SMPRouting)? = nil, lock: FolderLock? = nil, agentDatabase: DatabaseFile? = nil,
        files: any FileService = UnavailableFileService(reason: "this core has no service for them"), fileEvents: FileEventRelay = FileEventRelay(),
        random: any RandomSource = SystemRandomSource(), clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> UTCTimestamp = { .current() }, age: (@Sendable () -> UTCTimestamp)? = nil, inFlight: InFlightTable? = nil
    ) {
        self.lock = lock
        self.agentDatabase = agentDatabase
        self.network = network
        engine = EngineCore(
            configuration: configuration, store: store, agent: agent, reports: reports, files: files, fileEvents: fileEvents, random: random, clock: clock,
            now: now, age: age, inFlight: inFlight)
    }

    /// The transfer of files over the agent's store. Without it everything else works.
    private static func fileService(
        _ configuration: NativeCoreConfiguration, _ store: ChatStore, _ agentStore: AgentStore, _ events: FileEventRelay
    ) -> any FileService {
        guard let folder = configuration.transfersFolder else { return UnavailableFileService(reason: "a core in memory has no folder for them") }
        var settings = FileAgentConfiguration(folder: folder)
        settings.network = configuration.client.network
        if configuration.reportsHosts { settings.onConnection = { events.report($0, isConnected: $1) } }
        do throws(FileTransferError) {
            return try FileAgent(
                settings, store: agentStore, servers: ChatFileServers(store: store), now: { UTCTimestamp.current().seconds }, logger: configuration.logger,
                onEvent: { await events.receive($0) })
        } catch {
            configuration.logger.error("files cannot be transferred", metadata: ["reason": "\(error.code.rawValue)"])
            return UnavailableFileService(reason: error.message)
        }
    }

    /// The record of the work in progress, beside the databases. Without it, everything works except the quarantine of events on which processes crash.
    private static func inFlight(_ configuration: NativeCoreConfiguration, _ name: String = "", slots: Int) -> InFlightTable? {
        guard let prefix = configuration.prefix else { return nil }
        do throws(InFlightError) {
            return try InFlightTable(path: prefix + name + ".inflight", slots: slots)
        } catch {
            configuration.logger.warning("the events in progress cannot be recorded for a crash", metadata: ["reason": "\(error)"])
            return nil
        }
    }

    /// Opens the core of a folder, and makes its databases if they are not there.
    ///
    /// - Parameter network: How routers are reached; the core closes it.
    /// - Throws: `StorageError` `locked` if another core uses the folder, `keyNeeded`, `wrongKey` or `notEncrypted` if the key does not fit,
    ///   `newerDatabase`, `foreign`, `corrupt`, `diskFull` or `unavailable`.
    package static func open(
        _ configuration: NativeCoreConfiguration, network: any SMPRouting
    ) throws(StorageError) -> NativeCore {
        try open(configuration, network: network) { store, disk throws(StorageError) in
            let agentStore = try AgentStore(
                path: configuration.prefix.map { $0 + "_agent.db" }, key: configuration.key, logger: configuration.logger, health: disk.take)
            var settings = configuration.agent
            settings.logger = configuration.logger
            settings.inFlight = inFlight(configuration, "_agent", slots: settings.notedCommands)
            let agent = SMPAgent(configuration: settings, store: agentStore, network: network)
            let fileEvents = FileEventRelay()
            return NativeCoreServices(
                agent: agent, reports: agent.events, files: fileService(configuration, store, agentStore, fileEvents), fileEvents: fileEvents,
                database: agentStore.file)
        }
    }

    /// Opens the core of a folder over services that are there already, such as simulated ones.
    ///
    /// - Parameters:
    ///   - now: The time of the chat layer.
    ///   - age: The time by which messages disappear. After changing it, call ``removeExpiredMessages()``.
    /// - Throws: as ``open(_:network:)``.
    package static func open(
        _ configuration: NativeCoreConfiguration, services: NativeCoreServices, now: @escaping @Sendable () -> UTCTimestamp,
        age: @escaping @Sendable () -> UTCTimestamp
    ) throws(StorageError) -> NativeCore {
        try open(configuration, network: nil, now: now, age: age) { _, _ throws(StorageError) in services }
    }

    private static func open(
        _ configuration: NativeCoreConfiguration, network: (any SMPRouting)?, now: @escaping @Sendable () -> UTCTimestamp = { .current() },
        age: (@Sendable () -> UTCTimestamp)? = nil,
        services: (ChatStore, DiskHealthReporter) throws(StorageError) -> NativeCoreServices
    ) throws(StorageError) -> NativeCore {
        let lock: FolderLock?
        if let prefix = configuration.prefix { lock = try FolderLock(path: prefix + ".lock") } else { lock = nil }
        do throws(StorageError) {
            // An interrupted change of key is completed or undone first.
            try configuration.databases?.checkKey(configuration.key)
            let disk = DiskHealthReporter(observer: configuration.diskHealth)
            let store = try ChatStore(prefix: configuration.prefix, key: configuration.key, logger: configuration.logger, health: disk.take)
            let services = try services(store, disk)
            let core = NativeCore(
                configuration: configuration, store: store, agent: services.agent, reports: services.reports, network: network, lock: lock,
                agentDatabase: services.database, files: services.files, fileEvents: services.fileEvents, now: now, age: age,
                inFlight: inFlight(configuration, slots: CrashLoopGuard.slots))
            disk.report(to: core.engine.hub)
            return core
        } catch {
            lock?.release()
            throw error
        }
    }

    /// Opens the core of a folder over connections of its own to the routers.
    package static func open(_ configuration: NativeCoreConfiguration) throws(StorageError) -> NativeCore {
        var configuration = configuration
        configuration.network.apply(to: &configuration.client, &configuration.agent)
        let pool: SMPClientPool
        do {
            pool = try SMPClientPool(configuration: configuration.client, logger: configuration.logger)
        } catch {
            throw StorageError(.unavailable, "the network cannot be used: \(error)")
        }
        configuration.agent.network = configuration.client.network
        return try open(configuration, network: pool)
    }

    // MARK: Life

    /// Begins to send and receive. Commands are accepted before, but their messages wait.
    package func start() async throws(ChatCoreError) {
        try await engine.start()
    }

    /// Stops sending and receiving; ``start()`` continues with the waiting work.
    package func stop() async {
        await engine.stop()
    }

    /// True if the core sends and receives.
    package var isRunning: Bool { engine.isRunning }

    /// Stops, finishes running writes and releases the folder. Subscriptions to events end.
    package func close() async {
        await engine.close()
        await network?.close()
        lock?.release()
    }

    // MARK: ChatCore

    package func send(_ command: ChatCommand, as user: UserID?) async throws(ChatCoreError) -> ChatResponse {
        try await run(command, CommandRunner(core: engine, actor: user))
    }

    package func send(_ commands: [ChatCommand], as user: UserID?) async -> [Result<ChatResponse, ChatCoreError>] {
        var results: [Result<ChatResponse, ChatCoreError>] = []
        var written: [PendingResponse] = []
        for group in CommandGroup.groups(of: commands) {
            switch group {
            case .joint(let sends, let target): written += submit(sends, to: target, as: user)
            case .single(let command):
                if let answer = submit(command, CommandRunner(core: engine, actor: user)) {
                    written.append(answer)
                    continue
                }
                // A command of more than one transaction sees the effects of all commands before it.
                for answer in written { results.append(await answer.outcome) }
                written = []
                do throws(ChatCoreError) {
                    results.append(.success(try await send(command, as: user)))
                } catch {
                    results.append(.failure(error))
                }
            }
        }
        for answer in written { results.append(await answer.outcome) }
        return results
    }

    /// Gives a command to the store without waiting for it; nil if it is not a transaction.
    private func submit(_ command: ChatCommand, _ runner: CommandRunner) -> PendingResponse? {
        guard case .messages(let command) = command, let transaction = runner.messageCommands.transaction(of: command) else { return nil }
        let answer = PendingResponse()
        submit(as: runner.actor, { try [transaction($0)] }, for: [answer]) { .success($0) }
        return answer
    }

    /// Gives commands that send to one contact or group to the store, as one transaction, without waiting for it.
    private func submit(_ commands: [JointSend], to target: SendTarget, as actor: UserID?) -> [PendingResponse] {
        let answers = commands.map { _ in PendingResponse() }
        submit(as: actor, { try $0.sentMessages.sendJointly(commands, to: target) }, for: answers) { $0.mapError { ChatCoreError(thrown: $0) } }
        return answers
    }

    /// Gives a transaction to the store that makes as many answers as there are commands in it.
    private func submit<T: Sendable>(
        as actor: UserID?, _ transaction: @escaping @Sendable (ChatTransaction) throws -> [T], for answers: [PendingResponse],
        answer: @escaping @Sendable (T) -> Result<ChatResponse, ChatCoreError>
    ) {
        do throws(ChatCoreError) {
            try engine.checkOpen()
            engine.transactions.submit(as: actor, transaction) { result in
                switch result {
                case .success(let made): for (waiting, value) in zip(answers, made) { waiting.resolve(answer(value)) }
                case .failure(let error): for waiting in answers { waiting.resolve(.failure(error)) }
                }
            }
        } catch {
            for waiting in answers { waiting.resolve(.failure(error)) }
        }
    }

    package func events(bufferingUpTo limit: Int) -> ChatEvents {
        engine.hub.subscribe(bufferingUpTo: limit)
    }

    // MARK: IdempotentChatCore

    /// Runs a command unless one ran under the key before.
    ///
    /// Commands about messages and chats, answers to requests, and blocks, removals and roles of members can be given under a key; others are
    /// refused as `unsupported`. A result that has been deleted since is reported as not found. Keys are remembered for
    /// ``NativeCoreConfiguration/commandKeyPeriod``.
    package func send(_ command: ChatCommand, as user: UserID?, onceAs key: String) async throws(ChatCoreError) -> ChatResponse {
        guard command.canBeGivenOnce else {
            throw ChatCoreError(.unsupported, "This command cannot be given under a key: it would not be known again.")
        }
        guard !key.isEmpty, key.utf8.count <= OnceCommands.longestKey else {
            throw ChatCoreError(Refusal.command("a key has 1 to \(OnceCommands.longestKey) bytes").error)
        }
        return try await run(command, CommandRunner(core: engine, actor: user, key: key))
    }

    private func run(_ command: ChatCommand, _ runner: CommandRunner) async throws(ChatCoreError) -> ChatResponse {
        try engine.checkOpen()
        // The caller may stop waiting; the command continues.
        let answer = PendingResponse()
        Task {
            do throws(ChatCoreError) {
                answer.resolve(.success(try await runner.run(command)))
            } catch {
                answer.resolve(.failure(error))
            }
        }
        return try await answer.outcome.get()
    }
}

/// The response of a command that continues whether or not its caller still waits.
private typealias PendingResponse = Promise<Result<ChatResponse, ChatCoreError>>

extension Promise where Value == Result<ChatResponse, ChatCoreError> {
    /// The response, or `cancelled` if the waiting task is.
    fileprivate var outcome: Result<ChatResponse, ChatCoreError> {
        get async {
            do {
                return try await valueUnlessCancelled()
            } catch {
                return .failure(ChatCoreError(.cancelled, "The task that waited was cancelled."))
            }
        }
    }
}

/// The services below a core.
package struct NativeCoreServices: Sendable {
    /// The connections.
    let agent: any AgentService
    /// The agent's events, in order per connection.
    let reports: AsyncStream<AgentNotification>
    /// The transfer of files.
    let files: any FileService
    /// The events of the transfer of files.
    let fileEvents: FileEventRelay
    /// The agent's database, for backups; nil if the services have none.
    let database: DatabaseFile?

    package init(
        agent: any AgentService, reports: AsyncStream<AgentNotification>, files: any FileService, fileEvents: FileEventRelay, database: DatabaseFile? = nil
    ) {
        (self.agent, self.reports, self.files, self.fileEvents, self.database) = (agent, reports, files, fileEvents, database)
    }
}
