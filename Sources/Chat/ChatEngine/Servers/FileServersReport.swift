import ChatAPI
import ChatProtocol
import ChatRules
import SMPAgent
import SMPProtocol
import SMPWire
import XFTPAgent

/// The part of a ``ServersReport`` about file routers.
enum FileServersReport {
    private struct Router {
        var sessions: SessionCounts?
        var statistics: FileServerStatistics?
        var requests: Set<FileServerCounter> = []
        var isInUse: Bool { sessions != nil || !requests.isEmpty }
    }

    /// - Parameters:
    ///   - known: the routers that the profile has; nil in the sum of several profiles.
    ///   - isCounted: whether a profile, in the agent's numbering, is part of the sum.
    static func json(_ summary: FileServersSummary, known: Set<XFTPServerAddress>?, of isCounted: (Int64) -> Bool) -> JSONValue {
        var routers: [XFTPServerAddress: Router] = [:]
        for (key, counts) in summary.sessions where isCounted(key.user) {
            routers[key.server, default: Router()].sessions = routers[key.server]?.sessions.map { $0 + counts } ?? counts
        }
        for (key, statistics) in summary.statistics where isCounted(key.user) && !statistics.isEmpty {
            routers[key.server, default: Router()].statistics = (routers[key.server]?.statistics ?? FileServerStatistics()) + statistics
        }
        for (key, requests) in summary.requests where isCounted(key.user) { routers[key.server, default: Router()].requests.formUnion(requests.keys) }
        let sorted = routers.sorted { $0.key.wireString < $1.key.wireString }
        func list(_ isListed: (Router) -> Bool) -> JSONValue {
            .array(sorted.filter { isListed($0.value) }.map { json($0.key, $0.value, isKnown: known?.contains($0.key)) })
        }
        let sessions = routers.values.reduce(SessionCounts()) { $0 + ($1.sessions ?? SessionCounts()) }
        let statistics = routers.values.reduce(FileServerStatistics()) { $0 + ($1.statistics ?? FileServerStatistics()) }
        return [
            "xftpTotals": ["sessions": ServersReport.json(sessions), "stats": json(statistics)],
            "currentlyUsedXFTPServers": list(\.isInUse), "previouslyUsedXFTPServers": list { !$0.isInUse },
        ]
    }

    private static func json(_ address: XFTPServerAddress, _ router: Router, isKnown: Bool?) -> JSONValue {
        var object: JSONObject = ["xftpServer": .string(address.wireString)]
        if let isKnown { object["known"] = .bool(isKnown) }
        if let sessions = router.sessions { object["sessions"] = ServersReport.json(sessions) }
        if let statistics = router.statistics { object["stats"] = json(statistics) }
        object["rcvInProgress"] = .bool(router.requests.contains(.downloadAttempts))
        object["sndInProgress"] = .bool(router.requests.contains(.uploadAttempts))
        object["delInProgress"] = .bool(router.requests.contains(.deleteAttempts))
        return .object(object)
    }

    /// Sizes are in kibibytes.
    private static func json(_ statistics: FileServerStatistics) -> JSONValue {
        .object(
            JSONObject(
                FileServerCounter.allCases.map { counter in
                    let isSize = counter == .uploadsSize || counter == .downloadsSize
                    return ("_" + counter.rawValue, JSONValue.int(isSize ? statistics[counter] / 1_024 : statistics[counter]))
                }))
    }
}

extension SessionCounts {
    fileprivate static func + (one: SessionCounts, other: SessionCounts) -> SessionCounts {
        var sum = one
        sum.connected += other.connected
        sum.failed += other.failed
        sum.connecting += other.connecting
        return sum
    }
}
