/// A rate limiter with a number of tokens at once, and a long-term rate. A value without a clock.
///
/// It only stores the moment at which it is full again (the generic cell rate algorithm), so that there can be many buckets.
package struct TokenBucket: Hashable, Sendable {
    /// The capacity of a bucket and the rate at which tokens come back.
    package struct Rate: Hashable, Sendable {
        /// Tokens of a full bucket.
        package let capacity: Int64
        /// Nanoseconds until one token comes back.
        package let interval: Int64

        /// - Parameters:
        ///   - capacity: 1 to 1,000,000.
        ///   - time: the time in which an empty bucket becomes full, up to a day.
        package init(_ capacity: Int, in time: Duration) {
            self.capacity = Int64(min(max(1, capacity), 1_000_000))
            let (seconds, attoseconds) = time.components
            let nanoseconds = min(max(0, seconds), 86_400) * 1_000_000_000 + attoseconds / 1_000_000_000
            interval = max(1, nanoseconds / self.capacity)
        }

        /// Nanoseconds in which an empty bucket becomes full.
        package var span: Int64 { capacity * interval }
    }

    /// The time at which the bucket is full, in nanoseconds of a monotonic clock.
    private var fullAt: Int64 = .min

    package init() {}

    package func isFull(at now: Int64) -> Bool { fullAt <= now }

    /// Takes tokens if the bucket has enough.
    package mutating func take(_ count: Int, of rate: Rate, at now: Int64) -> Bool {
        let next = after(count, rate, now)
        guard next - now <= rate.span else { return false }
        fullAt = next
        return true
    }

    /// Takes tokens that have already been used. The bucket can owe as many tokens as it can hold, and no more.
    ///
    /// - Returns: nanoseconds until the bucket owes nothing.
    package mutating func charge(_ count: Int, of rate: Rate, at now: Int64) -> Int64 {
        fullAt = min(after(count, rate, now), now + 2 * rate.span)
        return max(0, fullAt - now - rate.span)
    }

    private func after(_ count: Int, _ rate: Rate, _ now: Int64) -> Int64 {
        max(fullAt, now) + Int64(min(max(0, count), Int(rate.capacity) * 2)) * rate.interval
    }
}

/// Token buckets of many keys. Only buckets that are not full are kept.
package struct TokenBuckets<Key: Hashable & Sendable>: Sendable {
    package let rate: TokenBucket.Rate
    /// The maximum number of kept keys. Beyond it, new keys share one bucket.
    package let limit: Int

    private var buckets: [Key: TokenBucket] = [:]
    private var shared = TokenBucket()
    /// The time of the next search for full buckets, which takes long and is done at most once a second.
    private var nextSweep: Int64 = .min

    package init(_ rate: TokenBucket.Rate, limit: Int) {
        self.rate = rate
        self.limit = limit
    }

    package var count: Int { buckets.count }

    package mutating func take(_ count: Int, for key: Key, at now: Int64) -> Bool {
        var bucket = bucket(key, now)
        let isTaken = bucket.take(count, of: rate, at: now)
        put(bucket, key, now)
        return isTaken
    }

    package mutating func charge(_ count: Int, to key: Key, at now: Int64) -> Int64 {
        var bucket = bucket(key, now)
        let wait = bucket.charge(count, of: rate, at: now)
        put(bucket, key, now)
        return wait
    }

    private mutating func bucket(_ key: Key, _ now: Int64) -> TokenBucket {
        if let bucket = buckets[key] { return bucket }
        if buckets.count >= limit, nextSweep <= now {
            buckets = buckets.filter { !$0.value.isFull(at: now) }
            nextSweep = now + 1_000_000_000
        }
        return buckets.count < limit ? TokenBucket() : shared
    }

    private mutating func put(_ bucket: TokenBucket, _ key: Key, _ now: Int64) {
        if buckets[key] != nil || buckets.count < limit {
            buckets[key] = bucket
        } else {
            shared = bucket
        }
    }
}
