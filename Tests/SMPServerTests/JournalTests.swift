import SMPCrypto
import SMPProtocol
import SMPWire
import Synchronization
import Testing

@testable import RouterSupport
@testable import SMPServer

/// Makes queues and messages for journals.
struct JournalMaker {
    let random: SeededRandomSource

    init(seed: UInt64) { random = SeededRandomSource(seed: seed) }

    func identifier() -> Identifier { Identifier(random.bytes(24))! }

    func queue() -> QueueRecord {
        QueueRecord(
            recipientID: identifier(), senderID: identifier(),
            recipientKeys: [.x25519(X25519.generateKeyPair(random).publicKey)],
            secret: StoredSecret(bytes: random.secret(32)), mode: .messaging)
    }

    func message(_ timestamp: Int64 = 1) -> JournalMessage {
        JournalMessage(id: identifier(), timestamp: timestamp, flags: MessageFlags(notification: true), kind: .message)
    }
}

extension Journal {
    /// Opens a journal in memory.
    static func open(
        _ contents: [UInt64: Bytes], durability: Durability = .always, segmentSize: Int = 1 << 20
    ) throws -> (journal: Journal, queues: [JournalReplay.Queue]) {
        try open(MemoryStorage(contents), durability: durability, segmentSize: segmentSize)
    }
}

@Suite struct JournalTests {
    let maker = JournalMaker(seed: 1)

    @Test func aNewJournalIsEmptyAndReadsBackAsSuch() throws {
        let storage = MemoryStorage()
        #expect(try Journal.open(storage, durability: .always, segmentSize: 1_000).queues.isEmpty)
        #expect(try Journal.open(storage, durability: .always, segmentSize: 1_000).queues.isEmpty)
        #expect(storage.contents.count == 1)
    }

    @Test func whatWasCommittedIsRememberedAndWhatWasNotIsForgotten() throws {
        let storage = MemoryStorage()
        let record = maker.queue()
        let (journal, _) = try Journal.open(storage, durability: .always, segmentSize: 1 << 20)
        _ = journal.append(.queue(record))
        let first = journal.append(.message(queue: record.recipientID, sequence: 0, maker.message()), body: [1, 2, 3])
        #expect(journal.synchronized < first.end)
        try journal.commit()
        #expect(journal.synchronized == first.end && journal.written == first.end)
        #expect(try journal.body(at: first) == [1, 2, 3])
        _ = journal.append(.message(queue: record.recipientID, sequence: 1, maker.message()), body: [4])

        let (reopened, queues) = try Journal.open(storage, durability: .always, segmentSize: 1 << 20)
        #expect(queues.count == 1)
        #expect(queues.first?.record == record)
        #expect(queues.first?.messages.count == 1)
        let message = try #require(queues.first?.messages.first)
        #expect(message.flags.notification && message.bodyLength == 3)
        #expect(try reopened.body(at: message.position) == [1, 2, 3])
    }

    @Test func acknowledgementsAreWrittenButDoNotWaitForTheDisk() throws {
        let (journal, _) = try Journal.open([:])
        let record = maker.queue()
        _ = journal.append(.queue(record))
        try journal.commit()
        let synchronized = journal.synchronized
        let end = journal.append(.acknowledged(queue: record.recipientID, upTo: 1)).end
        try journal.commit()
        #expect(journal.written == end)
        #expect(journal.synchronized == synchronized)
        let later = journal.append(.deleted(queue: record.recipientID)).end
        try journal.commit()
        #expect(journal.synchronized == later)
    }

    @Test func messagesAcknowledgedAndQueuesDeletedAreForgotten() throws {
        let storage = MemoryStorage()
        let (journal, _) = try Journal.open(storage, durability: .always, segmentSize: 1 << 20)
        let (kept, deleted) = (maker.queue(), maker.queue())
        for queue in [kept, deleted] {
            _ = journal.append(.queue(queue))
            for sequence in 0..<4 as Range<UInt64> {
                _ = journal.append(
                    .message(queue: queue.recipientID, sequence: sequence, maker.message()), body: [UInt8(sequence)])
            }
        }
        _ = journal.append(.acknowledged(queue: kept.recipientID, upTo: 3))
        _ = journal.append(.deleted(queue: deleted.recipientID))
        try journal.commit()
        let (reopened, queues) = try Journal.open(storage, durability: .always, segmentSize: 1 << 20)
        #expect(queues.map(\.record.recipientID) == [kept.recipientID])
        #expect(queues.first?.record.firstSequence == 3)
        #expect(try queues.first?.messages.map { try reopened.body(at: $0.position) } == [[3]])
    }

