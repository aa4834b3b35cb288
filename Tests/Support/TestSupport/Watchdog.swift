import Synchronization

/// Barks when nothing has happened for too long. Tests wait for events; this is for the event that does not come, and the only place where
/// they look at the clock for that.
package final class Watchdog: Sendable {
    private struct State {
        var isDismissed = false
        var timer: Task<Void, Never>?
    }

    private let limit: Duration
    private let bark: @Sendable () -> Void
    private let state = Mutex(State())

    /// Begins to count.
    package init(_ limit: Duration, bark: @escaping @Sendable () -> Void) {
        (self.limit, self.bark) = (limit, bark)
        feed()
    }

    deinit { state.withLock { $0.timer?.cancel() } }

    /// Begins to count anew.
    package func feed() {
        state.withLock { state in
            state.timer?.cancel()
            guard !state.isDismissed else { return }
            state.timer = Task { [limit, bark] in
                do { try await Task.sleep(for: limit) } catch { return }
                bark()
            }
        }
    }

    /// What was watched has come to its end.
    package func dismiss() {
        state.withLock { state in
            state.isDismissed = true
            state.timer?.cancel()
        }
    }
}

/// Something took too long.
package struct TimeLimitError: Error, CustomStringConvertible {
    package let description: String
}

/// Runs `body`, and cancels it when it takes too long.
///
/// - Parameter failure: what is said then.
/// - Throws: ``TimeLimitError``, or what `body` throws.
package func withTimeLimit<Result: Sendable>(
    _ limit: Duration, else failure: String, _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    let (silence, continuation) = AsyncStream.makeStream(of: Void.self)
    let watchdog = Watchdog(limit) { continuation.finish() }
    defer { watchdog.dismiss() }
    return try await withThrowingTaskGroup(of: Result.self) { group in
        group.addTask { try await body() }
        group.addTask {
            for await _ in silence {}
            throw TimeLimitError(description: "\(failure) within \(limit)")
        }
        defer { group.cancelAll() }
        guard let result = try await group.next() else { throw CancellationError() }
        return result
    }
}
