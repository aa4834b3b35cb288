import RouterFaults
import SMPWire
import TestSupport
import Testing

@testable import RouterSupport

/// The journal with records of a kind that no router has: what it promises whatever is kept in it.
@Suite struct RecordJournalTests {
    private enum Record: JournalEntry, Hashable {
        case number(Int64)
        /// Need not survive a loss of power.
        case note(Int64)

        var code: UInt8 { if case .number = self { 1 } else { 2 } }
        var mustBeSynchronized: Bool { if case .number = self { true } else { false } }

        func encode(to writer: inout WireWriter) {
            switch self {
            case .number(let number), .note(let number): writer.write(number)
            }
        }

        init(code: UInt8, _ attributes: Bytes) throws(WireError) {
            var parser = WireParser(attributes)
            let number = try parser.read(Int64.self)
            switch code {
            case 1: self = .number(number)
            case 2: self = .note(number)
            default: throw WireError(.invalidValue, "a kind of record")
            }
            try parser.finish()
        }
    }

    private typealias Journal = RecordJournal<Record>

    private func open(
        _ storage: any SegmentStorage, segmentSize: Int = 1_024, durability: Durability = .always
    ) throws -> (journal: Journal, records: [Record]) {
        var records: [Record] = []
        let journal = try Journal.open(storage, durability: durability, segmentSize: segmentSize) { records.append($0.record) }
        return (journal, records)
    }

