internal import AsyncPrimitives
internal import Synchronization

/// A count of the reads under way. After it is closed, it refuses new reads and announces the end of the last one.
///
/// A pool that is closed during a read blocks the closing thread until the read ends. The tasks of a process share as many threads as the machine
/// has cores, so a task must not block its thread for others; and a read that begins meanwhile would use a pool that is being taken apart.
final class ActiveReads: Sendable {
    private struct State {
        var readers = 0
        var isClosed = false
        /// The end of the last read; nil while nobody waits for it.
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
