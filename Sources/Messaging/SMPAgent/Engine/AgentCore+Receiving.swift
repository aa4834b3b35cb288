import Logging
import SMPClient
import SMPProtocol
import SMPWire

extension AgentCore {
    /// Handles what happens on the sessions, until the network is closed.
    func receiveEvents() async {
        for await event in network.events {
            if Task.isCancelled { return }
            await handle(event)
        }
    }

    private func handle(_ event: SMPClientEvent) async {
        switch event {
        case .connected(let session):
            notify(.serverConnected(session.server))
            pauses.wake(session.server)
        case .disconnected(let session, let queues):
            acknowledgements.forget(session)
            notify(.serverDisconnected(session.server))
            subscriptions.change(.pending, of: keys(session, queues)) { notify(.down(session.server, $0)) }
        case .subscribed(let session, let queues):
            statistics.add(.connSubAttempts, session.userID, session.server, count: queues.count)
            statistics.add(.connSubscribed, session.userID, session.server, count: queues.count)
            subscriptions.change(.active, of: keys(session, queues)) { notify(.up(session.server, $0)) }
            subscribedAgain()
        case .subscriptionFailed(let session, let queue, let error):
            statistics.add(.connSubErrs, session.userID, session.server)
            let connections = subscriptions.setStatus(.removed(error: "\(error)"), of: keys(session, [queue]))
            for connection in connections { notify(.failed(AgentError(error, server: session.server)), connection) }
        case .message(let session, let queue, let message):
            await received(message, QueueKey(server: session.server, recipientID: queue))
        case .associated(let session, let queues, let service): associated(queues, on: session, with: service)
        // Notifiers are subscribed to by notification servers.
        case .notification: break
        case .service(let session, let subscription): serviceSubscription(subscription, on: session)
        case .ended(let session, let queue):
            associated([queue], on: session, with: nil)
            let connections = subscriptions.setStatus(.noSubscription, of: keys(session, [queue]))
            for connection in connections { notify(.subscriptionEnded, connection) }
            ended(keys(session, [queue]))
        case .deleted(let session, let queue):
            let connections = subscriptions.setStatus(.removed(error: "DELD"), of: keys(session, [queue]))
            for connection in connections { notify(.queueDeleted, connection) }
        }
    }

    private func keys(_ session: TransportSessionKey, _ queues: [RecipientID]) -> [QueueKey] {
        queues.map { QueueKey(server: session.server, recipientID: $0) }
    }

    private func received(_ message: ReceivedMessage, _ key: QueueKey) async {
        if let entry = subscriptions[key] { return take(message, key, entry) }
        // It may have to wait for the disk, and other queues' messages must not: the router sends no other of this one meanwhile.
        tasks.run { [self] in
            guard let entry = await entry(of: key) else {
                return log.info("a message came for a queue that is not known", metadata: ["message": "\(message.id)"])
            }
            take(message, key, entry)
        }
    }

    private func take(_ message: ReceivedMessage, _ key: QueueKey, _ entry: SubscriptionRegistry.Entry) {
        statistics.add(.recvMsgs, entry.user, key.server)
        append(IncomingMessage(queue: key, row: entry.row, message: message), to: entry.connection)
    }

    private func append(_ message: IncomingMessage, to connection: ConnectionID) {
        let active = connections.checkOut(connection)
        guard active.append(message) else { return connections.checkIn(active) }
        tasks.run { [self] in
            while let next = active.nextIncoming() {
                await waitForReader()
                await receive(next, active)
            }
            connections.checkIn(active)
        }
    }

    /// Waits while the user leaves too many events untaken. Unacknowledged messages stay at their router meanwhile.
    private func waitForReader() async {
        while events.count > configuration.maximumPendingEvents, isRunning, !Task.isCancelled {
            try? await clock.sleep(for: configuration.pendingEventsRetry, tolerance: nil)
        }
    }

    /// Tries as long as the connection cannot be read from the store: the router delivers the message again only to the next subscription, and
    /// nothing behind it before.
    private func receive(_ message: IncomingMessage, _ active: ActiveConnection) async {
        guard isRunning, !Task.isCancelled else { return }
        do throws(AgentError) {
            try await untilStored(active.id) { () throws(AgentError) in
                try await withConnection(active.id) { access throws(AgentError) in
                    if try await process(message, access) { await processEarlyMessages(access) }
                }
            }
        } catch {
            // Not acknowledged: the router delivers it again to the next subscription.
            tell(error, active.id)
        }
    }

