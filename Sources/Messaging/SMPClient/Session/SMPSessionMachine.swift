import SMPProtocol
import SMPWire

/// One connection to a router after its handshake, without I/O: takes requests, blocks and the time, and returns what to do.
///
/// `Handle` identifies the caller that waits for a response. Times are durations since any fixed moment.
struct SMPSessionMachine<Handle: Sendable>: Sendable {
    /// A command, encoded and authorised.
    struct Request: Sendable {
        let correlationID: CorrelationID
        let entity: EntityID
        let command: SMPCommand
        let transmission: Bytes
        var deadline: Duration
        /// Nil for probes of a silent router, of which there is one at a time: nobody waits for them.
        let handle: Handle?
    }

    enum Action: Sendable {
        /// Answer the waiting caller.
        case complete(Handle, Result<SMPBrokerMessage, SMPClientError>)
        case event(SMPSessionEvent)
        /// Close the connection; ``end(_:)`` follows.
        case close(SMPClientError)
    }

    private struct Pending {
        let entity: EntityID
        let command: SMPCommand
        let deadline: Duration
        let handle: Handle?
        /// Nobody waits any more, but the response may still come and say something about a subscription.
        var isAbandoned = false
    }

    private let context: TransmissionContext
    private var cipher: BlockCipher
    private let limits: SMPSessionLimits

    private var pending: [CorrelationID: Pending] = [:]
    private var abandonedCount = 0
    /// Requests that have not been sent, in order, and how many of them are behind us.
    private var outgoing: [(id: CorrelationID, transmission: Bytes)] = []
    private var outgoingStart = 0
    private var outgoingBytes = 0
    /// True if some of them may have been given up since they were last looked through.
    private var hasAbandonedOutgoing = false

    private var lastReceived: Duration
    private var unansweredCount = 0
    private var isPinging = false
    private var earliestDeadline: Duration?
    private(set) var hasEnded = false
    /// Unsolicited responses that the router may send.
    private(set) var deliveries = SessionDeliveries()
    /// Unsolicited responses since the router's last answer to a command that nobody waits for.
    private var unexpectedCount = 0
    /// True if the router broke the protocol or stopped answering: nothing more is read until the end.
    private var isGivenUp = false
    /// True if silence is probed: once there is a subscription, whose messages would otherwise fail to come unnoticed.
    var isProbing = false

    init(_ session: SMPSessionParameters, limits: SMPSessionLimits, now: Duration) {
        context = session.context
        cipher = session.cipher
        self.limits = limits
        lastReceived = now
    }

    /// Commands whose response is awaited.
    var pendingCount: Int { pending.count - abandonedCount }
    /// True if ``nextBlocks()`` has anything to give.
    var hasOutgoing: Bool { outgoingStart < outgoing.count }

    // MARK: Requests

    /// Takes requests to be sent by the next ``nextBlocks()``.
    mutating func submit(_ requests: [Request]) -> [Action] {
        var actions: [Action] = []
        for request in requests {
            guard !hasEnded else {
                actions += complete(request.handle, .failure(SMPClientError(.network(.failed), "the connection is closed")))
                continue
            }
            guard pending[request.correlationID] == nil else {
                let error = SMPClientError(.invalidRequest, "the correlation id is in use")
                actions += complete(request.handle, .failure(error))
                continue
            }
            // A router that reads nothing more must be found out all the same: its probe always has room.
            let isProbe = request.handle == nil
            guard isProbe || pendingCount < limits.maximumPendingRequests else {
                let error = SMPClientError(.overloaded, "\(pendingCount) commands wait for responses of the router")
                actions += complete(request.handle, .failure(error))
                continue
            }
            guard isProbe || hasRoom(for: request.transmission) else {
                let error = SMPClientError(.overloaded, "\(outgoingBytes) bytes wait for the router to read them")
                actions += complete(request.handle, .failure(error))
                continue
            }
            outgoingBytes += request.transmission.count
            pending[request.correlationID] = Pending(
                entity: request.entity, command: request.command, deadline: request.deadline, handle: request.handle)
            earliestDeadline = min(earliestDeadline ?? request.deadline, request.deadline)
            outgoing.append((request.correlationID, request.transmission))
            deliveries.sending(request.command, to: request.entity)
            if request.command.responseKind == .subscription { isProbing = true }
            if case .subs = request.command { isProbing = true }
        }
        return actions
    }

