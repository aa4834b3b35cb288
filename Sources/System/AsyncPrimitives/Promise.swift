internal import Synchronization

/// A value that is set once and awaited by any number of tasks.
///
/// All waiters receive the first value; later values are ignored. A promise that is never resolved leaves ``value()`` suspended, so its owner
/// must resolve it on every path.
package final class Promise<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiters = WaiterQueue<Void>()
    }

    private let state = Mutex(State())

    package init() {}

    /// Sets the value and resumes all waiters in the order of their arrival.
    ///
    /// - Returns: true for the call that set the value, false for later calls.
    @discardableResult
    package func resolve(_ value: Value) -> Bool {
        let (isFirst, waiters) = state.withLock { state -> (Bool, [CheckedContinuation<Void, Never>]) in
            guard state.value == nil else { return (false, []) }
            state.value = value
            return (true, state.waiters.removeAll())
        }
        for waiter in waiters { waiter.resume() }
        return isFirst
    }

    /// The value; nil before it is set.
    package var current: Value? { state.withLock { $0.value } }

    /// Waits for the value. Cancellation of the task does not end the wait.
    package func value() async -> Value {
        while true {
            if let value = current { return value }
            await suspend(state.withLock { $0.waiters.nextTicket() }) { false }
        }
    }

    /// Waits for the value or the cancellation of the task. A value that is set already is returned even to a cancelled task.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before there is a value.
    package func valueUnlessCancelled() async throws(CancellationError) -> Value {
        if let value = current { return value }
        let ticket = state.withLock { $0.waiters.nextTicket() }
        await withTaskCancellationHandler {
            await suspend(ticket) { Task.isCancelled }
        } onCancel: {
            abandon(ticket)
        }
        guard let value = current else { throw CancellationError() }
        return value
    }

    /// Waits for the value for a limited time.
    ///
    /// - Parameters:
    ///   - limit: the time after which the wait ends; the promise stays pending for others.
    ///   - clock: measures the limit. Its sleep must end when the task is cancelled.
    /// - Returns: nil if there is no value in time, or the task is cancelled before.
    package func value(within limit: Duration, clock: any Clock<Duration> = ContinuousClock()) async -> Value? {
        if let value = current { return value }
        return await withTaskGroup(of: Value?.self) { group in
            group.addTask { [self] in try? await valueUnlessCancelled() }
            group.addTask {
                try? await clock.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    /// The number of suspended tasks, for tests.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    private func suspend(_ ticket: WaiterQueue<Void>.Ticket, unless isOver: () -> Bool) async {
        await withCheckedContinuation { continuation in
            let waits = state.withLock { state in
                // A handler that ran before this found nothing to abandon, but the task is cancelled by then.
                guard state.value == nil, !isOver() else { return false }
                state.waiters.append(continuation, ticket: ticket)
                return true
            }
            if !waits { continuation.resume() }
        }
    }

    private func abandon(_ ticket: WaiterQueue<Void>.Ticket) { state.withLock { $0.waiters.remove(ticket) }?.resume() }
}
