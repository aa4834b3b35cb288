import RouterFaults
import SMPCrypto
import SMPProtocol
import SMPWire
import Testing

@testable import RouterSupport
@testable import SMPServer

/// The N-th operation of the disk fails, for N = 1, 2, 3 …: what was committed is there after a loss of power, whatever failed before.
@Suite struct JournalFaultTests {
    private struct Journey {
        let storage: FaultyStorage
        let maker = JournalMaker(seed: 5)
        var journal: Journal
        var record: QueueRecord
        var bodies: [Bytes] = []
        var failures = 0
        /// Messages of which the journal has said that they are written.
        var acknowledged = 0

        init(_ storage: FaultyStorage, durability: Durability) throws {
            self.storage = storage
            (journal, _) = try Journal.open(storage, durability: durability, segmentSize: 1_500)
            record = maker.queue()
            _ = journal.append(.queue(record))
        }

        mutating func append() {
            let body = maker.random.bytes(120)
            _ = journal.append(.message(queue: record.recipientID, sequence: UInt64(bodies.count), maker.message()), body: body)
            bodies.append(body)
        }

        /// As the router does it: again until it works, and once more for what was held back meanwhile.
        mutating func commit(flush: Bool) throws {
            for _ in 0..<20 {
                do {
                    try journal.commit(flush: flush)
                    if journal.pendingCount == 0 { return acknowledged = bodies.count }
                } catch {
                    failures += 1
                    // Others append and write while the disk fails.
                    if failures % 2 == 0 { append() }
                    _ = journal.writeIfThatIsEnough()
                }
            }
            Issue.record("the journal does not heal")
        }

        /// One that fills several segments.
        static func long(_ storage: FaultyStorage) throws -> Journey {
            var journey = try Journey(storage, durability: .always)
            for _ in 0..<40 {
                journey.append()
                try journey.commit(flush: false)
            }
            return journey
        }

        /// Another process takes over, with what the kernel shows of the files.
        mutating func restart(durability: Durability) throws {
            for attempt in 0... {
                do {
                    let (journal, queues) = try Journal.open(storage, durability: durability, segmentSize: 1_500)
                    let found = try queues.first?.messages.map { try journal.body(at: $0.position) } ?? []
                    #expect(found == Array(bodies.prefix(found.count)) && found.count >= acknowledged)
                    (self.journal, bodies) = (journal, found)
                    if queues.isEmpty { _ = journal.append(.queue(record)) }
                    return
                } catch {
                    guard attempt < 20 else { throw error }
                }
            }
        }

        func check(_ contents: [UInt64: Bytes]) throws {
            let (journal, queues) = try Journal.open(contents)
            #expect(queues.map(\.record.recipientID) == [record.recipientID])
            #expect(try queues.first?.messages.map { try journal.body(at: $0.position) } == bodies)
        }
    }

    @Test func aSegmentWhoseFileCannotBeRemovedStaysTheOldest() throws {
        let storage = FaultyStorage()
        let journey = try Journey.long(storage)
        #expect(storage.contents.count > 3)
        let oldest = try #require(storage.contents.keys.min())
        storage.fail(storage.operations..<storage.operations + 1)
        #expect(throws: RouterError.self) { try journey.journal.removeOldestSegment() }
        #expect(storage.failed == [.remove])
        #expect(try journey.journal.oldestSegment()?.base == oldest)
        // The next removal is of the same file: a journal never has a hole.
        try journey.journal.removeOldestSegment()
        #expect(storage.contents[oldest] == nil)
        try journey.journal.removeOldestSegment()
        #expect(storage.contents.keys.min() == (try journey.journal.oldestSegment()?.base))
    }

