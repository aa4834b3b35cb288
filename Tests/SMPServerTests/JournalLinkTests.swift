import SMPCrypto
import SMPProtocol
import SMPWire
import Testing

@testable import RouterSupport
@testable import SMPServer

/// A link's data and the queue that names it are two records: a crash may leave the first without the second.
@Suite struct JournalLinkTests {
    /// Makes durable each record by itself, and keeps what is on the disk then.
    private struct CrashingSink: RecordSink {
        let storage: MemoryStorage
        let journal: Journal
        private(set) var states: [[UInt64: Bytes]] = []

        init(_ storage: MemoryStorage, _ journal: Journal) { (self.storage, self.journal) = (storage, journal) }

        mutating func append(_ record: JournalRecord, body: Bytes) -> LogRange {
            let range = journal.append(record, body: body)
            #expect(throws: Never.self) { try journal.commit(flush: true) }
            states.append(storage.contents)
            return range
        }
    }

    /// A router's journal and queues after a start.
    private struct World {
        let journal: Journal
        var store: QueueStore
        var sink: CrashingSink

        init(_ contents: [UInt64: Bytes] = [:]) throws {
            let storage = MemoryStorage(contents)
            let (journal, queues) = try Journal.open(storage, durability: .always, segmentSize: 1 << 20)
            self.journal = journal
            store = QueueStore(queues)
            sink = CrashingSink(storage, journal)
        }

        mutating func setLink(_ queue: QueueRecord, _ id: Identifier, _ number: UInt8) throws {
            let slot = try #require(store.slot(recipient: queue.recipientID))
            #expect(store.setLink(slot, id, JournalLinkTests.data(number), sink: &sink) != nil)
        }

        /// Copies what is needed of all segments, and removes them.
        mutating func clear() throws {
            let end = try journal.beginSegment()
            while var scanner = try journal.oldestSegment(), scanner.base < end {
                while let item = try scanner.isAtEnd ? nil : scanner.next() {
                    if store.needs(item) { _ = store.keep(item, body: try scanner.body(of: item), sink: &sink) }
                }
                try journal.commit(flush: true)
                try journal.removeOldestSegment()
            }
        }
    }

    private static func data(_ number: UInt8) -> QueueLinkData { QueueLinkData(fixedData: [1], userData: [number]) }

    /// The data of a queue's link after a start from so much of a journal; nil without the queue.
    private func data(_ contents: [UInt64: Bytes], _ queue: QueueRecord) throws -> UInt8? {
        let world = try World(contents)
        guard let slot = world.store.slot(recipient: queue.recipientID) else { return nil }
        let position = try #require(world.store.queue(slot)?.linkPosition)
        return try QueueLinkData(wireBytes: world.journal.body(at: position)).userData.first
    }

    private let maker = JournalMaker(seed: 9)

    private func linked() -> (record: QueueRecord, id: Identifier) {
        var record = maker.queue()
        let id = maker.identifier()
        record.link = QueueRecord.Link(id: id, version: 0)
        return (record, id)
    }

    @Test func aCrashAfterAnyRecordLeavesTheQueueAsItWasBeforeOrAfter() throws {
        var world = try World()
        let (record, id) = linked()
        _ = world.store.create(record, link: Self.data(0), sink: &world.sink)
        for number in [1, 2] as [UInt8] { try world.setLink(record, id, number) }
        #expect(try world.sink.states.map { try data($0, record) } == [nil, 0, 0, 1, 1, 2])
    }

    @Test func aLinkThatWasNotSetIsSetAfterTheNextStartHoweverOftenThatFails() throws {
        var world = try World()
        let (record, id) = linked()
        _ = world.store.create(record, link: Self.data(0), sink: &world.sink)
        for number in 1...4 as ClosedRange<UInt8> {
            try world.setLink(record, id, number)
            let torn = world.sink.states[world.sink.states.count - 2]
            #expect(try data(torn, record) == 0)
            world = try World(torn)
        }
        try world.setLink(record, id, 5)
        #expect(try world.sink.states.map { try data($0, record) } == [0, 5])
    }

    @Test func aQueueThatWasNotMadeLeavesNothingInTheWayOfOthers() throws {
        var world = try World()
        let (first, id) = linked()
        _ = world.store.create(first, link: Self.data(1), sink: &world.sink)
        world = try World(world.sink.states[0])
        #expect(world.store.count == 0)
        // Another with the same link, as its owner asks for it again.
        var second = maker.queue()
        second.link = QueueRecord.Link(id: id, version: 0)
        #expect(!world.store.collides(second))
        _ = world.store.create(second, link: Self.data(2), sink: &world.sink)
        #expect(try world.sink.states.map { try data($0, second) } == [nil, 2])
        try world.clear()
        let cleared = world.sink.storage.contents
        #expect(try data(cleared, second) == 2 && data(cleared, first) == nil)
        #expect(cleared.count == 1)
    }

    /// Clearing moves the data that counts, and removes what a crash has left of the next.
    @Test(arguments: [false, true])
    func theDataThatCountsIsKeptWhenTheJournalIsCleared(_ isCrashing: Bool) throws {
        var world = try World()
        let (record, id) = linked()
        _ = world.store.create(record, link: Self.data(0), sink: &world.sink)
        try world.setLink(record, id, 1)
        if isCrashing {
            try world.setLink(record, id, 2)
            world = try World(world.sink.states[world.sink.states.count - 2])
        }
        let before = world.sink.states.count
        try world.clear()
        for state in world.sink.states[before...] + [world.sink.storage.contents] { #expect(try data(state, record) == 1) }
        let cleared = world.sink.states.count
        try world.setLink(record, id, 3)
        #expect(try world.sink.states[cleared...].map { try data($0, record) } == [1, 3])
    }
}