    @Test func theLastLinkDataCounts() throws {
        let storage = MemoryStorage()
        let (journal, _) = try Journal.open(storage, durability: .always, segmentSize: 1 << 20)
        var record = maker.queue()
        let id = maker.identifier()
        for version in 0..<3 as Range<UInt32> {
            record.link = QueueRecord.Link(id: id, version: version)
            _ = journal.append(
                .link(queue: record.recipientID, QueueRecord.Link(id: id, version: version)),
                body: QueueLinkData(fixedData: [1], userData: [UInt8(version)]).wireBytes)
            _ = journal.append(.queue(record))
        }
        try journal.commit()
        let (reopened, queues) = try Journal.open(storage, durability: .always, segmentSize: 1 << 20)
        let position = try #require(queues.first?.linkPosition)
        #expect(try QueueLinkData(wireBytes: reopened.body(at: position)).userData == [2])
    }

    @Test func aJournalOfManySegmentsIsReadWhole() throws {
        let storage = MemoryStorage()
        let (journal, _) = try Journal.open(storage, durability: .always, segmentSize: 2_000)
        let record = maker.queue()
        _ = journal.append(.queue(record))
        for sequence in 0..<40 as Range<UInt64> {
            _ = journal.append(
                .message(queue: record.recipientID, sequence: sequence, maker.message()), body: maker.random.bytes(300))
            try journal.commit()
        }
        #expect(storage.contents.count > 5)
        let (reopened, queues) = try Journal.open(storage, durability: .always, segmentSize: 2_000)
        #expect(queues.first?.messages.count == 40)
        for message in queues.first?.messages ?? [] { #expect(try reopened.body(at: message.position).count == 300) }
    }

    @Test func aQueueWithAsManyKeysAsThereCanBeIsRemembered() throws {
        let storage = MemoryStorage()
        let (journal, _) = try Journal.open(storage, durability: .always, segmentSize: 1 << 20)
        var record = maker.queue()
        record.recipientKeys = (0..<255).map { _ in .ed25519(Ed25519.generateKeyPair(maker.random).publicKey) }
        _ = journal.append(.queue(record))
        _ = journal.append(.queue(maker.queue()))
        try journal.commit()
        let (_, queues) = try Journal.open(storage, durability: .always, segmentSize: 1 << 20)
        #expect(queues.count == 2)
        #expect(queues.contains { $0.record == record })
    }
}

@Suite struct JournalDamageTests {
    /// A journal of several batches in one segment, with what each of them adds.
    struct Sample {
        let bytes: Bytes
        /// The end of every record in the file, and what the queue has then: the number of messages, nil without the queue, and the version
        /// of its link.
        let ends: [(offset: Int, messages: Int?, link: UInt32)]
        /// The ends of the batches.
        let batchEnds: [Int]
        let bodies: [Bytes]

        init(batches: [Int]) throws {
            let maker = JournalMaker(seed: 2)
            let storage = MemoryStorage()
            let (journal, _) = try Journal.open(storage, durability: .always, segmentSize: 1 << 20)
            var record = maker.queue()
            var link = QueueRecord.Link(id: maker.identifier(), version: 0)
            let header = SegmentHeader.length
            var bodies: [Bytes] = []
            var ends: [(Int, Int?, UInt32)] = [(header, nil, 0)]
            // As NEW and LSET do it: the data first, then the queue that names it.
            func setLink() {
                let end = journal.append(.link(queue: record.recipientID, link), body: [UInt8(link.version)]).end
                ends.append((header + Int(end), ends[ends.count - 1].1, ends[ends.count - 1].2))
                record.link = link
                ends.append((header + Int(journal.append(.queue(record)).end), bodies.count, link.version))
                link.version += 1
            }
            setLink()
            try journal.commit()
            var batchEnds = [ends[ends.count - 1].0]
            for count in batches {
                for _ in 0..<count {
                    let body = maker.random.bytes(60)
                    let range = journal.append(
                        .message(queue: record.recipientID, sequence: UInt64(bodies.count), maker.message()), body: body)
                    bodies.append(body)
                    ends.append((header + Int(range.end), bodies.count, record.link?.version ?? 0))
                }
                setLink()
                try journal.commit()
                batchEnds.append(ends[ends.count - 1].0)
            }
            bytes = storage.contents[0] ?? []
            self.ends = ends
            self.batchEnds = batchEnds
            self.bodies = bodies
        }

