internal import Synchronization

/// A state behind a lock, and tasks that wait until they can take something from it: a monitor.
///
/// Waiters are offered the state after each ``withLock(_:)``, in the order of their arrival; each takes once and leaves. Their closures run
/// under the lock: they must be short and must not use the condition. A change costs a call for each waiter, so it suits few waiters.
package final class AsyncCondition<Value: Sendable>: Sendable {
    private struct Waiter: Sendable {
        let ticket: UInt64
        /// Takes from the value. Returns how to resume the task, or nil if it must wait on.
        let offer: @Sendable (inout Value) -> (@Sendable () -> Void)?
        /// Resumes the task with nothing.
        let abandon: @Sendable () -> Void
    }

    private struct State {
        var value: Value
        var waiters: [Waiter] = []
        var lastTicket: UInt64 = 0

        /// Offers the value to all waiters until none of them takes from it.
        mutating func serve() -> [@Sendable () -> Void] {
            guard !waiters.isEmpty else { return [] }
            var resumes: [@Sendable () -> Void] = []
            var index = 0
            while index < waiters.count {
                if let resume = waiters[index].offer(&value) {
                    waiters.remove(at: index)
                    resumes.append(resume)
                    // What it changed may concern an earlier waiter.
                    index = 0
                } else {
                    index += 1
                }
            }
            return resumes
        }
    }

    private let state: Mutex<State>

    package init(_ value: Value) { state = Mutex(State(value: value)) }

    /// Reads or changes the value, and resumes the waiters for which it has become right, also when the body throws.
    package func withLock<Output: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Output
    ) throws(Failure) -> Output {
        let (result, resumes) = state.withLock { state -> (Result<Output, Failure>, [@Sendable () -> Void]) in
            let result: Result<Output, Failure>
            do throws(Failure) { result = .success(try body(&state.value)) } catch { result = .failure(error) }
            return (result, state.serve())
        }
        for resume in resumes { resume() }
        return try result.get()
    }

    /// Waits until `take` returns something. Cancellation of the task does not end the wait.
    package func wait<Output: Sendable>(for take: @escaping @Sendable (inout Value) -> Output?) async -> Output {
        while true {
            if let result = await suspend(ticket(), { false }, take) { return result }
        }
    }

    /// Waits until `take` returns something or the task is cancelled. What can be taken at once is taken even by a cancelled task.
    ///
    /// - Throws: `CancellationError` if the task is cancelled first; nothing has been taken then.
    package func waitUnlessCancelled<Output: Sendable>(
        for take: @escaping @Sendable (inout Value) -> Output?
    ) async throws(CancellationError) -> Output {
        let ticket = ticket()
        let result = await withTaskCancellationHandler {
            await suspend(ticket, { Task.isCancelled }, take)
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in
                guard let index = state.waiters.firstIndex(where: { $0.ticket == ticket }) else { return nil }
                return state.waiters.remove(at: index)
            }
            waiter?.abandon()
        }
        guard let result else { throw CancellationError() }
        return result
    }

    /// Waits until the predicate holds. Cancellation of the task does not end the wait.
    package func wait(until predicate: @escaping @Sendable (Value) -> Bool) async {
        await wait { value in predicate(value) ? () : nil }
    }

    /// Waits until the predicate holds or the task is cancelled.
    ///
    /// - Throws: `CancellationError` if the task is cancelled first.
    package func waitUnlessCancelled(until predicate: @escaping @Sendable (Value) -> Bool) async throws(CancellationError) {
        try await waitUnlessCancelled { value in predicate(value) ? () : nil }
    }

    /// The number of tasks that wait.
    package var waiterCount: Int { state.withLock { $0.waiters.count } }

    private func ticket() -> UInt64 {
        state.withLock { state in
            state.lastTicket &+= 1
            return state.lastTicket
        }
    }

    private func suspend<Output: Sendable>(
        _ ticket: UInt64, _ isOver: () -> Bool, _ take: @escaping @Sendable (inout Value) -> Output?
    ) async -> Output? {
        await withCheckedContinuation { (continuation: CheckedContinuation<Output?, Never>) in
            let resumes = state.withLock { state -> [@Sendable () -> Void] in
                let waiter = Waiter(ticket: ticket) { value in
                    guard let result = take(&value) else { return nil }
                    return { continuation.resume(returning: result) }
                } abandon: {
                    continuation.resume(returning: nil)
                }
                if let resume = waiter.offer(&state.value) {
                    // What it took may be what others wait for.
                    return [resume] + state.serve()
                }
                if isOver() { return [waiter.abandon] }
                state.waiters.append(waiter)
                return []
            }
            for resume in resumes { resume() }
        }
    }
}
