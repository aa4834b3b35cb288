import AsyncPrimitives
import ChatRules
import ChatStore
import Logging
import SMPAgent
import SMPProtocol
import SMPWire
import Synchronization

/// Is told what becomes of messages that an ``OutboxDispatcher`` hands over.
protocol OutboxDelegate: AnyObject, Sendable {
    /// The agent has taken messages.
    func outboxDidHandOver(_ accepted: [AcceptedDelivery])
    /// The agent will not take a message.
    func outboxDidFail(_ delivery: Delivery, _ fault: AgentError) async
}

/// The answer to the question for what a report of the agent must wait.
enum HandOverWait: Sendable {
    /// Messages of the connection wait, or may: the report is repeated after them.
    case waits
    /// All messages of the connection have been handed over.
    case nothingWaits
    /// Nothing is handed over any more: the report is left to the next process.
    case isClosed
}

/// A message that the agent has taken, under the agent's number.
struct AcceptedDelivery: Sendable {
    var delivery: Delivery
    var message: AcceptedMessage
}

/// Hands the messages that transactions have written to the agent: in commit order for each connection, connections side by side.
///
/// The store is the outbox: a message stays in it until the agent has it, under an idempotency key, so that a crash between the two databases
/// neither loses nor repeats it.
///
/// Connections that become ready together are served together: a message to many members is one call to the agent for up to
/// ``largestBatch`` of them, in which deliveries with equal bodies share one stored copy. A connection is in one call at a time, so that its
/// messages stay in order.
final class OutboxDispatcher: Sendable {
    /// Messages handed to the agent in one call at most.
    static let largestBatch = 1_024
    /// Messages of one connection in a call at most.
    static let largestShare = 256
    /// Messages kept in memory while they wait. More are read from the store once those are handed over.
    static let memoryLimit = 4_096
    /// The delays before messages are tried again that the agent cannot take because its disk fails: the first and the longest.
    static let firstDelay = Duration.seconds(1)
    static let longestDelay = Duration.seconds(30)

    /// The delays before connections that are out of step are tried again without being told that both sides have agreed.
    static let firstLook = Duration.seconds(2)
    static let longestLook = Duration.seconds(600)
    /// Such connections that are tried at once.
    static let looksAtOnce = 256

    fileprivate struct Queue {
        var waiting: [Delivery] = []
        /// Actions for when the messages that are being handed over have been.
        var completions: [@Sendable () -> Void] = []
    }

    fileprivate struct State {
        weak var delegate: (any OutboxDelegate)?
        /// Connections with messages that wait or are being handed over.
        var queues: [Bytes: Queue] = [:]
        var count = 0
        /// Set when more wait in the store than in memory: the number after which they are read.
        var overflowAfter: Int64?
        var isReading = false
        /// Connections that have to agree on new keys first: their messages stay in the store.
        var outOfStep: Set<Bytes> = []
        /// True while ``OutboxDispatcher/lookAgain(_:)`` runs.
        var isLooking = false
        /// Actions for connections of which messages may still be read from the store.
        var deferred: [Bytes: [@Sendable () -> Void]] = [:]
        var isStopped = true
        var isClosed = false
        /// The number of calls to the agent that are over.
        var handOvers = 0
        /// The number of starts: work from before the last start ends without affecting later work.
        var run = 0
    }

    private let agent: any MessageSender
    private let store: ChatStore
    private let clock: EngineClock
    private let logger: Logger
    /// True if connections agree on new keys by themselves, so that their messages wait for it.
    private let waitsForKeys: Bool
    private let state = Mutex(State())

    init(agent: any MessageSender, store: ChatStore, clock: EngineClock, waitsForKeys: Bool = false, logger: Logger) {
        self.waitsForKeys = waitsForKeys
        self.agent = agent
        self.store = store
        self.clock = clock
        self.logger = logger
    }

    /// Sets the delegate, which is held weakly.
    func attach(_ delegate: any OutboxDelegate) { state.withLock { $0.delegate = delegate } }

    /// Begins with the unfinished work of an earlier run.
    func start() {
        state.withLock { state in
            for (connection, queue) in state.queues { state.postpone(queue.completions, connection) }
            // All waiting work is in the store, including work that was committed before the start.
            state.queues = [:]
            state.outOfStep = []
            state.count = 0
            state.overflowAfter = 0
            state.isReading = false
            state.isStopped = false
            state.run += 1
        }
        readOn()
    }

    func stop() { state.withLock { $0.isStopped = true } }

    /// Stops permanently. Nothing waits for a hand-over any more.
    func close() {
        let completions = state.withLock { state in
            state.isStopped = true
            state.isClosed = true
            defer {
                state.queues = [:]
                state.count = 0
                state.deferred = [:]
                state.run += 1
            }
            return state.queues.values.flatMap(\.completions) + state.deferred.values.flatMap(\.self)
        }
        for complete in completions { complete() }
    }

