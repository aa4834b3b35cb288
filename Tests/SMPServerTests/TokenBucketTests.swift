import NIOCore
import SMPTransport
import Synchronization
import Testing

@testable import SMPServer

/// How much is done for one client in a time.
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

    @Test func anAddressCreatesNoMoreQueuesInAnHourThanAllowedAndThisMachineAsManyAsItLikes() throws {
        let clock = Clock(time: 0)
        let limits = AddressLimits(queues: 3) { clock.now }
        let (one, other) = (try #require(IPAddress(parsing: "192.0.2.1")).limitedPrefix, try #require(IPAddress(parsing: "2001:db8::1")).limitedPrefix)
        for _ in 0..<3 { #expect(limits.mayCreateQueue(one)) }
        #expect(!limits.mayCreateQueue(one) && limits.mayCreateQueue(other))
        for _ in 0..<100 { #expect(limits.mayCreateQueue(nil)) }
        clock.advance(by: 1_200 * Self.second)
        #expect(limits.mayCreateQueue(one) && !limits.mayCreateQueue(one))
        #expect((0..<100).allSatisfy { _ in AddressLimits(queues: nil).mayCreateQueue(one) })
    }

    @Test func whoIsRefusedTooMuchIsNotReadFromForAWhile() throws {
        let clock = Clock(time: 0)
        let limits = AddressLimits(queues: nil) { clock.now }
        let prefix = try #require(IPAddress(parsing: "192.0.2.1")).limitedPrefix
        var own = TokenBucket()
        let capacity = Int(AddressLimits.verifications.capacity)
        #expect(limits.pause(after: capacity, from: prefix, own: &own) == .zero)
        #expect(limits.pause(after: 1_000, from: prefix, own: &own) == .seconds(1))
        // All sessions of an address use one core's tenth between them; on this machine each has its own.
        #expect(limits.pause(after: capacity, from: nil, own: &own) == .zero)
        #expect(limits.pause(after: 500, from: nil, own: &own) == .milliseconds(500))
        var another = TokenBucket()
        #expect(limits.pause(after: capacity, from: nil, own: &another) == .zero)
        #expect(limits.pause(after: 0, from: prefix, own: &own) == .zero)
        for _ in 0..<100 { #expect(limits.pause(after: .max, from: prefix, own: &own) <= AddressLimits.longestPause) }
        clock.advance(by: 100 * Self.second)
        #expect(limits.pause(after: 1, from: prefix, own: &own) == .zero)
    }

    private final class Clock: Sendable {
        private let time: Mutex<Int64>

        init(time: Int64) { self.time = Mutex(time) }

        var now: Int64 { time.withLock { $0 } }

        func advance(by step: Int64) { time.withLock { $0 += step } }
    }
}
