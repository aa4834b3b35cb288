internal import ChatProtocol
internal import Hosting

/// The lines of `parley relay status`, from a report of the relay.
struct RelayView {
    private let report: JSONObject
    private let isRunning: Bool
    /// Deliveries a second; nil if they were not measured.
    private let rate: Double?

    /// Columns of the terminal for the name of a channel, and for a number.
    private static let nameWidth = 24
    private static let numberWidth = 12

    init(_ report: JSONValue, isRunning: Bool, rate: Double?) {
        self.report = report.objectValue ?? JSONObject([])
        self.isRunning = isRunning
        self.rate = rate
    }

    /// Deliveries a second between two reports.
    static func rate(from first: JSONValue, to second: JSONValue, after time: Duration) -> Double {
        let before = first["deliveries"]?.intValue ?? 0, after = second["deliveries"]?.intValue ?? 0
        return TableColumns.rate(from: before, to: after, in: time / .seconds(1))
    }

    /// True if something is accepted and not delivered.
    var isWaiting: Bool { int("waitingMessages") > 0 || int("waitingBodies") > 0 }

    /// The report with what only the command knows.
    var json: JSONValue {
        var members = report.members.map { ($0.key, $0.value) }
        members.insert(("running", .bool(isRunning)), at: 0)
        if let number = rate.flatMap({ JSONNumber(($0 * 10).rounded() / 10) }) { members.insert(("deliveriesPerSecond", .number(number)), at: 1) }
        return .object(JSONObject(members))
    }

    var lines: [String] {
        var state = [isRunning ? "running" : "not running"]
        if report["draining"]?.boolValue == true { state.append("draining: takes no new channels and subscribers") }
        state.append(
            isWaiting
                ? "waiting: \(counted("waitingMessages", "message")) and \(counted("waitingBodies", "body", "bodies")), lag \(int("lagSeconds")) s"
                : "nothing waits")
        var done = [counted("messages", "message"), counted("deliveries", "delivery", "deliveries")]
        if let rate { done.append("\(TableColumns.rate(rate)) a second") }
        done.append("\(int("bytesToday")) bytes today")
        var lines = [
            "Relay: " + state.joined(separator: " · "), "\(counted("channels", "channel")) · \(counted("subscribers", "subscriber"))",
            "Passed on: " + done.joined(separator: " · "),
        ]
        let channels = report["busiest"]?.arrayValue?.compactMap(\.objectValue) ?? []
        guard !channels.isEmpty else { return lines + leftLines }
        let columns = ["SUBSCRIBERS", "MESSAGES", "DELIVERIES", "WAITING", "LAG"]
        lines += ["", TableColumns.left("CHANNEL", Self.nameWidth) + columns.map { TableColumns.right($0, Self.numberWidth) }.joined() + "  PUBLIC GROUP ID"]
        for channel in channels {
            func number(_ key: String) -> Int64 { channel[key]?.intValue ?? 0 }
            let cells = [
                "\(number("subscribers"))", "\(number("messages"))", "\(number("deliveries"))",
                "\(TableColumns.sum(number("waitingMessages"), number("waitingBodies")))",
                "\(number("lagSeconds")) s",
            ]
            lines.append(
                TableColumns.left("\(number("id")) " + VisibleText.name(channel["name"]?.stringValue ?? ""), Self.nameWidth)
                    + cells.map { TableColumns.right($0, Self.numberWidth) }.joined()
                    + (channel["publicGroupId"]?.stringValue.map { "  " + VisibleText.name($0) } ?? ""))
        }
        return lines + leftLines
    }

    /// The channels that the relay has left.
    private var leftLines: [String] {
        let left = report["left"]?.arrayValue?.compactMap(\.objectValue) ?? []
        guard !left.isEmpty else { return [] }
        return ["", "Left, and refused until parley relay allow:"]
            + left.map { "\($0["id"]?.intValue ?? 0) " + VisibleText.name($0["name"]?.stringValue ?? "") }
    }

    private func counted(_ key: String, _ noun: String, _ plural: String? = nil) -> String { TableColumns.counted(int(key), noun, plural) }

    private func int(_ key: String) -> Int64 { report[key]?.intValue ?? 0 }
}
