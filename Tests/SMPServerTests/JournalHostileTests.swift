import SMPCrypto
import SMPProtocol
import SMPWire
import Testing

@testable import RouterSupport
@testable import SMPServer

/// Journals whose checksums are right and whose contents are not: a disk, or somebody with a hand on it, can put anything there.
@Suite struct JournalHostileTests {
    let maker = JournalMaker(seed: 7)

    private func segment(base: UInt64 = 0, batch: UInt64 = 1, _ records: [(JournalRecord, Bytes)]) -> Bytes {
        var bytes = SegmentHeader.bytes(base: base)
        for (record, body) in records { RecordFrame.append(record, body: body, batch: batch, isFirst: false, to: &bytes) }
        return bytes
    }

    private func refusal(_ contents: [UInt64: Bytes]) -> RouterError? {
        do {
            _ = try Journal.open(contents)
            return nil
        } catch {
            return error as? RouterError
        }
    }

    @Test(arguments: [UInt64.max, UInt64.max - 1, 1 << 63, (1 << 62) + 1] as [UInt64])
    func numbersThatNoJournalReachesAreRefused(_ number: UInt64) throws {
        let queue = maker.queue()
        var late = queue
        late.firstSequence = number
        #expect(refusal([0: segment([(.queue(late), [])])])?.code == .corrupted)
        #expect(refusal([0: segment([(.queue(queue), []), (.acknowledged(queue: queue.recipientID, upTo: number), [])])])?.code == .corrupted)
        #expect(
            refusal([0: segment([(.queue(queue), []), (.message(queue: queue.recipientID, sequence: number, maker.message()), [1])])])?.code
                == .corrupted)
        #expect(refusal([number: segment(base: number, [(.queue(queue), [])])])?.code == .corrupted)
    }

    @Test(arguments: [UInt64.max, UInt64.max - 1, UInt64.max / 2] as [UInt64])
    func batchesThatNoJournalReachesAreRefused(_ batch: UInt64) {
        #expect(refusal([0: segment(batch: batch, [(.queue(maker.queue()), [])])])?.code == .corrupted)
    }

    @Test func theLargestNumbersThatAreTakenCanBeCountedOn() throws {
        var queue = maker.queue()
        queue.firstSequence = 1 << 62
        let message = JournalRecord.message(queue: queue.recipientID, sequence: 1 << 62, maker.message())
        let (journal, queues) = try Journal.open([0: segment(batch: .max / 2 - 1, [(.queue(queue), []), (message, [1])])])
        var store = QueueStore(queues)
        let slot = try #require(store.slot(recipient: queue.recipientID))
        var sink = RouterCore.JournalSink(journal)
        let appended = try #require(store.append(slot, maker.message(), body: [2], sink: &sink))
        #expect(appended.sequence == UInt64(1) << 62 + 1)
        #expect(store.removeFirst(2, slot, sink: &sink) != nil)
        try journal.commit()
    }

    @Test(arguments: [Int64.min, Int64.min + 1, -86_400, -1, 0, Int64.max, Int64.max - 1] as [Int64])
    func aMessageOfAnyTimeIsKeptShownAndExpired(_ timestamp: Int64) throws {
        let queue = maker.queue()
        let message = JournalRecord.message(queue: queue.recipientID, sequence: 0, maker.message(timestamp))
        let (journal, queues) = try Journal.open([0: segment([(.queue(queue), []), (message, [1])])])
        var state = RouterState(limits: RouterState.Limits(), queues: queues)
        var sink = RouterCore.JournalSink(journal)
        var execution = RouterState.Execution(
            command: PreparedCommand(correlationID: .none, entity: queue.recipientID.entity, command: .que, version: 18),
            session: SessionID(number: 1), now: 0, steady: 0)
        let slot = try #require(state.store.slot(recipient: queue.recipientID))
        state.describe(slot, &execution)
        #expect(execution.response != nil)
        for now in [0, 1_800_000_000, Int64.max / 2] { _ = state.expire(from: 0, limit: 10, now: now, sink: &sink) }
        #expect(UnixTime.text(timestamp).hasSuffix("Z"))
    }

    @Test func whatIsSaidOfADamagedJournalNamesNoQueue() throws {
        let queue = maker.queue()
        var linked = maker.queue()
        linked.link = QueueRecord.Link(id: maker.identifier(), version: 1)
        let damaged: [[(JournalRecord, Bytes)]] = [
            [(.message(queue: queue.recipientID, sequence: 0, maker.message()), [1])],
            [(.queue(queue), []), (.message(queue: queue.recipientID, sequence: 5, maker.message()), [1])],
            [(.queue(linked), [])],
        ]
        for records in damaged {
            let error = try #require(refusal([0: segment(records)]))
            #expect(error.code == .corrupted)
            for id in [queue, linked].flatMap({ [$0.recipientID, $0.senderID] }) {
                for text in [Base64URL.encode(id.bytes), Base64URL.encode(id.bytes, padded: false), id.entity.description] {
                    #expect(!error.description.contains(text))
                }
            }
        }
    }

    /// What no crash explains: a queue that names data which was never there, and data of a queue that was there once.
    @Test(arguments: [(nil, [1]), (nil, [0, 1]), (5, [3, 4]), (5, [5, 6, 7]), (0, [])] as [(UInt32?, [UInt32])])
    func linksThatNoCrashLeavesBehindAreRefused(_ recorded: UInt32?, _ versions: [UInt32]) {
        var queue = maker.queue()
        let id = maker.identifier()
        var records: [(JournalRecord, Bytes)] = []
        if let recorded {
            queue.link = QueueRecord.Link(id: id, version: recorded)
            records.append((.queue(queue), []))
        }
        records += versions.map { (.link(queue: queue.recipientID, QueueRecord.Link(id: id, version: $0)), [1]) }
        #expect(refusal([0: segment(records)])?.code == .corrupted)
    }

    @Test func aLinkAndMessagesWithoutTheirQueueAreRefused() {
        let queue = maker.identifier()
        let link = JournalRecord.link(queue: queue, QueueRecord.Link(id: maker.identifier(), version: 0))
        let others: [JournalRecord] = [.message(queue: queue, sequence: 0, maker.message()), .acknowledged(queue: queue, upTo: 1)]
        for other in others { #expect(refusal([0: segment([(link, [1]), (other, [])])])?.code == .corrupted) }
    }

    @Test func statisticsOfAnyNumbersAreReadAndAdded() throws {
        let largest = "\(UInt64.max)"
        let text =
            "parley-router-statistics 1\nsince \(Int64.min)\ntotal queues_created=\(largest)\n65535 queues_created=\(largest)\n0 queues_created=\(largest)\n"
        var history = try #require(CounterHistory<RouterStatistics.Counters>(text))
        var counted = RouterStatistics.Counters()
        counted.queuesCreated = 5
        history.add(counted, on: 65_535)
        history.add(counted, on: 0)
        _ = (history.sum(of: 30, until: 65_535), history.sum(of: 30, until: 0), history.text, UnixTime.text(history.since))
    }
}
