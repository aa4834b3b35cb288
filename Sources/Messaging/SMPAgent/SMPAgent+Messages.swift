import Logging
import SMPCrypto
import SMPProtocol
package import SMPWire

extension SMPAgent {
    /// Subscribes to the connections' queues and resumes their sending. Temporary errors are repaired by later subscriptions (`up`).
    ///
    /// - Returns: an outcome for each connection; `CONN NOT_FOUND` for those that are not there.
    package func subscribe(_ connections: [ConnectionID]) async -> [ConnectionID: Result<Void, AgentError>] {
        await subscribe(connections, all: false)
    }

    /// Subscribes to all connections.
    package func subscribeAll() async -> [ConnectionID: Result<Void, AgentError>] { await subscribe([], all: true) }

    private func subscribe(_ connections: [ConnectionID], all: Bool) async -> [ConnectionID: Result<Void, AgentError>] {
        let core = core
        do {
            try core.checkActive()
            let read = { () async throws(AgentError) in
                try await core.stored { try await core.store.subscriptions(all ? nil : connections) }
            }
            // With all of them, the ones that were not subscribed to are not reported.
            let records = all ? try await core.untilStored(nil, read) : try await read()
            var results = await core.subscribe(records)
            if !all {
                for connection in connections where results[connection] == nil {
                    results[connection] = .failure(.notFound("no connection \(connection)"))
                }
            }
            await core.resumeDeliveries(of: all ? nil : Set(connections))
            return results
        } catch {
            // Of all of them nobody knows which they are.
            if all { core.tell(error, nil) }
            return Dictionary(connections.map { ($0, .failure(error)) }) { first, _ in first }
        }
    }

    /// Stores messages, in one transaction, and sends them in the background: in order per connection.
    ///
    /// - Returns: an outcome for each request, in their order. A request that fails does not stop the others, except that nothing is sent in
    ///   a connection behind what failed because the store could not be read.
    package func send(_ requests: [AgentSendRequest]) async -> [Result<AcceptedMessage, AgentError>] {
        let core = core
        do {
            try core.checkActive()
            return try await core.withConnections(Set(requests.map(\.connection))) { accesses throws(AgentError) in
                try await core.send(requests, accesses)
            }
        } catch {
            return requests.map { _ in .failure(error) }
        }
    }

    /// The effects of a received message are durable: the router may delete it and deliver the next one.
    ///
    /// - Parameters:
    ///   - receipt: not nil to tell the peer that the message arrived, if its agent version is 4 or later; empty in practice.
    ///   - useless: the messages in the body that were of no use to the user. They count like messages that cannot be decrypted: above a pace, the queue
    ///     is read more slowly.
    /// - Throws: `CONN NOT_FOUND` if there is no such message; `CMD PROHIBITED` for a receipt of something other than a message.
    package func acknowledge(
        _ connection: ConnectionID, message: AgentMessageID, receipt: Bytes? = nil, useless: Int = 0
    ) async throws(AgentError) {
        try core.checkActive()
        let core = core
        try await core.withConnection(connection) { access throws(AgentError) in
            try await core.acknowledge(message, receipt: receipt, useless: useless, access)
        }
    }
}

extension AgentCore {
    fileprivate func send(
        _ requests: [AgentSendRequest], _ accesses: [ConnectionID: ConnectionAccess]
    ) async throws(AgentError) -> [Result<AcceptedMessage, AgentError>] {
        await load(accesses.values)
        let context = context
        var shared = SharedContents(requests, random)
        var transitions: [ConnectionID: Transition] = [:]
        var results: [Result<AcceptedMessage, AgentError>] = []
        var repeated: [RequestKey: AcceptedMessage] = [:]
        // A connection that the store could not read for one of its requests: none may go before that one.
        var unread: [ConnectionID: AgentError] = [:]
        for request in requests {
            do throws(AgentError) {
                if let error = unread[request.connection] { throw error }
                guard let access = accesses[request.connection] else { throw AgentError.notFound("no connection") }
                var transition: Transition
                if let known = transitions[request.connection] {
                    transition = known
                } else {
                    transition = Transition(try await access.liveState())
                }
                guard transition.state.kind == .duplex || transition.state.kind == .send else {
                    throw AgentError(.connection(.simplex, context: "sendMessages: \(transition.state.kind.rawValue)"))
                }
                let accepted: AcceptedMessage
                if let known = try await earlierMessage(request, transition.state, repeated) {
                    accepted = known
                } else {
                    accepted = try transition.enqueue(
                        shared.content(request.body), flags: request.flags, pqEncryption: request.pqEncryption,
                        requestKey: request.key, context)
                    if let key = request.key { repeated[RequestKey(connection: request.connection, key: key)] = accepted }
                }
                transitions[request.connection] = transition
                results.append(.success(accepted))
            } catch {
                if case .critical = error.reason { unread[request.connection] = error }
                results.append(.failure(error))
            }
        }
        let changed = transitions.sorted { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }
        let changes = shared.changes + changed.flatMap(\.value.storeChanges)
        // The sender has reported the messages as accepted already: they wait for the disk and are not given up.
        try await stored { try await store.apply(changes, isPersistent: true) }
        for (id, transition) in changed {
            guard let active = accesses[id]?.active else { continue }
            active.state = transition.state
            performEffects(transition, active)
        }
        return results
    }

