import TestSupport
import Testing

@testable import AsyncPrimitives

@Suite struct PromiseTests {
    @Test func allWaitersReceiveTheFirstValue() async throws {
        let promise = Promise<Int>()
        let waiters = (0..<5).map { _ in Task { await promise.value() } }
        try await eventually("the waiters") { promise.waiterCount == 5 }
        #expect(promise.current == nil)
        #expect(promise.resolve(1))
        #expect(!promise.resolve(2))
        for waiter in waiters { #expect(await waiter.value == 1) }
        #expect(await promise.value() == 1)
        #expect(promise.current == 1)
    }

    @Test func ofManyThatResolveAtOnceOneSetsTheValue() async {
        for _ in 0..<50 {
            let promise = Promise<Int>()
            let waiter = Task { await promise.value() }
            let setters = await withTaskGroup(of: Int?.self) { group in
                for number in 0..<8 { group.addTask { promise.resolve(number) ? number : nil } }
                return await group.compactMap(\.self).reduce(into: [Int]()) { $0.append($1) }
            }
            let value = await waiter.value
            #expect(setters == [value])
        }
    }

    @Test func aCancelledWaiterEndsAndOthersWaitOn() async throws {
        let promise = Promise<Int>()
        let cancelled = Task { try await promise.valueUnlessCancelled() }
        let other = Task { try await promise.valueUnlessCancelled() }
        try await eventually("the waiters") { promise.waiterCount == 2 }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(promise.waiterCount == 1)
        promise.resolve(3)
        #expect(try await other.value == 3)
    }

    @Test func aWaiterThatIgnoresCancellationReceivesTheValue() async throws {
        let promise = Promise<Int>()
        let task = Task { await promise.value() }
        try await eventually("the waiter") { promise.waiterCount == 1 }
        task.cancel()
        promise.resolve(4)
        #expect(await task.value == 4)
    }

    @Test func aCancelledTaskReceivesAValueThatIsSetAlready() async throws {
        let promise = Promise<Int>()
        promise.resolve(5)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await promise.valueUnlessCancelled()
        }
        #expect(try await task.value == 5)
    }

    @Test func aTaskThatIsCancelledBeforeItWaitsDoesNotWait() async {
        let promise = Promise<Int>()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await promise.valueUnlessCancelled()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(promise.waiterCount == 0)
    }

    @Test func aLimitedWaitEndsWithoutAValueAndLeavesThePromisePending() async {
        let promise = Promise<Int>()
        #expect(await promise.value(within: .zero) == nil)
        #expect(await promise.value(within: .seconds(3_600), clock: ImpatientClock()) == nil)
        #expect(promise.waiterCount == 0)
        #expect(promise.resolve(6))
        #expect(await promise.value(within: .zero) == 6)
    }

    @Test func aLimitedWaitReceivesAValueThatComesInTime() async throws {
        let promise = Promise<Int>()
        let task = Task { await promise.value(within: .seconds(3_600)) }
        try await eventually("the waiter") { promise.waiterCount == 1 }
        promise.resolve(7)
        #expect(await task.value == 7)
    }

    @Test func aLimitedWaitEndsWhenItsTaskIsCancelled() async throws {
        let promise = Promise<Int>()
        let task = Task { await promise.value(within: .seconds(3_600)) }
        try await eventually("the waiter") { promise.waiterCount == 1 }
        task.cancel()
        #expect(await task.value == nil)
        #expect(promise.waiterCount == 0)
    }
}
