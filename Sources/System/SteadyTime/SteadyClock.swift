internal import Synchronization

/// A ``SteadyTime`` over a clock that may be set.
public final class SteadyClock: Sendable {
    private let time = Mutex(SteadyTime())
    private let elapsed: @Sendable () -> Duration

    /// - Parameter clock: passes whatever the clock of the day is set to.
    public init(over clock: any Clock<Duration> = ContinuousClock()) { elapsed = Self.stopwatch(clock) }

    private static func stopwatch<Measure: Clock>(_ clock: Measure) -> @Sendable () -> Duration where Measure.Duration == Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }

    /// The time of day to believe when the clock says this, since 1970.
    public func believed(_ time: Duration) -> Duration {
        // Asked for under the lock, so that time never goes back between two who ask at once.
        self.time.withLock { $0.believed(time, at: elapsed()) }
    }
}
