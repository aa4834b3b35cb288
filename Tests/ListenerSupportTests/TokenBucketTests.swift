import Testing

@testable import ListenerSupport

/// Tokens that are taken and come back.
@Suite struct TokenBucketTests {
    private static let second: Int64 = 1_000_000_000
    private let rate = TokenBucket.Rate(10, in: .seconds(10))

    @Test func aBucketGivesWhatItHoldsAtOnceAndThenWhatComesBack() {
        var bucket = TokenBucket()
        #expect(bucket.take(10, of: rate, at: 0) == true)
        #expect(bucket.take(1, of: rate, at: 0) == false)
        #expect(bucket.take(1, of: rate, at: Self.second) == true)
        #expect(bucket.take(1, of: rate, at: Self.second) == false)
        #expect(bucket.take(10, of: rate, at: 100 * Self.second) == true)
        #expect(bucket.take(11, of: rate, at: 1_000 * Self.second) == false)
    }

    @Test func whatIsChargedIsWaitedForAndTheDebtIsBounded() {
        var bucket = TokenBucket()
        #expect(bucket.charge(10, of: rate, at: 0) == 0)
        #expect(bucket.charge(1, of: rate, at: 0) == Self.second)
        #expect(bucket.charge(1, of: rate, at: 2 * Self.second) == 0)
        #expect(bucket.charge(.max, of: rate, at: 2 * Self.second) == 10 * Self.second)
        #expect(bucket.charge(.max, of: rate, at: 2 * Self.second) == 10 * Self.second)
        #expect(bucket.charge(-5, of: rate, at: 12 * Self.second) == 0)
    }

    @Test func bucketsOfManyKeysTakeBoundedMemoryAndKeepThemApart() {
        var buckets = TokenBuckets<Int>(rate, limit: 4)
        for key in 0..<4 { #expect(buckets.take(10, for: key, at: 0) == true) }
        #expect(buckets.take(1, for: 0, at: 0) == false)
        // There is no room for more: they share one.
        #expect(buckets.take(10, for: 100, at: 0) == true)
        #expect(buckets.take(1, for: 101, at: 0) == false)
        #expect(buckets.count == 4)
        // Full ones are forgotten.
        #expect(buckets.take(10, for: 102, at: 11 * Self.second) == true)
        #expect(buckets.take(10, for: 103, at: 11 * Self.second) == true)
        #expect(buckets.count == 2)
    }
}
