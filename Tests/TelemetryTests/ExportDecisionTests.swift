import Testing

@testable import Telemetry

/// What follows from the answer of a collector.
@Suite struct ExportDecisionTests {
    private static func decision(_ status: Int, retryAfter: String? = nil, body: String = "{}") -> ExportDecision {
        ExportDecision(.answered(status: status, retryAfter: retryAfter, body: Array(body.utf8)))
    }

    @Test func onlyTheStatusesOfTheSpecificationAreTriedAgain() {
        for status in [429, 502, 503, 504] { #expect(Self.decision(status) == .retry(after: nil)) }
        for status in [301, 400, 401, 404, 413, 500, 501] { #expect(Self.decision(status) == .drop("status \(status)")) }
        #expect(ExportDecision(.failed("refused", isTemporary: true)) == .retry(after: nil))
        #expect(ExportDecision(.failed("untrusted", isTemporary: false)) == .drop("untrusted"))
    }

    @Test func aCollectorDecidesTheNextAttemptWithinABound() {
        #expect(Self.decision(429, retryAfter: "7") == .retry(after: .seconds(7)))
        #expect(Self.decision(429, retryAfter: "99999999") == .retry(after: ExportDecision.longestPause))
        #expect(Self.decision(503, retryAfter: "-1") == .retry(after: .zero))
        #expect(Self.decision(503, retryAfter: "Sun, 06 Nov 1994 08:49:37 GMT") == .retry(after: nil))
    }

    @Test func rejectedPartsOfASuccessAreCounted() {
        #expect(Self.decision(200) == .done(rejected: 0))
        #expect(Self.decision(202, body: "") == .done(rejected: 0))
        #expect(Self.decision(200, body: #"{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}}"#) == .done(rejected: 3))
        #expect(Self.decision(200, body: #"{"partialSuccess":{"rejectedDataPoints":4}}"#) == .done(rejected: 4))
        #expect(Self.decision(200, body: #"{"partialSuccess":{"rejectedSpans":"-3"}}"#) == .done(rejected: 0))
    }
}