    /// The disk refuses a step of making the segment, 0 to 2, and perhaps to remove what is there of it.
    @Test(arguments: [0, 1, 2], [false, true])
    func aSegmentThatWasBegunInVainHindersNobody(_ step: Int, _ stays: Bool) throws {
        let storage = FaultyStorage(tears: true)
        var journey = try Journey(storage, durability: .always)
        func append(_ count: Int) throws {
            for _ in 0..<count {
                journey.append()
                try journey.commit(flush: false)
            }
        }
        try append(3)
        let refused = storage.operations + step
        storage.fail(refused..<refused + (stays ? 2 : 1))
        #expect(throws: RouterError.self) { try journey.journal.beginSegment() }
        #expect(storage.failed == [[.create, .append, .synchronize][step]] + (stays ? [.remove] : []))
        #expect(storage.contents.count == (stays ? 2 : 1))
        // The segment goes on beyond where the other was to begin. Its end may be torn.
        try append(2)
        try journey.check(storage.contents)
        var torn = storage.contents
        torn[0]?.removeLast(5)
        #expect(try Journal.open(torn).queues.first?.messages.count == journey.bodies.count - 1)
        // Others follow.
        let next = try journey.journal.beginSegment()
        #expect(storage.contents.count == (stays ? 3 : 2))
        try append(2)
        try journey.check(storage.contents)
        try journey.check(storage.durableContents)
        // The next process cleans up.
        let copy = MemoryStorage(storage.contents)
        _ = try Journal.open(copy, durability: .always, segmentSize: 1_500)
        #expect(copy.contents.keys.sorted() == [0, next])
        // What was begun in vain goes with what is ahead of it: nothing would tell it from a segment that somebody has emptied.
        try journey.journal.removeOldestSegment()
        #expect(storage.contents.keys.sorted() == [next])
    }

    @Test func aSegmentThatWasBegunInVainIsBegunAgainInItsPlace() throws {
        let storage = FaultyStorage(tears: true)
        var journey = try Journey(storage, durability: .always)
        journey.append()
        try journey.commit(flush: false)
        storage.fail(storage.operations + 1..<storage.operations + 3)
        #expect(throws: RouterError.self) { try journey.journal.beginSegment() }
        let base = try journey.journal.beginSegment()
        #expect(storage.contents.keys.sorted() == [0, base])
        journey.append()
        try journey.commit(flush: false)
        try journey.journal.removeOldestSegment()
        #expect(storage.contents.keys.sorted() == [base])
    }

    /// Clearing copies a record to the end of the journal, and the disk refuses the copy: who was promised the record still gets it, and what is
    /// not written yet is not taken for damaged, as it would be given up.
    @Test func aRecordThatIsMovedWhileTheDiskRefusesIsReadWhereItWas() throws {
        let storage = FaultyStorage()
        let journey = try Journey.long(storage)
        var scanner = try #require(try journey.journal.oldestSegment())
        var oldest: SegmentScanner.Item?
        while oldest == nil, let item = try scanner.next() { if case .message = item.record { oldest = item } }
        let item = try #require(oldest)
        let body = try #require(try scanner.body(of: item))

        let copy = journey.journal.append(item.record, body: body)
        for _ in 0..<2 {
            #expect(try journey.journal.body(at: item.range) { copy } == body)
            #expect { try journey.journal.body(at: copy) { copy } } throws: { ($0 as? RouterError)?.code == .storage }
            storage.fail(storage.operations..<storage.operations + 1)
            #expect(throws: RouterError.self) { try journey.journal.commit(flush: true) }
        }
        try journey.journal.commit(flush: true)
        #expect(try journey.journal.body(at: copy) { copy } == body)
        try journey.journal.removeOldestSegment()
        #expect(try journey.journal.body(at: item.range) { copy } == body)
        #expect { try journey.journal.body(at: item.range) { nil } } throws: { ($0 as? RouterError)?.code == .storage }
    }

    @Test func aSegmentThatSomebodyHasEmptiedIsMissed() throws {
        let storage = FaultyStorage()
        _ = try Journey.long(storage)
        for base in storage.contents.keys.sorted().dropLast() {
            for length in [0, SegmentHeader.length] {
                var emptied = storage.contents
                emptied[base] = Bytes(emptied[base]?.prefix(length) ?? [])
                #expect { try Journal.open(emptied) } throws: { ($0 as? RouterError)?.code == .corrupted }
            }
        }
    }

