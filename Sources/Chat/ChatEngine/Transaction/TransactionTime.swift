import ChatProtocol
import SystemSupport

/// The time of a transaction.
struct TransactionTime: Sendable {
    /// The time of day, as it is shown.
    let now: UTCTimestamp
    /// The time of day for ages and times of deletion, unaffected by a system clock that jumps.
    let steady: UTCTimestamp
}

/// The clocks of an engine: the system's time of day, the steady time of day derived from it, and the clock that delays are measured with.
struct EngineClock: Sendable {
    /// The clock of delays and timeouts.
    let delays: any Clock<Duration>
    private let timeOfDay: @Sendable () -> UTCTimestamp
    private let age: @Sendable () -> UTCTimestamp

    /// - Parameter age: The time for the age of things, where it is known better than from the time of day.
    init(delays: any Clock<Duration>, timeOfDay: @escaping @Sendable () -> UTCTimestamp, age: (@Sendable () -> UTCTimestamp)? = nil) {
        self.delays = delays
        self.timeOfDay = timeOfDay
        if let age {
            self.age = age
        } else {
            let steadyClock = SteadyClock(over: delays) { timeOfDay().sinceEpoch }
            self.age = { UTCTimestamp(sinceEpoch: steadyClock.now) }
        }
    }

    /// The time for a transaction that begins now.
    var time: TransactionTime { TransactionTime(now: timeOfDay(), steady: steady) }

    /// The time of day for the age of things, unaffected by a system clock that jumps.
    var steady: UTCTimestamp { age() }

    func sleep(for duration: Duration) async throws { try await delays.sleep(for: duration) }
}
