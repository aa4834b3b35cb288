import RouterSupport
import SMPCrypto
import SMPProtocol
import SMPWire

/// All queues of a router, found by any of their ids.
struct QueueStore: Sendable {
    /// A queue in memory.
    struct Queue: Sendable {
        var record: QueueRecord
        var position: LogRange
        var linkPosition: LogRange?
        /// In order; the first is numbered `record.firstSequence`.
        var messages: [StoredMessage] = []
        /// The session that gets the messages. For a queue of a service it records only what was delivered: see ``QueueStore/subscriber(_:)``.
        var subscription: Subscription?
        /// The session that is notified of messages; a service has its own: see ``QueueStore/notifierSubscriber(_:)``.
        var notifierSession: SessionID?
        /// Notifications that wait for a subscriber; the latest ``QueueStore/pendingNotificationLimit``.
        var pendingNotifications: [SMPBrokerMessage] = []

        /// True if the next message must be refused: the last message is the notice of that to the recipient.
        var isFull: Bool { messages.last?.kind == .quota }
        /// Returns the message that was delivered to a session and is not acknowledged.
        func delivered(to session: SessionID) -> Identifier? { subscription?.session == session ? subscription?.delivered : nil }

        var nextSequence: UInt64 { record.firstSequence + UInt64(messages.count) }
    }

    struct Subscription: Hashable, Sendable {
        var session: SessionID
        /// The delivered message that is not acknowledged.
        var delivered: Identifier?
    }

    static let pendingNotificationLimit = 16

    private var slots = SlotTable()
    private var freeSlots: [Int32] = []
    private var byRecipient: [Identifier: Int32] = [:]
    private var bySender: [Identifier: Int32] = [:]
    private var byLink: [Identifier: Int32] = [:]
    private var byNotifier: [Identifier: Int32] = [:]
    /// The services that have queues or a session.
    var services = ServiceStore()
    /// Queues by the day of their last use.
    private(set) var usage = UsageHistogram()

    /// Bytes of the journal that are still needed.
    private(set) var liveBytes = 0
    /// Messages in all queues.
    private(set) var messageCount = 0

    var count: Int { byRecipient.count }

    // MARK: Finding

    func slot(recipient: EntityID) -> Int? { slot(recipient, in: byRecipient) }
    func slot(sender: EntityID) -> Int? { slot(sender, in: bySender) }
    func slot(link: EntityID) -> Int? { slot(link, in: byLink) }
    func slot(notifier: EntityID) -> Int? { slot(notifier, in: byNotifier) }

    func slot(recipient: Identifier) -> Int? { byRecipient[recipient].map(Int.init) }
    func slot(link: Identifier) -> Int? { byLink[link].map(Int.init) }

    private func slot(_ entity: EntityID, in index: [Identifier: Int32]) -> Int? {
        Identifier(entity).flatMap { index[$0] }.map(Int.init)
    }

    /// Returns the queue of a slot that one of the lookups returned.
    func queue(_ slot: Int) -> Queue? { slots[slot] }

    /// Reads a queue without copying it.
    func read<Result>(_ slot: Int, _ body: (Queue) -> Result) -> Result? { slots.read(slot, body) }

    /// Checks whether the queue is kept as bytes: it has no messages and no subscribers.
    func isIdle(_ slot: Int) -> Bool { slots.isIdle(slot) }

    /// Decodes a queue from its bytes: its authenticated owner will use it again.
    mutating func wake(_ slot: Int) { slots.wake(slot) }

    /// Queues that are kept as bytes.
    var idleCount: Int { slots.idleCount }

    /// Packs a few unused queues, which saves memory.
    mutating func restSome() { slots.restSome(steps: 50_000, limit: 2_000) }

    /// Changes the part of a queue that is not in the journal.
    mutating func update<Result>(_ slot: Int, _ body: (inout Queue) -> Result) -> Result? {
        slots.update(slot, body)
    }