    /// Adds messages whose transaction was committed. Calls are made in commit order.
    func enqueue(_ deliveries: [Delivery]) {
        guard let first = deliveries.first else { return }
        let (ready, run) = state.withLock { state -> ([Bytes], Int) in
            guard !state.isStopped, state.overflowAfter == nil else { return ([], state.run) }
            guard state.count + deliveries.count <= Self.memoryLimit else {
                // Everything from here on is in the store, in order.
                state.overflowAfter = first.id - 1
                return ([], state.run)
            }
            return (state.add(deliveries), state.run)
        }
        drain(ready, run)
        // With nothing in memory, no drain would come to read on.
        readOn()
    }

    /// The number of calls to the agent that are over. If it has grown, something may have been handed over meanwhile.
    var handOvers: Int { state.withLock(\.handOvers) }

    /// Runs `body` once messages of this connection that wait have been handed over. It does not run if the result is another than `.waits`.
    ///
    /// The agent may report a message of an earlier process before that message was read from the store: until all are read, each connection may
    /// have one.
    func afterHandingOver(_ connection: Bytes, _ body: @escaping @Sendable () -> Void) -> HandOverWait {
        state.withLock { state in
            guard !state.isClosed else { return .isClosed }
            guard state.queues[connection] == nil else {
                state.queues[connection]?.completions.append(body)
                return .waits
            }
            guard state.isStopped || state.overflowAfter != nil else { return .nothingWaits }
            state.postpone([body], connection)
            return .waits
        }
    }

    /// Hands over the messages of connections that are in no call yet.
    ///
    /// - Parameter delays: The delays after failures of the agent's disk, the next of which is waited for; nil after none.
    private func drain(_ connections: [Bytes], _ run: Int, after delays: DoublingDelay? = nil) {
        guard !connections.isEmpty else { return }
        Task { [self] in
            var delays = delays
            if let delay = delays?.next() { try? await clock.sleep(for: delay) }
            var connections = connections
            while let batch = nextBatch(of: &connections, run) {
                let deferred = await handOver(batch, run)
                guard !deferred.isEmpty else { continue }
                connections.removeAll(where: deferred.contains)
                drain(Array(deferred), run, after: delays ?? DoublingDelay(from: Self.firstDelay, to: Self.longestDelay))
            }
            readOn()
        }
    }

    /// Takes the next messages for the agent. Connections with nothing left are dropped from `connections`; those that are served go to its end.
    ///
    /// - Returns: nil if nothing is left.
    private func nextBatch(of connections: inout [Bytes], _ run: Int) -> [Delivery]? {
        let candidates = connections
        let (batch, remaining, completions) = state.withLock { state -> ([Delivery], [Bytes], [@Sendable () -> Void]) in
            guard state.run == run else { return ([], [], []) }
            var batch: [Delivery] = []
            var served: [Bytes] = []
            var completions: [@Sendable () -> Void] = []
            var index = 0
            while index < candidates.count, batch.count < Self.largestBatch {
                let connection = candidates[index]
                index += 1
                guard let queue = state.queues[connection] else { continue }
                guard !queue.waiting.isEmpty, !state.isStopped else {
                    state.count -= queue.waiting.count
                    state.queues[connection] = nil
                    if queue.waiting.isEmpty { completions += queue.completions } else { state.postpone(queue.completions, connection) }
                    continue
                }
                let share = min(queue.waiting.count, Self.largestShare, Self.largestBatch - batch.count)
                batch += queue.waiting.prefix(share)
                state.queues[connection]?.waiting.removeFirst(share)
                served.append(connection)
            }
            return (batch, candidates[index...] + served, completions)
        }
        connections = remaining
        for complete in completions { complete() }
        return batch.isEmpty ? nil : batch
    }

    /// - Returns: The connections with messages that the agent cannot take now: those wait, before all others of theirs.
    private func handOver(_ batch: [Delivery], _ run: Int) async -> Set<Bytes> {
        let results = await agent.send(batch.map(\.request))
        var accepted: [AcceptedDelivery] = []
        var kept: [Bytes: [Delivery]] = [:]
        var outOfStep: Set<Bytes> = []
        let delegate = state.withLock { $0.delegate }
        for (delivery, result) in zip(batch, results) {
            switch result {
            case .success(let message): accepted.append(AcceptedDelivery(delivery: delivery, message: message))
            case .failure(let fault):
                if case .inactive = fault.reason {
                    // The agent is suspended or closed: the message waits in the store for the next start.
                    state.withLock { if $0.run == run { $0.isStopped = true } }
                } else if waitsForKeys, fault.isOutOfStep {
                    outOfStep.insert(delivery.agentConnectionID)
                } else if fault.isTemporary {
                    logger.debug("a message cannot be given to the agent now", metadata: ["error": "\(fault.code)", "delivery": "\(delivery.id)"])
                    kept[delivery.agentConnectionID, default: []].append(delivery)
                } else {
                    logger.warning("a message could not be sent", metadata: ["error": "\(fault.code)", "delivery": "\(delivery.id)"])
                    await delegate?.outboxDidFail(delivery, fault)
                }
            }
        }
        if !accepted.isEmpty { delegate?.outboxDidHandOver(accepted) }
        let (completions, mustLook) = state.withLock { [kept, outOfStep] state -> ([@Sendable () -> Void], Bool) in
            state.handOvers += 1
            guard state.run == run else { return ([], false) }
            var completions: [@Sendable () -> Void] = []
            state.count -= batch.count
            for connection in Set(batch.map(\.agentConnectionID)) {
                completions += state.queues[connection]?.completions ?? []
                state.queues[connection]?.completions = []
                if let again = kept[connection] {
                    state.count += again.count
                    state.queues[connection]?.waiting.insert(contentsOf: again, at: 0)
                }
            }
            for connection in outOfStep {
                if let queue = state.queues.removeValue(forKey: connection) { state.count -= queue.waiting.count }
                state.outOfStep.insert(connection)
            }
            let mustLook = !state.outOfStep.isEmpty && !state.isLooking
            if mustLook { state.isLooking = true }
            return (completions, mustLook)
        }
        for complete in completions { complete() }
        if mustLook { lookAgain(run) }
        return Set(kept.keys)
    }