        /// What an undamaged beginning of so many bytes holds.
        func messages(at count: Int) -> Int? { ends.last { $0.offset <= count }?.messages ?? nil }
        func link(at count: Int) -> UInt32? { ends.last { $0.offset <= count }?.link }
    }

    /// What a journal of these bytes has: nil without a queue.
    private func bodies(_ journal: Journal, _ queues: [JournalReplay.Queue]) throws -> [Bytes]? {
        try queues.first?.messages.map { try journal.body(at: $0.position) }
    }

    @Test func aJournalCutAtAnyByteHasAllThatWasWholeAndTakesMore() throws {
        let sample = try Sample(batches: [1, 3, 2])
        for count in 0...sample.bytes.count {
            let storage = MemoryStorage([0: Bytes(sample.bytes.prefix(count))])
            let (journal, queues) = try Journal.open(storage, durability: .always, segmentSize: 1 << 20)
            let expected = sample.messages(at: count).map { Array(sample.bodies.prefix($0)) }
            #expect(try bodies(journal, queues) == expected, "\(count)")
            if let queue = queues.first {
                let version = try #require(sample.link(at: count))
                #expect(queue.record.link?.version == version, "\(count)")
                #expect(try journal.body(at: try #require(queue.linkPosition)) == [UInt8(version)], "\(count)")
            }
            // It can be written on and read again.
            let record = JournalMaker(seed: 3).queue()
            _ = journal.append(.queue(record))
            try journal.commit()
            let (again, reopened) = try Journal.open(storage, durability: .always, segmentSize: 1 << 20)
            #expect(again.discardedTail == 0)
            #expect(reopened.contains { $0.record == record })
            #expect(reopened.count == queues.count + 1)
        }
    }

    @Test func garbageAfterTheEndIsCutOff() throws {
        let sample = try Sample(batches: [2, 2])
        for garbage in [Bytes(repeating: 0, count: 5_000), JournalMaker(seed: 4).random.bytes(5_000), Array("PRJ1PRJ1".utf8)] {
            let (journal, queues) = try Journal.open([0: sample.bytes + garbage])
            #expect(try bodies(journal, queues) == sample.bodies)
            #expect(journal.discardedTail == garbage.count)
        }
    }

    @Test func aChangedByteIsNeverServed() throws {
        let sample = try Sample(batches: [1, 2, 2])
        let lastBatch = sample.batchEnds[sample.batchEnds.count - 2]
        for index in sample.bytes.indices {
            var damaged = sample.bytes
            damaged[index] ^= 0x10
            let opened: (journal: Journal, queues: [JournalReplay.Queue])
            do {
                opened = try Journal.open([0: damaged])
            } catch let error as RouterError {
                // Damage to what was once durable is reported.
                #expect(error.code == .corrupted || error.code == .newerFormat, "\(index)")
                #expect(index < lastBatch || index < SegmentHeader.length, "\(index)")
                continue
            }
            // What is served is what was written.
            for (position, message) in (opened.queues.first?.messages ?? []).enumerated() {
                let body = try? opened.journal.body(at: message.position)
                #expect(body == nil || body == sample.bodies[position], "\(index)")
            }
            if index >= lastBatch {
                // Damage in the last batch is taken for an interrupted write: nothing before it is lost.
                let firstOfLast = sample.messages(at: lastBatch) ?? 0
                #expect((opened.queues.first?.messages.count ?? 0) >= firstOfLast, "\(index)")
            }
        }
    }

    @Test func aTornWriteInAnyOrderOfItsPagesIsCutOff() throws {
        // A disk that loses power may have written the end of a batch and not its beginning.
        let sample = try Sample(batches: [2, 6])
        let start = sample.batchEnds[1]
        for hole in stride(from: start, to: sample.bytes.count, by: 7) {
            var torn = sample.bytes
            for index in hole..<min(hole + 40, torn.count) { torn[index] = 0 }
            let (journal, queues) = try Journal.open([0: torn])
            let read = try #require(try bodies(journal, queues))
            #expect(read == Array(sample.bodies.prefix(read.count)), "\(hole)")
            #expect(read.count >= 2, "\(hole)")
        }
    }

