import Logging
import SMPAgent
import SMPProtocol
import SMPWire
import Synchronization

/// Gives the agent the messages that transactions have written: in the order of the commits for each connection, different
/// connections side by side.
///
/// The store is the outbox: a message stays in it until the agent has it, under a key by which the agent knows it again, so that
/// a crash between the two databases neither loses nor doubles it.
final class Courier: Sendable {
    /// Messages given to the agent in one call at most.
    static let largestBatch = 256
    /// Messages that are kept in memory while they wait; more are read from the store when their turn comes.
    static let memoryLimit = 4_096
    /// How long messages wait that the agent cannot take now, because its disk fails: at first, and at most.
    static let firstDelay = Duration.seconds(1)
    static let longestDelay = Duration.seconds(30)

    private struct Queue {
        var waiting: [Delivery] = []
        /// What must be done once the messages that are being handed over are.
        var afterwards: [@Sendable () -> Void] = []
    }

    private struct State {
        /// Connections with messages that wait or are being handed over.
        var queues: [Bytes: Queue] = [:]
        var count = 0
        /// Set when more wait in the store than in memory: those are read from this number on.
        var overflowAfter: Int64?
        var isReading = false
        var isStopped = true
        /// Counts the batches that the agent was given.
        var handOvers = 0
        /// Counts the starts: what was begun before the last one ends without touching what came after.
        var run = 0
    }

    private let agent: any AgentService
    private let store: ChatStore
    private let clock: any Clock<Duration>
    private let logger: Logger
    private let accepted: @Sendable ([DeliveryLedger.Accepted]) -> Void
    private let failed: @Sendable (Delivery, AgentFault) async -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - accepted: Is told of messages that the agent has taken.
    ///   - failed: Is told of messages that the agent will not take.
    init(
        agent: any AgentService, store: ChatStore, clock: any Clock<Duration>, logger: Logger,
        accepted: @escaping @Sendable ([DeliveryLedger.Accepted]) -> Void,
        failed: @escaping @Sendable (Delivery, AgentFault) async -> Void
    ) {
        self.agent = agent
        self.store = store
        self.clock = clock
        self.logger = logger
        self.accepted = accepted
        self.failed = failed
    }

    /// Begins with what an earlier run left behind.
    func start() {
        let afterwards = state.withLock { state in
            defer {
                // Everything that waits is in the store, also what was committed before the start.
                state.queues = [:]
                state.count = 0
                state.overflowAfter = 0
                state.isReading = false
                state.isStopped = false
                state.run += 1
            }
            return state.queues.values.flatMap(\.afterwards)
        }
        for body in afterwards { body() }
        readOn()
    }

    func stop() { state.withLock { $0.isStopped = true } }

    /// Takes messages that were committed. Calls come in the order of the commits.
    func enqueue(_ deliveries: [Delivery]) {
        guard let first = deliveries.first else { return }
        let (started, run) = state.withLock { state -> ([Bytes], Int) in
            guard !state.isStopped, state.overflowAfter == nil else { return ([], state.run) }
            guard state.count + deliveries.count <= Self.memoryLimit else {
                // Everything from here on is in the store, in order.
                state.overflowAfter = first.id - 1
                return ([], state.run)
            }
            return (Self.add(deliveries, to: &state), state.run)
        }
        for connection in started { empty(connection, run) }
    }

    /// How many batches the agent was given so far: whether it grew tells whether something may have been handed over meanwhile.
    var handOvers: Int { state.withLock(\.handOvers) }

