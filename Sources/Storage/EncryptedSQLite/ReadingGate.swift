internal import Synchronization

/// Lets reads in until it is closed, and tells when the last one is out.
///
/// A pool that is closed while somebody reads waits for that on the thread that closes it. The tasks of a process share as many threads as the
/// machine has cores, so that none must wait for what others do; and to whom begins to read meanwhile the pool gives what it is taking apart.
final class ReadingGate: Sendable {
    private struct State {
        var readers = 0
        var isClosed = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Counts a reader.
    ///
    /// - Returns: false if the gate is closed; else ``leave()`` must follow.
    func enter() -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.readers += 1
            return true
        }
    }

    func leave() {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.readers -= 1
            guard state.readers == 0 else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Lets nobody in any more, and returns when all are out.
    ///
    /// - Returns: whether it was open.
    func close() async -> Bool {
        let wasOpen = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        await withCheckedContinuation { continuation in
            let isEmpty = state.withLock { state in
                guard state.readers > 0 else { return true }
                state.waiters.append(continuation)
                return false
            }
            if isEmpty { continuation.resume() }
        }
        return wasOpen
    }
}
