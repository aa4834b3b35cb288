internal import AsyncPrimitives
internal import Synchronization

/// A count of the reads under way, which refuses new ones once it is closed and announces the end of the last one.
///
/// A pool that is closed while somebody reads waits for that on the thread that closes it. The tasks of a process share as many threads as the
/// machine has cores, so that none must wait for what others do; and to whom begins to read meanwhile the pool gives what it is taking apart.
final class ActiveReads: Sendable {
    private struct State {
        var readers = 0
        var isClosed = false
        /// The moment at which the last reader is out; nil while nobody waits for it.
        var isEmpty: Promise<Void>?
    }

    private let state = Mutex(State())

    /// Counts a reader.
    ///
    /// - Returns: false after ``close()``; otherwise ``leave()`` must follow.
    func enter() -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.readers += 1
            return true
        }
    }

    func leave() {
        let isEmpty = state.withLock { state in
            state.readers -= 1
            return state.readers == 0 ? state.isEmpty.take() : nil
        }
        isEmpty?.resolve(())
    }

    /// Refuses new reads, and returns when those under way have ended.
    ///
    /// - Returns: true if it was open.
    func close() async -> Bool {
        let (wasOpen, isEmpty) = state.withLock { state -> (Bool, Promise<Void>?) in
            defer { state.isClosed = true }
            if state.readers > 0, state.isEmpty == nil { state.isEmpty = Promise() }
            return (!state.isClosed, state.isEmpty)
        }
        await isEmpty?.value()
        return wasOpen
    }
}
