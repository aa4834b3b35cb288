import AsyncPrimitives

/// Notices that another client takes the subscriptions of the agent's queues: only another copy of the same data can.
struct TakeoverDetection: Sendable {
    /// The time within which subscriptions that end count together.
    static let window = Duration.seconds(60)
    /// Subscriptions that are enough, however many are left.
    static let many = 20

    /// Milliseconds after which an earlier takeover says nothing about the next one.
    private static let memory: Int64 = 86_400_000

    private var ended: [QueueKey: Int64] = [:]
    /// The last pause before the queues were to be taken back, and when it began.
    private var lastPause: (length: Duration, beganAt: Int64)?
    /// True after a takeover, until a queue is subscribed to again.
    private(set) var isTakenOver = false

    /// Counts a subscription that has ended because another client subscribed.
    ///
    /// - Parameters:
    ///   - now: milliseconds.
    ///   - active: the number of queues that are still subscribed to.
    /// - Returns: true if that makes it a takeover.
    mutating func end(_ queue: QueueKey, now: Int64, active: () -> Int) -> Bool {
        guard !isTakenOver else { return false }
        ended = ended.filter { now - $0.value < Self.window.wholeMilliseconds }
        ended[queue] = now
        guard ended.count >= Self.many || ended.count >= active() else { return false }
        isTakenOver = true
        ended = [:]
        return true
    }

    /// The pause before the queues are taken back. It grows with each takeover within a day: another copy that still runs takes them again.
    mutating func pause(_ interval: RetryInterval, now: Int64) -> Duration {
        let last = lastPause.flatMap { now - $0.beganAt < Self.memory + $0.length.wholeMilliseconds ? $0.length : nil }
        let pause = interval.next(after: last ?? .zero, elapsed: interval.increaseAfter)
        lastPause = (pause, now)
        return pause
    }

    /// Notes that a queue is subscribed to.
    ///
    /// - Returns: true if that ends a takeover.
    mutating func subscribed() -> Bool {
        guard isTakenOver else { return false }
        isTakenOver = false
        return true
    }
}