    // MARK: Connections that agree on new keys

    /// Hands over the messages of a connection that waited until both sides have agreed on new keys.
    func release(_ connection: Bytes) {
        let run = state.withLock { state -> Int? in
            guard !state.isStopped, state.outOfStep.contains(connection) else { return nil }
            return state.run
        }
        guard let run else { return }
        store.submit(isPersistent: true, { db in try db.deliveries.waiting(agentConnection: connection) }) { [self] result in
            // On the writing queue: nothing is committed between the read and the change.
            let ready = state.withLock { state -> [Bytes] in
                guard state.run == run, !state.isStopped, case .success(let waiting) = result, state.outOfStep.remove(connection) != nil else { return [] }
                // The others are read in their turn.
                return state.add(waiting.filter { delivery in state.overflowAfter.map { delivery.id <= $0 } ?? true })
            }
            drain(ready, run)
            readOn()
        }
    }

    /// Tries connections again that are out of step: what tells that both sides have agreed may have come while their messages were being refused.
    private func lookAgain(_ run: Int) {
        Task { [self] in
            var delays = DoublingDelay(from: Self.firstLook, to: Self.longestLook)
            while true {
                try? await clock.sleep(for: delays.next())
                let connections = state.withLock { state -> [Bytes] in
                    guard state.run == run, !state.isStopped, !state.outOfStep.isEmpty else {
                        state.isLooking = false
                        return []
                    }
                    return state.outOfStep.shuffled().prefix(Self.looksAtOnce).map(\.self)
                }
                guard !connections.isEmpty else { return }
                for connection in connections { release(connection) }
            }
        }
    }

    /// Reads on from the store once memory is empty.
    private func readOn() {
        let next = state.withLock { state -> (after: Int64, run: Int)? in
            guard !state.isStopped, !state.isReading, state.count == 0, let after = state.overflowAfter else { return nil }
            state.isReading = true
            return (after, state.run)
        }
        guard let (after, run) = next else { return }
        store.submit(isPersistent: true, { db in try db.deliveries.waiting(after: after, limit: Self.memoryLimit) }) { [self] result in
            // On the writing queue: nothing is committed between the read and the switch back to memory.
            let (ready, completions) = state.withLock { state -> ([Bytes], [@Sendable () -> Void]) in
                guard state.run == run else { return ([], []) }
                state.isReading = false
                guard case .success(let more) = result, !state.isStopped else { return ([], []) }
                state.overflowAfter = more.count == Self.memoryLimit ? more.last?.id : nil
                let ready = state.add(more)
                // All deliveries of the other connections have been read.
                return (ready, state.overflowAfter == nil ? state.takeDeferred() : [])
            }
            for complete in completions { complete() }
            if case .failure(let error) = result { logger.error("waiting messages could not be read", metadata: ["error": "\(error)"]) }
            drain(ready, run)
        }
    }
}

extension OutboxDispatcher.State {
    /// Adds messages to the queues of their connections.
    ///
    /// - Returns: The connections that had no queue, in the order of their first messages. They are to be drained.
    fileprivate mutating func add(_ deliveries: [Delivery]) -> [Bytes] {
        var ready: [Bytes] = []
        var added = 0
        for delivery in deliveries {
            let connection = delivery.agentConnectionID
            // It stays in the store.
            if outOfStep.contains(connection) { continue }
            added += 1
            if queues[connection] == nil {
                ready.append(connection)
                queues[connection] = OutboxDispatcher.Queue(completions: deferred.removeValue(forKey: connection) ?? [])
            }
            queues[connection]?.waiting.append(delivery)
        }
        count += added
        return ready
    }

    /// Keeps actions until messages of their connection are read from the store, or all are.
    fileprivate mutating func postpone(_ completions: [@Sendable () -> Void], _ connection: Bytes) {
        guard !completions.isEmpty else { return }
        deferred[connection, default: []] += completions
    }

    fileprivate mutating func takeDeferred() -> [@Sendable () -> Void] {
        defer { deferred = [:] }
        return deferred.values.flatMap(\.self)
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
