internal import Synchronization

/// A counting semaphore for tasks: at most ``limit`` permits are in use, and tasks that wait for one get it in the order of their arrival.
package final class AsyncSemaphore: Sendable {
    private struct State {
        var inUse = 0
        var waiters = WaiterQueue<Bool>()
        /// Tasks that wait until no more than a number of permits are in use.
        var drains: [(count: Int, waiter: CheckedContinuation<Void, Never>)] = []

        /// Takes a free permit. There is none while tasks wait: a released permit passes to the first task at once.
        mutating func take(_ limit: Int) -> Bool {
            guard inUse < limit else { return false }
            inUse += 1
            return true
        }
    }

    /// The number of permits, at least 1.
    package let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: the number of permits; numbers below 1 count as 1.
    package init(limit: Int) { self.limit = max(1, limit) }

    /// The number of permits in use.
    package var inUse: Int { state.withLock { $0.inUse } }

    /// Takes a permit, after waiting for one. Cancellation of the task does not end the wait. ``release()`` must follow.
    package func acquire() async {
        if tryAcquire() { return }
        _ = await suspend(state.withLock { $0.waiters.nextTicket() }) { false }
    }

    /// Takes a permit, after waiting for one. ``release()`` must follow unless the call throws.
    ///
    /// - Throws: `CancellationError` if the task is cancelled while it waits. It has no permit then.
    package func acquireUnlessCancelled() async throws(CancellationError) {
        if tryAcquire() { return }
        let ticket = state.withLock { $0.waiters.nextTicket() }
        let isGranted = await withTaskCancellationHandler {
            await suspend(ticket) { Task.isCancelled }
        } onCancel: {
            state.withLock { $0.waiters.remove(ticket) }?.resume(returning: false)
        }
        guard isGranted else { throw CancellationError() }
    }

    /// Takes a permit if one is free.
    ///
    /// - Returns: false if none is free; otherwise ``release()`` must follow.
    package func tryAcquire() -> Bool { state.withLock { $0.take(limit) } }

    /// Returns a permit: to the task that waits longest, or to the free permits. A call without a permit in use changes nothing.
    package func release() {
        let (waiter, drained) = state.withLock { state -> (CheckedContinuation<Bool, Never>?, [CheckedContinuation<Void, Never>]) in
            guard state.inUse > 0 else { return (nil, []) }
            if let waiter = state.waiters.popFirst() { return (waiter, []) }
            state.inUse -= 1
            guard !state.drains.isEmpty else { return (nil, []) }
            let drained = state.drains.filter { state.inUse <= $0.count }.map(\.waiter)
            state.drains.removeAll { state.inUse <= $0.count }
            return (nil, drained)
        }
        waiter?.resume(returning: true)
        for drain in drained { drain.resume() }
    }

    /// Runs the body with a permit, after waiting for one, and returns the permit however the body ends.
    package func withPermit<Result, Failure: Error>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        await acquire()
        defer { release() }
        return try await body()
    }

    /// Waits until at most `count` permits are in use. Cancellation of the task does not end the wait.
    ///
    /// Permits may be taken again before the caller continues, unless the caller is the only one that takes them.
    package func waitUntilInUse(atMost count: Int) async {
        await withCheckedContinuation { continuation in
            let waits = state.withLock { state in
                guard state.inUse > count else { return false }
                state.drains.append((count, continuation))
                return true
            }
            if !waits { continuation.resume() }
        }
    }

    /// The number of tasks that wait for a permit, for tests.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// - Returns: true if a permit was granted.
    private func suspend(_ ticket: WaiterQueue<Bool>.Ticket, unless isOver: () -> Bool) async -> Bool {
        await withCheckedContinuation { continuation in
            let outcome = state.withLock { state -> Bool? in
                if state.take(limit) { return true }
                if isOver() { return false }
                state.waiters.append(continuation, ticket: ticket)
                return nil
            }
            if let outcome { continuation.resume(returning: outcome) }
        }
    }
}