    private func refusal(_ body: () throws -> Void) -> RouterError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? RouterError)?.code
        }
    }

    @Test func whatIsCommittedIsThereInItsOrderAtTheNextStartAndNothingElse() throws {
        let storage = MemoryStorage()
        let (journal, none) = try open(storage)
        #expect(none.isEmpty && journal.end == 0)
        for number in 0..<200 as Range<Int64> {
            _ = journal.append(.number(number), body: Bytes(repeating: UInt8(number), count: 20))
            if number % 10 == 9 { try journal.commit() }
        }
        #expect(journal.synchronized == journal.end && journal.durable == journal.end && journal.promised == journal.end)
        _ = journal.append(.number(1_000))
        #expect(storage.contents.count > 5)
        let (_, records) = try open(storage)
        #expect(records == (0..<200).map { .number($0) })
    }

    @Test func aBodyIsReadWhereItWasWritten() throws {
        let (journal, _) = try open(MemoryStorage())
        let ranges = (0..<50 as Range<Int64>).map { journal.append(.number($0), body: Bytes(repeating: UInt8($0), count: Int($0))) }
        #expect(throws: RouterError.self) { try journal.body(at: ranges[3]) }
        try journal.commit()
        for (number, range) in ranges.enumerated() { #expect(try journal.body(at: range) == Bytes(repeating: UInt8(number), count: number)) }
    }

    @Test func aRecordThatNeedNotSurviveIsWrittenAndNotWaitedFor() throws {
        let (journal, _) = try open(MemoryStorage())
        let end = journal.append(.note(1)).end
        try journal.commit()
        #expect(journal.written == end && journal.synchronized == 0 && journal.promised == 0)
        try journal.commit(flush: true)
        #expect(journal.synchronized == end)
    }

    /// Every number of bytes that a write can leave behind.
    @Test func anEndThatWasCutInAnyPlaceLosesNoCommitBeforeIt() throws {
        let storage = MemoryStorage()
        let (journal, _) = try open(storage, segmentSize: 1 << 20)
        _ = journal.append(.number(1), body: [1, 2, 3])
        try journal.commit()
        let whole = Int(journal.end) + SegmentHeader.length
        _ = journal.append(.number(2), body: [4, 5, 6])
        try journal.commit()
        let bytes = try #require(storage.contents[0])
        for length in whole..<bytes.count {
            let (journal, records) = try open(MemoryStorage([0: Bytes(bytes.prefix(length))]), segmentSize: 1 << 20)
            #expect(records == [.number(1)] && journal.discardedTail == length - whole)
        }
    }

    @Test func damageThatNoInterruptionExplainsIsRefused() throws {
        let storage = MemoryStorage()
        let (journal, _) = try open(storage, segmentSize: 1 << 20)
        for number in 0..<5 as Range<Int64> {
            _ = journal.append(.number(number), body: Bytes(repeating: 9, count: 8))
            try journal.commit()
        }
        let bytes = try #require(storage.contents[0])
        for index in stride(from: 0, to: bytes.count / 2, by: 5) {
            var damaged = bytes
            damaged[index] ^= 0x40
            let code = refusal { _ = try open(MemoryStorage([0: damaged]), segmentSize: 1 << 20) }
            // The bodies of earlier batches are checked when they are read.
            #expect(code == .corrupted || code == nil && index >= SegmentHeader.length, "byte \(index)")
        }
        let later = SegmentHeader.bytes(base: 0, version: SegmentHeader.formatVersion + 1) + bytes.dropFirst(SegmentHeader.length)
        #expect(refusal { _ = try open(MemoryStorage([0: later]), segmentSize: 1 << 20) } == .newerFormat)
    }

    @Test func segmentsThatAreNotNeededGoAndTheRestStays() throws {
        let storage = MemoryStorage()
        let (journal, _) = try open(storage)
        for number in 0..<100 as Range<Int64> {
            _ = journal.append(.number(number), body: Bytes(repeating: 1, count: 30))
            try journal.commit()
        }
        let start = try journal.beginSegment()
        var kept: [Record] = []
        while var scanner = try journal.oldestSegment(), scanner.base < start {
            while !scanner.isAtEnd {
                let item = try #require(try scanner.next())
                guard case .number(let number) = item.record, number % 10 == 0 else { continue }
                kept.append(item.record)
                _ = journal.append(item.record, body: try #require(try scanner.body(of: item)))
            }
            try journal.commit(flush: true)
            try journal.removeOldestSegment()
        }
        #expect(kept.count == 10)
        #expect(try open(storage).records == kept)
    }

    @Test func aCopyThatIsMadeWhileTheJournalGoesOnOpensByItself() throws {
        let (folder, copy) = (try TemporaryFolder(), try TemporaryFolder())
        let (journal, _) = try open(try DiskStorage(folder: folder.path))
        for number in 0..<50 as Range<Int64> { _ = journal.append(.number(number), body: Bytes(repeating: 2, count: 40)) }
        try journal.commit()
        try journal.copy(to: copy.path)
        _ = journal.append(.number(1_000))
        try journal.commit()
        let (other, records) = try open(try DiskStorage(folder: copy.path))
        #expect(records == (0..<50).map { .number($0) })
        other.release()
        journal.release()
    }

    @Test func aFolderIsOnlyForOneRouterAtATime() throws {
        let folder = try TemporaryFolder()
        let first = try DiskStorage(folder: folder.path)
        #expect(refusal { _ = try DiskStorage(folder: folder.path) } == .inUse)
        first.release()
        try DiskStorage(folder: folder.path).release()
    }

    /// The N-th operation of the disk fails, for N = 1, 2, 3 …
    @Test func whatWasCommittedSurvivesALossOfPowerWhateverTheDiskRefusedBefore() throws {
        for failing in 0..<40 {
            let storage = FaultyStorage()
            let (journal, _) = try open(storage, segmentSize: 300)
            storage.fail(storage.operations + failing..<storage.operations + failing + 2)
            var committed = 0
            for number in 0..<20 as Range<Int64> {
                _ = journal.append(.number(number), body: [1, 2, 3, 4])
                for _ in 0..<5 where (try? journal.commit()) != nil && journal.pendingCount == 0 {
                    committed = Int(number) + 1
                    break
                }
            }
            storage.recover()
            let (_, records) = try open(storage, segmentSize: 300)
            #expect(records.starts(with: (0..<Int64(committed)).map { .number($0) }), "\(failing): \(committed), \(records.count)")
            #expect(committed == 20, "\(failing)")
        }
    }
}
