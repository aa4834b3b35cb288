internal import Synchronization

/// Something that comes once, for one who waits for it only so long.
final class Awaited<Value: Sendable>: Sendable {
    private enum State {
        case open
        case waiting(CheckedContinuation<Value?, Never>)
        case given(Value?)
    }

    private let state = Mutex(State.open)

    /// It is there; nil when it will not come. Only the first counts.
    func give(_ value: Value?) {
        let waiter = state.withLock { state -> CheckedContinuation<Value?, Never>? in
            switch state {
            case .open:
                state = .given(value)
                return nil
            case .waiting(let waiter):
                state = .given(value)
                return waiter
            case .given: return nil
            }
        }
        waiter?.resume(returning: value)
    }

    /// Waits for it.
    ///
    /// - Returns: nil if it did not come in time.
    func value(within limit: Duration) async -> Value? {
        let timer = Task {
            try await Task.sleep(for: limit)
            give(nil)
        }
        defer { timer.cancel() }
        return await withCheckedContinuation { continuation in
            let given = state.withLock { state -> Value?? in
                if case .given(let value) = state { return .some(value) }
                state = .waiting(continuation)
                return nil
            }
            if let given { continuation.resume(returning: given) }
        }
    }
}
