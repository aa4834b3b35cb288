internal import DequeModule
internal import Synchronization

/// A lock that tasks may hold across suspension points, granted in the order of the requests. It is not recursive: a holder that requests it
/// again waits for itself.
package final class AsyncLock: Sendable {
    private struct State {
        var isHeld = false
        var waiters: Deque<CheckedContinuation<Void, Never>> = []

        mutating func take() -> Bool {
            defer { isHeld = true }
            return !isHeld
        }
    }

    private let state = Mutex(State())

    package init() {}

    /// The state of the lock at this moment.
    package var isHeld: Bool { state.withLock { $0.isHeld } }

    /// Takes the lock, after waiting for it. Cancellation of the task does not end the wait. ``release()`` must follow.
    package func acquire() async {
        let isFree = state.withLock { $0.take() }
        if isFree { return }
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.take() { return true }
                state.waiters.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    /// Passes the lock to the task that waits longest, or frees it.
    package func release() {
        let next = state.withLock { state in
            let next = state.waiters.popFirst()
            state.isHeld = next != nil
            return next
        }
        next?.resume()
    }

    /// Runs the body while holding the lock, and releases it however the body ends.
    ///
    /// A task that is cancelled while it waits keeps its position; its body runs and can check for the cancellation.
    package func withLock<Result, Failure: Error>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        await acquire()
        defer { release() }
        return try await body()
    }

    /// The number of tasks that wait, for tests.
    var waiterCount: Int { state.withLock { $0.waiters.count } }
}

/// A lock for each key: bodies of one key run one after another in the order of the requests, bodies of different keys concurrently.
///
/// A key occupies memory only while its lock is held. The locks are not recursive.
package final class KeyedLock<Key: Hashable & Sendable>: Sendable {
    /// The tasks that wait for each held key.
    private let waiters = Mutex<[Key: Deque<CheckedContinuation<Void, Never>>]>([:])

    package init() {}

    /// Runs the body while holding the lock of a key, and releases it however the body ends.
    ///
    /// A task that is cancelled while it waits keeps its position; its body runs and can check for the cancellation.
    package func withLock<Result, Failure: Error>(
        _ key: Key, isolation: isolated (any Actor)? = #isolation, _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        await acquire(key)
        defer { release(key) }
        return try await body()
    }

    /// The keys with held locks.
    package var heldKeys: Set<Key> { waiters.withLock { Set($0.keys) } }

    /// Takes the lock of a key, after waiting for it. Cancellation of the task does not end the wait. ``release(_:)`` must follow.
    package func acquire(_ key: Key) async {
        await withCheckedContinuation { continuation in
            let isFree = waiters.withLock { waiters in
                guard waiters[key] != nil else {
                    waiters[key] = []
                    return true
                }
                waiters[key]?.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    /// Passes the lock of a key to the task that waits longest for it, or frees it.
    package func release(_ key: Key) {
        let next = waiters.withLock { waiters -> CheckedContinuation<Void, Never>? in
            guard let next = waiters[key]?.popFirst() else {
                waiters[key] = nil
                return nil
            }
            return next
        }
        next?.resume()
    }

    /// Counts the tasks that wait for a key, for tests.
    package func waiterCount(_ key: Key) -> Int { waiters.withLock { $0[key]?.count ?? 0 } }
}
