import AsyncPrimitives
import Logging
import SMPClient
import SMPCrypto
import SMPProtocol
import SMPWire
import Synchronization
import SystemSupport

/// Sends one queue's messages, each after the one before it is with the router or given up.
///
/// Messages come from memory while few wait, and from the store otherwise. The worker has a task only while it has work and one of the router's slots.
final class DeliveryWorker: Sendable {
    private struct Inner {
        var buffer: [PendingDelivery] = []
        /// The store may hold messages that are not in the buffer; a new worker knows nothing of those from before it.
        var hasBacklog = true
        /// All messages up to this one have been in the buffer.
        var lastSeen: AgentMessageID = 0
        var isRunning = false
        var isStopped = false
        /// True if another queue has come to need what waits: what was read or pushed before does not say so.
        var isShared = false
        /// A pause that ``resume()`` ends.
        var pause: Task<Void, Never>?
        var isResumed = false
    }

    private let core: AgentCore
    private let connection: ConnectionID
    private let record: RowID
    private let owner: SessionOwner
    private let queue: SendQueue
    private let slots: DeliverySlots
    private let inner = Mutex(Inner())

    init(core: AgentCore, queue: SendQueue, record: ConnectionRecord) {
        self.core = core
        self.queue = queue
        slots = core.deliverySlots[queue.server]
        connection = record.id
        self.record = record.row
        owner = record.owner
    }

    /// Takes a message that is stored. Messages come in the order of their numbers.
    func push(_ delivery: PendingDelivery) {
        let starts = inner.withLock { inner in
            guard !inner.isStopped else { return false }
            if inner.hasBacklog || inner.buffer.count >= core.configuration.deliveryBufferSize {
                inner.hasBacklog = true
            } else if delivery.message.messageID > inner.lastSeen {
                // One that is not newer was read from the store in the meantime.
                inner.buffer.append(delivery)
                inner.lastSeen = delivery.message.messageID
            }
            return Self.starts(&inner)
        }
        if starts { start() }
    }

    /// Looks for messages in the store.
    func wake() {
        let starts = inner.withLock { inner in
            guard !inner.isStopped else { return false }
            inner.hasBacklog = true
            return Self.starts(&inner)
        }
        if starts { start() }
    }

    /// From now on, waiting messages go to another queue as well.
    func share() { inner.withLock { $0.isShared = true } }

    /// Ends the wait before the next attempt.
    func resume() {
        let pause = inner.withLock { inner in
            inner.isResumed = true
            return inner.pause
        }
        pause?.cancel()
    }

    /// Ends the work; waiting messages stay in the store.
    func stop() {
        let pause = inner.withLock { inner in
            inner.isStopped = true
            return inner.pause
        }
        pause?.cancel()
    }

    private static func starts(_ inner: inout Inner) -> Bool {
        guard !inner.isRunning else { return false }
        inner.isRunning = true
        return true
    }

    private func start() { slots.whenFree { [self] in core.tasks.run { [self] in await run() } } }

    /// Sends what there is, and returns the slot.
    private func run() async {
        while let delivery = await next() {
            await send(delivery)
            await slots.yield()
        }
        slots.release()
    }

    private enum Step {
        case deliver(PendingDelivery)
        case load(after: AgentMessageID)
        case end
    }

    /// The next message, or nil when there is none, the worker is stopped or the agent does not run.
    private func next() async -> PendingDelivery? {
        while true {
            let step = inner.withLock { inner -> Step in
                guard !inner.isStopped, !Task.isCancelled, core.isRunning else {
                    inner.isRunning = false
                    inner.hasBacklog = true
                    inner.buffer = []
                    // What was in the buffer must be read again.
                    inner.lastSeen = 0
                    return .end
                }
                if !inner.buffer.isEmpty { return .deliver(inner.buffer.removeFirst()) }
                if inner.hasBacklog {
                    inner.hasBacklog = false
                    return .load(after: inner.lastSeen)
                }
                inner.isRunning = false
                // With its memory: the workers of a relay stay, and most have nothing to do.
                inner.buffer = []
                return .end
            }
            switch step {
            case .deliver(let delivery): return delivery
            case .end: return nil
            case .load(let after): guard await load(after: after) else { return nil }
            }
        }
    }