    /// Brings the states of several connections into memory at once, which takes less than one after another. An unreadable connection is read again
    /// when it is needed, and tells the reason then.
    private func load(_ accesses: some Collection<ConnectionAccess>) async {
        let missing = accesses.filter { $0.active.state == nil }
        guard missing.count > 1, let states = try? await store.connections(missing.map(\.id)) else { return }
        for access in missing { access.active.state = states[access.id] }
    }

    /// The outcome of an earlier request with the same number.
    private func earlierMessage(
        _ request: AgentSendRequest, _ state: ConnectionState, _ repeated: [RequestKey: AcceptedMessage]
    ) async throws(AgentError) -> AcceptedMessage? {
        guard let key = request.key, key <= state.lastRequestKey else { return nil }
        if let known = repeated[RequestKey(connection: request.connection, key: key)] { return known }
        return try await stored { try await store.sentMessage(connection: state.record.row, requestKey: key) }
    }

    fileprivate func acknowledge(
        _ messageID: AgentMessageID, receipt: Bytes?, useless: Int, _ access: ConnectionAccess
    ) async throws(AgentError) {
        let state = try await access.state()
        guard state.kind == .duplex || state.kind == .receive else {
            throw state.kind == .send
                ? AgentError(.connection(.simplex, context: "ackMessage")) : .prohibited("ackMessage: \(state.kind.rawValue)")
        }
        let row = state.record.row
        var deliveries = access.active.unacknowledged(messageID)
        if deliveries.isEmpty, let known = try await stored({ try await store.receivedMessage(connection: row, messageID: messageID) }) {
            deliveries = [known]
        }
        guard let message = deliveries.first else { throw .notFound("no message \(messageID)") }
        guard receipt == nil || message.kind == .message else { throw .prohibited("ackMessage: receipt not allowed") }
        var changes: [StoreChange] = [.acknowledge(connection: row, messageID)]
        if let receipt, !message.isAcknowledged, let transition = answer(message, receipt, changes, state) {
            // Until the router has the acknowledgement it delivers nothing more.
            try await access.commit(transition, isPersistent: true)
        } else {
            if message.kind == .receipt { changes += Self.receipted(message, row) }
            // If this is lost, the message may be reported again, which it may be anyway.
            store.applyLater(changes)
        }
        access.active.forgetUnacknowledged(messageID)
        let delay = useless > 0 && state.kind == .duplex ? countIdleWork(access.active, weight: useless) : .zero
        for delivery in deliveries {
            guard let queue = state.receiveQueue(delivery.queue) else { continue }
            acknowledge(MessageID(delivery.metadata.brokerID), in: queue, for: state.record.owner, after: delay)
        }
        await processEarlyMessages(access)
    }

    /// A message's acknowledgement together with its receipt; nil if no receipt can be sent now.
    ///
    /// While the ratchets are out of step nothing can be sent, and the peer's new keys may be what the router keeps back behind this message:
    /// the message is acknowledged all the same, and the peer does without the receipt.
    private func answer(
        _ message: ReceivedMessageRecord, _ receipt: Bytes, _ changes: [StoreChange], _ state: ConnectionState
    ) -> Transition? {
        guard state.kind == .duplex, state.record.agentVersion >= AgentVersion.deliveryReceipts, state.record.deletion == .none else {
            return nil
        }
        var transition = Transition(state)
        for change in changes { transition.add(change) }
        let content = AgentMessageReceipt(id: message.metadata.senderMessageID, hash: message.hash, info: receipt)
        do {
            try transition.enqueue(OutgoingContent(.received([content])), flags: MessageFlags(), context)
        } catch {
            log.debug("a receipt could not be sent", metadata: ["error": "\(error.code)"])
            return nil
        }
        return transition
    }

    /// Messages whose receipt the user has seen are not needed any more.
    private static func receipted(_ message: ReceivedMessageRecord, _ connection: RowID) -> [StoreChange] {
        guard case .message(_, .received(let receipts))? = try? AgentMessage(wireBytes: message.body) else { return [] }
        return receipts.map { .deleteReceipted(connection: connection, sentID: $0.id) }
    }
}

private struct RequestKey: Hashable {
    let connection: ConnectionID
    let key: Int64
}

/// The contents of a call's requests: equal ones are encoded and stored once.
private struct SharedContents {
    private var contents: [Bytes: OutgoingContent] = [:]
    private var counts: [Bytes: Int] = [:]
    private let random: any RandomSource
    private(set) var changes: [StoreChange] = []

    init(_ requests: [AgentSendRequest], _ random: any RandomSource) {
        self.random = random
        guard requests.count > 1 else { return }
        for request in requests { counts[request.body, default: 0] += 1 }
    }

    mutating func content(_ body: Bytes) -> OutgoingContent {
        if let content = contents[body] { return content }
        var content = OutgoingContent(.message(body))
        guard counts[body, default: 1] > 1 else { return content }
        let row = random.rowID()
        content.sharedRow = row
        contents[body] = content
        changes.append(.insertBody(row, content.bytes))
        return content
    }
}
