import RouterSupport
import SMPCrypto
import SMPWire

/// The queues of a router by slot. Most queues are idle for most of their life: these are kept as their bytes in the journal, which take
/// a third of the memory of a queue in use.
struct SlotTable: Sendable {
    typealias Queue = QueueStore.Queue

    private enum Entry: Sendable {
        case empty
        case idle(IdleQueue)
        case used(UsedQueue)
    }

    /// A queue as it is in the journal. The bytes hold its secrets, so they are wiped with the last copy.
    private struct IdleQueue: Sendable {
        let bytes: SecretBytes
        let position: LogRange
        let linkPosition: LogRange?
        let lastUsed: UInt16
        let hasService: Bool

        init(_ queue: Queue) {
            var writer = WireWriter(reservingCapacity: 256)
            queue.record.encode(to: &writer)
            var encoded = writer.bytes
            writer = WireWriter()
            bytes = SecretBytes(encoded)
            SecretBytes.wipe(&encoded)
            position = queue.position
            linkPosition = queue.linkPosition
            lastUsed = queue.record.lastUsed
            hasService = queue.record.service != nil
        }

        /// Creates the entry of a queue in which nothing waits, from the journal.
        init(_ stored: JournalReplay.Queue, hasService: Bool, lastUsed: UInt16) {
            bytes = stored.attributes
            position = stored.position
            linkPosition = stored.linkPosition
            self.lastUsed = lastUsed
            self.hasService = hasService
        }

        var queue: Queue {
            var encoded = bytes.bytes
            defer { SecretBytes.wipe(&encoded) }
            guard let record = try? QueueRecord(wireBytes: encoded) else { preconditionFailure("bytes of a record cannot be read back") }
            return Queue(record: record, position: position, linkPosition: linkPosition)
        }
    }

    /// A queue in use; shared by copies of the table until one of them changes it.
    private final class UsedQueue: @unchecked Sendable {
        // Changed only when nobody else references this object.
        var queue: Queue
        /// True if it was used since the hand (of the clock algorithm) last passed it.
        var isRecent = true

        init(_ queue: Queue) { self.queue = queue }
    }

    /// The number of slots in a chunk, small so that memory does not double when the table grows.
    private static let chunkSize = 1_024

    private var chunks: [[Entry]] = []
    private(set) var count = 0
    private var hand = 0
    /// Queues that are kept as bytes.
    private(set) var idleCount = 0

    private func entry(_ slot: Int) -> Entry {
        guard slot >= 0, slot < count else { return .empty }
        return chunks[slot / Self.chunkSize][slot % Self.chunkSize]
    }

    /// The queue of a slot; nil if it is empty.
    subscript(slot: Int) -> Queue? {
        switch entry(slot) {
        case .empty: nil
        case .idle(let idle): idle.queue
        case .used(let used): used.queue
        }
    }

    /// Reads a queue without copying it.
    func read<Result>(_ slot: Int, _ body: (Queue) -> Result) -> Result? {
        switch entry(slot) {
        case .empty: nil
        case .idle(let idle): body(idle.queue)
        case .used(let used): body(used.queue)
        }
    }

    /// Checks whether the queue is kept as bytes: it has no messages and no subscribers.
    func isIdle(_ slot: Int) -> Bool { if case .idle = entry(slot) { true } else { false } }

    func lastUsed(_ slot: Int) -> UInt16? {
        switch entry(slot) {
        case .empty: nil
        case .idle(let idle): idle.lastUsed
        case .used(let used): used.queue.record.lastUsed
        }
    }

    /// Checks whether a queue has a service, without decoding it.
    func hasService(_ slot: Int) -> Bool {
        switch entry(slot) {
        case .empty: false
        case .idle(let idle): idle.hasService
        case .used(let used): used.queue.record.service != nil
        }
    }

    /// Puts a queue into a slot that is empty or the next.
    mutating func insert(_ queue: Queue, at slot: Int, asIdle: Bool) {
        makeRoom(for: slot)
        set(asIdle && queue.isIdle ? .idle(IdleQueue(queue)) : .used(UsedQueue(queue)), at: slot)
    }

    /// Puts a queue of a journal into a slot that is empty or the next.
    mutating func insert(_ stored: JournalReplay.Queue, _ record: QueueRecord, at slot: Int) {
        guard stored.isExact, stored.messages.isEmpty else {
            let queue = Queue(record: record, position: stored.position, linkPosition: stored.linkPosition, messages: stored.messages)
            return insert(queue, at: slot, asIdle: true)
        }
        makeRoom(for: slot)
        set(.idle(IdleQueue(stored, hasService: record.service != nil, lastUsed: record.lastUsed)), at: slot)
    }

    private mutating func makeRoom(for slot: Int) {
        if slot == count {
            if count % Self.chunkSize == 0 {
                chunks.append([])
                chunks[chunks.count - 1].reserveCapacity(Self.chunkSize)
            }
            chunks[chunks.count - 1].append(.empty)
            count += 1
        }
    }

    mutating func remove(_ slot: Int) {
        guard slot >= 0, slot < count else { return }
        set(.empty, at: slot)
    }

    private mutating func set(_ entry: Entry, at slot: Int) {
        if isIdle(slot) { idleCount -= 1 }
        if case .idle = entry { idleCount += 1 }
        chunks[slot / Self.chunkSize][slot % Self.chunkSize] = entry
    }

    /// Decodes a queue from its bytes, once for all following reads and changes.
    ///
    /// - Returns: false if there is none.
    @discardableResult
    mutating func wake(_ slot: Int) -> Bool {
        switch entry(slot) {
        case .empty: return false
        case .idle(let idle): set(.used(UsedQueue(idle.queue)), at: slot)
        case .used: break
        }
        return true
    }

    /// Changes a queue in its place; nil if there is none.
    mutating func update<Result>(_ slot: Int, _ body: (inout Queue) -> Result) -> Result? {
        guard wake(slot) else { return nil }
        let (chunk, index) = (slot / Self.chunkSize, slot % Self.chunkSize)
        // Taken out of the table meanwhile: then only copies of the table can reference it, too.
        guard case .used(var used) = chunks[chunk][index] else { return nil }
        chunks[chunk][index] = .empty
        if !isKnownUniquelyReferenced(&used) { used = UsedQueue(used.queue) }
        used.isRecent = true
        let result = body(&used.queue)
        chunks[chunk][index] = .used(used)
        return result
    }

    /// Encodes a queue without messages and subscribers as bytes.
    mutating func rest(_ slot: Int) {
        guard case .used(let used) = entry(slot), used.queue.isIdle else { return }
        set(.idle(IdleQueue(used.queue)), at: slot)
    }

    /// Visits the next slots, and encodes queues as bytes that were not used since the last visit.
    ///
    /// - Parameters:
    ///   - steps: the number of slots to visit.
    ///   - limit: the maximum number of queues to encode.
    mutating func restSome(steps: Int, limit: Int) {
        var changed = 0
        for _ in 0..<min(steps, count) where changed < limit {
            hand = hand + 1 < count ? hand + 1 : 0
            guard case .used(let used) = entry(hand) else { continue }
            if used.isRecent {
                used.isRecent = false
            } else if used.queue.isIdle {
                rest(hand)
                changed += 1
            }
        }
    }
}

extension QueueStore.Queue {
    /// True if the queue has no state besides its record.
    fileprivate var isIdle: Bool {
        let waits = record.service == nil ? subscription != nil : subscription?.delivered != nil
        return messages.isEmpty && !waits && notifierSession == nil && pendingNotifications.isEmpty
    }
}
