internal import Foundation

/// The output of `parley server smp stats` for a person.
struct RouterReport: Decodable {
    struct Active: Decodable {
        let day: Int
        let week: Int
        let month: Int
    }

    let started: String
    let countedSince: String
    let connections: Int
    let sessions: Int
    let queues: Int
    let messages: Int
    let services: Int
    let serviceQueues: Int
    let relays: Int
    let journalBytes: Int
    let neededBytes: Int
    let activeQueues: Active
    let total: [String: UInt64]
    let day: [String: UInt64]
    let week: [String: UInt64]
    let month: [String: UInt64]
    let certificateLifetime: Int?
    let storageFailure: String?
    let damage: String?

    var lines: [String] {
        var lines: [String] = []
        if let storageFailure { lines.append("NOTHING IS ACCEPTED: the disk refuses it (\(storageFailure))") }
        if let damage { lines.append("THE JOURNAL IS DAMAGED and not cleared any more (\(damage))") }
        lines += [
            "running since \(started), counting since \(countedSince)",
            "\(queues) queues, \(messages) messages waiting, \(sessions) clients (\(connections) connections)",
            "\(services) services with \(serviceQueues) queues, \(relays) other routers connected to as a proxy",
            "journal \(Self.size(journalBytes)), of which \(Self.size(neededBytes)) are needed",
        ]
        if let certificateLifetime { lines.append("certificate good for \(certificateLifetime / 86_400) days") }
        lines.append("")
        lines.append(Self.row("", ["today", "7 days", "30 days", "total"]))
        lines.append(Self.row("queues used", ["\(activeQueues.day)", "\(activeQueues.week)", "\(activeQueues.month)", "-"]))
        for name in total.keys.sorted() {
            let values = [day, week, month, total].map { "\($0[name] ?? 0)" }
            lines.append(Self.row(name.replacingOccurrences(of: "_", with: " "), values))
        }
        return lines
    }

    static func row(_ name: String, _ values: [String]) -> String {
        let title = name + String(repeating: " ", count: max(0, 24 - name.count))
        return title + values.map { String(repeating: " ", count: max(1, 14 - $0.count)) + $0 }.joined()
    }

    static func size(_ bytes: Int) -> String {
        bytes < 10 << 20 ? "\(bytes >> 10) KiB" : "\(bytes >> 20) MiB"
    }
}

extension RouterReport {
    /// Shows the few members of a router's answer, one a line.
    static func show(members answer: Data, asJSON json: Bool) throws {
        guard !json, let members = try JSONSerialization.jsonObject(with: answer) as? [String: Any] else {
            return Output.line(String(decoding: answer, as: UTF8.self))
        }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) { Output.line("\(name): \(value)") }
    }
}
