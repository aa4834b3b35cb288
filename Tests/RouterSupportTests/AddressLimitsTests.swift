import ListenerSupport
import NIOCore
import SMPTransport
import Synchronization
import Testing

@testable import RouterSupport

/// How much is done for one client in a time.
@Suite struct AddressLimitsTests {
    private static let second: Int64 = 1_000_000_000

    @Test func anAddressCreatesNoMoreQueuesInAnHourThanAllowedAndThisMachineAsManyAsItLikes() throws {
        let clock = Clock(time: 0)
        let limits = AddressLimits(creations: 3) { clock.now }
        let (one, other) = (try #require(IPAddress(parsing: "192.0.2.1")).limitedPrefix, try #require(IPAddress(parsing: "2001:db8::1")).limitedPrefix)
        for _ in 0..<3 { #expect(limits.mayCreate(from: one)) }
        #expect(!limits.mayCreate(from: one) && limits.mayCreate(from: other))
        for _ in 0..<100 { #expect(limits.mayCreate(from: nil)) }
        clock.advance(by: 1_200 * Self.second)
        #expect(limits.mayCreate(from: one) && !limits.mayCreate(from: one))
        #expect((0..<100).allSatisfy { _ in AddressLimits(creations: nil).mayCreate(from: one) })
    }

    @Test func whoIsRefusedTooMuchIsNotReadFromForAWhile() throws {
        let clock = Clock(time: 0)
        let limits = AddressLimits(creations: nil) { clock.now }
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
