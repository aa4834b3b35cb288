/// The waits between attempts. After ``increaseAfter``, they grow by half each time, up to a maximum.
package struct RetryInterval: Sendable, Hashable {
    /// The wait after the first attempt.
    package var initial: Duration
    /// The total of waits until which they stay the same.
    package var increaseAfter: Duration
    /// The longest wait.
    package var maximum: Duration
    /// The fraction of a wait, 0 to 1, by which it is made longer or shorter at random, so that the clients of a restarted
    /// router do not reconnect all at once.
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

    /// Returns the wait, without jitter, after a wait of `delay`, if all waits including it add up to `elapsed`; the first wait if `delay` is zero.
    package func next(after delay: Duration, elapsed: Duration) -> Duration {
        guard delay > .zero else { return initial }
        guard elapsed >= increaseAfter, delay != maximum else { return delay }
        return min(delay * 3 / 2, maximum)
    }
}
