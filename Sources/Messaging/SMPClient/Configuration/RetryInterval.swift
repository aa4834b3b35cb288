/// The pause between attempts: constant at first, then half as long in addition each time, up to a limit.
package struct RetryInterval: Sendable, Hashable {
    /// The wait after the first attempt.
    package var initial: Duration
    /// Waits stay the same until they add up to this.
    package var increaseAfter: Duration
    /// The longest wait.
    package var maximum: Duration
    /// The part of a wait by which it is made longer or shorter at random, 0 to 1, so that the clients of a router that
    /// restarts do not come back all at once.
    package var jitter: Double

    package init(
        initial: Duration = .seconds(2), increaseAfter: Duration = .seconds(10), maximum: Duration = .seconds(180),
        jitter: Double = 0.2
    ) {
        self.initial = initial
        self.increaseAfter = increaseAfter
        self.maximum = maximum
        self.jitter = jitter
    }
}

/// Where a series of attempts stands.
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
        if elapsed >= interval.increaseAfter, delay < interval.maximum {
            delay = min(delay * 3 / 2, interval.maximum)
        }
        return wait * (1 + interval.jitter * (2 * unit - 1))
    }
}
