import ChatAPI
import ChatProtocol
import SMPWire
import Testing

@testable import ChatRules

@Suite("Values as columns contain them")
struct StoredValueTests {
    @Test(
        "every number of a column is a time, and is stored again as that number",
        arguments: [
            Int64.min, .min + 1, -1_000_000_001, -1_000_000_000, -999_999_999, -1, 0, 1, 999_999_999, 1_000_000_000, 1_790_000_000_123_456_789, .max,
        ])
    func timesRoundTrip(nanoseconds: Int64) {
        let time = UTCTimestamp(stored: nanoseconds)
        #expect(time.stored == nanoseconds)
        #expect(time.nanoseconds < 1_000_000_000)
    }

    @Test("times before 1970 count their fraction forwards")
    func negativeTimes() {
        #expect(UTCTimestamp(stored: -1) == UTCTimestamp(seconds: -1, nanoseconds: 999_999_999))
        #expect(UTCTimestamp(stored: -1_000_000_000) == UTCTimestamp(seconds: -1))
    }

    @Test("times outside of the years that a column holds are stored as its limits")
    func limits() {
        let first = UTCTimestamp(stored: .min), last = UTCTimestamp(stored: .max)
        #expect(UTCTimestamp(seconds: first.seconds, nanoseconds: first.nanoseconds - 1).stored == .min)
        #expect(UTCTimestamp(seconds: first.seconds, nanoseconds: first.nanoseconds + 1).stored == .min + 1)
        #expect(UTCTimestamp(seconds: last.seconds, nanoseconds: last.nanoseconds + 1).stored == .max)
        #expect(UTCTimestamp(seconds: last.seconds, nanoseconds: last.nanoseconds - 1).stored == .max - 1)
        #expect(UTCTimestamp(seconds: .min).stored == .min && UTCTimestamp(seconds: .max).stored == .max)
    }

    @Test("a time some seconds later keeps its fraction")
    func adding() {
        let time = UTCTimestamp(seconds: 100, nanoseconds: 7)
        #expect(time.adding(seconds: 20) == UTCTimestamp(seconds: 120, nanoseconds: 7))
        #expect(time.adding(seconds: -101) == UTCTimestamp(seconds: -1, nanoseconds: 7))
        #expect(time.adding(seconds: 0) == time)
    }

    @Test(
        "the state of a connection is stored as a word, with the error of a failed one",
        arguments: [
            ConnectionStatus.new, .prepared, .joined, .requested, .accepted, .sendReady, .ready, .deleted, .failed(connectionError: "no route"),
        ])
    func connectionStates(status: ConnectionStatus) {
        let stored = status.stored
        #expect(ConnectionStatus(stored: stored.status, error: stored.error) == status)
        #expect((stored.error != nil) == (stored.status == "failed"))
    }

    @Test("a state that nobody knows is a failed connection which names it")
    func unknownState() {
        #expect(ConnectionStatus(stored: "dreaming", error: nil) == .failed(connectionError: "dreaming"))
    }

    @Test("a column without an identifier, or with an empty one, has none")
    func identifiers() {
        #expect(MemberID(stored: nil) == nil && MemberID(stored: []) == nil)
        #expect(MemberID(stored: [1, 2]) == MemberID([1, 2]))
    }
}
