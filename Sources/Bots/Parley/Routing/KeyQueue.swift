internal import DequeModule
internal import Synchronization

/// Keys in the order in which they were added, for one reader. A key that waits already is not added again, so there wait no more than there
/// are keys.
final class KeyQueue<Key: Hashable & Sendable>: Sendable {
    private struct State {
        var keys: Deque<Key> = []
        var waiting: Set<Key> = []
        var reader: CheckedContinuation<Key?, Never>?
    }

    private let state = Mutex(State())

    /// Keys that wait.
    var count: Int { state.withLock(\.keys.count) }

    func add(_ key: Key) {
        let reader = state.withLock { state -> CheckedContinuation<Key?, Never>? in
            if let reader = state.reader {
                state.reader = nil
                return reader
            }
            if state.waiting.insert(key).inserted { state.keys.append(key) }
            return nil
        }
        reader?.resume(returning: key)
    }

    /// The next key; nil when the task is cancelled. One task at a time may wait.
    func next() async -> Key? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let key = state.withLock { state -> Key?? in
                    if let key = state.keys.popFirst() {
                        state.waiting.remove(key)
                        return .some(key)
                    }
                    if Task.isCancelled { return .some(nil) }
                    state.reader = continuation
                    return nil
                }
                if let key { continuation.resume(returning: key) }
            }
        } onCancel: {
            let reader = state.withLock { state in
                defer { state.reader = nil }
                return state.reader
            }
            reader?.resume(returning: nil)
        }
    }
}