    /// - Returns: false if nothing can be read, and the work has ended.
    private func load(after messageID: AgentMessageID) async -> Bool {
        let limit = core.configuration.deliveryBufferSize
        do {
            // Deliveries that are recorded later would be read and sent again.
            if messageID == 0 { try await core.store.flush() }
            let loaded = try await core.store.deliveries(queue: queue.row, after: messageID, limit: limit)
            inner.withLock { inner in
                // Messages pushed meanwhile have higher numbers, and may be among the loaded ones.
                let pushed = inner.buffer
                inner.buffer = loaded
                let last = loaded.last?.message.messageID ?? messageID
                if loaded.count == limit {
                    inner.hasBacklog = true
                } else {
                    inner.buffer += pushed.filter { $0.message.messageID > last }
                }
                inner.lastSeen = inner.buffer.last?.message.messageID ?? max(inner.lastSeen, messageID)
            }
            return true
        } catch {
            let fault = AgentError(store: error)
            core.log.error("the messages of a queue could not be read", metadata: ["error": "\(error)"])
            inner.withLock { inner in
                // What was pushed meanwhile is read again, behind what could not be read.
                inner.buffer = []
                inner.lastSeen = messageID
                inner.hasBacklog = true
                // Another look would find the same: one is made when something more is sent.
                inner.isRunning = fault.isOfBusyStore
            }
            guard fault.isOfBusyStore else {
                core.notify(.failed(fault), connection)
                return false
            }
            await core.pauses.wait(core.configuration.fastRetry.initial, for: queue.server)
            return true
        }
    }

    // MARK: Sending

    private func send(_ delivery: PendingDelivery) async {
        let message = delivery.message
        var schedule = DeliverySchedule(core.configuration, restored: delivery.retry)
        while !isStopped {
            let isContinued = inner.withLock { inner in
                defer { inner.isResumed = false }
                return inner.isResumed
            }
            if isContinued { schedule.continued(core.configuration) }
            let failure: AgentError
            switch await attempt(message) {
            case .sent(let proxy): return await sent(delivery, proxy: proxy)
            case .unsendable(let error): return await giveUp(delivery, because: error, expireOthers: nil)
            case .failed(let error): failure = error
            }
            if failure == AgentError(.inactive), !isStopped {
                // The client was closed under the agent, which may continue with another one.
                await pause(core.configuration.fastRetry.initial)
            }
            if isStopped || failure == AgentError(.inactive) { return readAgain() }
            switch schedule.failed(message, with: failure, now: core.now, core.configuration) {
            case .giveUp(let expireOthers): return await giveUp(delivery, because: failure, expireOthers: expireOthers)
            case .retry(let delay, let state, let isWarned):
                core.store.applyLater([.setRetry(queue: queue.row, message.messageID, state)])
                if isWarned, message.kind == .message, await !anotherQueueHas(delivery) {
                    core.notify(.messageDelayed(message.messageID, failure), connection)
                }
                slots.release()
                await pause(delay)
                await slots.acquire()
            }
        }
        readAgain()
    }

    /// Discards what was read ahead, so that everything is read from the store again: a message that is not sent is neither in the buffer nor behind what was
    /// read. The agent may run again before the worker notices that it was suspended.
    private func readAgain() {
        inner.withLock { inner in
            inner.buffer = []
            inner.lastSeen = 0
            inner.hasBacklog = true
        }
    }

    private enum Attempt {
        case sent(proxy: SMPServerAddress?)
        case failed(AgentError)
        /// No command can be made of it.
        case unsendable(AgentError)
    }

