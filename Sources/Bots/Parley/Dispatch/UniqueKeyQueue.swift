internal import AsyncPrimitives
internal import DequeModule
internal import Synchronization

/// Keys in the order in which they were added, for one reader. A key that waits already is not added again, so there wait no more than there
/// are keys.
final class UniqueKeyQueue<Key: Hashable & Sendable>: Sendable {
    private struct State {
        var keys: Deque<Key> = []
        var waiting: Set<Key> = []
    }

    private let state = Mutex(State())
    private let added = AsyncSignal()

    /// Keys that wait.
    var count: Int { state.withLock(\.keys.count) }

    func add(_ key: Key) {
        let isNew = state.withLock { state in
            guard state.waiting.insert(key).inserted else { return false }
            state.keys.append(key)
            return true
        }
        if isNew { added.signal() }
    }

    /// The next key; nil when the task is cancelled. One task at a time may wait.
    func next() async -> Key? {
        while true {
            let key = state.withLock { state in
                let key = state.keys.popFirst()
                if let key { state.waiting.remove(key) }
                return key
            }
            if let key { return key }
            do { try await added.waitUnlessCancelled() } catch { return nil }
        }
    }
}
