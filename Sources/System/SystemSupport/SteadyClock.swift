internal import Synchronization

/// A clock for the age of data: a ``SteadyTime`` over a clock that may be set.
package final class SteadyClock: Sendable {
    private let time: Mutex<SteadyTime>
    private let timeOfDay: @Sendable () -> Duration
    private let elapsed: @Sendable () -> Duration

    /// Creates a clock that accepts the present time of day.
    ///
    /// - Parameters:
    ///   - clock: a clock that setting the time of day does not affect.
    ///   - timeOfDay: the time of day, since 1970.
    package init(over clock: any Clock<Duration> = ContinuousClock(), timeOfDay: @escaping @Sendable () -> Duration) {
        elapsed = clock.stopwatch()
        self.timeOfDay = timeOfDay
        var time = SteadyTime()
        _ = time.believed(timeOfDay(), at: elapsed())
        self.time = Mutex(time)
    }

    /// The accepted time of day, since 1970.
    package var now: Duration {
        // Read under the lock, so that time never goes back between two concurrent callers.
        time.withLock { $0.believed(timeOfDay(), at: elapsed()) }
    }
}
