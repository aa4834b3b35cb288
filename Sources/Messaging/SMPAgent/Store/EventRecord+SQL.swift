import EncryptedSQLite
import FoundationEssentials
import GRDB
import SMPProtocol
import SMPWire

/// The details of an event that have no column of their own; their encoding is part of the store's format.
private struct EventDetails: Codable {
    var error: AgentError?
    var messages: [AgentMessageID]?
    var direction: QueueDirection?
    var phase: AgentSwitchPhase?
    var state: AgentRatchetSyncState?
    var fault: AgentError.Crypto?
    var command: Int64?
    var name: String?

    var bytes: Bytes {
        get throws { Bytes(try JSONEncoder().encode(self)) }
    }

    init(error: AgentError? = nil, messages: [AgentMessageID]? = nil) {
        self.error = error
        self.messages = messages
    }

    init(_ direction: QueueDirection, _ phase: AgentSwitchPhase) {
        self.direction = direction
        self.phase = phase
    }

    init(_ state: AgentRatchetSyncState, _ fault: AgentError.Crypto?) {
        self.state = state
        self.fault = fault
    }

    init(_ command: QuarantinedCommand) {
        self.command = command.id
        name = command.kind
    }

    init(_ bytes: Bytes) throws {
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(bytes))
        } catch {
            throw StorageError(.corrupt, "what an event holds cannot be read", cause: error)
        }
    }

    static func required<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw StorageError(.corrupt, "an event lacks what its kind has") }
        return value
    }
}

extension EventRecord {
    func insert(_ database: Database) throws {
        var subject: Bytes?
        var pq = false
        var servers: [SMPServerAddress] = []
        var info: Bytes = []
        let kind: String
        switch event {
        case .confirmation(let id, let support, let replyServers, let senderInfo):
            (kind, subject, pq, servers, info) = ("confirmation", id.bytes, support, replyServers, senderInfo)
        case .request(let id, let support, let replyServers, let senderInfo):
            (kind, subject, pq, servers, info) = ("request", id.bytes, support, replyServers, senderInfo)
        case .information(let support, let senderInfo): (kind, pq, info) = ("information", support, senderInfo)
        case .connected(let encryption): (kind, pq) = ("connected", encryption)
        case .joined(let secured): (kind, pq) = ("joined", secured)
        case .created(let link): (kind, info) = ("created", Bytes(link.wireString.utf8))
        case .messageFailed(let message, let error):
            (kind, info) = ("message failed", try EventDetails(error: error, messages: [message]).bytes)
        case .messagesFailed(let messages, let error):
            (kind, info) = ("messages failed", try EventDetails(error: error, messages: messages).bytes)
        case .sendingContinued: kind = "sending continued"
        case .queueSwitch(let direction, let phase, _): (kind, info) = ("queue switch", try EventDetails(direction, phase).bytes)
        case .ratchetSync(let state, let fault, _): (kind, info) = ("ratchet sync", try EventDetails(state, fault).bytes)
        case .failed(let error): (kind, info) = ("failed", try EventDetails(error: error).bytes)
        case .commandQuarantined(let command): (kind, info) = ("command quarantined", try EventDetails(command).bytes)
        case .message, .sent, .messageDelayed, .receipts, .queuesChanged, .down, .up, .serverConnected, .serverDisconnected, .serviceSubscription,
            .subscriptionEnded, .queueDeleted, .receiveQueuesDeleted, .connectionsDeleted, .userDeleted, .connectionsFailed, .suspended:
            throw StorageError(.corrupt, "an event of this kind is not kept")
        }
        try database.run(
            "INSERT INTO events (event_id, connection_id, kind, subject, pq, servers, info) VALUES (?, ?, ?, ?, ?, ?, ?)",
            number, connection, kind, blob(subject), pq, servers.map(\.wireString).joined(separator: " "), blob(info))
    }

    /// - Parameter stats: reads the present state of the connection, which some events contain.
    static func read(_ row: Row, stats: () throws -> AgentConnectionStats) throws -> EventRecord {
        let subject = row.bytes("subject")
        let pq: Bool = row["pq"]
        let info = row.bytes("info")
        let servers = try (row["servers"] as String).split(separator: " ").map { try server(String($0)) }
        let event: AgentEvent
        switch row["kind"] as String {
        case "confirmation": event = .confirmation(ConfirmationID(subject), pqSupport: pq, servers: servers, info: info)
        case "request": event = .request(InvitationID(subject), pqSupport: pq, servers: servers, info: info)
        case "information": event = .information(pqSupport: pq, info: info)
        case "connected": event = .connected(pqEncryption: pq)
        case "joined": event = .joined(senderQueueSecured: pq)
        case "created":
            do {
                event = .created(try ConnectionRequestURI(wireString: String(decoding: info, as: UTF8.self)))
            } catch {
                throw StorageError(.corrupt, "the link of an event cannot be read", cause: error)
            }
        case "message failed":
            let details = try EventDetails(info)
            event = .messageFailed(
                try EventDetails.required(details.messages?.first), try EventDetails.required(details.error))
        case "messages failed":
            let details = try EventDetails(info)
            event = .messagesFailed(try EventDetails.required(details.messages), try EventDetails.required(details.error))
        case "sending continued": event = .sendingContinued
        case "queue switch":
            let details = try EventDetails(info)
            event = .queueSwitch(
                try EventDetails.required(details.direction), try EventDetails.required(details.phase), try stats())
        case "ratchet sync":
            let details = try EventDetails(info)
            event = .ratchetSync(try EventDetails.required(details.state), details.fault, try stats())
        case "failed": event = .failed(try EventDetails.required(try EventDetails(info).error))
        case "command quarantined":
            let details = try EventDetails(info)
            event = .commandQuarantined(
                QuarantinedCommand(id: try EventDetails.required(details.command), kind: try EventDetails.required(details.name)))
        default: throw StorageError(.corrupt, "an event has a kind that is not known")
        }
        return EventRecord(number: row["event_id"], connection: row["connection_id"], event: event)
    }

    /// The address of a router that an event names.
    static func server(_ text: String) throws -> SMPServerAddress {
        do {
            return try SMPServerAddress(wireString: text)
        } catch {
            throw StorageError(.corrupt, "a router of an event cannot be read", cause: error)
        }
    }
}
