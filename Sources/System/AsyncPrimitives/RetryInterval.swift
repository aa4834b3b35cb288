/// The waits between attempts: they grow by half, up to a maximum, when one has waited for long enough.
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

    /// The wait, without jitter, after a wait of `delay`, when `elapsed` has been waited including it; the first one after none.
    package func next(after delay: Duration, elapsed: Duration) -> Duration {
        guard delay > .zero else { return initial }
        guard elapsed >= increaseAfter, delay != maximum else { return delay }
        return min(delay * 3 / 2, maximum)
    }
}
