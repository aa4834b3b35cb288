import ListenerSupport
import NIOCore
import RouterSupport
import SMPTransport
import Synchronization

/// The limits of a file router for one network address, and for simultaneous requests. Clients on the router's own machine have no limits per
/// address: a process there may be a thousand bots.
final class FileLimits: Sendable {
    /// Recipients that an address may add at once, and again in each day, for each chunk that it may announce in an hour.
    static let recipientsPerFile = 16
    /// Commands of one address that are read without a pause, and again in each following 4 seconds.
    static let commands = TokenBucket.Rate(4_000, in: .seconds(4))
    /// Simultaneous uploads of one address. Further ones wait, and hold no file and no room meanwhile.
    static let uploadsPerAddress = 64
    /// The divisor of the router's maximum of requests that gives the maximum of one address.
    static let shareOfAddress = 8
    /// Simultaneous requests of a client before the end of its handshake, which needs two, one after the other.
    static let requestsBeforeHandshake = 2
    /// All requests of a client before the end of its handshake.
    static let attemptsAtHandshake = 8

    private struct Requests {
        var count = 0
        var addresses: [NetworkPrefix: Int] = [:]
    }

    private let files: AddressLimits
    private let recipients: Mutex<TokenBuckets<NetworkPrefix>?>
    private let commandBuckets = Mutex(TokenBuckets<NetworkPrefix>(commands, limit: AddressLimits.rememberedAddresses))
    private let requests = Mutex(Requests())
    private let maximumRequests: Int
    private let maximumRequestsPerAddress: Int
    private let now: @Sendable () -> Int64

    /// - Parameter now: nanoseconds of a clock that only goes forward.
    init(_ configuration: FileRouterConfiguration, now: @escaping @Sendable () -> Int64 = AddressLimits.uptime) {
        files = AddressLimits(creations: configuration.filesPerAddressAndHour, now: now)
        recipients = Mutex(
            configuration.filesPerAddressAndHour.map {
                TokenBuckets(TokenBucket.Rate($0 * Self.recipientsPerFile, in: .seconds(86_400)), limit: AddressLimits.rememberedAddresses)
            })
        maximumRequests = configuration.maximumRequests
        maximumRequestsPerAddress = max(1, configuration.maximumRequests / Self.shareOfAddress)
        self.now = now
    }

    /// Checks whether an address may announce a chunk with this number of recipients now; if so, both are counted.
    func mayCreateFile(recipients number: Int, _ prefix: NetworkPrefix?) -> Bool { mayAddRecipients(number, prefix) && files.mayCreate(from: prefix) }

    /// Checks whether an address may add this number of recipients now; if so, they are counted.
    func mayAddRecipients(_ number: Int, _ prefix: NetworkPrefix?) -> Bool {
        guard let prefix else { return true }
        return recipients.withLock { $0?.take(number, for: prefix, at: now()) ?? true }
    }

    /// Counts a command.
    ///
    /// - Returns: the time for which the session must wait before its next command.
    func pause(afterCommandOf prefix: NetworkPrefix?) -> TimeAmount {
        guard let prefix else { return .zero }
        return min(.nanoseconds(commandBuckets.withLock { $0.charge(1, to: prefix, at: now()) }), AddressLimits.longestPause)
    }

    /// Counts failed key checks; a wrong password counts as ``AddressLimits/wrongPasswordCost`` of them.
    ///
    /// - Parameter own: the session's bucket, which counts if there is no address.
    /// - Returns: the time for which the session must wait before its next command.
    func pause(afterRefusals count: Int, of prefix: NetworkPrefix?, own: inout TokenBucket) -> TimeAmount {
        max(files.pause(after: count, from: prefix, own: &own), AddressLimits.pauseForVerification * Int64(count))
    }

    // MARK: Requests at a time

    /// Admits a request. ``end(_:)`` must follow an admitted one.
    ///
    /// - Returns: false if the maximum of the router or of the address is reached.
    func begin(_ prefix: NetworkPrefix?) -> Bool {
        requests.withLock { requests in
            guard requests.count < maximumRequests else { return false }
            if let prefix {
                guard requests.addresses[prefix, default: 0] < maximumRequestsPerAddress else { return false }
                requests.addresses[prefix, default: 0] += 1
            }
            requests.count += 1
            return true
        }
    }

    func end(_ prefix: NetworkPrefix?) {
        requests.withLock { requests in
            requests.count -= 1
            guard let prefix, let left = requests.addresses[prefix].map({ $0 - 1 }) else { return }
            requests.addresses[prefix] = left > 0 ? left : nil
        }
    }

    /// Requests that are being answered.
    var requestCount: Int { requests.withLock { $0.count } }
}
