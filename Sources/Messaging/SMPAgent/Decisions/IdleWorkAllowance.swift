/// How fast a connection's peer may make us work for nothing: by messages that cannot be decrypted or used, or that only say something to the
/// agent. What goes beyond it is acknowledged later, so that the peer's queue fills up at its router instead of anything here.
///
/// Contact addresses are exempt: what one stranger sends must not keep the requests of others waiting.
struct IdleWorkAllowance: Sendable {
    /// Messages that are acknowledged at once after a time of rest.
    static let burst: Int64 = 64
    /// Milliseconds for each message after that.
    static let interval: Int64 = 200

    /// When all messages so far are paid for, in milliseconds since 1970.
    private var paidAt: Int64 = 0

    /// Counts a message.
    ///
    /// - Parameter now: milliseconds since 1970.
    /// - Returns: how long its acknowledgement has to wait.
    mutating func take(now: Int64) -> Duration {
        paidAt = max(paidAt, now - Self.burst * Self.interval) + Self.interval
        // A clock that was put back must not make anything wait for longer than the messages of a burst are worth.
        paidAt = min(paidAt, now + Self.burst * Self.interval)
        return .milliseconds(max(0, paidAt - now))
    }
}
