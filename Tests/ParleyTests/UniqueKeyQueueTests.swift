import ChatAPI
import Testing

@testable import Parley

@Suite struct UniqueKeyQueueTests {
    @Test func aKeyThatWaitsIsNotAddedAgain() async {
        let queue = UniqueKeyQueue<Int>()
        for _ in 1...1_000 { for key in 1...3 { queue.add(key) } }
        #expect(queue.count == 3)
        var keys: [Int?] = []
        for _ in 1...3 { keys.append(await queue.next()) }
        #expect(keys == [1, 2, 3])
        queue.add(1)
        #expect(await queue.next() == 1)
    }

    @Test func whoWaitsGetsTheNextKeyOrTheEndOfItsTask() async {
        let queue = UniqueKeyQueue<Int>()
        let waiting = Task { await queue.next() }
        queue.add(7)
        #expect(await waiting.value == 7)
        let cancelled = Task { await queue.next() }
        cancelled.cancel()
        #expect(await cancelled.value == nil)
        queue.add(8)
        #expect(await queue.next() == 8)
    }
}
