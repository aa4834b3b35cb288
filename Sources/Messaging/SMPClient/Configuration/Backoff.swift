import AsyncPrimitives

/// The state of a series of attempts.
struct Backoff: Sendable, Hashable {
    private let interval: RetryInterval
    private var elapsed = Duration.zero
    private var delay: Duration

    init(_ interval: RetryInterval) {
        self.interval = interval
        delay = interval.initial
    }

    /// Starts the series anew.
    mutating func reset() { self = Backoff(interval) }

    /// The wait before the next attempt.
    ///
    /// - Parameter unit: a random number from 0 to 1.
    mutating func next(_ unit: Double) -> Duration {
        let wait = delay
        elapsed += delay
        delay = interval.next(after: delay, elapsed: elapsed)
        return wait * (1 + interval.jitter * (2 * unit - 1))
    }
}
