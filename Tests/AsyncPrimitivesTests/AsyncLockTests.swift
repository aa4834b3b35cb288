import TestSupport
import Testing

@testable import AsyncPrimitives

@Suite struct AsyncLockTests {
    @Test func tasksGetTheLockInTheOrderOfTheirRequests() async throws {
        let lock = AsyncLock(), order = Recorder<Int>()
        await lock.acquire()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask { await lock.withLock { order.add(number) } }
                try await eventually("waiter \(number)") { lock.waiterCount == number + 1 }
            }
            lock.release()
            try await group.waitForAll()
        }
        #expect(order.elements == Array(0..<20))
        #expect(!lock.isHeld)
    }

    @Test func aBodyThatThrowsReleasesTheLock() async {
        let lock = AsyncLock()
        await #expect(throws: Failure()) { try await lock.withLock { () throws(Failure) in throw Failure() } }
        #expect(!lock.isHeld)
        #expect(await lock.withLock { 7 } == 7)
    }

    @Test func aTaskCancelledWhileItWaitsKeepsItsPositionAndSeesTheCancellationInItsBody() async throws {
        let lock = AsyncLock(), order = Recorder<String>()
        await lock.acquire()
        let cancelled = Task { await lock.withLock { order.add("cancelled: \(Task.isCancelled)") } }
        try await eventually("the first waiter") { lock.waiterCount == 1 }
        let other = Task { await lock.withLock { order.add("other: \(Task.isCancelled)") } }
        try await eventually("the second waiter") { lock.waiterCount == 2 }
        cancelled.cancel()
        #expect(lock.waiterCount == 2)
        lock.release()
        await cancelled.value
        await other.value
        #expect(order.elements == ["cancelled: true", "other: false"])
    }

    @Test func atMostOneOfManyTasksHoldsTheLock() async {
        let lock = AsyncLock(), occupancy = Occupancy()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<500 {
                group.addTask {
                    await lock.withLock {
                        occupancy.enter()
                        await Task.yield()
                        occupancy.leave()
                    }
                }
            }
        }
        #expect(occupancy.most == 1)
        #expect(!lock.isHeld)
    }

    @Test @MainActor func aBodyRunsOnTheActorOfItsCaller() async {
        let lock = AsyncLock()
        var count = 0
        await lock.withLock {
            MainActor.assertIsolated()
            count += 1
        }
        #expect(count == 1)
    }
}

@Suite struct KeyedLockTests {
    @Test func bodiesOfOneKeyRunInTheOrderOfTheirRequests() async throws {
        let lock = KeyedLock<String>(), order = Recorder<Int>()
        await lock.acquire("a")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask { await lock.withLock("a") { order.add(number) } }
                try await eventually("waiter \(number)") { lock.waiterCount("a") == number + 1 }
            }
            lock.release("a")
            try await group.waitForAll()
        }
        #expect(order.elements == Array(0..<20))
        #expect(lock.heldKeys.isEmpty)
    }

    @Test func aHeldKeyDoesNotDelayOthers() async {
        let lock = KeyedLock<String>()
        await lock.acquire("a")
        #expect(await lock.withLock("b") { lock.heldKeys } == ["a", "b"])
        #expect(lock.heldKeys == ["a"])
        lock.release("a")
    }

    @Test func aBodyThatThrowsReleasesItsKey() async {
        let lock = KeyedLock<Int>()
        await #expect(throws: Failure()) { try await lock.withLock(1) { () throws(Failure) in throw Failure() } }
        #expect(lock.heldKeys.isEmpty)
    }

    @Test func aTaskCancelledWhileItWaitsSeesTheCancellationInItsBody() async throws {
        let lock = KeyedLock<Int>()
        await lock.acquire(1)
        let task = Task { await lock.withLock(1) { Task.isCancelled } }
        try await eventually("the waiter") { lock.waiterCount(1) == 1 }
        task.cancel()
        lock.release(1)
        #expect(await task.value)
        #expect(lock.heldKeys.isEmpty)
    }

    @Test func atMostOneOfManyTasksHoldsEachKey() async {
        let lock = KeyedLock<Int>(), occupancies = (0..<8).map { _ in Occupancy() }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<800 {
                group.addTask {
                    await lock.withLock(number % 8) {
                        occupancies[number % 8].enter()
                        await Task.yield()
                        occupancies[number % 8].leave()
                    }
                }
            }
        }
        #expect(occupancies.map(\.most) == Array(repeating: 1, count: 8))
        #expect(lock.heldKeys.isEmpty)
    }
}
