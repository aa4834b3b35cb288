import RouterSupport
import SMPCrypto
import SMPWire

/// The replay of a journal, which restores the state of all queues from the records in their order.
struct JournalReplay: Sendable {
    /// A queue after the replay. Its attributes are kept as bytes: there may be a million of them.
    struct Queue: Sendable {
        /// The attributes as the journal has them.
        let attributes: SecretBytes
        /// True if no later record has changed them.
        let isExact: Bool
        fileprivate let firstSequence: UInt64
        fileprivate let lastUsed: UInt16
        let position: LogRange
        let linkPosition: LogRange?
        let messages: [StoredMessage]

        var record: QueueRecord {
            var bytes = attributes.bytes
            defer { SecretBytes.wipe(&bytes) }
            guard var record = try? QueueRecord(wireBytes: bytes) else { preconditionFailure("attributes that were read once cannot be read again") }
            record.firstSequence = firstSequence
            record.lastUsed = lastUsed
            return record
        }
    }

    fileprivate struct Partial {
        var record: (attributes: SecretBytes, range: LogRange)?
        /// The values in the record.
        var recorded: (firstSequence: UInt64, lastUsed: UInt16, link: QueueRecord.Link?) = (0, 0, nil)
        var firstSequence: UInt64 = 0
        var messages: [UInt64: StoredMessage] = [:]
        /// The last two different links: a link's data is written before the record of the queue that names it, and that record may not be on the disk.
        var links: [(link: QueueRecord.Link, range: LogRange)] = []
        var lastUsed: UInt16 = 0

        /// True if the journal has only the link of the queue, without its record: the command that created it was never answered.
        var isUnfinished: Bool { record == nil && messages.isEmpty && firstSequence == 0 && links.map(\.link.version) == [0] }

        mutating func take(_ link: QueueRecord.Link, _ range: LogRange) {
            // The same link again: copied by clearing, or set again after an interrupted attempt.
            if links.last?.link == link { links.removeLast() }
            links = links.suffix(1) + [(link, range)]
        }

        mutating func discard(below sequence: UInt64) {
            guard sequence > firstSequence else { return }
            // Nearly always, this removes only the acknowledged message.
            if sequence - firstSequence <= UInt64(messages.count) {
                for old in firstSequence..<sequence { messages[old] = nil }
            } else {
                messages = messages.filter { $0.key >= sequence }
            }
            firstSequence = sequence
        }
    }

    /// The largest number of a message in a journal, so that later numbers cannot overflow.
    static let largestSequence: UInt64 = 1 << 62

    /// Indices in ``queues``: a table of the queues themselves would be moved whenever it grows.
    private var numbers: [Identifier: Int32] = [:]
    private var queues: [Partial?] = []
    private var deleted: Set<Identifier> = []

    mutating func apply(_ item: SegmentScanner.Item) {
        switch item.record {
        case .queue(let record):
            update(record.recipientID) { partial in
                partial.record = (SecretBytes(item.attributes), item.range)
                partial.recorded = (record.firstSequence, record.lastUsed, record.link)
                partial.lastUsed = max(partial.lastUsed, record.lastUsed)
                partial.discard(below: record.firstSequence)
            }
        case .message(let queue, let sequence, let message):
            update(queue) { partial in
                guard sequence >= partial.firstSequence else { return }
                partial.messages[sequence] = StoredMessage(
                    id: message.id, timestamp: message.timestamp, flags: message.flags, kind: message.kind,
                    bodyLength: item.bodyLength, position: item.range)
            }
        case .acknowledged(let queue, let sequence): update(queue) { $0.discard(below: sequence) }
        case .deleted(let queue):
            deleted.insert(queue)
            if let number = numbers.removeValue(forKey: queue) { queues[Int(number)] = nil }
        case .used(let queue, let day):
            // When a queue was copied by clearing, its own record follows later.
            guard let number = numbers[queue], let known = queues[Int(number)]?.lastUsed, known < day else { return }
            queues[Int(number)]?.lastUsed = day
        case .link(let queue, let link): update(queue) { $0.take(link, item.range) }
        }
    }

    private mutating func update(_ queue: Identifier, _ body: (inout Partial) -> Void) {
        if let number = numbers[queue] {
            guard var partial = queues[Int(number)] else { return }
            // The queue is taken out of the table meanwhile, so that its messages are changed in place.
            queues[Int(number)] = nil
            body(&partial)
            queues[Int(number)] = partial
        } else if !deleted.contains(queue) {
            var partial = Partial()
            body(&partial)
            numbers[queue] = Int32(queues.count)
            queues.append(partial)
        }
    }

    /// - Throws: ``RouterError`` `corrupted` if the journal is incomplete.
    consuming func finish() throws(RouterError) -> [Queue] {
        var finished: [Queue] = []
        finished.reserveCapacity(numbers.count)
        for number in numbers.values {
            guard let partial = queues[Int(number)], !partial.isUnfinished else { continue }
            finished.append(try partial.finish())
        }
        return finished
    }
}

extension JournalReplay.Partial {
    /// Checks that the queue is complete. Errors do not name the queue: ids do not belong in logs.
    fileprivate func finish() throws(RouterError) -> JournalReplay.Queue {
        guard let (attributes, position) = record else {
            let first = messages.values.map(\.position.start).min() ?? links.first?.range.start
            throw RouterError(.corrupted, "the journal has data of a queue but no record of the queue itself\(first.map { ", from position \($0) on" } ?? "")")
        }
        guard firstSequence <= JournalReplay.largestSequence else {
            throw RouterError(.corrupted, "the queue at position \(position.start) has a message number above the largest possible one")
        }
        var stored: [StoredMessage] = []
        stored.reserveCapacity(messages.count)
        for offset in 0..<UInt64(messages.count) {
            guard let message = messages[firstSequence + offset] else {
                throw RouterError(.corrupted, "a message of the queue at position \(position.start) is missing in the journal")
            }
            stored.append(message)
        }
        var linkPosition: LogRange?
        if let expected = recorded.link {
            guard let known = links.last(where: { $0.link == expected }) else {
                throw RouterError(.corrupted, "the link data of the queue at position \(position.start) is missing in the journal")
            }
            linkPosition = known.range
        }
        return JournalReplay.Queue(
            attributes: attributes, isExact: firstSequence == recorded.firstSequence && lastUsed == recorded.lastUsed,
            firstSequence: firstSequence, lastUsed: lastUsed, position: position, linkPosition: linkPosition, messages: stored)
    }
}
