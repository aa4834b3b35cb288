import SystemSupport
import Testing

/// The number of open files is known before it is used up.
@Suite struct OpenFilesTests {
    @Test func theLimitIsRaisedToWhatTheSystemPermitsAndStays() {
        let raised = OpenFiles.raiseLimit()
        #expect(raised >= OpenFiles.needed && raised == OpenFiles.limit)
        #expect(OpenFiles.raiseLimit() == raised)
    }

    @Test func aProcessThatMayOpenTooFewFilesSaysSo() throws {
        #expect(OpenFiles.shortage(limit: 56, needed: 56) == nil)
        let reason = try #require(OpenFiles.shortage(limit: 24, needed: 56))
        #expect(reason.contains("24 files") && reason.contains("needs 56") && reason.contains("ulimit -n"))
    }

    @Test(arguments: [
        (100, 50, 1_000, 100, 50), (1_000, 0, 550, 500, 0), (20_000, 1_000, 1_074, 975, 49), (5_000, 2_048, 1_074, 726, 298), (1, 1, 0, 1, 1),
        (1_000_000, 1_000_000, 52, 1, 1), (.max, .max, 1_050, 500, 500), (10, 0, 0, 2, 0),
    ])
    func connectionsAreLoweredToWhatFits(_ connections: Int, _ others: Int, _ limit: Int, _ fitting: Int, _ left: Int) {
        let result = OpenFiles.fit(connections: connections, besides: others, limit: limit, needed: 50)
        #expect(result.connections == fitting && result.others == left)
        #expect(result.connections + result.others <= max(2, limit - 50))
    }
}