    /// Checks whether there is room for a command. Those that were given up before they were sent make room for it.
    private mutating func hasRoom(for transmission: Bytes) -> Bool {
        let limit = limits.maximumOutgoingBytes - transmission.count
        if outgoingBytes > limit, hasAbandonedOutgoing { dropAbandoned() }
        return outgoingBytes <= limit
    }

    private mutating func dropAbandoned() {
        hasAbandonedOutgoing = false
        outgoing = outgoing[outgoingStart...].filter { id, transmission in
            if pending[id]?.isAbandoned == false { return true }
            outgoingBytes -= transmission.count
            forget(id)
            return false
        }
        outgoingStart = 0
    }

    /// The next blocks to send: the waiting commands, packed into few blocks, at most about ``SMPSessionLimits/blocksAtOnce``.
    mutating func nextBlocks() -> (blocks: [Bytes], actions: [Action]) {
        var blocks: [Bytes] = []
        var actions: [Action] = []
        while blocks.count < limits.blocksAtOnce, hasOutgoing {
            let batch = takeBatch(atMost: limits.blocksAtOnce - blocks.count)
            let packed = TransmissionBatcher.pack(batch.transmissions)
            for index in packed.oversized {
                guard let request = forget(batch.ids[index]) else { continue }
                let error = SMPClientError(.transport(.largeMessage), "the command does not fit into a block")
                actions += complete(request.handle, .failure(error))
            }
            for part in packed.batches {
                do throws(TransportError) {
                    blocks.append(try cipher.seal(part))
                } catch {
                    return (blocks, actions + [.close(SMPClientError(.transport(error), "a block could not be encrypted"))])
                }
            }
        }
        return (blocks, actions)
    }

    /// Takes requests that may be packed together.
    ///
    /// Two commands about one entity are not: official routers run the commands of a block from the last to the first.
    private mutating func takeBatch(atMost count: Int) -> (ids: [CorrelationID], transmissions: [Bytes]) {
        var ids: [CorrelationID] = []
        var transmissions: [Bytes] = []
        var entities: Set<EntityID> = []
        var room = count * TransmissionBatcher.contentLimit
        while outgoingStart < outgoing.count {
            let (id, transmission) = outgoing[outgoingStart]
            if let request = pending[id], !request.isAbandoned {
                room -= transmission.count + 2
                if room < 0, !transmissions.isEmpty { break }
                guard request.entity.isNone || entities.insert(request.entity).inserted else { break }
                transmissions.append(transmission)
                ids.append(id)
            } else {
                // Never sent, so no response will come.
                forget(id)
            }
            outgoingBytes -= transmission.count
            outgoingStart += 1
        }
        if outgoingStart == outgoing.count {
            outgoing.removeAll(keepingCapacity: outgoing.count <= 64)
            outgoingStart = 0
        }
        return (ids, transmissions)
    }

    /// Gives up waiting for responses. What they say about subscriptions still counts when they come.
    mutating func abandon(_ ids: [CorrelationID]) -> [Action] {
        var actions: [Action] = []
        for id in ids {
            guard let request = abandon(id) else { continue }
            actions += complete(request.handle, .failure(SMPClientError(.cancelled, "waiting for the response was cancelled")))
        }
        return actions
    }

    @discardableResult
    private mutating func forget(_ id: CorrelationID) -> Pending? {
        guard let request = pending.removeValue(forKey: id) else { return nil }
        if request.isAbandoned { abandonedCount -= 1 }
        return request
    }