    /// Takes a message, or puts it aside if it is not its turn.
    ///
    /// - Parameter isNext: whether it is taken although the ones before it have not come.
    /// - Returns: true if it was taken.
    func process(_ incoming: IncomingMessage, isNext: Bool = false, _ access: ConnectionAccess) async throws(AgentError) -> Bool {
        let state = try await access.state()
        guard let queue = state.receiveQueue(incoming.row) else {
            access.active.forgetEarly(incoming.row)
            return true
        }
        let brokerID = incoming.message.id
        if state.kind == .contact {
            let isKnown = try await stored {
                try await store.hasInvitation(contact: state.record.row, brokerID: brokerID.bytes)
            }
            if isKnown {
                acknowledge(brokerID, in: queue, for: state.record.owner)
                return true
            }
            guard try await hasRoomForRequest(state.record.row, access.active) else {
                postpone(incoming, access.active)
                return false
            }
        }
        var transition = Transition(state)
        let others = state.otherParallelQueues(than: incoming.row)
        var outcome = transition.receive(incoming.message, from: incoming.row, mayBeEarly: !others.isEmpty && !isNext, context)
        if let number = try await numberIfEarly(outcome, others, state.record.row) {
            putAside(EarlyMessage(message: incoming, number: number), access.active)
            return false
        }
        if case .receipts(let receipts, let record) = outcome {
            let sent = try await sentMessages(receipts, state)
            outcome = transition.receive(receipts, in: record, sent: sent)
        }
        if case .request(let request) = outcome {
            let earlier = try await stored {
                try await store.invitation(contact: state.record.row, offering: request.request)
            }
            transition.receive(request, earlier: earlier, context)
            outcome = .acknowledge
        }
        // The router should have the acknowledgement of its message about a full queue before the sender may continue.
        let delay = delay(of: outcome, transition, access.active)
        try await access.commit(transition, isPersistent: true) {
            switch outcome {
            case .waitForUser(let record): access.active.setUnacknowledged(record)
            case .acknowledge: acknowledge(brokerID, in: queue, for: state.record.owner, after: delay)
            default: break
            }
        }
        if case .undecryptable(let hash, let error) = outcome {
            try await undecryptable(hash, error, incoming.message, queue, access)
        }
        // Only now: one of which something could not be read or stored still waits for its turn.
        access.active.forgetEarly(incoming.row)
        return true
    }

    /// Checks whether one more request to a contact address may wait for the user's answer; if so, it is counted.
    private func hasRoomForRequest(_ contact: RowID, _ active: ActiveConnection) async throws(AgentError) -> Bool {
        let limit = configuration.maximumRequests
        if active.countRequest(upTo: limit) { return true }
        active.setRequests(try await stored { try await store.unansweredInvitations(contact: contact) })
        return active.countRequest(upTo: limit)
    }

    /// Tries a message to a contact address again later. Meanwhile its router keeps it, and the messages after it.
    private func postpone(_ incoming: IncomingMessage, _ active: ActiveConnection) {
        guard active.postpone(incoming.row) else { return }
        log.warning(
            "an address has as many unanswered requests as are kept, and others wait at its router",
            metadata: ["requests": "\(configuration.maximumRequests)"])
        tasks.run { [self] in
            let isOver = (try? await clock.sleep(for: configuration.requestRetry, tolerance: nil)) != nil
            active.endPostponement(incoming.row)
            // Of a queue that is no more subscribed to, the next subscription brings it.
            guard isOver, isRunning, let entry = subscriptions[incoming.queue] else { return }
            append(incoming, to: entry.connection)
        }
    }

    /// The delay of the acknowledgement of a message from which the user learns only that something is wrong.
    private func delay(of outcome: ReceiveOutcome, _ transition: Transition, _ active: ActiveConnection) -> Duration {
        guard case .acknowledge = outcome, transition.state.kind == .duplex, !transition.notifications.isEmpty else { return .zero }
        return countIdleWork(active)
    }

    /// Counts messages that are of no use.
    ///
    /// - Returns: how long the acknowledgement of the last one has to wait.
    func countIdleWork(_ active: ActiveConnection, weight: Int = 1) -> Duration {
        active.countIdleWork(now: now, weight: weight, interval: configuration.idleWorkInterval)
    }

