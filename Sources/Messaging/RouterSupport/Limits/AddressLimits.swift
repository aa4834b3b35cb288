package import ListenerSupport
package import NIOCore
package import SMPTransport
import Synchronization

/// Rate limits of a router for one network address. Clients on the router's own machine have no such limits: a process there may be a
/// thousand bots.
package final class AddressLimits: Sendable {
    /// Failed key checks that commands of one address may cause at once, and again in each following 4 seconds. A check takes some
    /// 100 microseconds, so that refused commands of an address use at most about a tenth of a core.
    package static let verifications = TokenBucket.Rate(4_000, in: .seconds(4))
    /// Failed key checks for the commands of one session after which its other commands wait, so that its event loop serves other sessions.
    /// A queue's keys are tried together: at most 31 more than these.
    package static let verificationsAtOnce = 16
    /// The delay of a session for each of its failed key checks: ten times the duration of a check.
    package static let pauseForVerification = TimeAmount.milliseconds(1)
    /// Failed key checks for the commands of one block after which its session is ended.
    package static let verificationsOfBlock = 1_024
    /// The number of failed key checks that a wrong password counts as.
    package static let wrongPasswordCost = 50
    /// The longest time for which a session is not read from because of its failed key checks.
    package static let longestPause = TimeAmount.seconds(10)
    /// The number of addresses remembered for each limit.
    package static let rememberedAddresses = 65_536

    private let verifications = Mutex(TokenBuckets<NetworkPrefix>(AddressLimits.verifications, limit: rememberedAddresses))
    private let creations: Mutex<TokenBuckets<NetworkPrefix>?>
    /// Nanoseconds of a clock that only goes forward.
    private let now: @Sendable () -> Int64

    /// - Parameter creations: The queues or chunks that an address may create in an hour; nil: any number.
    package init(creations limit: Int?, now: @escaping @Sendable () -> Int64 = AddressLimits.uptime) {
        creations = Mutex(limit.map { TokenBuckets(TokenBucket.Rate($0, in: .seconds(3_600)), limit: Self.rememberedAddresses) })
        self.now = now
    }

    package static let uptime: @Sendable () -> Int64 = { Int64(clamping: NIODeadline.now().uptimeNanoseconds) }

    /// Checks whether the address may create one more queue or chunk now; if so, it is counted.
    package func mayCreate(from prefix: NetworkPrefix?) -> Bool {
        guard let prefix else { return true }
        return creations.withLock { $0?.take(1, for: prefix, at: now()) ?? true }
    }

    /// Counts failed key checks.
    ///
    /// - Parameter own: the session's bucket, which counts if there is no address.
    /// - Returns: the time for which the session must not be read from.
    package func pause(after failures: Int, from prefix: NetworkPrefix?, own: inout TokenBucket) -> TimeAmount {
        guard failures > 0 else { return .zero }
        let wait =
            if let prefix { verifications.withLock { $0.charge(failures, to: prefix, at: now()) } } else {
                own.charge(failures, of: Self.verifications, at: now())
            }
        return min(.nanoseconds(wait), Self.longestPause)
    }
}
