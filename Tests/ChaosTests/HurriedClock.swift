/// A clock on which time passes faster, so that a test of waits for minutes takes less than a second of them.
struct HurriedClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    /// How many times faster.
    let factor: Int
    private let start = ContinuousClock.now

    init(factor: Int) { self.factor = factor }

    var now: Instant { Instant(offset: start.duration(to: .now) * factor) }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance _: Duration?) async throws {
        try await ContinuousClock().sleep(until: start + deadline.offset / factor)
    }
}