    @Test func missingAndDisorderedSegmentsAreReported() throws {
        let storage = MemoryStorage()
        let maker = JournalMaker(seed: 5)
        let (journal, _) = try Journal.open(storage, durability: .always, segmentSize: 1_000)
        let record = maker.queue()
        _ = journal.append(.queue(record))
        for sequence in 0..<20 as Range<UInt64> {
            _ = journal.append(
                .message(queue: record.recipientID, sequence: sequence, maker.message()), body: maker.random.bytes(200))
            try journal.commit()
        }
        let contents = storage.contents
        let bases = contents.keys.sorted()
        #expect(bases.count > 3)
        for base in bases.dropLast() {
            var missing = contents
            missing[base] = nil
            #expect(throws: RouterError.self) { try Journal.open(missing) }
            var cut = contents
            cut[base]?.removeLast()
            #expect(throws: RouterError.self) { try Journal.open(cut) }
            var damaged = contents
            damaged[base]?[SegmentHeader.length + 20] ^= 1
            #expect(throws: RouterError.self) { try Journal.open(damaged) }
        }
        var exchanged = contents
        exchanged[bases[1]] = contents[bases[2]]
        #expect(throws: RouterError.self) { try Journal.open(exchanged) }
    }

    @Test func aQueueOfTheFirstFormatIsRead() throws {
        let storage = MemoryStorage()
        let (journal, _) = try Journal.open(storage, durability: .always, segmentSize: 1_000)
        let record = JournalMaker(seed: 3).queue()
        _ = journal.append(.queue(record))
        try journal.commit()
        let bytes = try #require(storage.contents[0])
        // Without a day of use, services and a reason behind them.
        let attributes = Bytes(record.wireBytes.dropLast(4))
        var old = SegmentHeader.bytes(base: 0, version: 1) + bytes[SegmentHeader.length..<SegmentHeader.length + 8]
        for number in [UInt32(attributes.count), 0] { withUnsafeBytes(of: number.littleEndian) { old.append(contentsOf: $0) } }
        old += bytes[SegmentHeader.length + 16..<SegmentHeader.length + 32]
        let header = Checksum.of(Bytes(old.suffix(32)))
        let sum = (header << 1 | header >> 63) ^ Checksum.of(attributes)
        withUnsafeBytes(of: sum.littleEndian) { old.append(contentsOf: $0) }
        let (_, queues) = try Journal.open(MemoryStorage([0: old + attributes]), durability: .always, segmentSize: 1_000)
        #expect(queues.map(\.record) == [record])
    }

    @Test func aJournalOfALaterVersionIsRefusedAndLeftAlone() throws {
        let header = SegmentHeader.bytes(base: 0, version: SegmentHeader.formatVersion + 1)
        let storage = MemoryStorage([0: header + [1, 2, 3]])
        #expect { try Journal.open(storage, durability: .always, segmentSize: 1_000) } throws: {
            ($0 as? RouterError)?.code == .newerFormat
        }
        #expect(storage.contents == [0: header + [1, 2, 3]])
    }

    @Test func dataWithoutItsQueueIsReported() throws {
        let storage = MemoryStorage()
        let maker = JournalMaker(seed: 6)
        let (journal, _) = try Journal.open(storage, durability: .always, segmentSize: 1 << 20)
        _ = journal.append(.message(queue: maker.identifier(), sequence: 0, maker.message()), body: [1])
        try journal.commit()
        #expect { try Journal.open(storage.contents) } throws: { ($0 as? RouterError)?.code == .corrupted }
    }

    @Test func aGapInAQueueIsReported() throws {
        let storage = MemoryStorage()
        let maker = JournalMaker(seed: 7)
        let (journal, _) = try Journal.open(storage, durability: .always, segmentSize: 1 << 20)
        let record = maker.queue()
        _ = journal.append(.queue(record))
        for sequence in [0, 2] as [UInt64] {
            _ = journal.append(.message(queue: record.recipientID, sequence: sequence, maker.message()), body: [1])
        }
        try journal.commit()
        #expect { try Journal.open(storage.contents) } throws: { ($0 as? RouterError)?.code == .corrupted }
    }
}
