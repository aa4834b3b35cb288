import Synchronization

/// Writes that nobody waits for: they join the next transaction, or get one of their own after a moment.
///
/// This class only keeps them. The next writer includes them with ``submitAll(_:)``.
package final class DeferredWrites<Write: Sendable>: Sendable {
    private struct Inner {
        var writes: [Write] = []
        var isTimerRunning = false
        /// The number of times that waiting writes were taken.
        var departures = 0
    }

    /// The number of waiting writes from which they are submitted at once.
    private let most: Int
    private let wait: @Sendable () async -> Void
    private let begin: @Sendable (@escaping @Sendable () async -> Void) -> Void
    private let inner = Mutex(Inner())
    /// A lock that is held while the waiting writes are handed over.
    private let departure = Mutex<Void>(())

    /// - Parameters:
    ///   - most: the number of waiting writes from which they are submitted at once.
    ///   - deferral: the minimum wait of writes. They wait less than twice as long.
    ///   - clock: the clock by which they wait.
    ///   - begin: begins the task that waits.
    package init(
        most: Int = .max, for deferral: Duration, clock: any Clock<Duration> = ContinuousClock(),
        begin: @escaping @Sendable (@escaping @Sendable () async -> Void) -> Void = { body in Task { await body() } }
    ) {
        self.most = most
        self.begin = begin
        // Cancellation ends the wait, and the writes are submitted sooner.
        wait = { try? await clock.sleep(for: deferral, tolerance: nil) }
    }

    /// Adds writes.
    ///
    /// - Parameter submit: called when the wait is over. It must write what ``submitAll(_:)`` hands over.
    package func add(_ writes: [Write], submit: @escaping @Sendable () -> Void) {
        let (isFull, startsTimer) = inner.withLock { inner in
            inner.writes += writes
            let startsTimer = !inner.isTimerRunning
            inner.isTimerRunning = true
            return (inner.writes.count >= most, startsTimer)
        }
        if isFull { submit() }
        if startsTimer { begin { [self] in await submitWhatNobodyTook(submit) } }
    }

    /// Submits the writes on their own, unless other writes keep including them.
    private func submitWhatNobodyTook(_ submit: @Sendable () -> Void) async {
        var departures = inner.withLock(\.departures)
        while true {
            await wait()
            let isYoung = inner.withLock { inner in
                guard !inner.writes.isEmpty, inner.departures != departures else {
                    inner.isTimerRunning = false
                    return false
                }
                departures = inner.departures
                return true
            }
            if !isYoung { return submit() }
        }
    }

    /// Hands over all waiting writes. A simultaneous call waits until this one has handed them over, so that the other caller's writes follow them.
    ///
    /// - Parameter submit: receives the writes, possibly none. It must not call this function.
    package func submitAll(_ submit: ([Write]) -> Void) { departure.withLock { _ in submit(take()) } }

    private func take() -> [Write] {
        inner.withLock { inner in
            guard !inner.writes.isEmpty else { return [] }
            inner.departures += 1
            defer { inner.writes = [] }
            return inner.writes
        }
    }
}
