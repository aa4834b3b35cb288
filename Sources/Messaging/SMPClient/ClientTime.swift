/// The passing of time for a client: a clock whose times are durations since its creation.
struct ClientTime: Sendable {
    let now: @Sendable () -> Duration
    /// Waits, or throws `CancellationError`.
    let sleep: @Sendable (Duration) async throws -> Void

    init<C: Clock<Duration>>(_ clock: C) {
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(for: $0) }
    }
}
