import ChatAPI
import ChatProtocol
package import SMPWire

/// Jobs about connections with anyone.
package enum ConnectionJob: Sendable, Hashable {
    /// Let the party that joined our invitation connect, with our information.
    case allow(confirmation: Bytes, info: Bytes)
    /// Reject a request to connect.
    case reject(invitation: Bytes)
    /// Delete connections: at once, or after these messages and all before them are delivered.
    case delete(connections: [Bytes], after: [Delivery], waitsForDelivery: Bool = false)
}

extension ConnectionJob: FeatureJob {
    var kind: String {
        switch self {
        case .allow: "allow"
        case .reject: "reject"
        case .delete: "delete"
        }
    }

    var json: JSONValue {
        switch self {
        case .allow(let confirmation, let info): ["confirmation": JSONValue(confirmation), "info": JSONValue(info)]
        case .reject(let invitation): ["invitation": JSONValue(invitation)]
        case .delete(let connections, let messages, let waits):
            ["connections": .array(connections.map { JSONValue($0) }), "after": .array(messages.map(\.json)), "waits": .bool(waits)]
        }
    }

    var isCausedByPeers: Bool {
        switch self {
        case .allow, .reject: true
        case .delete: false
        }
    }

    init?(kind: String, json: JSONValue) {
        switch kind {
        case "allow":
            guard let confirmation = json["confirmation"]?.bytesValue, let info = json["info"]?.bytesValue else { return nil }
            self = .allow(confirmation: confirmation, info: info)
        case "reject":
            guard let invitation = json["invitation"]?.bytesValue else { return nil }
            self = .reject(invitation: invitation)
        case "delete":
            let connections = (json["connections"]?.arrayValue ?? []).compactMap(\.bytesValue)
            self = .delete(
                connections: connections, after: (json["after"]?.arrayValue ?? []).compactMap(Delivery.init),
                waitsForDelivery: json["waits"]?.boolValue ?? false)
        default: return nil
        }
    }
}

extension Delivery {
    fileprivate var json: JSONValue {
        [
            "id": .int(id), "connection": connectionID.json, "agentConnection": .string(Base64URL.encode(agentConnectionID)),
            "body": .string(Base64URL.encode(body)), "notifies": .bool(notifies), "pqEncryption": .bool(pqEncryption),
        ]
    }

    fileprivate init?(json: JSONValue) {
        guard let id = json["id"]?.intValue, let connection = json["connection"]?.intValue,
            let agentConnection = json["agentConnection"]?.stringValue.flatMap({ Base64URL.decode($0) }),
            let body = json["body"]?.stringValue.flatMap({ Base64URL.decode($0) }), let notifies = json["notifies"]?.boolValue,
            let pqEncryption = json["pqEncryption"]?.boolValue
        else { return nil }
        self.init(
            id: id, connectionID: ChatConnectionID(connection), agentConnectionID: agentConnection, bodyID: 0, body: body, notifies: notifies,
            pqEncryption: pqEncryption)
    }
}
