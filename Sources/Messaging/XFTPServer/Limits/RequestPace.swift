import ListenerSupport
import NIOCore
import RouterSupport
import SMPTransport

/// The pace at which a connection has commands executed: a value, which is given the time.
struct RequestPace: Sendable {
    /// Until when no command is executed, in nanoseconds of a clock that only goes forward.
    private var pausedUntil = Int64.min
    /// The failed key checks of a client on the router's own machine.
    var refusals = TokenBucket()

    init() {}

    /// Nanoseconds until the next command may be executed.
    func wait(at now: Int64) -> Int64 { pausedUntil > now ? pausedUntil - now : 0 }

    /// Adds a pause to what is left of those before it, up to ``AddressLimits/longestPause``.
    mutating func pause(_ time: TimeAmount, at now: Int64) {
        guard time > .zero else { return }
        pausedUntil = min(max(pausedUntil, now) + time.nanoseconds, now + AddressLimits.longestPause.nanoseconds)
    }
}
