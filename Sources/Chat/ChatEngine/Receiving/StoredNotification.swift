import ChatProtocol
import ChatRules
import SMPAgent
import SMPProtocol
import SMPWire

// The stored form of a quarantined event: enough to receive it again.

extension AgentNotification {
    /// The columns stored beside the connection, the kind and the body.
    var stored: JSONValue {
        switch event {
        case .message(let metadata, let flags, _): ["metadata": metadata.stored, "notifies": .bool(flags.notification)]
        case .receipts(let metadata, let receipts):
            [
                "metadata": metadata.stored,
                "receipts": .array(receipts.map { ["message": .int($0.messageID), "status": .string($0.status.rawValue)] }),
            ]
        case .confirmation(let id, let pqSupport, let servers, _):
            ["id": .string(id.description), "pqSupport": .bool(pqSupport), "servers": .array(servers.map { .string($0.wireString) })]
        case .request(let id, let pqSupport, let servers, _):
            ["id": .string(id.description), "pqSupport": .bool(pqSupport), "servers": .array(servers.map { .string($0.wireString) })]
        case .information(let pqSupport, _): ["pqSupport": .bool(pqSupport)]
        case .connected(let pqEncryption): ["pqEncryption": .bool(pqEncryption)]
        case .joined(let isSecured): ["isSecured": .bool(isSecured)]
        default: [:]
        }
    }

    /// - Returns: nil for events that cannot be received again, because they contain nothing of the peer.
    init?(connection: Bytes?, kind: String, stored json: JSONValue, body: Bytes?) {
        func servers() -> [SMPServerAddress] {
            (json["servers"]?.arrayValue ?? []).compactMap { $0.stringValue.flatMap { try? SMPServerAddress(wireString: $0) } }
        }
        func id() -> Bytes? { json["id"]?.stringValue.flatMap { Base64URL.decode($0) } }
        let pqSupport = json["pqSupport"]?.boolValue ?? false, event: AgentEvent
        switch kind {
        case "message":
            guard let metadata = json["metadata"].flatMap(MessageMetadata.init(stored:)), let body else { return nil }
            event = .message(metadata, MessageFlags(notification: json["notifies"]?.boolValue ?? true), body)
        case "receipts":
            guard let metadata = json["metadata"].flatMap(MessageMetadata.init(stored:)) else { return nil }
            let receipts = (json["receipts"]?.arrayValue ?? []).compactMap { json -> MessageReceipt? in
                guard let message = json["message"]?.intValue, let status = json["status"]?.stringValue.flatMap(MessageReceipt.Status.init) else { return nil }
                return MessageReceipt(messageID: message, status: status)
            }
            event = .receipts(metadata, receipts)
        case "confirmation":
            guard let id = id(), let body else { return nil }
            event = .confirmation(ConfirmationID(id), pqSupport: pqSupport, servers: servers(), info: body)
        case "request":
            guard let id = id(), let body else { return nil }
            event = .request(InvitationID(id), pqSupport: pqSupport, servers: servers(), info: body)
        case "information":
            guard let body else { return nil }
            event = .information(pqSupport: pqSupport, info: body)
        case "connected": event = .connected(pqEncryption: json["pqEncryption"]?.boolValue ?? false)
        case "joined": event = .joined(senderQueueSecured: json["isSecured"]?.boolValue ?? false)
        default: return nil
        }
        self.init(connection: connection.map { ConnectionID($0) }, event: event)
    }
}

extension MessageMetadata {
    fileprivate var stored: JSONValue {
        let integrity: JSONValue =
            switch integrity {
            case .ok: ["is": "ok"]
            case .skipped(let from, let to): ["is": "skipped", "from": .int(from), "to": .int(to)]
            case .badID(let id): ["is": "badID", "id": .int(id)]
            case .badHash: ["is": "badHash"]
            case .duplicate: ["is": "duplicate"]
            }
        return [
            "integrity": integrity, "message": .int(messageID), "receivedAt": .int(receivedAt), "broker": .string(Base64URL.encode(brokerID)),
            "brokerTime": .int(brokerTime), "sender": .int(senderMessageID), "pqEncryption": .bool(pqEncryption),
        ]
    }

    fileprivate init?(stored json: JSONValue) {
        func integer(_ name: String) -> Int64? { json[name]?.intValue }
        guard let message = integer("message"), let receivedAt = integer("receivedAt"), let brokerTime = integer("brokerTime"),
            let sender = integer("sender"), let broker = json["broker"]?.stringValue.flatMap({ Base64URL.decode($0) })
        else { return nil }
        let integrity: MessageIntegrity =
            switch json["integrity"]?["is"]?.stringValue {
            case "skipped": .skipped(from: json["integrity"]?["from"]?.intValue ?? 0, to: json["integrity"]?["to"]?.intValue ?? 0)
            case "badID": .badID(json["integrity"]?["id"]?.intValue ?? 0)
            case "badHash": .badHash
            case "duplicate": .duplicate
            default: .ok
            }
        self.init(
            integrity: integrity, messageID: message, receivedAt: receivedAt, brokerID: broker, brokerTime: brokerTime,
            senderMessageID: sender, pqEncryption: json["pqEncryption"]?.boolValue ?? false)
    }
}
