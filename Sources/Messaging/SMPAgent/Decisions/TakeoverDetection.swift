/// Notices that another client takes the subscriptions of the agent's queues: only another copy of the same data can.
struct TakeoverDetection: Sendable {
    /// The time within which subscriptions that end count together.
    static let window = Duration.seconds(60)
    /// Subscriptions that are enough, however many are left.
    static let many = 20

    private var ended: [QueueKey: Int64] = [:]
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

    /// Notes that a queue is subscribed to.
    ///
    /// - Returns: true if that ends a takeover.
    mutating func subscribed() -> Bool {
        guard isTakenOver else { return false }
        isTakenOver = false
        return true
    }
}