    /// Slots are numbered from 0; some are empty.
    var slotCount: Int { slots.count }

    // MARK: Subscribers

    /// Finds the session that gets the messages of a queue.
    func subscriber(_ slot: Int) -> SessionID? {
        if slots.isIdle(slot), !slots.hasService(slot) { return nil }
        return slots.read(slot) { queue in
            if let service = queue.record.service { services.session(of: service) } else { queue.subscription?.session }
        } ?? nil
    }

    /// Finds the session that is notified of the messages of a queue.
    func notifierSubscriber(_ slot: Int) -> SessionID? {
        slots.read(slot) { queue in
            if let service = queue.record.notifier?.service { services.session(of: service) } else { queue.notifierSession }
        } ?? nil
    }

    /// Moves a queue from the services that it belonged to, to those that it belongs to now.
    private mutating func associate(_ slot: Int32, from before: QueueRecord?, to after: QueueRecord?) {
        if before?.service != after?.service {
            if let before, let service = before.service { services.remove(slot, before.recipientID, from: service) }
            if let after, let service = after.service { services.insert(slot, after.recipientID, into: service) }
        }
        // Another notifier of the same service is another id.
        if before?.notifier?.service != after?.notifier?.service || before?.notifier?.id != after?.notifier?.id {
            if let notifier = before?.notifier, let service = notifier.service { services.remove(slot, notifier.id, from: service) }
            if let notifier = after?.notifier, let service = notifier.service { services.insert(slot, notifier.id, into: service) }
        }
    }

    // MARK: Creating and deleting

    /// Creates the store from the queues of a journal.
    init(_ queues: [JournalReplay.Queue] = []) {
        reserve(queues.count)
        for queue in queues {
            let (slot, record) = (Int32(slots.count), queue.record)
            slots.insert(queue, record, at: Int(slot))
            index(record, slot)
            liveBytes += queue.position.count + (queue.linkPosition?.count ?? 0)
            liveBytes += queue.messages.reduce(0) { $0 + $1.position.count }
            messageCount += queue.messages.count
        }
    }

    /// Reserves capacity for the content of a journal, so that tables do not grow step by step.
    private mutating func reserve(_ count: Int) {
        byRecipient.reserveCapacity(count)
        bySender.reserveCapacity(count)
    }

    private mutating func insert(_ queue: Queue) {
        let slot = freeSlots.popLast() ?? Int32(slots.count)
        slots.insert(queue, at: Int(slot), asIdle: false)
        index(queue.record, slot)
        liveBytes += queue.position.count + (queue.linkPosition?.count ?? 0)
    }

    private mutating func index(_ record: QueueRecord, _ slot: Int32) {
        byRecipient[record.recipientID] = slot
        bySender[record.senderID] = slot
        if let link = record.link { byLink[link.id] = slot }
        if let notifier = record.notifier { byNotifier[notifier.id] = slot }
        usage.move(from: nil, to: record.lastUsed)
        associate(slot, from: nil, to: record)
    }

    /// Checks whether one of the record's ids belongs to a queue already.
    func collides(_ record: QueueRecord) -> Bool {
        byRecipient[record.recipientID] != nil || bySender[record.senderID] != nil
            || record.link.map { byLink[$0.id] != nil } ?? false || record.notifier.map { byNotifier[$0.id] != nil } ?? false
    }

    /// Adds a queue whose ids are new.
    ///
    /// - Returns: the end of its record in the journal.
    mutating func create(_ record: QueueRecord, link data: QueueLinkData?, sink: inout some RecordSink) -> UInt64 {
        var linkPosition: LogRange?
        if let link = record.link, let data {
            linkPosition = sink.append(.link(queue: record.recipientID, link), body: data.wireBytes)
        }
        let position = sink.append(.queue(record))
        insert(Queue(record: record, position: position, linkPosition: linkPosition))
        return position.end
    }

