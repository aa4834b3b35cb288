import TestSupport
import Testing

@testable import AsyncPrimitives

@Suite struct AsyncSemaphoreTests {
    @Test func noMorePermitsAreInUseThanTheLimit() async {
        let semaphore = AsyncSemaphore(limit: 3), occupancy = Occupancy()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<500 {
                group.addTask {
                    await semaphore.withPermit {
                        occupancy.enter()
                        await Task.yield()
                        occupancy.leave()
                    }
                }
            }
        }
        #expect(occupancy.most <= 3)
        #expect(semaphore.inUse == 0)
    }

    @Test func permitsAreGrantedInTheOrderOfTheRequests() async throws {
        let semaphore = AsyncSemaphore(limit: 1), order = Recorder<Int>()
        #expect(semaphore.tryAcquire())
        #expect(!semaphore.tryAcquire())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask { await semaphore.withPermit { order.add(number) } }
                try await eventually("waiter \(number)") { semaphore.waiterCount == number + 1 }
            }
            semaphore.release()
            try await group.waitForAll()
        }
        #expect(order.elements == Array(0..<20))
    }

    @Test func aReleasedPermitPassesToTheWaiterAndIsNeverFreeBetween() async throws {
        let semaphore = AsyncSemaphore(limit: 1)
        await semaphore.acquire()
        let waiter = Task { await semaphore.acquire() }
        try await eventually("the waiter") { semaphore.waiterCount == 1 }
        semaphore.release()
        #expect(!semaphore.tryAcquire())
        await waiter.value
        #expect(semaphore.inUse == 1)
        semaphore.release()
        #expect(semaphore.inUse == 0)
    }

    @Test func aBodyThatThrowsReturnsItsPermit() async {
        let semaphore = AsyncSemaphore(limit: 1)
        await #expect(throws: Failure()) { try await semaphore.withPermit { () throws(Failure) in throw Failure() } }
        #expect(semaphore.inUse == 0)
    }

    @Test func aTaskCancelledWhileItWaitsLeavesTheQueueWithoutAPermit() async throws {
        let semaphore = AsyncSemaphore(limit: 1)
        await semaphore.acquire()
        let cancelled = Task { try await semaphore.acquireUnlessCancelled() }
        try await eventually("the first waiter") { semaphore.waiterCount == 1 }
        let other = Task { try await semaphore.acquireUnlessCancelled() }
        try await eventually("the second waiter") { semaphore.waiterCount == 2 }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(semaphore.waiterCount == 1)
        semaphore.release()
        try await other.value
        #expect(semaphore.inUse == 1)
    }

    @Test func aTaskThatIsCancelledBeforeItWaitsDoesNotWait() async {
        let semaphore = AsyncSemaphore(limit: 1)
        await semaphore.acquire()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await semaphore.acquireUnlessCancelled()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(semaphore.waiterCount == 0)
    }

    @Test func itTellsWhenNoMoreThanANumberOfPermitsAreInUse() async throws {
        let semaphore = AsyncSemaphore(limit: 4), order = Recorder<Int>()
        for _ in 0..<4 { await semaphore.acquire() }
        let drained = [1, 0].map { count in
            Task {
                await semaphore.waitUntilInUse(atMost: count)
                order.add(count)
            }
        }
        await semaphore.waitUntilInUse(atMost: 4)
        for _ in 0..<3 { semaphore.release() }
        await drained[0].value
        #expect(order.elements == [1])
        semaphore.release()
        await drained[1].value
        #expect(order.elements == [1, 0])
    }

    @Test func aReleaseTooManyDoesNotAddAPermit() async {
        let semaphore = AsyncSemaphore(limit: 1)
        semaphore.release()
        #expect(semaphore.tryAcquire())
        #expect(!semaphore.tryAcquire())
    }

    @Test func manyTasksOfWhichSomeAreCancelledLeaveNoPermitBehind() async {
        let semaphore = AsyncSemaphore(limit: 2)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<500 {
                let task = Task {
                    try await semaphore.acquireUnlessCancelled()
                    await Task.yield()
                    semaphore.release()
                }
                if number % 3 == 0 { group.addTask { task.cancel() } }
                group.addTask { _ = await task.result }
            }
        }
        #expect(semaphore.inUse == 0)
        #expect(semaphore.waiterCount == 0)
    }
}
