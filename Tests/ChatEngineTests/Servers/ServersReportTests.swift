import ChatProtocol
import SMPProtocol
import SMPWire
import Testing

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

    @Test func hiddenProfilesAreLeftOutOfTheSumsUnlessTheyAsk() {
        func connected(user: Int64, hidden: Set<Int64>) -> Int64? {
            ServersReport(summary, user: user, hidden: hidden, known: []).json["allUsersSMP"]?["smpTotals"]?["sessions"]?["ssConnected"]?.intValue
        }
        #expect(connected(user: 1, hidden: []) == 2)
        #expect(connected(user: 1, hidden: [2]) == 1)
        #expect(connected(user: 2, hidden: [2]) == 2)
    }
}