    /// Sends a message once. The command is made for each attempt, so that a message that waits is not in memory in that form.
    private func attempt(_ message: SentMessage) async -> Attempt {
        let command: SMPRequest
        do { command = try request(for: message) } catch { return .unsendable(error) }
        do throws(AgentError) {
            FailPoint.agentSend.pass()
            let response = try await core.requestPrivately(command, to: queue.server, for: owner)
            guard case .ok = response.message else { throw AgentError(unexpected: response.message, to: "SEND", server: queue.server) }
            FailPoint.agentSent.pass()
            return .sent(proxy: response.proxy)
        } catch {
            return .failed(error)
        }
    }

    private var isStopped: Bool { inner.withLock { $0.isStopped } || Task.isCancelled || !core.isRunning }

    private func pause(_ delay: Duration) async {
        await core.pauses.wait(delay, for: queue.server) { sleeper in
            let isResumed = inner.withLock { inner in
                inner.pause = sleeper
                return inner.isResumed || inner.isStopped
            }
            if isResumed { sleeper.cancel() }
        }
        inner.withLock { $0.pause = nil }
    }

    /// The command with the message in a new box; the content of the box is the same in every attempt.
    private func request(for message: SentMessage) throws(AgentError) -> SMPRequest {
        let envelope = try message.envelope(agentVersion: core.configuration.agentVersions.max)
        let isConfirmation = message.kind == .connectionInfo || message.kind == .connectionInfoReply
        // A queue that its sender cannot secure gets the sender's key in the confirmation, which nothing authorises yet.
        let sendsKey = isConfirmation && !queue.senderCanSecure
        do {
            let clientEnvelope = try ClientEnvelope(
                sealing: ClientMessage(senderKey: sendsKey ? queue.privateKey.publicKey : nil, body: envelope),
                secret: queue.peerSecret, clientVersion: queue.clientVersion,
                encryptionKey: isConfirmation ? queue.encryptionKey : nil, nonce: BoxNonce.random(core.random),
                paddingReduction: core.configuration.paddingReduction)
            return SMPRequest(
                entity: queue.senderID, command: .send(message.flags, clientEnvelope.wireBytes),
                authKey: sendsKey ? nil : queue.privateKey)
        } catch {
            throw AgentError(receiving: error)
        }
    }

    private func sent(_ delivery: PendingDelivery, proxy: SMPServerAddress?) async {
        let message = delivery.message
        if message.kind == .message {
            // A lost record only makes the message travel twice, which its recipient notices.
            let done = done(message)
            // The original was reported as sent.
            if delivery.isCopy { return core.store.applyLater([done]) }
            // Recorded before another queue begins to look for what it need not take, or with it.
            let isAlone = inner.withLock { inner in
                guard !delivery.isShared, !inner.isShared else { return false }
                core.store.applyLater([done, .insertSentEvent(connection: record, message.messageID, proxy: proxy)])
                return true
            }
            guard isAlone else { return await sentFirst(message, proxy: proxy) }
            let durableID = DurableEventID.sent(connection: record, message.messageID)
            return core.notify(.sent(message.messageID, proxy: proxy), connection, durableID: durableID)
        }
        await commit { transition throws(AgentError) in transition.delivered(message, to: queue.row, core.context) }
    }

    private func done(_ message: SentMessage) -> StoreChange {
        message.requestKey == nil
            ? .deliveryDone(queue: queue.row, connection: record, message.messageID, keepRecord: true)
            : .deliverySent(queue: queue.row, message.messageID)
    }

    /// Tells that a message for several queues is sent when the first of them has it.
    private func sentFirst(_ message: SentMessage, proxy: SMPServerAddress?) async {
        await withConnection { access throws(AgentError) in
            _ = try await access.state()
            let done = done(message)
            // If that is lost the message travels once more, as a copy.
            guard try await !core.stored({ try await core.store.isSent(connection: record, sentID: message.sentID) }) else {
                return core.store.applyLater([done])
            }
            let changes = [
                .setSent(connection: record, sentID: message.sentID), done,
                .insertSentEvent(connection: record, message.messageID, proxy: proxy),
            ]
            try await core.stored { try await core.store.apply(changes, isPersistent: true) }
            let durableID = DurableEventID.sent(connection: record, message.messageID)
            core.notify(.sent(message.messageID, proxy: proxy), connection, durableID: durableID)
        }
    }

