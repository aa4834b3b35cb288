internal import ChatProtocol
internal import Hosting

/// The lines of `parley top`, from two reports of the process.
struct TopView {
    private(set) var lines: [String] = []
    private let width: Int

    /// Profiles that are shown; the busiest come first.
    static let profileLimit = 40
    /// Columns of the terminal for the id of a profile.
    private static let nameWidth = 20
    /// Columns of the terminal for a number.
    private static let numberWidth = 8
    /// Errors that are shown.
    static let errorLimit = 8

    /// - Parameter last: the report before it; nil for a view without rates.
    init(_ report: TopReport, since last: TopReport?, width: Int) {
        self.width = width
        let values = Values(report.json)
        head(values)
        routers(values)
        let seconds = last.map { max(0.001, $0.time.duration(to: report.time) / .seconds(1)) }
        relay(values, last, after: seconds)
        channels(values)
        lines.append("")
        profiles(values, last, after: seconds)
        errors(values)
    }

    private mutating func head(_ values: Values) {
        var parts = [
            "Parley \(values.text("version"))", values.text("phase"), "up \(Self.duration(values.int("uptime")))", "\(values.list("profiles").count) profiles",
            "\(values.int("running")) running",
        ]
        if let bytes = values.value("residentBytes")?.intValue { parts.append("\(bytes >> 20) MB") }
        if values.value("storageFailing")?.boolValue == true { parts.append("THE DISK FAILS") }
        lines.append(fitted(parts.joined(separator: " · ")))
    }

    private mutating func routers(_ values: Values) {
        let routers = values.list("routers"), lost = routers.filter { $0.value("reached")?.boolValue == false }
        var line = "routers: \(routers.count - lost.count) reached"
        if !lost.isEmpty { line += ", \(lost.count) not reached: " + lost.map { VisibleText.name($0.text("address")) }.joined(separator: ", ") }
        lines.append(fitted(line))
    }

    private mutating func relay(_ values: Values, _ last: TopReport?, after seconds: Double?) {
        guard let relay = values.nested("relay") else { return }
        var parts = ["relay: " + TableColumns.counted(relay.int("channels"), "channel"), TableColumns.counted(relay.int("subscribers"), "subscriber")]
        if let seconds, let before = last.flatMap({ Values($0.json).nested("relay") }) {
            let rate = TableColumns.rate(from: Int64(before.int("deliveries")), to: Int64(relay.int("deliveries")), in: seconds)
            parts.append("\(TableColumns.rate(rate)) deliveries/s")
        }
        parts.append("\(TableColumns.sum(Int64(relay.int("waitingMessages")), Int64(relay.int("waitingBodies")))) waiting")
        if relay.int("lagSeconds") > 0 { parts.append("lag \(Self.duration(relay.int("lagSeconds")))") }
        if relay.value("draining")?.boolValue == true { parts.append("draining") }
        lines.append(fitted(parts.joined(separator: " · ")))
    }

    /// The channels that nobody passes posts on for.
    private mutating func channels(_ values: Values) {
        let names = values.list("profiles").flatMap { $0.value("channelsWithoutRelay")?.arrayValue?.compactMap(\.stringValue) ?? [] }
        if !names.isEmpty { lines.append(fitted("NO RELAY FOR: " + names.map { VisibleText.name($0) }.joined(separator: ", "))) }
    }

    private mutating func profiles(_ values: Values, _ last: TopReport?, after seconds: Double?) {
        var before: [String: Values] = [:]
        for profile in last.map({ Values($0.json).list("profiles") }) ?? [] { before[profile.text("id")] = profile }
        let columns = ["CHATS", "EVENTS", "EV/s", "HANDLED", "FAILED", "DROPPED", "SENT/s", "WAITING", "P50", "P99"]
        lines.append(fitted(TableColumns.left("PROFILE", Self.nameWidth) + columns.map { TableColumns.right($0, Self.numberWidth) }.joined()))
        func rate(_ key: String, _ profile: Values) -> Double? {
            guard let seconds, let earlier = before[profile.text("id")] else { return nil }
            return TableColumns.rate(from: Int64(earlier.int(key)), to: Int64(profile.int(key)), in: seconds)
        }
        let all = values.list("profiles").map { (profile: $0, rate: rate("events", $0) ?? 0) }
        let shown = all.sorted {
            ($0.profile.int("waiting"), $0.rate, $0.profile.int("events")) > ($1.profile.int("waiting"), $1.rate, $1.profile.int("events"))
        }
        for (profile, _) in shown.prefix(Self.profileLimit) {
            let cells = [
                "\(profile.int("chats"))", "\(profile.int("events"))", TableColumns.rate(rate("events", profile)), "\(profile.int("completed"))",
                "\(profile.int("failed"))", "\(profile.int("dropped"))", TableColumns.rate(rate("effects", profile)), "\(profile.int("waiting"))",
                Self.time(profile.value("p50Microseconds")?.intValue), Self.time(profile.value("p99Microseconds")?.intValue),
            ]
            lines.append(
                fitted(
                    TableColumns.left(VisibleText.name(profile.text("id")), Self.nameWidth) + cells.map { TableColumns.right($0, Self.numberWidth) }.joined()))
        }
        if shown.count > Self.profileLimit { lines.append("… and \(shown.count - Self.profileLimit) more") }
    }

    private mutating func errors(_ values: Values) {
        let errors = values.list("errors")
        guard !errors.isEmpty else { return }
        lines.append("")
        lines.append("ERRORS, the newest first")
        for error in errors.prefix(Self.errorLimit) {
            lines.append(
                fitted(
                    [error.text("time"), VisibleText.name(error.text("bot")), error.text("code"), error.text("handler")].filter { !$0.isEmpty }
                        .joined(separator: "  ")))
        }
    }

    // MARK: Texts

    private func fitted(_ line: String) -> String { VisibleText.fitted(line, to: width) }

    /// A bound of a histogram: `≤5ms`.
    private static func time(_ microseconds: Int64?) -> String {
        guard let microseconds else { return "–" }
        let milliseconds = Double(microseconds) / 1000
        return milliseconds < 1000 ? "≤\(milliseconds.trimmed)ms" : "≤\((milliseconds / 1000).trimmed)s"
    }

    static func duration(_ seconds: Int) -> String {
        switch seconds {
        case ..<60: "\(seconds)s"
        case ..<3_600: "\(seconds / 60)m \(seconds % 60)s"
        case ..<86_400: "\(seconds / 3_600)h \(seconds / 60 % 60)m"
        default: "\(seconds / 86_400)d \(seconds / 3_600 % 24)h"
        }
    }
}

extension Double {
    /// Without a fraction that is zero.
    fileprivate var trimmed: String { Int(exactly: self).map { "\($0)" } ?? "\(self)" }
}

/// The members of a report. What is missing is empty: a newer program may watch an older process.
private struct Values {
    private let object: JSONObject

    init(_ json: JSONValue) { object = json.objectValue ?? JSONObject([]) }

    func value(_ key: String) -> JSONValue? { object[key] }
    func text(_ key: String) -> String { object[key]?.stringValue ?? "" }
    func int(_ key: String) -> Int { object[key]?.intValue.flatMap { Int(exactly: $0) } ?? 0 }
    func nested(_ key: String) -> Values? { self.object[key].flatMap { $0.objectValue == nil ? nil : Values($0) } }
    func list(_ key: String) -> [Values] { object[key]?.arrayValue?.map(Values.init) ?? [] }
}
