import SMPWire

/// Puts the state of all queues together from the records of a journal, in their order.
struct JournalReplay: Sendable {
    /// What is left of a queue.
    struct Queue: Sendable {
        var record: QueueRecord
        var position: LogRange
        var linkPosition: LogRange?
        var messages: [StoredMessage]
    }

    private struct Partial {
        var record: (QueueRecord, LogRange)?
        var firstSequence: UInt64 = 0
        var messages: [UInt64: StoredMessage] = [:]
        var link: (QueueRecord.Link, LogRange)?
    }

    private var partial: [Identifier: Partial] = [:]
    private var deleted: Set<Identifier> = []

    mutating func apply(_ item: SegmentScanner.Item) {
        switch item.record {
        case .queue(let record):
            guard !deleted.contains(record.recipientID) else { return }
            partial[record.recipientID, default: Partial()].record = (record, item.range)
            discard(record.recipientID, below: record.firstSequence)
        case .message(let queue, let sequence, let message):
            guard !deleted.contains(queue) else { return }
            guard sequence >= partial[queue, default: Partial()].firstSequence else { return }
            partial[queue, default: Partial()].messages[sequence] = StoredMessage(
                id: message.id, timestamp: message.timestamp, flags: message.flags, kind: message.kind,
                bodyLength: item.frame.bodyLength, position: item.range)
        case .acknowledged(let queue, let sequence):
            guard !deleted.contains(queue) else { return }
            discard(queue, below: sequence)
        case .deleted(let queue):
            deleted.insert(queue)
            partial[queue] = nil
        case .link(let queue, let link):
            guard !deleted.contains(queue) else { return }
            partial[queue, default: Partial()].link = (link, item.range)
        }
    }

    private mutating func discard(_ queue: Identifier, below sequence: UInt64) {
        let first = partial[queue, default: Partial()].firstSequence
        guard sequence > first else { return }
        partial[queue]?.firstSequence = sequence
        guard let count = partial[queue]?.messages.count, count > 0 else { return }
        // Nearly always the one message that was acknowledged.
        if sequence - first <= UInt64(count) {
            for old in first..<sequence { partial[queue]?.messages[old] = nil }
        } else {
            partial[queue]?.messages = partial[queue]?.messages.filter { $0.key >= sequence } ?? [:]
        }
    }

    /// - Throws: ``RouterError`` `corrupted` if something is missing that a whole journal would have.
    consuming func finish() throws(RouterError) -> [Queue] {
        var queues: [Queue] = []
        queues.reserveCapacity(partial.count)
        for (id, queue) in partial {
            guard var (record, position) = queue.record else {
                throw RouterError(.corrupted, "the journal has data of queue \(id.entity) but not the queue")
            }
            record.firstSequence = max(record.firstSequence, queue.firstSequence)
            var messages: [StoredMessage] = []
            messages.reserveCapacity(queue.messages.count)
            for offset in 0..<UInt64(queue.messages.count) {
                guard let message = queue.messages[record.firstSequence + offset] else {
                    throw RouterError(.corrupted, "a message of queue \(id.entity) is missing in the journal")
                }
                messages.append(message)
            }
            var linkPosition: LogRange?
            if let link = record.link {
                guard let (stored, range) = queue.link, stored == link else {
                    throw RouterError(.corrupted, "the link data of queue \(id.entity) is missing in the journal")
                }
                linkPosition = range
            }
            queues.append(Queue(record: record, position: position, linkPosition: linkPosition, messages: messages))
        }
        return queues
    }
}
