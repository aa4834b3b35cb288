internal import Synchronization

/// A wake-up signal for a task that waits for work.
///
/// A signal without a waiter is kept for the next wait; several signals count as one, so the woken task must look for all pending work.
package final class AsyncSignal: Sendable {
    private struct State {
        var isSignalled = false
        var waiters = WaiterQueue<Bool>()
    }

    private let state = Mutex(State())

    package init() {}

    /// Wakes the task that waits longest, or the next one that waits.
    package func signal() {
        let waiter = state.withLock { state in
            let waiter = state.waiters.popFirst()
            state.isSignalled = waiter == nil
            return waiter
        }
        waiter?.resume(returning: true)
    }

    /// Waits for a signal. Cancellation of the task does not end the wait.
    package func wait() async { _ = await suspend(state.withLock { $0.waiters.nextTicket() }) { false } }

    /// Waits for a signal or the cancellation of the task. The cancelled wait uses up no signal.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before there is a signal.
    package func waitUnlessCancelled() async throws(CancellationError) {
        let ticket = state.withLock { $0.waiters.nextTicket() }
        let isSignalled = await withTaskCancellationHandler {
            await suspend(ticket) { Task.isCancelled }
        } onCancel: {
            state.withLock { $0.waiters.remove(ticket) }?.resume(returning: false)
        }
        guard isSignalled else { throw CancellationError() }
    }

    /// The number of tasks that wait, for tests.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// - Returns: true if there was a signal.
    private func suspend(_ ticket: WaiterQueue<Bool>.Ticket, unless isOver: () -> Bool) async -> Bool {
        await withCheckedContinuation { continuation in
            let outcome = state.withLock { state -> Bool? in
                if state.isSignalled {
                    state.isSignalled = false
                    return true
                }
                if isOver() { return false }
                state.waiters.append(continuation, ticket: ticket)
                return nil
            }
            if let outcome { continuation.resume(returning: outcome) }
        }
    }
}
