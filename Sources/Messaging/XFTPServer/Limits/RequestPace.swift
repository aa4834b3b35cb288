import ListenerSupport
import NIOCore
import RouterSupport
import SMPTransport

/// The pace at which the commands of a connection are executed: a value without a clock.
struct RequestPace: Sendable {
    /// The time until which no command is executed, in nanoseconds of a monotonic clock.
    private var pausedUntil = Int64.min
    /// The failed key checks of a client on the router's own machine.
    var refusals = TokenBucket()

    init() {}

    /// Returns the nanoseconds until the next command may be executed.
    func wait(at now: Int64) -> Int64 { pausedUntil > now ? pausedUntil - now : 0 }

    /// Adds a pause to the rest of earlier ones, up to ``AddressLimits/longestPause``.
    mutating func pause(_ time: TimeAmount, at now: Int64) {
        guard time > .zero else { return }
        pausedUntil = min(max(pausedUntil, now) + time.nanoseconds, now + AddressLimits.longestPause.nanoseconds)
    }
}
