import Synchronization

/// Writes that nobody waits for: they join the next transaction, or make one by themselves after a moment.
///
/// It only keeps them. The next writer includes them with ``submitAll(_:)``.
package final class DeferredWrites<Write: Sendable>: Sendable {
    private struct Inner {
        var writes: [Write] = []
        var isTimerRunning = false
        /// The number of times that waiting writes were taken.
        var departures = 0
    }

    /// Writes that are not waited with any longer.
    private let most: Int
    private let wait: @Sendable () async -> Void
    private let begin: @Sendable (@escaping @Sendable () async -> Void) -> Void
    private let inner = Mutex(Inner())
    /// Held while what waited is handed over.
    private let departure = Mutex<Void>(())

    /// - Parameters:
    ///   - most: so many writes at once wait for no transaction.
    ///   - deferral: how long writes wait: at least so long, and less than twice as long.
    ///   - clock: the clock by which they wait.
    ///   - begin: begins the task that waits.
    package init(
        most: Int = .max, for deferral: Duration, clock: any Clock<Duration> = ContinuousClock(),
        begin: @escaping @Sendable (@escaping @Sendable () async -> Void) -> Void = { body in Task { await body() } }
    ) {
        self.most = most
        self.begin = begin
        // A wait that is cancelled is over: what waits is then written sooner.
        wait = { try? await clock.sleep(for: deferral, tolerance: nil) }
    }

    /// Adds writes.
    ///
    /// - Parameter submit: called when they shall wait no longer: what is to be written is what ``submitAll(_:)`` gives.
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

    /// Hands over all that wait. Who calls this at the same time waits until they are handed over: what it writes then comes behind them.
    ///
    /// - Parameter submit: given the writes, maybe none. It must not call this.
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