    @Test(arguments: [1, 2, 5], [false, true])
    func whatWasCommittedIsOnTheDiskWhateverOperationsFailed(_ inARow: Int, _ tears: Bool) throws {
        var seen: Set<FaultyStorage.Operation> = []
        for number in 1... {
            let storage = FaultyStorage(tears: tears)
            var journey = try Journey(storage, durability: .always)
            storage.fail(storage.operations + number - 1..<storage.operations + number - 1 + inARow)
            for step in 0..<12 {
                journey.append()
                if step % 3 == 0 { journey.append() }
                // Acknowledgements are written between, by whoever has the time.
                _ = journey.journal.append(.acknowledged(queue: journey.record.recipientID, upTo: 0))
                _ = journey.journal.writeIfThatIsEnough()
                try journey.commit(flush: false)
                #expect(journey.journal.synchronized >= journey.journal.written - 200)
                try journey.check(storage.durableContents)
                try journey.check(storage.contents)
            }
            seen.formUnion(storage.failed)
            if storage.failed.isEmpty { break }
            #expect(number < 200)
        }
        #expect(seen.isSuperset(of: [.append, .synchronize, .create]))
    }

    /// The kernel shows a new process what it has dropped after a refused flush, and later flushes succeed without it.
    @Test(arguments: [1, 2, 3], [Durability.always, .everySecond])
    func aProcessThatStartsAfterARefusalLeavesNoGapInTheJournal(_ inARow: Int, _ durability: Durability) throws {
        var seen: Set<FaultyStorage.Operation> = []
        for number in 1... {
            let storage = FaultyStorage(tears: number % 2 == 0)
            var journey = try Journey(storage, durability: durability)
            let first = storage.operations + number - 1
            storage.fail(first..<first + inARow)
            for step in 0..<12 {
                journey.append()
                do {
                    try journey.journal.commit(flush: step % 3 == 2)
                    // What the kernel has outlives a process that is killed.
                    if journey.journal.pendingCount == 0 { journey.acknowledged = journey.bodies.count }
                    _ = journey.journal.writeIfThatIsEnough()
                } catch {
                    // Killed and started again, until it can be: what it was not told to be on disk may be there or not.
                    try journey.restart(durability: durability)
                }
                guard durability == .always || step % 3 == 2 else { continue }
                try journey.commit(flush: true)
                try journey.check(storage.durableContents)
            }
            seen.formUnion(storage.failed)
            if storage.failed.isEmpty { break }
            #expect(number < 200)
        }
        #expect(seen.isSuperset(of: inARow > 1 ? [.append, .synchronize, .create, .rewrite] : [.append, .synchronize, .create]))
    }

    @Test(arguments: [1, 3])
    func withAnIntervalWhatWasWrittenOutlivesTheProcessAndWhatWasFlushedTheLossOfPower(_ inARow: Int) throws {
        for number in 1... {
            let storage = FaultyStorage(tears: true)
            var journey = try Journey(storage, durability: .everySecond)
            storage.fail(storage.operations + number - 1..<storage.operations + number - 1 + inARow)
            for step in 0..<12 {
                journey.append()
                if !journey.journal.writeIfThatIsEnough() { try journey.commit(flush: false) }
                if journey.journal.pendingCount == 0 { try journey.check(storage.contents) }
                if step % 4 == 3 {
                    try journey.commit(flush: true)
                    try journey.check(storage.durableContents)
                } else {
                    // A loss of power between two flushes leaves what can be read, and a part of the rest.
                    let (_, queues) = try Journal.open(storage.durableContents)
                    #expect(queues.first?.messages.count ?? 0 <= journey.bodies.count)
                }
            }
            if storage.failed.isEmpty { break }
        }
    }
}
