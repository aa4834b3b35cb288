/// The pace at which a connection's peer may cause useless work: by messages that cannot be decrypted or used, or that only say something to the
/// agent. What goes beyond it is acknowledged later, so that the peer's queue fills up at its router instead of anything here.
///
/// Contact addresses are exempt: what one stranger sends must not keep the requests of others waiting.
struct IdleWorkAllowance: Sendable {
    /// Messages that are acknowledged at once after a time of rest.
    static let burst: Int64 = 64
    /// Milliseconds for each message after that.
    static let interval: Int64 = 200
    /// Messages of one body that count at the most.
    static let largestWeight: Int64 = 256

    /// When all messages so far are paid for, in milliseconds since 1970.
    private var paidAt: Int64 = 0

    /// Counts a body.
    ///
    /// - Parameters:
    ///   - now: milliseconds since 1970.
    ///   - weight: the useless messages in the body.
    ///   - interval: milliseconds for each message.
    /// - Returns: how long its acknowledgement has to wait.
    mutating func take(now: Int64, weight: Int = 1, interval: Int64 = interval) -> Duration {
        let price = min(max(1, Int64(weight)), Self.largestWeight) * interval, burst = Self.burst * interval
        paidAt = max(paidAt, now - burst) + price
        // A clock that was put back must not make anything wait for longer than the messages of a burst, or of this body, are worth.
        paidAt = min(paidAt, now + max(burst, price))
        return .milliseconds(max(0, paidAt - now))
    }
}