    private func sentMessages(
        _ receipts: [AgentMessageReceipt], _ state: ConnectionState
    ) async throws(AgentError) -> [Int64: SentMessageReceiptRecord] {
        var sent: [Int64: SentMessageReceiptRecord] = [:]
        for receipt in receipts {
            sent[receipt.id] = try await stored {
                try await store.sentMessage(connection: state.record.row, sentID: receipt.id)
            }
        }
        return sent
    }

    /// A message that cannot be decrypted has mostly been received before: its acknowledgement was lost, or we were stopped before it.
    private func undecryptable(
        _ hash: Bytes, _ error: AgentError, _ message: ReceivedMessage, _ queue: ReceiveQueue, _ access: ConnectionAccess
    ) async throws(AgentError) {
        let state = try await access.state()
        let row = state.record.row
        let delay = countIdleWork(access.active)
        let known = try await stored {
            try await store.flush()
            return try await store.receivedMessage(connection: row, encryptedHash: hash)
        }
        guard let known else {
            var transition = Transition(state)
            if case .agent(.crypto(let fault)) = error.reason {
                statistics.add(.recvCryptoErrs, state.record.user, queue.server)
                transition.undecryptable(fault)
            } else {
                statistics.add(.recvErrs, state.record.user, queue.server)
                transition.emit(.failed(error))
            }
            try await access.commit(transition, isPersistent: true)
            return acknowledge(message.id, in: queue, for: state.record.owner, after: delay)
        }
        statistics.add(.recvDuplicates, state.record.user, queue.server)
        guard !known.isAcknowledged else { return acknowledge(message.id, in: queue, for: state.record.owner, after: delay) }
        try await repeatMessage(known, message.id, queue, access)
    }

    /// Reports a message again that the user has not acknowledged.
    ///
    /// - Parameter id: the router's id of this delivery.
    func repeatMessage(
        _ known: ReceivedMessageRecord, _ id: MessageID, _ queue: ReceiveQueue, _ access: ConnectionAccess
    ) async throws(AgentError) {
        let state = try await access.state()
        // The message may have been sent twice, and to two queues: the report for the other queue remains valid.
        let record = known.delivered(as: id.bytes, by: queue.row)
        if access.active.isUnacknowledged(known.messageID, notThrough: queue.row) { return access.active.setUnacknowledged(record) }
        var transition = Transition(state)
        let attempts = known.attempts + 1
        let age = Duration.milliseconds(now - known.metadata.receivedAt)
        if attempts >= configuration.maximumReceiveAttempts, age >= configuration.receiveExpiry {
            let dropped = AgentError.DroppedMessage(brokerTime: known.metadata.brokerTime / 1000, attempts: attempts)
            transition.fail(.agent(.duplicate(dropped: dropped)))
            transition.add(.acknowledge(connection: state.record.row, known.messageID))
            try await access.commit(transition, isPersistent: true)
            return acknowledge(id, in: queue, for: state.record.owner)
        }
        transition.add(.countAttempt(connection: state.record.row, known.messageID))
        switch try AgentMessage(receiving: known.body) {
        case .message(_, .message(let body)): transition.emit(.message(record.metadata, known.flags, body))
        case .message(_, .received(let receipts)):
            let sent = try await sentMessages(receipts, state)
            let results = receipts.compactMap { receipt in
                sent[receipt.id].flatMap { record in
                    record.receiptStatus.map { MessageReceipt(messageID: record.messageID, status: $0) }
                }
            }
            transition.emit(.receipts(record.metadata, results))
        default: throw .peer(.message)
        }
        try await access.commit(transition, isPersistent: true) { access.active.setUnacknowledged(record) }
    }
}

extension ReceivedMessageRecord {
    /// The same message as it was delivered once more, maybe by another queue.
    func delivered(as brokerID: Bytes, by queue: RowID) -> ReceivedMessageRecord {
        let meta = MessageMetadata(
            integrity: metadata.integrity, messageID: messageID, receivedAt: metadata.receivedAt, brokerID: brokerID,
            brokerTime: metadata.brokerTime, senderMessageID: metadata.senderMessageID, pqEncryption: metadata.pqEncryption)
        return ReceivedMessageRecord(
            messageID: messageID, queue: queue, kind: kind, flags: flags, metadata: meta, body: body, hash: hash,
            encryptedHash: encryptedHash, isAcknowledged: isAcknowledged, attempts: attempts)
    }
}