    /// Deletes a queue with its messages.
    ///
    /// - Returns: the queue as it was, and the end of the record of its deletion.
    mutating func delete(_ slot: Int, sink: inout some RecordSink) -> (queue: Queue, end: UInt64)? {
        guard let queue = queue(slot) else { return nil }
        let end = sink.append(.deleted(queue: queue.record.recipientID)).end
        slots.remove(slot)
        freeSlots.append(Int32(slot))
        byRecipient[queue.record.recipientID] = nil
        bySender[queue.record.senderID] = nil
        if let link = queue.record.link { byLink[link.id] = nil }
        if let notifier = queue.record.notifier { byNotifier[notifier.id] = nil }
        usage.move(from: queue.record.lastUsed, to: nil)
        associate(Int32(slot), from: queue.record, to: nil)
        liveBytes -= queue.position.count + (queue.linkPosition?.count ?? 0)
        liveBytes -= queue.messages.reduce(0) { $0 + $1.position.count }
        messageCount -= queue.messages.count
        return (queue, end)
    }

    // MARK: Attributes

    /// Changes the attributes of a queue, and records them in the journal.
    ///
    /// - Returns: the end of the record of the change.
    mutating func change(
        _ slot: Int, sink: inout some RecordSink, _ body: (inout QueueRecord) -> Void
    ) -> UInt64? {
        guard var record = queue(slot)?.record else { return nil }
        let before = record
        body(&record)
        if before.link?.id != record.link?.id {
            if let link = before.link { byLink[link.id] = nil }
            if let link = record.link { byLink[link.id] = Int32(slot) }
        }
        if before.notifier?.id != record.notifier?.id {
            if let notifier = before.notifier { byNotifier[notifier.id] = nil }
            if let notifier = record.notifier { byNotifier[notifier.id] = Int32(slot) }
        }
        associate(Int32(slot), from: before, to: record)
        let position = sink.append(.queue(record))
        let hasLink = record.link != nil
        let freed = update(slot) { queue in
            var freed = queue.position.count
            queue.record = record
            queue.position = position
            if !hasLink {
                freed += queue.linkPosition?.count ?? 0
                queue.linkPosition = nil
            }
            return freed
        }
        liveBytes += position.count - (freed ?? 0)
        return position.end
    }

    /// Sets the data of a queue's link.
    mutating func setLink(
        _ slot: Int, _ id: Identifier, _ data: QueueLinkData, sink: inout some RecordSink
    ) -> UInt64? {
        guard let queue = queue(slot) else { return nil }
        let link = QueueRecord.Link(id: id, version: (queue.record.link?.version ?? 0) &+ 1)
        let position = sink.append(.link(queue: queue.record.recipientID, link), body: data.wireBytes)
        liveBytes += position.count - (queue.linkPosition?.count ?? 0)
        _ = update(slot) { $0.linkPosition = position }
        return change(slot, sink: &sink) { $0.link = link }
    }

    /// Records the day on which a queue is used. This record is no longer needed once the queue's own record is written again.
    mutating func use(_ slot: Int, on day: UInt16, sink: inout some RecordSink) {
        guard let before = slots.lastUsed(slot), before < day else { return }
        let id = slots.update(slot) { queue in
            queue.record.lastUsed = day
            return queue.record.recipientID
        }
        guard let id else { return }
        usage.move(from: before, to: day)
        _ = sink.append(.used(queue: id, day: day))
    }

    func lastUsed(_ slot: Int) -> UInt16? { slots.lastUsed(slot) }
    func status(_ slot: Int) -> QueueRecord.Status? { slots.read(slot) { $0.record.status } }

    // MARK: Messages

