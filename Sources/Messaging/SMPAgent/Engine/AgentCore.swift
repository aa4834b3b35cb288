import Logging
import SMPClient
import SMPCrypto
import SMPProtocol
import SMPWire
import Synchronization
import SystemSupport

/// The state that all parts of the agent share.
final class AgentCore: Sendable {
    /// The life cycle of the agent.
    enum Life: Sendable {
        case stopped, running, suspended, closed
    }

    let configuration: AgentConfiguration
    let store: any AgentStorage
    let network: any SMPRouting
    let router: PrivateRouter
    let settings: Mutex<NetworkConfiguration>
    let random: any RandomSource
    let keyPairs: KEMKeyPairPool
    let runtime: AgentRuntime
    var clock: any Clock<Duration> { runtime.clock }
    private let dayClock: SteadyClock
    let log: Logger

    let connections: ActiveConnectionCache
    let subscriptions = SubscriptionRegistry()
    let deliveries = DeliveryRegistry()
    let deliverySlots: DeliverySlotsRegistry
    let commands = CommandRegistry()
    let commandGuard: CommandGuard
    let acknowledgements = AcknowledgementRegistry()
    let pauses: PauseRegistry
    let statistics = StatisticsRegistry()
    let synchronizer = RatchetSynchronizer()
    let takeover = Mutex(TakeoverDetection())
    let users = Mutex<[AgentUserID: UserServers]>([:])
    let life = Mutex(Life.stopped)
    let tasks: TaskRegistry
    let events = EventQueue()

    init(
        configuration: AgentConfiguration, store: any AgentStorage, network: any SMPRouting, random: any RandomSource,
        runtime: AgentRuntime, now: @escaping @Sendable () -> Int64
    ) {
        self.configuration = configuration
        log = configuration.logger
        self.store = store
        self.network = network
        router = PrivateRouter(network: network, random: random, times: configuration.network, clock: runtime.clock)
        settings = Mutex(configuration.network)
        self.random = random
        self.runtime = runtime
        pauses = PauseRegistry(runtime)
        tasks = TaskRegistry(runtime)
        dayClock = SteadyClock(over: runtime.clock) { .milliseconds(now()) }
        keyPairs = KEMKeyPairPool(capacity: configuration.keyPairPoolSize, random: random)
        deliverySlots = DeliverySlotsRegistry(perServer: configuration.concurrentDeliveries)
        commandGuard = CommandGuard(configuration)
        connections = ActiveConnectionCache(capacity: configuration.cachedConnections)
    }

    /// Milliseconds since 1970, by a clock that does not jump: it says how old records are, and those that are too old are deleted.
    var now: Int64 { dayClock.now.wholeMilliseconds }

    var context: AgentContext {
        AgentContext(configuration: configuration, random: random, ratchetKeys: runtime.ratchetKeys ?? keyPairs, now: now, outdated: synchronizer.outdated)
    }

    var isRunning: Bool { life.withLock { $0 == .running } }

    func checkActive() throws(AgentError) { if life.withLock({ $0 != .running && $0 != .stopped }) { throw AgentError(.inactive) } }

    func notify(_ event: AgentEvent, _ connection: ConnectionID? = nil, durableID: DurableEventID? = nil) {
        // What fails because the agent is being closed continues when it is opened again.
        if case .failed = event, life.withLock({ $0 == .closed }) { return }
        events.yield(AgentNotification(connection: connection, event: event, durableID: durableID))
    }

    func finishEvents() { events.finish() }

    // MARK: Connections

    /// Runs `body` alone on a connection.
    func withConnection<Value: Sendable>(
        _ id: ConnectionID, _ body: (ConnectionAccess) async throws(AgentError) -> Value
    ) async throws(AgentError) -> Value {
        let active = connections.checkOut(id)
        await active.hold()
        defer {
            active.release()
            connections.checkIn(active)
        }
        return try await body(ConnectionAccess(core: self, active: active))
    }

