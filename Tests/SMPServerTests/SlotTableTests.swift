import SMPCrypto
import SMPProtocol
import SMPWire
import Testing

@testable import RouterSupport
@testable import SMPServer

/// Queues that are kept as bytes while nobody uses them.
@Suite struct SlotTableTests {
    let maker = JournalMaker(seed: 9)

    private func queue() -> QueueStore.Queue {
        QueueStore.Queue(record: maker.queue(), position: LogRange(start: 5, end: 9), linkPosition: LogRange(start: 1, end: 5))
    }

    @Test func aQueueThatRestsIsTheSameQueue() throws {
        var table = SlotTable()
        var queue = queue()
        queue.record.lastUsed = 20_000
        queue.record.service = maker.identifier()
        queue.record.status = .blocked(BlockingInfo(reason: .content, notice: ClientNotice(ttl: 7)))
        queue.record.firstSequence = 77
        table.insert(queue, at: 0, asIdle: true)
        #expect(table.isIdle(0) && table.idleCount == 1 && table.hasService(0) && table.lastUsed(0) == 20_000)
        #expect(table[0]?.record == queue.record && table[0]?.position == queue.position && table[0]?.linkPosition == queue.linkPosition)
        #expect(table.update(0) { $0.record.firstSequence += 1 } != nil)
        #expect(!table.isIdle(0) && table.idleCount == 0 && table[0]?.record.firstSequence == 78)
        table.rest(0)
        #expect(table.isIdle(0) && table[0]?.record.firstSequence == 78)
        table.remove(0)
        #expect(table[0] == nil && table.idleCount == 0 && table.update(0) { _ in } == nil)
        #expect(table[1] == nil && table[-1] == nil && table.update(1) { _ in } == nil)
    }

    @Test func onlyQueuesWithoutAnythingAndAnybodyRestAndOnlyAfterAWhile() throws {
        var table = SlotTable()
        let message = StoredMessage(
            id: maker.identifier(), timestamp: 1, flags: MessageFlags(), kind: .message, bodyLength: 0, position: LogRange(start: 0, end: 1))
        let session = SessionID(number: 1)
        let changes: [(inout QueueStore.Queue) -> Void] = [
            { $0.messages = [message] }, { $0.subscription = QueueStore.Subscription(session: session) }, { $0.notifierSession = session },
            { $0.pendingNotifications = [.pong] }, { _ in },
            {
                // Of a queue of a service the session says only who was given what.
                $0.record.service = maker.identifier()
                $0.subscription = QueueStore.Subscription(session: session)
            },
        ]
        for (slot, change) in changes.enumerated() {
            var queue = queue()
            change(&queue)
            table.insert(queue, at: slot, asIdle: false)
        }
        table.restSome(steps: changes.count, limit: 100)
        #expect(table.idleCount == 0, "they have just been used")
        table.restSome(steps: changes.count, limit: 100)
        #expect(changes.indices.filter { table.isIdle($0) } == [4, 5])
        for slot in 0..<4 { #expect(table.update(slot) { $0.record.lastUsed = 1 } != nil) }
    }

    @Test func aCopyDoesNotSeeWhatIsChangedAfterIt() throws {
        var table = SlotTable()
        for slot in 0..<3_000 { table.insert(queue(), at: slot, asIdle: slot % 2 == 0) }
        #expect(table.count == 3_000 && table.idleCount == 1_500)
        let copy = table
        for slot in 0..<3_000 { _ = table.update(slot) { $0.record.lastUsed = 9 } }
        #expect((0..<3_000).allSatisfy { copy.lastUsed($0) == 0 && table.lastUsed($0) == 9 })
        for _ in 0..<8 { table.restSome(steps: 1_000, limit: 500) }
        #expect(table.idleCount > 1_000)
        #expect((0..<3_000).allSatisfy { table[$0]?.record.lastUsed == 9 })
    }
}
