/// A clock on which all waiting is short.
public struct ImpatientClock: Clock {
    public init() {}

    public var now: ContinuousClock.Instant { .now }
    public var minimumResolution: Duration { .zero }

    public func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        try await ContinuousClock().sleep(until: min(deadline, now + .milliseconds(1)))
    }
}
