import ChatAPI
import ChatProtocol
import EncryptedSQLite
import Logging
import SMPAgent
import SMPCrypto
import SMPWire
import Synchronization
import SystemSupport

/// What commands and received events share: the store, the agent, and those who carry out what transactions decide.
final class EngineCore: Sendable {
    let configuration: NativeCoreConfiguration
    let store: ChatStore
    let agent: any AgentService
    /// What the agent reports.
    let reports: AsyncStream<AgentNotification>
    /// Which events processes died of.
    let watch: ReceivingWatch
    let hub = ChatEventHub()
    let turns = Turns()
    let random: any RandomSource
    let clock: any Clock<Duration>
    let now: @Sendable () -> UTCTimestamp
    private let steadyClock: SteadyClock
    var logger: Logger { configuration.logger }

    /// Those who carry out what transactions decide. They refer back to this core: ``untie()`` lets go of them.
    private struct Parts {
        let courier: Courier
        let clerk: Clerk
        let timer: ExpiryTimer
        let ledger: DeliveryLedger
    }

    /// Whether the core sends and receives, and who stores what is received.
    struct Running {
        var isRunning = false
        var isClosed = false
        /// The stores are closed because what is in them was changed: the core has to be opened anew.
        var isStoreChanged = false
        var receiver: Task<Void, Never>?
    }

    let running = Mutex(Running())
    var isRunning: Bool { running.withLock { $0.isRunning } }
    var isClosed: Bool { running.withLock { $0.isClosed } }

    /// What the databases are encrypted with now.
    let storeKey: Mutex<DatabaseKey?>

    private let parts = Mutex<Parts?>(nil)
    /// Whether servers are arranged as the core is set up.
    let arrangement = Mutex(false)
    /// How routers are reached, and whether an app says that there is a network.
    let network = Mutex<(config: NetworkConfig, isOnline: Bool, isSlow: Bool)>((.standard, true, false))

    init(
        configuration: NativeCoreConfiguration, store: ChatStore, agent: any AgentService, reports: AsyncStream<AgentNotification>, random: any RandomSource,
        clock: any Clock<Duration>, now: @escaping @Sendable () -> UTCTimestamp, inFlight: InFlightTable? = nil
    ) {
        watch = ReceivingWatch(table: inFlight)
        self.configuration = configuration
        storeKey = Mutex(configuration.key)
        self.store = store
        self.agent = agent
        self.reports = reports
        self.random = random
        self.clock = clock
        self.now = now
        steadyClock = SteadyClock(over: clock) { now().sinceEpoch }
    }

    /// The time of day for the age of things, which a clock that jumps must not end.
    var steadyNow: UTCTimestamp { UTCTimestamp(sinceEpoch: steadyClock.now) }

    var moment: Moment { Moment(now: now(), steady: steadyNow) }

    private var made: Parts {
        parts.withLock { parts in
            if let parts { return parts }
            let ledger = DeliveryLedger(core: self)
            let courier = Courier(
                agent: agent, store: store, clock: clock, logger: logger, accepted: { ledger.enter($0) }, failed: { [self] in await undeliverable($0, $1) })
            let clerk = Clerk(
                store: store, clock: clock, logger: logger, perform: { [self] in try await perform($0) },
                failed: { [self] in await unperformable($0, $1) })
            let made = Parts(courier: courier, clerk: clerk, timer: ExpiryTimer(core: self), ledger: ledger)
            parts = made
            return made
        }
    }

    var courier: Courier { made.courier }
    var clerk: Clerk { made.clerk }
    var timer: ExpiryTimer { made.timer }
    var ledger: DeliveryLedger { made.ledger }

    /// Lets go of what refers back to this core.
    func untie() { parts.withLock { $0 = nil } }

    // MARK: Transactions

    /// Runs a transaction; what it decides is carried out once it is on disk.
    ///
    /// - Parameters:
    ///   - actor: The profile that commands are for which name none; nil for the active one.
    ///   - isPersistent: whether it waits for a disk that fails to work again: for what nobody would ask for again.
    func transaction<T: Sendable>(
        as actor: UserID? = nil, isPersistent: Bool = false, _ body: @escaping @Sendable (ChatTransaction) throws -> T
    ) async throws(ChatCoreError) -> T {
        let moment = moment
        let random = random
        do {
            return try await store.write(
                isPersistent: isPersistent,
                { db -> (T, Effects) in
                    let transaction = ChatTransaction(db, at: moment, random: random, actor: actor)
                    let value = try body(transaction)
                    return (value, transaction.effects)
                }, afterCommit: { [self] in publish($0.1) }
            ).0
        } catch {
            throw ChatCoreError(thrown: error)
        }
    }

    /// Runs a transaction after those that were given before, without waiting for it.
    func submit<T: Sendable>(
        as actor: UserID?, _ body: @escaping @Sendable (ChatTransaction) throws -> T,
        completion: @escaping @Sendable (Result<T, ChatCoreError>) -> Void
    ) {
        let moment = moment
        let random = random
        store.submit(
            { db -> (T, Effects) in
                let transaction = ChatTransaction(db, at: moment, random: random, actor: actor)
                let value = try body(transaction)
                return (value, transaction.effects)
            },
            completion: { [self] result in
                if case .success(let (_, effects)) = result { publish(effects) }
                completion(result.map(\.0).mapError { ChatCoreError(thrown: $0) })
            })
    }

    /// Runs queries on the last commit; what they emit is published, what they would write is refused by the database.
    ///
    /// - Parameter isLong: whether they go through a good part of a table.
    func query<T: Sendable>(
        as actor: UserID? = nil, isLong: Bool = false, _ body: @escaping @Sendable (ChatTransaction) throws -> T
    ) async throws(ChatCoreError) -> T {
        let moment = moment
        let random = random
        do {
            let (value, effects) = try await store.read(isLong: isLong) { db -> (T, Effects) in
                let transaction = ChatTransaction(db, at: moment, random: random, actor: actor)
                let value = try body(transaction)
                return (value, transaction.effects)
            }
            publish(effects)
            return value
        } catch {
            throw ChatCoreError(thrown: error)
        }
    }

    /// Carries out what a transaction decided. Calls come in the order of the commits.
    func publish(_ effects: Effects) {
        for event in effects.events { hub.publish(event) }
        courier.enqueue(effects.deliveries)
        if !effects.work.isEmpty { clerk.enqueue(effects.work) }
        if effects.hasNewExpiry { timer.wake() }
    }

    /// Calls the agent for a command.
    func agent<T>(_ call: (any AgentService) async throws(AgentFault) -> T) async throws(ChatCoreError) -> T {
        do {
            return try await call(agent)
        } catch {
            throw ChatCoreError(error)
        }
    }
}
