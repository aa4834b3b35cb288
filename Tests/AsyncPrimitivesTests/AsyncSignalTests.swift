import TestSupport
import Testing

@testable import AsyncPrimitives

@Suite struct AsyncSignalTests {
    @Test func aSignalWithoutAWaiterIsRememberedOnce() async throws {
        let signal = AsyncSignal()
        signal.signal()
        signal.signal()
        await signal.wait()
        let waiter = Task { await signal.wait() }
        try await eventually("the waiter") { signal.waiterCount == 1 }
        signal.signal()
        await waiter.value
    }

    @Test func aSignalWakesTheTaskThatWaitsLongest() async throws {
        let signal = AsyncSignal(), order = Recorder<Int>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<3 {
                group.addTask {
                    await signal.wait()
                    order.add(number)
                }
                try await eventually("waiter \(number)") { signal.waiterCount == number + 1 }
            }
            for number in 1...3 {
                signal.signal()
                try await eventually("waiter \(number) woken") { order.elements.count == number }
            }
        }
        #expect(order.elements == [0, 1, 2])
    }

    @Test func aCancelledWaitUsesUpNoSignal() async throws {
        let signal = AsyncSignal()
        let task = Task { try await signal.waitUnlessCancelled() }
        try await eventually("the waiter") { signal.waiterCount == 1 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        signal.signal()
        try await signal.waitUnlessCancelled()
    }

    @Test func aWorkerThatIsWokenFindsAllWork() async {
        let signal = AsyncSignal(), work = Recorder<Int>()
        let worker = Task {
            while work.elements.count < 1_000 { await signal.wait() }
        }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<1_000 {
                group.addTask {
                    work.add(number)
                    signal.signal()
                }
            }
        }
        await worker.value
        #expect(work.elements.count == 1_000)
    }
}
