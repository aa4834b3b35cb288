import ChatProtocol
import SMPProtocol
import SMPWire
import Testing
import XFTPAgent

@testable import ChatEngine
@testable import SMPAgent

@Suite struct ServersReportTests {
    private let current: SMPServerAddress, previous: SMPServerAddress, proxied: SMPServerAddress
    private let summary: AgentServersSummary

    init() {
        func address(_ name: String) -> SMPServerAddress {
            SMPServerAddress(host: .domain(name), keyHash: KeyHash(Bytes(repeating: 7, count: 32)))
        }
        (current, previous, proxied) = (address("a.example"), address("b.example"), address("c.example"))
        var sessions = SessionCounts(), queues = SubscriptionCounts(), sent = ServerStatistics(), viaProxy = ServerStatistics()
        sessions.connected = 1
        (queues.active, queues.pending) = (3, 1)
        sent[.sentDirect] = 5
        viaProxy[.sentViaProxy] = 2
        summary = AgentServersSummary(
            statistics: [
                AgentServerKey(user: 1, server: current): sent, AgentServerKey(user: 2, server: current): sent,
                AgentServerKey(user: 1, server: previous): sent, AgentServerKey(user: 1, server: proxied): viaProxy,
            ],
            startedAt: 1_700_000_000_000, sessions: [AgentServerKey(user: 1, server: current): sessions, AgentServerKey(user: 2, server: current): sessions],
            subscriptions: [AgentServerKey(user: 1, server: current): queues])
    }

    private func names(_ list: JSONValue?) -> [String] {
        list?.arrayValue?.compactMap { $0["smpServer"]?.stringValue?.split(separator: "@").last.map(String.init) } ?? []
    }

    @Test func routersAreListedByWhetherTheyAreUsedNow() {
        let own = ServersReport(summary, user: 1, hidden: [], known: [current]).json["currentUserSMP"]
        #expect(names(own?["currentlyUsedSMPServers"]) == ["a.example"])
        #expect(names(own?["previouslyUsedSMPServers"]) == ["b.example"])
        #expect(names(own?["onlyProxiedSMPServers"]) == ["c.example"])
        #expect(own?["currentlyUsedSMPServers"]?[0]?["known"] == true)
        #expect(own?["previouslyUsedSMPServers"]?[0]?["known"] == false)
        #expect(own?["smpTotals"]?["stats"]?["_sentDirect"]?.intValue == 10)
        #expect(own?["smpTotals"]?["subs"] == ["ssActive": 3, "ssPending": 1])
    }

    private func fileRouter(_ name: String) -> XFTPServerAddress {
        XFTPServerAddress(host: .domain(name), keyHash: KeyHash(Bytes(repeating: 7, count: 32)))
    }

    @Test func fileRoutersAreListedWithWhatWasCounted() {
        let used = FileServerKey(user: 1, server: fileRouter("f.example")), other = FileServerKey(user: 2, server: fileRouter("f.example"))
        let before = FileServerKey(user: 1, server: fileRouter("g.example")), busy = FileServerKey(user: 1, server: fileRouter("h.example"))
        var sent = FileServerStatistics(), received = FileServerStatistics(), session = SessionCounts()
        (sent[.uploads], sent[.uploadsSize], sent[.uploadAttempts]) = (2, 2 << 20, 3)
        (received[.downloads], received[.downloadsSize], received[.downloadAuthErrs]) = (1, 65_536, 1)
        session.connected = 1
        let files = FileServersSummary(
            statistics: [used: sent, other: sent, before: received], sessions: [used: session, other: session], requests: [busy: [.downloadAttempts: 1]])
        let report = ServersReport(summary, files: files, user: 1, hidden: [2], known: [], knownForFiles: [fileRouter("f.example")]).json
        let own = report["currentUserXFTP"], all = ServersReport(summary, files: files, user: 1, hidden: [], known: []).json["allUsersXFTP"]
        func names(_ list: JSONValue?) -> [String] {
            list?.arrayValue?.compactMap { $0["xftpServer"]?.stringValue?.split(separator: "@").last.map(String.init) } ?? []
        }
        #expect(names(own?["currentlyUsedXFTPServers"]) == ["f.example", "h.example"] && names(own?["previouslyUsedXFTPServers"]) == ["g.example"])
        #expect(own?["currentlyUsedXFTPServers"]?[0]?["known"] == true && own?["previouslyUsedXFTPServers"]?[0]?["known"] == false)
        #expect(own?["currentlyUsedXFTPServers"]?[1]?["rcvInProgress"] == true && own?["currentlyUsedXFTPServers"]?[0]?["rcvInProgress"] == false)
        let totals = own?["xftpTotals"]?["stats"]
        #expect(totals?["_uploads"] == 2 && totals?["_uploadsSize"] == 2_048 && totals?["_uploadAttempts"] == 3)
        #expect(totals?["_downloadsSize"] == 64 && totals?["_downloadAuthErrs"] == 1 && totals?["_deleteErrs"] == 0)
        #expect(report["allUsersXFTP"]?["xftpTotals"]?["stats"]?["_uploads"] == 2)
        #expect(all?["xftpTotals"]?["stats"]?["_uploads"] == 4 && all?["xftpTotals"]?["sessions"]?["ssConnected"] == 2)
        #expect(all?["currentlyUsedXFTPServers"]?[0]?["known"] == nil)
    }

    @Test func hiddenProfilesAreLeftOutOfTheSumsUnlessTheyAsk() {
        func connected(user: Int64, hidden: Set<Int64>) -> Int64? {
            ServersReport(summary, user: user, hidden: hidden, known: []).json["allUsersSMP"]?["smpTotals"]?["sessions"]?["ssConnected"]?.intValue
        }
        #expect(connected(user: 1, hidden: []) == 2)
        #expect(connected(user: 1, hidden: [2]) == 1)
        #expect(connected(user: 2, hidden: [2]) == 2)
    }
}
