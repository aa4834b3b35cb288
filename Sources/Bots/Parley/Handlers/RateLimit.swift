internal import Foundation
internal import Synchronization

/// A number of runs within a time.
public struct RateLimit: Sendable, Hashable {
    let count: Int
    let seconds: Double

    /// - Parameters:
    ///   - count: at least 1.
    ///   - duration: more than zero.
    public init(_ count: Int, per duration: Duration) {
        self.count = max(1, count)
        seconds = max(0.001, duration.seconds)
    }
}

extension Int {
    /// So many runs within a time: `5.per(.seconds(10))`.
    public func per(_ duration: Duration) -> RateLimit { RateLimit(self, per: duration) }
}

/// The runs that a limit counts together.
public enum RateLimitScope: Sendable, Hashable {
    case person, chat, bot
}

extension Middleware {
    /// A limit on how often handlers run. An event above it counts as handled, and no handler runs.
    ///
    /// Timers and the start of the bot are neither counted nor held back: nobody can make a reminder fall away by writing much.
    ///
    /// Counts are in memory, for 10,000 people or chats at the most.
    ///
    /// - Parameters:
    ///   - limits: all of them must admit the run.
    ///   - scope: the messages that are counted together: by default those of one person.
    ///   - exceeded: runs for the first event above a limit, until one is admitted again: to tell the person, once.
    public static func limit(
        _ limits: RateLimit..., by scope: RateLimitScope = .person, exceeded: (@Sendable (HandlerCall) async throws -> Void)? = nil
    ) -> Middleware {
        let limiter = RateLimiter(limits)
        return Middleware { call, next in
            guard !call.isOwn else { return try await next() }
            let key =
                switch scope {
                case .person: call.person?.description ?? call.chat?.scopeText ?? ""
                case .chat: call.chat?.scopeText ?? ""
                case .bot: ""
                }
            switch limiter.admit("\(call.bot.userID) \(key)", at: call.time) {
            case .admitted: try await next()
            case .exceededFirst: try await exceeded?(call)
            case .exceeded: break
            }
        }
    }

    /// A limit on how often handlers run: `Use(.limit(5, per: .seconds(10)))`.
    public static func limit(
        _ count: Int, per duration: Duration, by scope: RateLimitScope = .person, exceeded: (@Sendable (HandlerCall) async throws -> Void)? = nil
    ) -> Middleware { limit(count.per(duration), by: scope, exceeded: exceeded) }
}

/// Counts runs in sliding windows.
final class RateLimiter: Sendable {
    enum Decision: Sendable, Hashable {
        case admitted, exceededFirst, exceeded
    }

    private struct Bucket {
        /// The times of admitted runs within the longest window, in seconds, oldest first.
        var runs: [Double] = []
        var isExceeded = false
        var last: Double
    }

    /// Seconds by which a clock can be set back at once.
    private static let tolerance = 3_600.0
    /// Keys that are counted at the most; those that were silent longest are forgotten first.
    private static let largestNumberOfKeys = 10_000

    private let limits: [RateLimit]
    private let window: Double
    private let buckets = Mutex<[String: Bucket]>([:])

    init(_ limits: [RateLimit]) {
        self.limits = limits
        window = limits.map(\.seconds).max() ?? 0
    }

    func admit(_ key: String, at date: Date) -> Decision {
        let now = date.timeIntervalSince1970
        return buckets.withLock { buckets in
            if buckets.count >= Self.largestNumberOfKeys, buckets[key] == nil { Self.forgetOldest(&buckets) }
            var bucket = buckets[key] ?? Bucket(last: now)
            bucket.last = now
            // Those that are far in the future were counted while the clock was wrong.
            bucket.runs.removeAll { $0 <= now - window || $0 > now + Self.tolerance }
            let isAdmitted = limits.allSatisfy { limit in bucket.runs.count { $0 > now - limit.seconds } < limit.count }
            let isFirst = !bucket.isExceeded
            if isAdmitted { bucket.runs.append(now) }
            bucket.isExceeded = !isAdmitted
            buckets[key] = bucket
            return isAdmitted ? .admitted : isFirst ? .exceededFirst : .exceeded
        }
    }

    /// Half of the keys go at once, so that the search for them is rare.
    private static func forgetOldest(_ buckets: inout [String: Bucket]) {
        let kept = buckets.sorted { $0.value.last > $1.value.last }.prefix(largestNumberOfKeys / 2)
        buckets = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }
}

extension HandlerCall {
    /// The time as the bot sees it.
    var time: Date { chat?.effects.now ?? Date() }
}
