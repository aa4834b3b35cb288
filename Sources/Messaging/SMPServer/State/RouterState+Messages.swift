import RouterSupport
import SMPCrypto
import SMPProtocol
import SMPWire

// Sending, delivering and acknowledging messages.
extension RouterState {
    mutating func send(_ flags: MessageFlags, _ body: Bytes, _ execution: inout Execution, sink: inout some RecordSink) {
        guard let slot = store.slot(sender: execution.command.entity), let record = store.queue(slot)?.record,
            record.senderKey == execution.command.key, record.status != .off
        else {
            counters.messagesRefused += 1
            return execution.fail(.auth)
        }
        guard body.count <= ReceivedMessageBody.maximumBody(version: execution.command.version) else {
            return execution.fail(.largeMessage)
        }
        if case .blocked(let info) = record.status {
            counters.messagesRefused += 1
            return execution.fail(.blocked(info))
        }
        guard case .message(let id, let nonce) = execution.command.material else { return execution.fail(.internal) }
        // The link of a one-time invitation is no longer needed when the client that opened it sends.
        if record.link != nil, record.isSecuredMessaging { _ = store.change(slot, sink: &sink) { $0.link = nil } }
        expire(slot, now: execution.steady, sink: &sink)

        let (count, isFull) = store.update(slot) { ($0.messages.count, $0.isFull) } ?? (0, false)
        // A message that arrives while the clock is set too early must not look old, and be deleted, once the clock is corrected.
        let timestamp = max(execution.now, execution.steady)
        let message = JournalMessage(id: id, timestamp: timestamp, flags: flags, kind: .message)
        if isFull, count > 0 {
            counters.messagesOverQuota += 1
            return execution.fail(.quota)
        }
        guard count < limits.messageQuota else {
            var notice = message
            notice.kind = .quota
            notice.flags = MessageFlags()
            let stored = store.append(slot, notice, body: [], sink: &sink)
            counters.messagesOverQuota += 1
            // The recipient must find the notice, or the sender would never continue.
            return execution.respond(.err(.quota), after: stored?.message.position.end)
        }
        guard let (stored, sequence) = store.append(slot, message, body: body, sink: &sink) else { return execution.fail(.auth) }
        counters.messagesSent += 1
        counters.bytesSent += UInt64(body.count)
        use(slot, execution.steady, sink: &sink)
        execution.respond(.ok, after: stored.position.end)
        if count == 0 { deliver(slot, stored, sequence, body, &execution) }
        if let nonce { notify(slot, stored, nonce, &execution) }
    }

    /// Delivers a new message of an empty queue to its subscriber, unless another message waits to be acknowledged.
    private mutating func deliver(
        _ slot: Int, _ message: StoredMessage, _ sequence: UInt64, _ body: Bytes, _ execution: inout Execution
    ) {
        guard let queue = store.queue(slot), let subscriber = store.subscriber(slot), queue.delivered(to: subscriber) == nil else {
            return
        }
        _ = store.update(slot) { $0.subscription = QueueStore.Subscription(session: subscriber, delivered: message.id) }
        counters.messagesDelivered += 1
        execution.send(
            Delivery(
                queue: queue.record.recipientID, sequence: sequence, message: message, secret: queue.record.secret, body: body),
            to: subscriber)
    }

    /// Finds the first message of a queue, and removes lost messages before it.
    mutating func first(_ slot: Int, sink: inout some RecordSink) -> Delivery? {
        guard let lost = store.update(slot, { $0.messages.prefix { $0.kind == .lost }.count }) else { return nil }
        if lost > 0 {
            _ = store.removeFirst(lost, slot, sink: &sink)
            counters.messagesLost += UInt64(lost)
        }
        return store.update(slot) { queue in
            queue.messages.first.map {
                Delivery(
                    queue: queue.record.recipientID, sequence: queue.record.firstSequence, message: $0,
                    secret: queue.record.secret)
            }
        } ?? nil
    }

    mutating func subscribe(_ slot: Int, _ execution: inout Execution, sink: inout some RecordSink) {
        guard let (id, owner, position) = store.read(slot, { ($0.record.recipientID, $0.record.service, $0.position) }) else {
            return execution.fail(.auth)
        }
        guard sessions[execution.session]?.fetches[id] == nil else { return execution.fail(.command(.prohibited)) }
        let service = sessions[execution.session]?.service
        let former = store.subscriber(slot)
        if let service { claim(service, &execution) }
        // Also whose it is already may still wait for the disk.
        var end: UInt64? = position.end
        if owner != service?.id { end = store.change(slot, sink: &sink) { $0.service = service?.id } }
        // All queues of a service belong to one session at a time. `ENDS` notifies the session that loses them.
        if let former, former != execution.session, service == nil || owner != service?.id {
            sessions[former]?.subscriptions.remove(id)
            execution.send(.end, to: former, about: id.entity)
        }
        _ = store.update(slot) { $0.subscription = QueueStore.Subscription(session: execution.session) }
        if service != nil {
            sessions[execution.session]?.subscriptions.remove(id)
        } else {
            sessions[execution.session]?.subscriptions.insert(id)
        }
        counters.subscriptions += 1
        execution.respond(.sok(service?.id.entity), after: end)
        guard let delivery = first(slot, sink: &sink) else { return }
        _ = store.update(slot) { $0.subscription?.delivered = delivery.message.id }
        counters.messagesDelivered += 1
        execution.send(delivery, to: execution.session)
    }

