internal import ChatProtocol
internal import Foundation
internal import Hosting

/// The state of a process that runs bots at one moment: what `parley top` shows and the gauges of `/metrics`.
struct HostStatus: MonitoredState {
    struct Profile: Sendable {
        let id: String
        let name: String
        let chats: Int
        /// Events that wait for handlers.
        let waiting: Int
        /// The names of its channels that no relay serves.
        var channelsWithoutRelay: [String] = []
        let counts: BotMetrics.Counts
    }

    struct Router: Sendable {
        let address: String
        let isReached: Bool

        /// The routers of subscriptions, in the order of their addresses.
        ///
        /// - Parameters:
        ///   - active: the number of queues that receive, by router.
        ///   - pending: the number of those that are to be subscribed to, by router.
        static func all(active: JSONValue, pending: JSONValue) -> [Self] {
            let reached = Set(active.objectValue?.keys ?? []), all = reached.union(pending.objectValue?.keys ?? [])
            return all.sorted().map { Self(address: $0, isReached: reached.contains($0)) }
        }
    }

    let phase: HostMonitor.Phase
    let isStorageFailing: Bool
    /// True while another copy of the folder receives what is sent to it.
    var isTakenOver = false
    /// True if profiles have connections that the agent does not know.
    var hasLostConnections = false
    let uptime: Duration
    let profiles: [Profile]
    let routers: [Router]
    /// Handlers that run.
    let running: Int
    /// The work of the profile that relays for others; nil without one.
    let relay: RelayReport?
    let failures: [HostMonitor.Failure]
    /// Bytes of memory of the process that are in use; nil if the system does not tell.
    let residentBytes: Int?

    /// True if the process does its work: it has started, its disks take what it is given, and its connections are its own.
    var isHealthy: Bool { report.isHealthy }

    /// The answer to a health check: what is wrong, in words that do not change.
    var health: JSONValue { report.json }

    /// An unreachable router is no failure here: the bots go on by themselves, and a restart would not help.
    private var report: HealthReport {
        HealthReport(
            problems: phase.problems
                + HealthReport.Problem.folder(isStorageFailing: isStorageFailing, isTakenOver: isTakenOver, hasLostConnections: hasLostConnections),
            version: ParleyVersion.current.parley, profiles: profiles.count, unreachableRouters: routers.count { !$0.isReached },
            channelsWithoutRelay: profiles.reduce(0) { $0 + $1.channelsWithoutRelay.count })
    }

    /// The report for `parley top`.
    var json: JSONValue {
        var object = JSONObjectWriter()
        object["version"] = ParleyVersion.current.parley
        object["phase"] = phase.rawValue
        object["storageFailing"] = isStorageFailing
        object["uptime"] = Int(uptime.seconds)
        object["residentBytes"] = residentBytes
        object["running"] = running
        object["profiles"] = JSONValue.array(profiles.map(\.json))
        object["routers"] = JSONValue.array(routers.map { ["address": .string($0.address), "reached": .bool($0.isReached)] })
        object["relay"] = relay?.json
        object["errors"] = JSONValue.array(
            failures.map {
                [
                    "time": .string(Date.ISO8601FormatStyle().format($0.time)), "bot": .string($0.bot), "code": .string($0.code),
                    "handler": .string($0.place),
                ]
            })
        return object.json
    }

    /// The metrics of a registry, and the gauges of the process after them.
    func metrics(behind registry: MetricsRegistry?) -> PrometheusText {
        var text = PrometheusText(registry)
        text.gauge("parley_build_info", "The version of Parley.", [([("version", ParleyVersion.current.parley)], 1)])
        text.gauge("parley_ready", "1 if all bots have started.", phase == .ready ? 1 : 0)
        text.gauge("parley_storage_failing", "1 while nothing is accepted because the disk fails.", isStorageFailing ? 1 : 0)
        text.gauge("parley_profiles", "Profiles that run.", Double(profiles.count))
        text.gauge("parley_handlers_running", "Handlers that run.", Double(running))
        text.gauge("parley_events_waiting", "Events that wait for handlers.", profiles.map { ([("bot", $0.id)], Double($0.waiting)) })
        text.gauge("parley_chats", "Chats of a bot.", profiles.map { ([("bot", $0.id)], Double($0.chats)) })
        text.gauge("parley_router_reached", "1 if the router can be reached.", routers.map { ([("router", $0.address)], $0.isReached ? 1 : 0) })
        text.gauge(
            "parley_channels_without_relay", "Channels of a bot that no relay serves.",
            profiles.map { ([("bot", $0.id)], Double($0.channelsWithoutRelay.count)) })
        relay?.write(to: &text)
        if let residentBytes { text.gauge("parley_resident_bytes", "Memory of the process that is in use.", Double(residentBytes)) }
        text.gauge("parley_uptime_seconds", "Time since the start of the process.", uptime.seconds.rounded(.down))
        return text
    }

    /// The memory of this process that is in use.
    static var residentBytes: Int? {
        // The second number is the resident pages.
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8), case let fields = text.split(separator: " "), fields.count > 1,
            let pages = Int(fields[1])
        else { return nil }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}

extension HostStatus.Profile {
    fileprivate var json: JSONValue {
        var object = JSONObjectWriter()
        object["id"] = id
        object["name"] = name
        object["chats"] = chats
        object["waiting"] = waiting
        if !channelsWithoutRelay.isEmpty { object["channelsWithoutRelay"] = JSONValue.array(channelsWithoutRelay.map { .string($0) }) }
        object["events"] = counts.events
        object["dropped"] = counts.dropped
        object["completed"] = counts.completed
        object["failed"] = counts.failed
        object["effects"] = counts.effects
        object["refused"] = counts.refusedEffects
        object["p50Microseconds"] = bound(0.5)
        object["p99Microseconds"] = bound(0.99)
        return object.json
    }

    /// A bound of a share of the durations, in microseconds; nil above all bounds.
    private func bound(_ share: Double) -> Int? {
        counts.durations?.quantile(share).flatMap { $0.isFinite ? Int(($0 * 1_000_000).rounded()) : nil }
    }
}

extension HostMonitor.Phase {
    fileprivate var problems: [HealthReport.Problem] {
        switch self {
        case .starting: [.starting]
        case .ready: []
        case .stopping: [.stopping]
        }
    }
}
