import ChatAPI
import ChatProtocol
import ChatRules
import SMPAgent
import SMPProtocol
import SMPWire
import XFTPAgent

/// The states of routers and their counts, in the form of the chat API: for one profile, and for all that are not hidden.
///
/// Nothing is counted of notification routers, which this core does not use.
struct ServersReport {
    /// The counts of one router.
    private struct Router {
        var sessions: SessionCounts?
        var subscriptions: SubscriptionCounts?
        var statistics: ServerStatistics?

        /// Where the router is listed.
        var category: Category {
            if sessions != nil || subscriptions != nil { return .current }
            let counters: [ServerCounter] = [
                .sentDirect, .sentProxied, .sentDirectAttempts, .sentProxiedAttempts, .recvMsgs, .connCreated, .connSecured, .connSubscribed,
                .connSubAttempts,
            ]
            return counters.contains { statistics?[$0] ?? 0 > 0 } ? .previous : .onlyProxied
        }
    }

    private enum Category { case current, previous, onlyProxied }

    let json: JSONValue

    /// - Parameters:
    ///   - user: the profile in the agent's numbering.
    ///   - hidden: profiles that the sums leave out, unless it is one of them.
    ///   - known: the routers that the profile has.
    ///   - knownForFiles: the file routers that the profile has.
    init(
        _ summary: AgentServersSummary, files: FileServersSummary = FileServersSummary(), user: AgentUserID, hidden: Set<AgentUserID>,
        known: Set<SMPServerAddress>, knownForFiles: Set<XFTPServerAddress> = []
    ) {
        let all = Self.routers(in: summary) { $0 == user || !hidden.contains($0) }
        let own = Self.routers(in: summary) { $0 == user }
        json = [
            "statsStartedAt": UTCTimestamp(milliseconds: summary.startedAt).json,
            "allUsersSMP": Self.report(all, known: nil), "allUsersXFTP": FileServersReport.json(files, known: nil) { $0 == user || !hidden.contains($0) },
            "allUsersNtf": Self.noNotifiers, "currentUserSMP": Self.report(own, known: known),
            "currentUserXFTP": FileServersReport.json(files, known: knownForFiles) { $0 == user }, "currentUserNtf": Self.noNotifiers,
        ]
    }

    private static func routers(
        in summary: AgentServersSummary, of isCounted: (AgentUserID) -> Bool
    ) -> [SMPServerAddress: Router] {
        var routers: [SMPServerAddress: Router] = [:]
        for (key, counts) in summary.sessions where isCounted(key.user) {
            var sum = routers[key.server]?.sessions ?? SessionCounts()
            sum.connected += counts.connected
            sum.failed += counts.failed
            sum.connecting += counts.connecting
            routers[key.server, default: Router()].sessions = sum
        }
        for (key, counts) in summary.subscriptions where isCounted(key.user) {
            var sum = routers[key.server]?.subscriptions ?? SubscriptionCounts()
            sum.active += counts.active
            sum.pending += counts.pending
            routers[key.server, default: Router()].subscriptions = sum
        }
        for (key, statistics) in summary.statistics where isCounted(key.user) {
            routers[key.server, default: Router()].statistics = (routers[key.server]?.statistics ?? ServerStatistics()) + statistics
        }
        return routers
    }

    private static func report(_ routers: [SMPServerAddress: Router], known: Set<SMPServerAddress>?) -> JSONValue {
        let sorted = routers.sorted { $0.key.wireString < $1.key.wireString }
        func list(_ category: Category) -> JSONValue {
            .array(
                sorted.filter { $0.value.category == category }.map { address, router in
                    var object: JSONObject = ["smpServer": .string(address.wireString)]
                    if let known { object["known"] = .bool(known.contains(address)) }
                    if let sessions = router.sessions { object["sessions"] = json(sessions) }
                    if let subscriptions = router.subscriptions { object["subs"] = json(subscriptions) }
                    if let statistics = router.statistics { object["stats"] = json(statistics) }
                    return .object(object)
                })
        }
        var sessions = SessionCounts(), subscriptions = SubscriptionCounts(), statistics = ServerStatistics()
        for router in routers.values {
            sessions.connected += router.sessions?.connected ?? 0
            sessions.failed += router.sessions?.failed ?? 0
            sessions.connecting += router.sessions?.connecting ?? 0
            subscriptions.active += router.subscriptions?.active ?? 0
            subscriptions.pending += router.subscriptions?.pending ?? 0
            statistics = statistics + (router.statistics ?? ServerStatistics())
        }
        return [
            "smpTotals": ["sessions": json(sessions), "subs": json(subscriptions), "stats": json(statistics)],
            "currentlyUsedSMPServers": list(.current), "previouslyUsedSMPServers": list(.previous), "onlyProxiedSMPServers": list(.onlyProxied),
        ]
    }

    static func json(_ counts: SessionCounts) -> JSONValue {
        ["ssConnected": .int(Int64(counts.connected)), "ssErrors": .int(Int64(counts.failed)), "ssConnecting": .int(Int64(counts.connecting))]
    }

    /// Queues, active and to be subscribed to.
    static func json(_ counts: SubscriptionCounts) -> JSONValue {
        ["ssActive": .int(Int64(counts.active)), "ssPending": .int(Int64(counts.pending))]
    }

    private static func json(_ statistics: ServerStatistics) -> JSONValue {
        .object(JSONObject(ServerCounter.allCases.map { ("_" + $0.rawValue, JSONValue.int(Int64(statistics[$0]))) }))
    }

    private static let noNotifiers: JSONValue = [
        "ntfTotals": [
            "sessions": json(SessionCounts()),
            "stats": zeros(["_ntfCreated", "_ntfCreateAttempts", "_ntfChecked", "_ntfCheckAttempts", "_ntfDeleted", "_ntfDelAttempts"]),
        ],
        "currentlyUsedNtfServers": [], "previouslyUsedNtfServers": [],
    ]

    private static func zeros(_ names: [String]) -> JSONValue { .object(JSONObject(names.map { ($0, 0) })) }
}
