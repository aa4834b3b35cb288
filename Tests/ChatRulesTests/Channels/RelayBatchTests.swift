import ChatAPI
import ChatProtocol
import SMPWire
import Testing

@testable import ChatRules

@Suite("Bodies of a relay")
struct RelayBatchTests {
    private func task(
        _ id: Int64, _ scope: RelayScope = .all, by sender: Int64 = 2, bytes: Int = 100, introduces: Bool = true, endsService: Bool = false
    ) -> RelayTask {
        RelayTask(
            id: id, scope: scope, sender: GroupMemberID(sender), element: Bytes(repeating: UInt8(truncatingIfNeeded: id), count: bytes), introduces: introduces,
            endsService: endsService)
    }

    @Test("tasks for the same receivers go together, up to the first for others")
    func run() throws {
        let batch = try #require(RelayBatch([task(1), task(2, by: 3), task(3, .comments), task(4)]))
        #expect(batch.delivered == [1, 2] && batch.tooLarge.isEmpty && batch.scope == .all && !batch.endsService)
        #expect(batch.body == MessageBatching.binaryBatch(of: [Bytes(repeating: 1, count: 100), Bytes(repeating: 2, count: 100)]))
        #expect(try #require(RelayBatch([task(3, .comments), task(4)])).delivered == [3])
        #expect(try #require(RelayBatch([task(5, .support(3)), task(6, .support(4))])).delivered == [5], "another support chat")
        #expect(RelayBatch([]) == nil)
    }

    @Test("what ends the service goes by itself, after all that came before")
    func end() throws {
        let tasks = [task(1), task(2, endsService: true), task(3)]
        #expect(try #require(RelayBatch(tasks)).delivered == [1])
        let last = try #require(RelayBatch(Array(tasks[1...])))
        #expect(last.delivered == [2] && last.endsService && last.introduced.isEmpty, "nobody is introduced for the end")
    }

    @Test("the only author does not get its words back, and several authors get them")
    func authors() throws {
        #expect(try #require(RelayBatch([task(1), task(2)])).singleSender == 2)
        #expect(try #require(RelayBatch([task(1), task(2, by: 3)])).singleSender == nil)
    }

    @Test("authors are introduced once, if one of their messages asks for it, and none to those who read comments")
    func introductions() throws {
        let tasks = [task(1, by: 4), task(2, by: 3), task(3, by: 4), task(4, by: 5, introduces: false)]
        #expect(try #require(RelayBatch(tasks)).introduced == [3, 4])
        #expect(try #require(RelayBatch([task(1, .comments)])).introduced.isEmpty)
        #expect(try #require(RelayBatch([task(1, .support(2))])).introduced.isEmpty)
    }

    @Test("a body takes what fits, and what fits in none is named, so that it does not stop the others")
    func sizes() throws {
        let two = try #require(RelayBatch([task(1, bytes: 7_000), task(2, bytes: 7_000), task(3, bytes: 7_000)]))
        #expect(two.delivered == [1, 2] && two.body.count <= ChatLimits.encodedMessage)
        let mixed = try #require(RelayBatch([task(1, by: 8, bytes: 20_000), task(2), task(3, by: 3)]))
        #expect(mixed.tooLarge == [1] && mixed.delivered == [2, 3] && mixed.introduced == [2, 3], "its author is not introduced for nothing")
        let none = try #require(RelayBatch([task(1, bytes: 20_000)]))
        #expect(none.tooLarge == [1] && none.delivered.isEmpty && none.body.isEmpty && none.singleSender == nil)
    }

    @Test("a body has at most 255 messages")
    func count() throws {
        let batch = try #require(RelayBatch((1...300).map { task($0, bytes: 1) }))
        #expect(batch.delivered == Array(1...255))
    }
}
