/// A clock on which all waiting is short.
package struct ImpatientClock: Clock {
    package init() {}

    package var now: ContinuousClock.Instant { .now }
    package var minimumResolution: Duration { .zero }

    package func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        try await ContinuousClock().sleep(until: min(deadline, now + .milliseconds(1)))
    }
}