    mutating func fetch(_ slot: Int, _ execution: inout Execution, sink: inout some RecordSink) {
        guard let id = store.read(slot, { $0.record.recipientID }) else { return execution.fail(.auth) }
        guard store.subscriber(slot) != execution.session else {
            return execution.fail(.command(.prohibited))
        }
        let delivery = first(slot, sink: &sink)
        sessions[execution.session]?.fetches[id] = Fetch(delivered: delivery?.message.id)
        guard let delivery else { return execution.respond(.ok) }
        counters.messagesDelivered += 1
        execution.respond(delivery)
    }

    mutating func acknowledge(_ slot: Int, _ id: MessageID, _ execution: inout Execution, sink: inout some RecordSink) {
        guard let queue = store.read(slot, { $0.record.recipientID }) else { return execution.fail(.auth) }
        if let fetch = sessions[execution.session]?.fetches[queue] {
            guard let fetched = fetch.delivered, isAcknowledged(fetched, by: id) else { return execution.fail(.noMessage) }
            sessions[execution.session]?.fetches[queue] = Fetch()
            return execution.respond(.ok, written: remove(fetched, slot, sink: &sink) ?? 0)
        }
        guard let subscription = store.read(slot, \.subscription) ?? nil, subscription.session == execution.session,
            let delivered = subscription.delivered, isAcknowledged(delivered, by: id)
        else { return execution.fail(.noMessage) }
        let end = remove(delivered, slot, sink: &sink) ?? 0
        let next = first(slot, sink: &sink)
        _ = store.update(slot) { $0.subscription?.delivered = next?.message.id }
        guard let next else { return execution.respond(.ok, written: end) }
        counters.messagesDelivered += 1
        execution.respond(next, written: end)
    }

    /// Checks whether an id acknowledges the delivered message. An empty id acknowledges any.
    private func isAcknowledged(_ delivered: Identifier, by id: MessageID) -> Bool {
        id.bytes.isEmpty || Identifier(id.bytes) == delivered
    }

    /// Removes a delivered message if it is still the first: it may have expired meanwhile.
    private mutating func remove(_ id: Identifier, _ slot: Int, sink: inout some RecordSink) -> UInt64? {
        guard let first = store.update(slot, { $0.messages.first }) ?? nil, first.id == id else { return nil }
        if first.kind == .message { counters.messagesAcknowledged += 1 }
        return store.removeFirst(1, slot, sink: &sink)
    }

    /// Removes a message whose body cannot be read, and delivers the next in its place.
    mutating func lose(_ delivery: Delivery, from session: SessionID, sink: inout some RecordSink) -> RoutedOutput? {
        guard let slot = store.slot(recipient: delivery.queue),
            (store.update(slot) { $0.messages.first?.id }) ?? nil == delivery.message.id
        else { return nil }
        _ = store.removeFirst(1, slot, sink: &sink)
        counters.messagesLost += 1
        let next = first(slot, sink: &sink)
        _ = store.update(slot) { queue in
            if queue.subscription?.session == session { queue.subscription?.delivered = next?.message.id }
        }
        if sessions[session]?.fetches[delivery.queue] != nil {
            sessions[session]?.fetches[delivery.queue] = Fetch(delivered: next?.message.id)
        }
        return next.map {
            RoutedOutput(session: session, output: RouterOutput($0, to: .none, entity: delivery.queue.entity))
        }
    }

    // MARK: Expiry

    /// Deletes messages of a queue that are too old. A notice of a full queue stays: its sender waits for it.
    mutating func expire(_ slot: Int, now: Int64, sink: inout some RecordSink) {
        guard let lifetime = limits.messageLifetime, !store.isIdle(slot) else { return }
        let expired =
            store.update(slot) { queue in
                queue.messages.prefix { $0.kind != .quota && $0.timestamp < now - lifetime }.count
            } ?? 0
        guard expired > 0 else { return }
        _ = store.removeFirst(expired, slot, sink: &sink)
        counters.messagesExpired += UInt64(expired)
    }
}
