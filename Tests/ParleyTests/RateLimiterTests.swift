import Foundation
import Testing

@testable import Parley

/// How many runs a limit admits, with time as it is told.
@Suite struct RateLimiterTests {
    private static func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: 1_000_000 + seconds) }

    /// The decisions about runs at some times, as a letter each: admitted, first above the limit, further.
    private static func decisions(_ limits: [RateLimit], at times: [Double], key: String = "a") -> String {
        let limiter = RateLimiter(limits)
        return times.map { limiter.admit(key, at: date($0)) }.letters
    }

    @Test(
        arguments: [
            ([3.per(.seconds(10))], [0, 0, 0, 0, 0], "aaaff"), ([3.per(.seconds(10))], [0, 1, 2, 9.99, 10, 10.5, 11, 12], "aaafafaa"),
            ([1.per(.seconds(1))], [0, 0.5, 1, 1.5, 2], "afafa"), ([2.per(.seconds(1)), 3.per(.seconds(10))], [0, 0, 0.5, 1, 1.5, 9.9, 10, 10], "aafaffaa"),
            ([0.per(.seconds(10))], [0, 1, 10], "afa"), ([], [0, 0, 0], "aaa"), ([1.per(.seconds(10))], [100, 50, 99, 109, 110], "aff.a"),
        ] as [([RateLimit], [Double], String)])
    func aWindowSlidesAndAllLimitsHold(_ limits: [RateLimit], _ times: [Double], _ expected: String) {
        // Only whether a run is admitted; whether it is the first that is not has a test of its own.
        let decisions = Self.decisions(limits, at: times)
        #expect(decisions.map { $0 == "a" } == expected.map { $0 == "a" }, "\(decisions)")
    }

    @Test func theFirstRunAboveALimitIsToldAgainOnlyAfterOneWasAdmitted() {
        #expect(Self.decisions([2.per(.seconds(10))], at: [0, 0, 0, 1, 9, 10, 10, 10, 11]) == "aaf..aaf.")
    }

    @Test func whatIsNotAdmittedDoesNotCount() {
        let times = (0..<1_000).map { Double($0) / 100 } + [10.0]
        #expect(Self.decisions([1.per(.seconds(10))], at: times).filter { $0 == "a" }.count == 2)
    }

    @Test func aKeyUsesUpItsOwnLimitOnly() {
        let limiter = RateLimiter([1.per(.seconds(10))])
        #expect(["a", "b", "a", "b", "c"].map { limiter.admit($0, at: Self.date(0)) }.letters == "aaffa")
    }

    @Test func thoseWhoWereSilentLongestAreForgottenBeyondTenThousand() {
        let limiter = RateLimiter([1.per(.seconds(1e9))])
        for number in 0..<10_000 { _ = limiter.admit("\(number)", at: Self.date(Double(number))) }
        // All are known, and one that speaks again is not the most silent one any more.
        #expect(limiter.admit("0", at: Self.date(10_000)) == .exceededFirst)
        #expect(limiter.admit("new", at: Self.date(10_001)) == .admitted)
        #expect(limiter.admit("0", at: Self.date(10_002)) == .exceeded)
        #expect(limiter.admit("9999", at: Self.date(10_003)) == .exceededFirst)
        #expect(limiter.admit("1", at: Self.date(10_004)) == .admitted, "it was forgotten")
    }

    @Test func aLimitThatAdmitsNothingOrTakesNoTimeIsBroughtToOne() {
        #expect(0.per(.zero) == 1.per(.milliseconds(1)))
        #expect((-5).per(.seconds(-1)) == 1.per(.milliseconds(1)))
    }
}

extension [RateLimiter.Decision] {
    fileprivate var letters: String { map { $0 == .admitted ? "a" : $0 == .exceededFirst ? "f" : "." }.joined() }
}