    /// Runs `body` once the messages of this connection that are being handed over are.
    ///
    /// - Returns: false, and `body` is not run, if none are.
    func afterHandingOver(_ connection: Bytes, _ body: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard state.queues[connection] != nil else { return false }
            state.queues[connection]?.afterwards.append(body)
            return true
        }
    }

    /// Adds to the queues; the connections that had none must be started.
    private static func add(_ deliveries: [Delivery], to state: inout State) -> [Bytes] {
        var started: [Bytes] = []
        for delivery in deliveries {
            if state.queues[delivery.agentConnectionID] == nil { started.append(delivery.agentConnectionID) }
            state.queues[delivery.agentConnectionID, default: Queue()].waiting.append(delivery)
        }
        state.count += deliveries.count
        return started
    }

    private func empty(_ connection: Bytes, _ run: Int) {
        Task { [self] in
            var delay = Self.firstDelay
            while let batch = nextBatch(of: connection, run) {
                if await handOver(batch, connection, run) {
                    delay = Self.firstDelay
                } else {
                    try? await clock.sleep(for: delay)
                    delay = min(delay * 2, Self.longestDelay)
                }
            }
            readOn()
        }
    }

    private func nextBatch(of connection: Bytes, _ run: Int) -> [Delivery]? {
        let (batch, afterwards) = state.withLock { state -> ([Delivery]?, [@Sendable () -> Void]) in
            guard state.run == run, var queue = state.queues[connection] else { return (nil, []) }
            guard !queue.waiting.isEmpty, !state.isStopped else {
                state.count -= queue.waiting.count
                state.queues[connection] = nil
                return (nil, queue.afterwards)
            }
            let batch = Array(queue.waiting.prefix(Self.largestBatch))
            queue.waiting.removeFirst(batch.count)
            state.queues[connection] = queue
            return (batch, [])
        }
        for body in afterwards { body() }
        return batch
    }

    /// - Returns: false if the agent cannot take some of it now: those wait, before all others, for another attempt.
    private func handOver(_ batch: [Delivery], _ connection: Bytes, _ run: Int) async -> Bool {
        let requests = batch.map(\.request)
        let results = await agent.send(requests)
        var taken: [DeliveryLedger.Accepted] = []
        var kept: [Delivery] = []
        for (delivery, result) in zip(batch, results) {
            switch result {
            case .success(let message): taken.append(DeliveryLedger.Accepted(delivery: delivery, message: message))
            case .failure(let fault):
                if case .inactive = fault.reason {
                    // The agent is suspended or closed: the message waits in the store for the next start.
                    stop()
                } else if fault.isTemporary {
                    logger.debug("a message cannot be given to the agent now", metadata: ["error": "\(fault.code)", "delivery": "\(delivery.id)"])
                    kept.append(delivery)
                } else {
                    logger.warning("a message could not be sent", metadata: ["error": "\(fault.code)", "delivery": "\(delivery.id)"])
                    await failed(delivery, fault)
                }
            }
        }
        if !taken.isEmpty { accepted(taken) }
        let afterwards = state.withLock { [kept] state -> [@Sendable () -> Void] in
            state.handOvers += 1
            guard state.run == run else { return [] }
            state.count -= batch.count - kept.count
            state.queues[connection]?.waiting.insert(contentsOf: kept, at: 0)
            defer { state.queues[connection]?.afterwards = [] }
            return state.queues[connection]?.afterwards ?? []
        }
        for body in afterwards { body() }
        return kept.isEmpty
    }

    /// Reads on from the store once memory is empty.
    private func readOn() {
        let next = state.withLock { state -> (after: Int64, run: Int)? in
            guard !state.isStopped, !state.isReading, state.count == 0, let after = state.overflowAfter else { return nil }
            state.isReading = true
            return (after, state.run)
        }
        guard let (after, run) = next else { return }
        store.submit(isPersistent: true, { db in try db.waitingDeliveries(after: after, limit: Self.memoryLimit) }) { [self] result in
            // On the writing queue: nothing is committed between the read and the switch back to memory.
            let started = state.withLock { state -> [Bytes] in
                guard state.run == run else { return [] }
                state.isReading = false
                guard case .success(let more) = result, !state.isStopped else { return [] }
                state.overflowAfter = more.count == Self.memoryLimit ? more.last?.id : nil
                return Self.add(more, to: &state)
            }
            if case .failure(let error) = result { logger.error("messages that wait could not be read", metadata: ["error": "\(error)"]) }
            for connection in started { empty(connection, run) }
        }
    }
}

extension Delivery {
    /// The message as the agent takes it.
    var request: AgentSendRequest {
        AgentSendRequest(
            connection: ConnectionID(agentConnectionID), body: body, flags: MessageFlags(notification: notifies),
            pqEncryption: pqEncryption, key: id)
    }
}