    /// Adds a message at the end of a queue.
    mutating func append(
        _ slot: Int, _ message: JournalMessage, body: Bytes, sink: inout some RecordSink
    ) -> (message: StoredMessage, sequence: UInt64)? {
        // No copy of the queue is held while its messages change: the change would copy them, too.
        guard let (id, sequence) = slots.read(slot, { ($0.record.recipientID, $0.nextSequence) }) else { return nil }
        let position = sink.append(.message(queue: id, sequence: sequence, message), body: body)
        let stored = StoredMessage(
            id: message.id, timestamp: message.timestamp, flags: message.flags, kind: message.kind, bodyLength: body.count,
            position: position)
        _ = update(slot) { $0.messages.append(stored) }
        liveBytes += position.count
        messageCount += 1
        return (stored, sequence)
    }

    /// Removes messages from the beginning of a queue.
    ///
    /// - Returns: the end of the record of the removal; nil if there is nothing to remove.
    mutating func removeFirst(_ count: Int, _ slot: Int, sink: inout some RecordSink) -> UInt64? {
        let change = update(slot) { queue -> (id: Identifier, sequence: UInt64, removed: Int, freed: Int) in
            let removed = min(max(0, count), queue.messages.count)
            let freed = queue.messages[..<removed].reduce(0) { $0 + $1.position.count }
            queue.messages.removeFirst(removed)
            queue.record.firstSequence += UInt64(removed)
            return (queue.record.recipientID, queue.record.firstSequence, removed, freed)
        }
        guard let change, change.removed > 0 else { return nil }
        liveBytes -= change.freed
        messageCount -= change.removed
        return sink.append(.acknowledged(queue: change.id, upTo: change.sequence)).end
    }

    // MARK: Clearing the journal

    /// Copies a record of an old segment to the end of the journal if it is still needed.
    ///
    /// - Parameter body: the body of the record; nil if it is damaged.
    /// - Returns: true if a needed record is damaged and could not be kept.
    mutating func keep(_ item: SegmentScanner.Item, body: Bytes?, sink: inout some RecordSink) -> Bool {
        switch item.record {
        case .acknowledged, .deleted, .used: return false
        case .queue(let record):
            guard let slot = slot(recipient: record.recipientID), needs(item) else { return false }
            let wasIdle = slots.isIdle(slot)
            _ = change(slot, sink: &sink) { _ in }
            if wasIdle { slots.rest(slot) }
            return false
        case .link(let id, let link):
            guard let slot = slot(recipient: id), needs(item) else { return false }
            guard let body else {
                _ = change(slot, sink: &sink) { $0.link = nil }
                return true
            }
            let position = sink.append(.link(queue: id, link), body: body)
            _ = update(slot) { $0.linkPosition = position }
            return false
        case .message(let id, let sequence, let message):
            guard let slot = slot(recipient: id), needs(item), let first = queue(slot)?.record.firstSequence else { return false }
            let index = Int(clamping: sequence &- first)
            var kept = message
            if body == nil { kept.kind = .lost }
            let position = sink.append(.message(queue: id, sequence: sequence, kept), body: body ?? [])
            liveBytes += position.count - item.range.count
            _ = update(slot) { queue in
                queue.messages[index].position = position
                queue.messages[index].kind = kept.kind
                queue.messages[index].bodyLength = body?.count ?? 0
            }
            return body == nil
        }
    }

    /// Checks whether a record of an old segment is still needed.
    func needs(_ item: SegmentScanner.Item) -> Bool {
        switch item.record {
        case .acknowledged, .deleted, .used: return false
        case .queue(let record): return slot(recipient: record.recipientID).flatMap { slots.read($0, \.position) } == item.range
        case .link(let id, _): return slot(recipient: id).flatMap { slots.read($0, \.linkPosition) ?? nil } == item.range
        case .message(let id, let sequence, _):
            guard let queue = slot(recipient: id).flatMap(queue), sequence >= queue.record.firstSequence else { return false }
            let index = Int(clamping: sequence - queue.record.firstSequence)
            return queue.messages.indices.contains(index) && queue.messages[index].position == item.range
        }
    }
}
