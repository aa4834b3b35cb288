import ChatProtocol
import Foundation
import Testing

/// What a client tells of the queue of a connection, for somebody who looks for a fault.
@Suite struct QueueInfoTests {
    @Test func itNamesTheQueueAndTellsWhatItsRouterHas() async throws {
        let world = TestWorld()
        let alice = try await TestPerson("alice", world), bob = try await TestPerson("bob", world)
        let (atAlice, _) = try await TestPerson.connect(alice, bob)
        let answer = await alice.core.answer("/_queue info @\(atAlice)")
        #expect(answer["type"] == "queueInfo")
        let queue = try #require(answer["queueInfo"]?.objectValue)
        #expect(queue.keys.map(\.self) == ["server", "rcvId", "sndId", "status", "info"])
        let ids = try ["rcvId", "sndId"].map { try #require(queue[$0]?.stringValue) }
        #expect(ids[0] != ids[1] && ids.allSatisfy { Data(base64Encoded: $0)?.count == 24 })
        #expect(queue["server"]?.stringValue?.hasPrefix("smp://") == true)
        // It becomes active with the first message.
        #expect(["confirmed", "active"].contains(queue["status"]))
        #expect(queue["info"]?["qiSnd"] == true && queue["info"]?["qiSize"] == 0)
    }
}
