import SMPProtocol
import SMPRatchet
import SMPWire

@testable import SMPAgent

extension MemoryTables {
    /// In the order of their rows, which SQL goes by where none is asked for.
    var orderedConnections: [ConnectionRecord] { connections.values.sorted { $0.row < $1.row } }

    /// A connection with all that belongs to it.
    func state(_ id: ConnectionID) -> ConnectionState? {
        guard let row = rows[id], let record = connections[row] else { return nil }
        var state = ConnectionState(record)
        state.receiveQueues = receiveQueues(of: row).sorted { $0.isPrimary && !$1.isPrimary }
        state.sendQueues = sendQueues.values.filter { $0.connection == row }.map(\.queue).sorted { $0.row < $1.row }
            .sorted { $0.isPrimary && !$1.isPrimary }
        state.ratchet = ratchets[row]
        if state.ratchet != nil, let keys = skippedKeys[row] { state.skippedKeys = SkippedMessageKeys(keys) }
        state.agreementKeys = agreementKeys[row]
        state.sentParameters = sentParameters[row]
        state.lastRequestKey = lastRequests[row]?.number ?? 0
        state.processedRatchetKeys = processedKeys[row] ?? [:]
        return state
    }

    private func receiveQueues(of connection: RowID) -> [ReceiveQueue] {
        receiveQueues.values.filter { $0.connection == connection }.map(\.queue).sorted { $0.row < $1.row }
    }

    func subscriptions(_ record: ConnectionRecord) -> [SubscriptionRecord] {
        let queues = receiveQueues(of: record.row)
        var state = ConnectionState(record)
        state.receiveQueues = queues
        guard !queues.isEmpty else { return [SubscriptionRecord(connection: record.id, user: record.user, queue: nil)] }
        return queues.map { queue in
            SubscriptionRecord(
                connection: record.id, user: record.user,
                queue: .success(
                    .init(
                        row: queue.row, key: queue.key, privateKey: queue.privateKey, status: queue.status, carries: state.carries(queue),
                        service: services[queue.key])))
        }
    }

    /// Messages that wait to be sent to a queue, in order.
    func deliveries(_ queue: RowID, after messageID: AgentMessageID, _ limit: Int) -> [PendingDelivery] {
        guard let waiting = deliveries[queue], let entry = sendQueues[queue] else { return [] }
        let connection = entry.connection
        let originals = entry.queue.replaces.map { row in Set((deliveries[row] ?? []).map(\.message.messageID)) }
        return waiting.lazy.filter { delivery in
            delivery.message.messageID > messageID && sent[MessageKey(connection: connection, number: delivery.message.sentID)] != nil
        }.prefix(limit).map { delivery in
            let isSent = isSent(connection, delivery.message.sentID)
            return PendingDelivery(
                message: delivery.message, retry: delivery.retry,
                isCopy: isSent || originals.map { !$0.contains(delivery.message.messageID) } ?? false,
                isShared: isWaitingElsewhere(delivery.message.messageID, queue))
        }
    }

    /// Whether one of several queues has a message.
    func isSent(_ connection: RowID, _ sentID: Int64) -> Bool { sent[MessageKey(connection: connection, number: sentID)]?.isSent ?? false }

    /// Whether a message waits for another queue of the connection than this one, but for those that are only offered.
    func isWaitingElsewhere(_ message: AgentMessageID, _ queue: RowID) -> Bool {
        guard let connection = sendQueues[queue]?.connection else { return false }
        return sendQueues.contains { row, entry in
            row != queue && entry.connection == connection && !entry.queue.isOffered
                && deliveries[row]?.contains { $0.message.messageID == message } == true
        }
    }

    /// Unconfirmed events in their order, those about sent messages last.
    var notifications: [AgentNotification] {
        let kept = events.values.sorted { $0.position < $1.position }.compactMap { entry -> AgentNotification? in
            guard let id = connections[entry.value.connection]?.id else { return nil }
            return AgentNotification(connection: id, event: current(entry.value.event, id), durableID: .event(entry.value.number))
        }
        let sent = sentEvents.sorted { ($0.key.connection, $0.key.number) < ($1.key.connection, $1.key.number) }
        return kept
            + sent.compactMap { key, event in
                connections[key.connection].map {
                    AgentNotification(
                        connection: $0.id, event: .sent(key.number, proxy: event.proxy), durableID: .sent(connection: key.connection, key.number))
                }
            }
    }

    /// The event with the connection as it stands now, if it tells that.
    private func current(_ event: AgentEvent, _ id: ConnectionID) -> AgentEvent {
        guard let state = state(id) else { return event }
        switch event {
        case .queueSwitch(let direction, let phase, _): return .queueSwitch(direction, phase, AgentConnectionStats(state))
        case .ratchetSync(let sync, let fault, _): return .ratchetSync(sync, fault, AgentConnectionStats(state))
        default: return event
        }
    }

    /// The last of each connection's messages that are older than `time`: those of a connection are looked at in their order, up to the first
    /// that is not.
    ///
    /// - Parameter times: when each message came.
    private func oldest(_ times: some Sequence<(key: MessageKey, time: Int64)>, before time: Int64, limit: Int) -> [MessageKey] {
        var oldest: [MessageKey] = []
        var count = 0
        let byConnection = Dictionary(grouping: times, by: \.key.connection)
        for record in orderedConnections where count < limit {
            let messages = (byConnection[record.row] ?? []).sorted { $0.key.number < $1.key.number }
            let old = messages.prefix { $0.time < time }.prefix(limit - count)
            count += old.count
            if let last = old.last { oldest.append(last.key) }
        }
        return oldest
    }

    func oldMessages(before time: Int64, limit: Int) -> (received: [MessageKey], sent: [MessageKey]) {
        guard time > oldestMessage else { return ([], []) }
        return (
            oldest(received.lazy.map { ($0.key, $0.value.metadata.receivedAt) }, before: time, limit: limit),
            oldest(sent.lazy.map { ($0.key, $0.value.createdAt) }, before: time, limit: limit)
        )
    }

    /// Deletes messages up to these, old keys, and bodies that no message uses.
    mutating func deleteMessages(upTo last: (received: [MessageKey], sent: [MessageKey]), before time: Int64) {
        for last in last.received {
            for key in received.keys where key.connection == last.connection && key.number <= last.number { delete(received: key) }
        }
        for last in last.sent {
            for key in sent.keys where key.connection == last.connection && key.number <= last.number { delete(sent: key) }
            for (queue, waiting) in deliveries where sendQueues[queue]?.connection == last.connection {
                set(\.deliveries, queue, waiting.filter { $0.message.sentID > last.number })
            }
        }
        if !last.received.isEmpty || !last.sent.isEmpty {
            oldestMessage = min(received.values.map(\.metadata.receivedAt).min() ?? .max, sent.values.map(\.createdAt).min() ?? .max)
        }
        for (row, keys) in processedKeys { set(\.processedKeys, row, keys.filter { $0.value >= time }) }
        for (id, invitation) in invitations where invitation.createdAt < time && invitation.record.isAccepted { set(\.invitations, id, nil) }
        for row in bodies.keys { deleteUnusedBody(row) }
    }

    /// Rows by table, as the tables of SQL are called.
    var counts: [String: Int] {
        [
            "connections": connections.count, "receive_queues": receiveQueues.count, "send_queues": sendQueues.count, "ratchets": ratchets.count,
            "deliveries": deliveries.values.reduce(0) { $0 + $1.count }, "commands": commands.count, "events": events.count, "sent_events": sentEvents.count,
            "sent_messages": sent.count, "received_messages": received.count,
        ]
    }
}
