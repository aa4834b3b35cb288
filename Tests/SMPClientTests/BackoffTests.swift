import AsyncPrimitives
import TestSupport
import Testing

@testable import SMPClient

@Suite("Back-off")
struct BackoffTests {
    @Test("Waits are equal for ten seconds, then grow by half up to three minutes")
    func growth() {
        var backoff = Backoff(RetryInterval(jitter: 0))
        let waits = (0..<20).map { _ in backoff.next(0.3) }
        #expect(waits.prefix(5).allSatisfy { $0 == .seconds(2) })
        #expect(waits[5] == .seconds(3))
        #expect(waits[6] == .milliseconds(4_500))
        #expect(waits.last == .seconds(180))
        #expect(zip(waits, waits.dropFirst()).allSatisfy { $0 <= $1 })
        backoff.reset()
        #expect(backoff.next(0) == .seconds(2))
    }

    @Test("SplitMix64 makes a wait longer or shorter by at most the given part")
    func jitter() {
        for (unit, expected) in [(0.0, 1.6), (0.5, 2.0), (1.0, 2.4)] {
            var backoff = Backoff(RetryInterval(jitter: 0.2))
            #expect(abs(backoff.next(unit) / .seconds(1) - expected) < 0.001)
        }
    }
}
