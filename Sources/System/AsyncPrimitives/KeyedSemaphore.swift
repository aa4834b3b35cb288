internal import Synchronization

/// A counting semaphore for each key: at most ``limit`` permits of a key are in use, and tasks get them in the order of their arrival.
///
/// A key occupies memory only while permits of it are in use or waited for.
package final class KeyedSemaphore<Key: Hashable & Sendable>: Sendable {
    private struct Entry {
        let semaphore: AsyncSemaphore
        /// Tasks that have a permit or wait for one.
        var users = 0
    }

    /// The number of permits of a key, at least 1.
    package let limit: Int
    private let entries = Mutex<[Key: Entry]>([:])

    /// - Parameter limit: the number of permits of a key; numbers below 1 count as 1.
    package init(limit: Int) { self.limit = max(1, limit) }

    /// Runs the body with a permit of the key, after waiting for one, and returns the permit however the body ends.
    ///
    /// - Throws: `CancellationError` if the task is cancelled while it waits; what the body throws.
    package func withPermit<Result>(
        _ key: Key, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async throws -> Result {
        let semaphore = entries.withLock { entries in
            let semaphore = entries[key]?.semaphore ?? AsyncSemaphore(limit: limit)
            entries[key, default: Entry(semaphore: semaphore)].users += 1
            return semaphore
        }
        defer { leave(key) }
        try await semaphore.acquireUnlessCancelled()
        defer { semaphore.release() }
        return try await body()
    }

    /// The keys whose permits are in use.
    package var keysInUse: Set<Key> { entries.withLock { Set($0.keys) } }

    private func leave(_ key: Key) {
        entries.withLock { entries in
            entries[key]?.users -= 1
            if entries[key]?.users == 0 { entries[key] = nil }
        }
    }
}
