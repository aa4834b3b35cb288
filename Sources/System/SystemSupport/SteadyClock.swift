internal import Synchronization

/// A clock of the day for the age of things: a ``SteadyTime`` over one that may be set.
package final class SteadyClock: Sendable {
    private let time: Mutex<SteadyTime>
    private let timeOfDay: @Sendable () -> Duration
    private let elapsed: @Sendable () -> Duration

    /// Believes the clock as it is set now.
    ///
    /// - Parameters:
    ///   - clock: passes whatever the clock of the day is set to.
    ///   - timeOfDay: the time of the clock, since 1970.
    package init(over clock: any Clock<Duration> = ContinuousClock(), timeOfDay: @escaping @Sendable () -> Duration) {
        elapsed = clock.stopwatch()
        self.timeOfDay = timeOfDay
        var time = SteadyTime()
        _ = time.believed(timeOfDay(), at: elapsed())
        self.time = Mutex(time)
    }

    /// The time of day to believe, since 1970.
    package var now: Duration {
        // Asked for under the lock, so that time never goes back between two concurrent callers.
        time.withLock { $0.believed(timeOfDay(), at: elapsed()) }
    }
}
