import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import GRDB
import SMPAgent
import SystemSupport

// Quarantined events, on which processes crashed.

/// Sets events and jobs aside that crashed the program, and tries them again.
struct Quarantine: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Events and jobs that crashed the program.
    var quarantine: Quarantine { Quarantine(transaction: self) }
}

extension Quarantine {
    /// Keeps an event unread, for a version that does not crash on it, and skips it.
    ///
    /// - Returns: its number in quarantine.
    func add(_ incoming: Incoming, as key: InFlightKey) throws -> QuarantinedEventID {
        let notification = incoming.notification
        let id = try db.quarantine.insert(
            key, connection: notification.connection?.bytes, kind: incoming.name, event: notification.stored, body: notification.body, at: now)
        let message = "event.quarantined: processes died of it; it is number \(id) of /_quarantine"
        try transaction.incomingEvents.setAside(
            incoming, ChatCoreError(.chat(error: .exception(message: message))), shown: "set aside as number \(id): programs crashed while they read it")
        return id
    }

    /// Receives a quarantined event.
    func retry(_ incoming: Incoming, number id: QuarantinedEventID) throws -> ChatResponse {
        let event = try find(id)
        try transaction.incomingEvents.receive(incoming)
        guard !transaction.effects.isPremature else { throw Refusal.command("the event cannot be received just now: try again later") }
        try db.quarantine.delete(id)
        return .quarantineRetried(event: event)
    }

    /// Returns a quarantined job to the queue.
    func retry(_ job: AgentJob, number id: QuarantinedEventID) throws -> ChatResponse {
        let event = try find(id)
        transaction.effects.jobs.append(
            try db.jobs.insert(
                job.task, connection: job.connection, agentUserID: job.agentUserID, user: db.users.find(agentID: job.agentUserID)?.userID, at: now))
        try db.quarantine.delete(id)
        return .quarantineRetried(event: event)
    }

    /// Lists work of a connection that the agent has quarantined.
    func receive(_ command: QuarantinedCommand, of connection: ConnectionID) throws {
        guard let key = command.key else { return }
        let id = try db.quarantine.insert(
            key, connection: connection.bytes, kind: QuarantinedWork.prefix + command.kind, event: QuarantinedWork.payload(command), body: nil, at: now)
        emit(.chatError(error: .chat(error: .exception(message: "command.quarantined: processes died of it; it is number \(id) of /_quarantine"))))
    }

    /// Removes work from the list that the agent tries again.
    func retriedCommand(number id: QuarantinedEventID) throws -> ChatResponse {
        let event = try find(id)
        try db.quarantine.delete(id)
        return .quarantineRetried(event: event)
    }

    func drop(_ id: QuarantinedEventID) throws -> ChatResponse {
        let event = try find(id)
        try db.quarantine.delete(id)
        return .quarantineDropped(event: event)
    }

    private func find(_ id: QuarantinedEventID) throws -> QuarantinedEvent {
        guard let event = try db.quarantine.events(id).first else { throw Refusal.command("there is no event \(id) in quarantine") }
        return event
    }
}

/// The form of the agent's own work in quarantine; the agent keeps it.
enum QuarantinedWork {
    /// The beginning of the kind of a command, which distinguishes it from kinds of events and jobs.
    static let prefix = "command."

    static func payload(_ command: QuarantinedCommand) -> JSONValue { ["command": .int(command.id)] }

    /// The agent's number of the command of an entry in quarantine; nil if it is something else.
    static func command(kind: String, payload: JSONValue) -> Int64? { kind.hasPrefix(prefix) ? payload["command"]?.intValue : nil }
}