    private mutating func abandon(_ id: CorrelationID) -> Pending? {
        guard let request = pending[id], !request.isAbandoned else { return nil }
        if abandonedCount >= limits.maximumPendingRequests {
            pending = pending.filter { !$0.value.isAbandoned }
            abandonedCount = 0
        }
        pending[id]?.isAbandoned = true
        abandonedCount += 1
        hasAbandonedOutgoing = hasOutgoing
        return request
    }

    private func complete(_ handle: Handle?, _ result: Result<SMPBrokerMessage, SMPClientError>) -> [Action] {
        handle.map { [.complete($0, result)] } ?? []
    }

    // MARK: Responses

    /// Reads a block of the router.
    mutating func receive(_ block: Bytes, now: Duration) -> [Action] {
        guard !hasEnded, !isGivenUp else { return [] }
        lastReceived = now
        unansweredCount = 0
        isPinging = false
        let content: Bytes
        do throws(TransportError) {
            content = try cipher.open(block)
        } catch {
            // The keys of blocks follow from each other: nothing can be read from here on.
            return [.close(SMPClientError(.transport(error), "a block of the router cannot be read"))]
        }
        var actions: [Action] = []
        for transmission in context.decode(block: content, as: SMPBrokerMessage.self) {
            take(transmission, &actions)
            if isGivenUp { break }
        }
        return actions
    }

    /// Notes something that the router should not have said. A few such things can come of commands that were given up.
    private mutating func takeUnexpected(_ said: Result<String, SMPErrorType>, _ actions: inout [Action]) {
        unexpectedCount += 1
        actions.append(.event(.unexpected(said)))
        if unexpectedCount > limits.maximumUnexpected { refuse("\(unexpectedCount) transmissions in a row that answer nothing", &actions) }
    }

    private mutating func refuse(_ what: String, _ actions: inout [Action]) {
        isGivenUp = true
        // What waits for answers can be asked of the router again.
        actions.append(.close(SMPClientError(.network(.failed), "the router does not keep to the protocol: \(what)")))
    }

    private mutating func take(_ transmission: ReceivedTransmission<SMPBrokerMessage>, _ actions: inout [Action]) {
        guard !transmission.correlationID.isNone else {
            return takeUnasked(transmission.entity, transmission.message, &actions)
        }
        guard let request = forget(transmission.correlationID) else {
            return takeUnexpected(transmission.message.map(\.name), &actions)
        }
        unexpectedCount = 0
        let response = response(transmission, to: request)
        if case .success(let message) = response { deliveries.answered(request.command, to: request.entity, with: message) }
        if case .success(.msg(let message)) = response, request.command.responseKind != .plain {
            actions.append(.event(.message(request.entity, message)))
            if !request.isAbandoned { actions += complete(request.handle, .success(.ok)) }
        } else if !request.isAbandoned {
            actions += complete(request.handle, response)
        }
        if request.isAbandoned, request.command == .sub, case .success = response {
            actions.append(.event(.lateSubscription(request.entity)))
        }
    }

    private func response(
        _ transmission: ReceivedTransmission<SMPBrokerMessage>, to request: Pending
    ) -> Result<SMPBrokerMessage, SMPClientError> {
        switch transmission.message {
        case .failure(let error): .failure(SMPClientError(.response(error), "the router's response cannot be read"))
        case .success(let message) where transmission.entity != request.entity:
            .failure(SMPClientError(.unexpectedResponse(message.name), "the router's response is about another entity"))
        case .success(.err(let error)): .failure(SMPClientError(.protocol(error), "the router answered ERR \(error)"))
        case .success(let message) where request.command.accepts(message): .success(message)
        case .success(let message):
            .failure(SMPClientError(.unexpectedResponse(message.name), "the router answered \(message.name)"))
        }
    }