    /// Checks whether another queue has the message.
    private func anotherQueueHas(_ delivery: PendingDelivery) async -> Bool {
        guard !delivery.isCopy, delivery.isShared || inner.withLock({ $0.isShared }) else { return delivery.isCopy }
        return (try? await core.store.isSent(connection: record, sentID: delivery.message.sentID)) ?? false
    }

    private func giveUp(_ delivery: PendingDelivery, because error: AgentError, expireOthers: Int64?) async {
        let message = delivery.message
        var isCounted = false
        await commit { transition throws(AgentError) in
            // A queue that is gone is left if there are others; else each of its messages is tried.
            let isLeft = error.saysIsGone(queue) && transition.isDispensable(queue.row)
            var expired: [AgentMessageID] = []
            if let time = isLeft ? Int64.max : expireOthers {
                expired = try await core.stored { try await core.store.expiredDeliveries(queue: queue.row, before: time) }
                expired.removeAll { $0 <= message.messageID }
                let messages = Set(expired)
                inner.withLock { $0.buffer.removeAll { messages.contains($0.message.messageID) } }
            }
            var elsewhere: Set<AgentMessageID> = []
            if transition.state.sendQueues.count > 1 {
                let messages = [message.messageID] + expired
                elsewhere = try await core.stored {
                    try await core.store.flush()
                    return try await core.store.messagesElsewhere(messages, queue: queue.row)
                }
            }
            // Once, however often the rest has to be tried.
            if !isCounted { core.countGivenUp(error, isExpired: expireOthers != nil, count: expired.count + 1, owner.user, queue.server) }
            isCounted = true
            transition.gaveUp(delivery, to: queue.row, because: error, elsewhere: elsewhere)
            transition.gaveUp(expired, to: queue.row, because: error, elsewhere: elsewhere)
            if isLeft { transition.leave(sendQueue: queue.row, because: error) }
        }
    }

    /// Stores what follows from a message that was sent or given up, also if it has to wait for the disk. When the agent stops before that, the
    /// message is still in the store, and is sent again.
    private func commit(_ change: (inout Transition) async throws(AgentError) -> Void) async {
        await withConnection { access throws(AgentError) in
            var transition = Transition(try await access.state())
            try await change(&transition)
            try await access.commit(transition, isPersistent: true)
        }
    }

    private func withConnection(_ body: (ConnectionAccess) async throws(AgentError) -> Void) async {
        do throws(AgentError) {
            try await core.untilStored(connection) { () throws(AgentError) in try await core.withConnection(connection, body) }
        } catch {
            if case .connection(.notFound, _) = error.reason { return stop() }
            if case .inactive = error.reason { return }
            core.notify(.failed(error), connection)
        }
    }
}

extension AgentCore {
    /// The worker of a queue.
    func worker(for queue: SendQueue, _ record: ConnectionRecord) -> DeliveryWorker {
        deliveries.worker(queue.row) { DeliveryWorker(core: self, queue: queue, record: record) }
    }

    /// Sends the waiting messages of these connections. An unreadable connection does not block others.
    func resumeDeliveries(of connections: Set<ConnectionID>?) async {
        await nowOrWhenStored { [self] () throws(AgentError) in
            let waiting = try await stored { try await store.connectionsWithDeliveries() }
            for id in waiting where connections?.contains(id) ?? true {
                await nowOrWhenStored(id) { [self] () throws(AgentError) in try await wakeWorkers(of: id) }
            }
        }
    }

    private func wakeWorkers(of connection: ConnectionID) async throws(AgentError) {
        try await withConnection(connection) { access throws(AgentError) in
            let state = try await access.state()
            guard state.record.deletion != .started else { return }
            for queue in state.sendQueues where !queue.isOffered { worker(for: queue, state.record).wake() }
        }
    }
}
