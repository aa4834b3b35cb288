import TestSupport
import Testing

@testable import AsyncPrimitives

@Suite struct AsyncConditionTests {
    @Test func waitersTakeInTheOrderOfTheirArrival() async throws {
        let queue = AsyncCondition<[Int]>([]), taken = Recorder<[Int]>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<10 {
                group.addTask {
                    let element = await queue.wait { $0.isEmpty ? nil : $0.removeFirst() }
                    taken.add([number, element])
                }
                try await eventually("waiter \(number)") { queue.waiterCount == number + 1 }
            }
            queue.withLock { $0 += 100..<110 }
            try await group.waitForAll()
        }
        #expect(taken.elements.sorted { $0[0] < $1[0] } == (0..<10).map { [$0, $0 + 100] })
        #expect(queue.withLock(\.self) == [])
    }

    @Test func whatCanBeTakenIsTakenWithoutWaiting() async {
        let condition = AsyncCondition(1)
        #expect(await condition.wait { $0 > 0 ? $0 : nil } == 1)
        await condition.wait { $0 == 1 }
    }

    @Test func whatOneWaiterTakesIsOfferedToOthers() async throws {
        let condition = AsyncCondition(0)
        let end = Task { await condition.wait { $0 == 2 } }
        try await eventually("the first waiter") { condition.waiterCount == 1 }
        let middle = Task {
            await condition.wait { value -> Void? in
                guard value == 1 else { return nil }
                value = 2
                return ()
            }
        }
        try await eventually("the second waiter") { condition.waiterCount == 2 }
        condition.withLock { $0 = 1 }
        await middle.value
        await end.value
        #expect(condition.waiterCount == 0)
    }

    @Test func aChangeByABodyThatThrowsIsOffered() async throws {
        let condition = AsyncCondition(0)
        let waiter = Task { await condition.wait { $0 == 1 } }
        try await eventually("the waiter") { condition.waiterCount == 1 }
        #expect(throws: Failure()) {
            try condition.withLock { value throws(Failure) in
                value = 1
                throw Failure()
            }
        }
        await waiter.value
    }

    @Test func aCancelledWaiterTakesNothing() async throws {
        let queue = AsyncCondition<[Int]>([])
        let cancelled = Task { try await queue.waitUnlessCancelled { $0.popLast() } }
        try await eventually("the waiter") { queue.waiterCount == 1 }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        queue.withLock { $0.append(1) }
        #expect(queue.withLock(\.self) == [1])
        #expect(try await queue.waitUnlessCancelled { $0.popLast() } == 1)
    }

    @Test func everyElementOfManyIsTakenOnce() async {
        let queue = AsyncCondition<[Int]>([]), taken = Recorder<Int>()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<300 {
                group.addTask { taken.add(await queue.wait { $0.popLast() }) }
                group.addTask { queue.withLock { $0.append(number) } }
            }
        }
        #expect(taken.elements.sorted() == Array(0..<300))
    }
}
