/// The output of `parley server smp stats` for a person.
struct MessageRouterReport: RouterReport {
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
        if let damage { lines.append("THE JOURNAL IS DAMAGED and no longer compacted (\(damage))") }
        lines += [
            "running since \(started), counting since \(countedSince)",
            "\(queues) queues, \(messages) messages waiting, \(sessions) clients (\(connections) connections)",
            "\(services) services with \(serviceQueues) queues, \(relays) other routers connected to as a proxy",
            "journal \(Self.size(journalBytes)), of which \(Self.size(neededBytes)) are needed",
        ]
        if let certificateLifetime { lines.append("certificate good for \(certificateLifetime / 86_400) days") }
        let used = ["\(activeQueues.day)", "\(activeQueues.week)", "\(activeQueues.month)", "-"]
        return lines + Self.table([("queues used", used)], day: day, week: week, month: month, total: total)
    }
}