    /// Runs `body` alone on several connections, which are held in the order of their ids so that two calls cannot wait for each other.
    func withConnections<Value: Sendable>(
        _ ids: Set<ConnectionID>, _ body: ([ConnectionID: ConnectionAccess]) async throws(AgentError) -> Value
    ) async throws(AgentError) -> Value {
        let ordered = ids.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }.map { connections.checkOut($0) }
        for active in ordered { await active.hold() }
        defer {
            for active in ordered {
                active.release()
                connections.checkIn(active)
            }
        }
        var accesses: [ConnectionID: ConnectionAccess] = [:]
        for active in ordered { accesses[active.id] = ConnectionAccess(core: self, active: active) }
        return try await body(accesses)
    }

    /// Does what follows from transitions that are stored.
    func performEffects(_ transition: Transition, _ active: ActiveConnection) {
        let state = transition.state
        for (event, durableID) in transition.notifications {
            if case .connected = event, let queue = state.receiveQueues.first {
                statistics.add(.connCompleted, state.record.user, queue.server)
            }
            notify(event.with(subscriptions), active.id, durableID: durableID)
            if synchronizer.isNeeded(after: event, of: active.id) { needsSynchronization(active.id) }
        }
        if transition.areReceiveQueuesChanged { subscriptions.update(state) { notify(.up($0, [active.id])) } }
        for queue in transition.removedSendQueues { deliveries.remove(queue)?.stop() }
        for queue in transition.sharedSendQueues { deliveries[queue]?.share() }
        for (queue, delivery) in transition.deliveries {
            if let sendQueue = state.sendQueue(queue) { worker(for: sendQueue, state.record).push(delivery) }
        }
        for queue in transition.resumedQueues { deliveries[queue]?.resume() }
        for command in transition.commands { run(command, of: active.id) }
    }

    // MARK: Network

    func session(_ owner: SessionOwner, _ server: SMPServerAddress) -> TransportSessionKey {
        Self.session(owner, server, settings.withLock { $0.sessionMode })
    }

    static func session(
        _ owner: SessionOwner, _ server: SMPServerAddress, _ mode: NetworkConfiguration.SessionMode
    ) -> TransportSessionKey {
        let entity = mode == .entity ? owner.entity : nil
        return TransportSessionKey(userID: owner.user, server: server, entity: entity.map { EntityID($0) })
    }

    /// Sends a command that is answered by `OK`.
    func send(
        _ command: SMPCommand, name: String, entity: EntityID, key: PrivateAuthKey?, to server: SMPServerAddress, for owner: SessionOwner
    ) async throws(AgentError) {
        let response = try await request(SMPRequest(entity: entity, command: command, authKey: key), to: server, for: owner)
        guard case .ok = response else { throw AgentError(unexpected: response, to: name, server: server) }
    }

    func request(
        _ request: SMPRequest, to server: SMPServerAddress, for owner: SessionOwner
    ) async throws(AgentError) -> SMPBrokerMessage {
        do {
            return try await network.send(request, over: session(owner, server))
        } catch {
            throw AgentError(error, server: server)
        }
    }

    /// Sends a command to a router that is not ours to choose, through a proxy if the policy, that of the settings or another, wants that.
    func requestPrivately(
        _ request: SMPRequest, to server: SMPServerAddress, for owner: SessionOwner, policy: PrivateRoutingPolicy? = nil, proxies: [SMPServerWithAuth]? = nil
    ) async throws(AgentError) -> PrivateRouter.Response {
        let servers = users.withLock { $0[owner.user] ?? UserServers() }
        let policy = policy ?? settings.withLock { $0.privateRoutingPolicy }
        var isMessage = false
        if case .send = request.command { isMessage = true }
        do {
            let response = try await router.send(
                request, over: session(owner, server), policy: policy, known: servers.known, proxies: proxies ?? servers.proxies(for: server))
            if isMessage { countAttempt(owner.user, server, proxy: response.proxy, isSent: response.message == .ok) }
            return response
        } catch {
            if isMessage { countAttempt(owner.user, server, proxy: error.proxy(for: server), isSent: false) }
            throw AgentError(error)
        }
    }

    /// The same, for a command that is answered by `OK`.
    func sendPrivately(
        _ command: SMPCommand, name: String, entity: EntityID, key: PrivateAuthKey?, to server: SMPServerAddress, for owner: SessionOwner
    ) async throws(AgentError) {
        let response = try await requestPrivately(
            SMPRequest(entity: entity, command: command, authKey: key), to: server, for: owner
        ).message
        guard case .ok = response else { throw AgentError(unexpected: response, to: name, server: server) }
    }
}

/// Exclusive access to a connection.
struct ConnectionAccess: Sendable {
    let core: AgentCore
    let active: ActiveConnection

    var id: ConnectionID { active.id }

    /// The connection's state, from memory or from the store.
    ///
    /// - Throws: `CONN NOT_FOUND`.
    func state() async throws(AgentError) -> ConnectionState {
        if let state = active.state { return state }
        guard let state = try await core.stored({ try await core.store.connection(active.id) }) else {
            throw .notFound("no connection \(active.id)")
        }
        active.state = state
        return state
    }

    /// Like ``state()``, for connections that are not being deleted.
    func liveState() async throws(AgentError) -> ConnectionState {
        let state = try await state()
        guard state.record.deletion == .none else { throw .notFound("connection \(active.id) is being deleted") }
        return state
    }

    /// Stores the changes of a transition, and then performs its effects.
    ///
    /// - Parameters:
    ///   - isPersistent: whether it waits for a disk that fails to work again: for what nobody would ask for again.
    ///   - stored: runs in between.
    func commit(_ transition: Transition, isPersistent: Bool = false, stored: () -> Void = {}) async throws(AgentError) {
        var transition = transition
        transition.storeEvents(core.random)
        let changes = transition.storeChanges
        try await core.stored { try await core.store.apply(changes, isPersistent: isPersistent) }
        FailPoint.agentStored.pass()
        active.state = transition.state
        stored()
        core.performEffects(transition, active)
    }

    /// The connection is gone.
    func forget() { active.state = nil }
}
