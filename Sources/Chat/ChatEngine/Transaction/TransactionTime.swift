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
    private let steadyClock: SteadyClock

    init(delays: any Clock<Duration>, timeOfDay: @escaping @Sendable () -> UTCTimestamp) {
        self.delays = delays
        self.timeOfDay = timeOfDay
        steadyClock = SteadyClock(over: delays) { timeOfDay().sinceEpoch }
    }

    /// The time for a transaction that begins now.
    var time: TransactionTime { TransactionTime(now: timeOfDay(), steady: steady) }

    /// The time of day for the age of things, unaffected by a system clock that jumps.
    var steady: UTCTimestamp { UTCTimestamp(sinceEpoch: steadyClock.now) }

    func sleep(for duration: Duration) async throws { try await delays.sleep(for: duration) }
}