    /// Receives an unrequested message of the router, if it concerns one of our queues.
    private mutating func takeUnasked(
        _ entity: EntityID, _ message: Result<SMPBrokerMessage, SMPErrorType>, _ actions: inout [Action]
    ) {
        let verdict: SessionDeliveries.Verdict
        let event: SMPSessionEvent
        let limit = limits.maximumServiceQueues
        switch message {
        case .success(.msg(let message)):
            verdict = deliveries.delivered(message, in: entity, limit: limit)
            event = .message(entity, message)
        case .success(.end): (verdict, event) = (deliveries.ended(entity, limit: limit), .ended(entity))
        case .success(.ends): (verdict, event) = (deliveries.serviceEnded(), .serviceEnded)
        case .success(.alls): (verdict, event) = (entity.isNone ? deliveries.serviceDelivered() : .drop, .serviceDelivered)
        case .success(.nmsg(let nonce, let notice)):
            (verdict, event) = (deliveries.notified(entity), .notification(entity, nonce, notice))
        case .success(.deld): (verdict, event) = (deliveries.ended(entity, limit: limit), .deleted(entity))
        default: return takeUnexpected(message.map(\.name), &actions)
        }
        switch verdict {
        case .take: actions.append(.event(event))
        case .drop: takeUnexpected(message.map(\.name), &actions)
        case .violation(let what): refuse(what, &actions)
        }
    }

    // MARK: Time

    /// When ``tick(now:)`` is due next.
    var nextTick: Duration? {
        guard !hasEnded, !isGivenUp else { return nil }
        let probe = isProbing && !isPinging && limits.pingInterval > .zero ? lastReceived + limits.pingInterval : nil
        // Once enough commands had no answer, nothing else may be due before the router is given up.
        return [earliestDeadline, probe, isUnanswered ? lastReceived + limits.silenceLimit : nil].compactMap { $0 }.min()
    }

    /// True if as many commands in a row had no answer as give the router up, once it is silent for long enough.
    private var isUnanswered: Bool { limits.pingCount > 0 && unansweredCount >= limits.pingCount }

    /// Ends waits that have lasted too long, and tells whether a `PING` should be sent now.
    mutating func tick(now: Duration) -> (actions: [Action], ping: Bool) {
        guard !hasEnded, !isGivenUp else { return ([], false) }
        var actions: [Action] = []
        if let earliest = earliestDeadline, earliest <= now { actions = expire(now) }
        let silence = now - lastReceived
        if isUnanswered, silence >= limits.silenceLimit {
            isGivenUp = true
            return (actions + [.close(SMPClientError(.network(.timeout), "the router has stopped answering"))], false)
        }
        let ping = isProbing && !isPinging && limits.pingInterval > .zero && silence >= limits.pingInterval
        if ping { isPinging = true }
        return (actions, ping)
    }

    private mutating func expire(_ now: Duration) -> [Action] {
        var actions: [Action] = []
        var next: Duration?
        var expired: [CorrelationID] = []
        for (id, request) in pending where !request.isAbandoned {
            if request.deadline <= now {
                expired.append(id)
            } else {
                next = min(next ?? request.deadline, request.deadline)
            }
        }
        earliestDeadline = next
        for id in expired {
            guard let request = abandon(id) else { continue }
            unansweredCount += 1
            if request.command == .ping { isPinging = false }
            actions += complete(request.handle, .failure(SMPClientError(.timeout, "the router did not answer in time")))
        }
        return actions
    }

    // MARK: End

    /// The connection is gone: nobody will be answered any more.
    mutating func end(_ reason: SMPClientError) -> [Action] {
        guard !hasEnded else { return [] }
        hasEnded = true
        let waiting = pending.values.filter { !$0.isAbandoned }
        pending = [:]
        outgoing = []
        outgoingStart = 0
        outgoingBytes = 0
        return waiting.flatMap { complete($0.handle, .failure(reason)) }
    }
}
