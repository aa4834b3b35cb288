internal import Foundation

/// The output of `stats` for a person.
protocol RouterReport: Decodable {
    var lines: [String] { get }
}

extension RouterReport {
    /// The counters of the last days and since the router was made, after an empty line.
    ///
    /// - Parameter first: Lines before the counters.
    static func table(
        _ first: [(name: String, values: [String])] = [], day: [String: UInt64], week: [String: UInt64], month: [String: UInt64], total: [String: UInt64]
    ) -> [String] {
        let counters = total.keys.sorted().map { name in
            row(name.replacingOccurrences(of: "_", with: " "), [day, week, month, total].map { "\($0[name] ?? 0)" })
        }
        return ["", row("", ["today", "7 days", "30 days", "total"])] + first.map { row($0.name, $0.values) } + counters
    }

    private static func row(_ name: String, _ values: [String]) -> String {
        let title = name + String(repeating: " ", count: max(0, 24 - name.count))
        return title + values.map { String(repeating: " ", count: max(1, 14 - $0.count)) + $0 }.joined()
    }

    static func size(_ bytes: Int) -> String {
        bytes < 10 << 20 ? "\(bytes >> 10) KiB" : "\(bytes >> 20) MiB"
    }
}

/// The answers of a router that have few members.
enum RouterAnswer {
    /// Shows the few members of a router's answer, one a line.
    static func show(members answer: Data, asJSON json: Bool) throws {
        guard !json, let members = try JSONSerialization.jsonObject(with: answer) as? [String: Any] else {
            return Output.line(String(decoding: answer, as: UTF8.self))
        }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) { Output.line("\(name): \(value)") }
    }
}
