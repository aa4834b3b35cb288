import Testing

@testable import AsyncPrimitives

@Suite("Semaphores by key")
struct KeyedSemaphoreTests {
    @Test("a key has its own permits, and is forgotten when they are returned")
    func permits() async throws {
        let semaphore = KeyedSemaphore<String>(limit: 2)
        let occupancies = ["a": Occupancy(), "b": Occupancy()]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    let key = number.isMultiple(of: 2) ? "a" : "b"
                    try await semaphore.withPermit(key) {
                        occupancies[key]?.enter()
                        await Task.yield()
                        occupancies[key]?.leave()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(occupancies.mapValues(\.most) == ["a": 2, "b": 2])
        #expect(semaphore.keysInUse.isEmpty)
    }

    @Test("who has all permits of a key holds up nobody of another key, and a task that is cancelled while it waits leaves")
    func isolation() async throws {
        let semaphore = KeyedSemaphore<String>(limit: 1)
        let entered = Promise<Void>(), leave = Promise<Void>()
        let holder = Task {
            try await semaphore.withPermit("a") {
                _ = entered.resolve(())
                await leave.value()
            }
        }
        await entered.value()
        let waiter = Task { try await semaphore.withPermit("a") {} }
        try await semaphore.withPermit("b") {}
        #expect(semaphore.keysInUse == ["a"])
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        _ = leave.resolve(())
        try await holder.value
        #expect(semaphore.keysInUse.isEmpty)
    }
}
