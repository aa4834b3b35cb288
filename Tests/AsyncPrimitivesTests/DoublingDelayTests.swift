import Testing

@testable import AsyncPrimitives

@Suite struct DoublingDelayTests {
    @Test func delaysDoubleUpToTheLongestAndBeginAnewAfterASuccess() {
        var delays = DoublingDelay(from: .milliseconds(50), to: .seconds(1))
        #expect((0..<7).map { _ in delays.next() } == [50, 100, 200, 400, 800, 1_000, 1_000].map { .milliseconds($0) })
        #expect(delays.upcoming == .seconds(1))
        delays.reset()
        #expect(delays.upcoming == .milliseconds(50) && delays.next() == .milliseconds(50) && delays.next() == .milliseconds(100))
    }

    @Test func delaysStayWithinTheLongestHoweverOftenTheyAreTaken() {
        var delays = DoublingDelay(from: .nanoseconds(1), to: .seconds(86_400 * 365))
        for _ in 0..<10_000 { #expect(delays.next() <= .seconds(86_400 * 365)) }
        #expect(delays.next() == .seconds(86_400 * 365))
    }
}
