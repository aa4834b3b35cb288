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
        var lastUsed: UInt16 = 0

        mutating func discard(below sequence: UInt64) {
            guard sequence > firstSequence else { return }
            // Nearly always the one message that was acknowledged.
            if sequence - firstSequence <= UInt64(messages.count) {
                for old in firstSequence..<sequence { messages[old] = nil }
            } else {
                messages = messages.filter { $0.key >= sequence }
            }
            firstSequence = sequence
        }
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
        case .used(let queue, let day):
            // Cleared queues are remembered by a later record of their own.
            if let known = partial[queue]?.lastUsed, known < day { partial[queue]?.lastUsed = day }
        case .link(let queue, let link):
            guard !deleted.contains(queue) else { return }
            partial[queue, default: Partial()].link = (link, item.range)
        }
    }

    private mutating func discard(_ queue: Identifier, below sequence: UInt64) {
        partial[queue, default: Partial()].discard(below: sequence)
    }

    /// - Throws: ``RouterError`` `corrupted` if something is missing that a whole journal would have.
    consuming func finish() throws(RouterError) -> [Queue] {
        var queues: [Queue] = []
        queues.reserveCapacity(partial.count)
        for (id, queue) in partial {
            guard var record = queue.record?.0, let position = queue.record?.1 else {
                throw RouterError(.corrupted, "the journal has data of queue \(id.entity) but not the queue")
            }
            record.firstSequence = max(record.firstSequence, queue.firstSequence)
            record.lastUsed = max(record.lastUsed, queue.lastUsed)
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
