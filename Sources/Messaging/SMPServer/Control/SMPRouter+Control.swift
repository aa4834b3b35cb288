import Logging
import RouterSupport
import SMPProtocol
import SMPWire

// The operations for the operator.
extension SMPRouter {
    func answer(_ line: String) async throws(ControlError) -> String {
        let command = try ControlCommand(parsing: line)
        switch command {
        case .statistics, .sessions, .status: break
        default: core.logger.notice("the operator has sent a command", metadata: ["command": "\(line.split(separator: " ").first ?? "")"])
        }
        return try await answer(command)
    }

    func answer(_ command: ControlCommand) async throws(ControlError) -> String {
        switch command {
        case .statistics: return statistics.json
        case .sessions: return JSONText.line([("sessions", .list(core.sessionReports.map(\.json)))])
        case .compact:
            let before = statistics.journalBytes
            try await reportingErrors { () throws(RouterError) in try await compact() }
            return JSONText.line([("journalBytesBefore", .number(before)), ("journalBytes", .number(statistics.journalBytes))])
        case .renew:
            try await reportingErrors { () throws(RouterError) in try renewCertificate() }
            return JSONText.line([("certificateLifetime", .number(statistics.certificateLifetime ?? 0))])
        case .status(let id):
            guard let description = core.describe(shown: id) else { throw Self.noQueue }
            return JSONText.line(description.members)
        case .block(let id, let info):
            guard try await reportingErrors({ () throws(RouterError) in try await core.block(shown: id, info) }) else { throw Self.noQueue }
            return JSONText.line([("blocked", .flag(true))])
        case .unblock(let id):
            guard let wasBlocked = try await reportingErrors({ () throws(RouterError) in try await core.unblock(shown: id) }) else { throw Self.noQueue }
            return JSONText.line([("wasBlocked", .flag(wasBlocked))])
        case .delete(let id):
            guard let messages = try await reportingErrors({ () throws(RouterError) in try await core.remove(shown: id) }) else { throw Self.noQueue }
            return JSONText.line([("deletedMessages", .number(messages))])
        }
    }

    /// Converts errors of the router into those of the control socket.
    private func reportingErrors<Value>(_ body: () async throws(RouterError) -> Value) async throws(ControlError) -> Value {
        do throws(RouterError) { return try await body() } catch { throw ControlError(error.code.rawValue, error.message) }
    }

    private static let noQueue = ControlError("noQueue", "there is no queue with this id: take the sender id from an address, or the id of a link")
}

extension RouterState.QueueDescription {
    fileprivate var members: [(String, JSONText.Value)] {
        var members: [(String, JSONText.Value)] = []
        switch status {
        case .active: members.append(("status", .text("active")))
        case .off: members.append(("status", .text("off")))
        case .blocked(let info): members += [("status", .text("blocked")), ("reason", .text(info.reason.rawValue))]
        }
        if let mode { members.append(("mode", .text(mode == .contact ? "contact" : "messaging"))) }
        members += [("messages", .number(messages)), ("subscribed", .flag(isSubscribed))]
        if lastUsed > 0 { members.append(("lastUsed", .text(String(UnixTime.text(Int64(lastUsed) * 86_400).prefix(10))))) }
        return members
    }
}

extension RouterStatistics {
    /// The statistics as one line of JSON.
    var json: String {
        func object(_ counters: Counters) -> JSONText.Value { .object(counters.named.map { ($0.name, .number($0.value)) }) }
        var members: [(String, JSONText.Value)] = [
            ("started", .text(UnixTime.text(started))), ("countedSince", .text(UnixTime.text(since))),
            ("connections", .number(connections)), ("sessions", .number(sessions)), ("queues", .number(queues)),
            ("messages", .number(messages)), ("services", .number(services)), ("serviceQueues", .number(serviceQueues)),
            ("relays", .number(relays)), ("journalBytes", .number(journalBytes)), ("neededBytes", .number(liveBytes)),
            (
                "activeQueues",
                .object([
                    ("day", .number(activeQueues.day)), ("week", .number(activeQueues.week)), ("month", .number(activeQueues.month)),
                ])
            ),
            ("total", object(counters)), ("day", object(day)), ("week", object(week)), ("month", object(month)),
        ]
        if let certificateLifetime { members.append(("certificateLifetime", .number(certificateLifetime))) }
        if let storageFailure { members.append(("storageFailure", .text(storageFailure))) }
        if let damage { members.append(("damage", .text(damage))) }
        return JSONText.line(members)
    }
}

/// A connection, as an operator sees it: without addresses and ids.
struct SessionReport: Sendable {
    var number: UInt64
    /// The version of the protocol; nil during the handshake.
    var version: UInt16?
    var seconds: Int64
    var subscriptions: Int
    var notifications: Int
    var isService: Bool
    /// Answers and messages that the client has not read.
    var waiting: Int

    fileprivate var json: JSONText.Value {
        var members: [(String, JSONText.Value)] = [("session", .number(number)), ("seconds", .number(seconds))]
        if let version { members.append(("version", .number(Int(version)))) }
        members += [
            ("subscriptions", .number(subscriptions)), ("notifications", .number(notifications)), ("service", .flag(isService)), ("waiting", .number(waiting)),
        ]
        return .object(members)
    }
}
