import SMPProtocol
import SMPWire

// Operations of the operator on queues, and expiry.
extension RouterState {
    /// A queue, as an operator sees it.
    struct QueueDescription: Sendable, Equatable {
        var status: QueueRecord.Status
        var mode: QueueMode?
        var messages: Int
        /// Days since 1970; 0: not known.
        var lastUsed: UInt16
        var isSubscribed: Bool
    }

    /// Returns the reason why a queue is blocked; nil if it is not.
    func blocking(_ slot: Int) -> BlockingInfo? {
        guard case .blocked(let info) = store.status(slot) else { return nil }
        return info
    }

    /// Converts seconds to days since 1970.
    static func day(_ now: Int64) -> UInt16 { UInt16(clamping: now / 86_400) }

    /// Records the use of a queue.
    mutating func use(_ slot: Int, _ now: Int64, sink: inout some RecordSink) { store.use(slot, on: Self.day(now), sink: &sink) }

    // MARK: The operator

    /// Finds a queue by the id that a person can take from an address or a link: the sender id or the id of the link.
    func slot(shown id: EntityID) -> Int? { store.slot(sender: id) ?? store.slot(link: id) }

    func describe(_ slot: Int) -> QueueDescription? {
        store.queue(slot).map { queue in
            QueueDescription(
                status: queue.record.status, mode: queue.record.mode, messages: queue.messages.count, lastUsed: queue.record.lastUsed,
                isSubscribed: store.subscriber(slot) != nil)
        }
    }

    /// Blocks a queue, or changes the reason; its subscriber is notified.
    mutating func block(_ slot: Int, _ info: BlockingInfo, sink: inout some RecordSink) -> [RoutedOutput] {
        guard let record = store.queue(slot)?.record, record.status != .blocked(info) else { return [] }
        let end = store.change(slot, sink: &sink) { $0.status = .blocked(info) }
        counters.queuesBlocked += 1
        guard let subscriber = store.subscriber(slot) else { return [] }
        var output = RouterOutput(.err(.blocked(info)), to: .none, entity: record.recipientID.entity)
        output.needsSynchronized = end ?? 0
        return [RoutedOutput(session: subscriber, output: output)]
    }

    /// - Returns: true if it was blocked.
    mutating func unblock(_ slot: Int, sink: inout some RecordSink) -> Bool {
        guard blocking(slot) != nil else { return false }
        _ = store.change(slot, sink: &sink) { $0.status = .active }
        return true
    }

    /// Deletes a queue; the subscribers of the queue and of its notifications are notified.
    ///
    /// - Returns: the messages in it; nil if there is no such queue.
    mutating func remove(_ slot: Int, sink: inout some RecordSink) -> (messages: Int, events: [RoutedOutput])? {
        let (subscriber, hearer) = (store.subscriber(slot), store.notifierSubscriber(slot))
        guard let (queue, end) = store.delete(slot, sink: &sink) else { return nil }
        counters.queuesDeleted += 1
        var events: [RoutedOutput] = []
        func tell(_ session: SessionID, about id: Identifier) {
            var output = RouterOutput(.deld, to: .none, entity: id.entity)
            output.needsSynchronized = end
            events.append(RoutedOutput(session: session, output: output))
        }
        let id = queue.record.recipientID
        if let subscriber {
            sessions[subscriber]?.subscriptions.remove(id)
            tell(subscriber, about: id)
        }
        if let hearer, let notifier = queue.record.notifier {
            sessions[hearer]?.notifiers.remove(notifier.id)
            tell(hearer, about: notifier.id)
        }
        return (queue.messages.count, events)
    }

    // MARK: Time

    /// Deletes old messages of some queues, and queues that nobody has used for ``Limits/queueLifetime``.
    ///
    /// - Parameter start: the slot at which the last step stopped.
    /// - Returns: the slot at which the next step should continue; nil at the end.
    mutating func expire(from start: Int, limit: Int, now: Int64, sink: inout some RecordSink) -> Int? {
        let end = min(start + limit, store.slotCount)
        for slot in start..<max(start, end) {
            if isForgotten(slot, now: now, sink: &sink) {
                _ = remove(slot, sink: &sink)
                counters.queuesDeleted -= 1
                counters.queuesExpired += 1
            } else {
                expire(slot, now: now, sink: &sink)
            }
        }
        return end < store.slotCount ? end : nil
    }

    /// Checks whether nobody has used the queue for so long that it may be deleted.
    private mutating func isForgotten(_ slot: Int, now: Int64, sink: inout some RecordSink) -> Bool {
        guard let lifetime = limits.queueLifetime, let lastUsed = store.lastUsed(slot) else { return false }
        // A queue with a subscriber is in use, and the last use of queues in an older journal is unknown.
        if store.subscriber(slot) != nil || lastUsed == 0 {
            use(slot, now, sink: &sink)
            return false
        }
        return Int64(Self.day(now)) - Int64(lastUsed) > lifetime / 86_400
    }
}
