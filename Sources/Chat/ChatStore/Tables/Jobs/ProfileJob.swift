import ChatProtocol

/// Jobs about a profile of this program.
package enum ProfileJob: Sendable, Hashable {
    /// Use the servers of the profile.
    case setServers
    case deleteUser(deleteQueues: Bool)
}

extension ProfileJob: FeatureJob {
    var kind: String {
        switch self {
        case .setServers: "setServers"
        case .deleteUser: "deleteUser"
        }
    }

    var json: JSONValue {
        switch self {
        case .setServers: [:]
        case .deleteUser(let deleteQueues): ["deleteQueues": .bool(deleteQueues)]
        }
    }

    var isCausedByPeers: Bool { false }

    init?(kind: String, json: JSONValue) {
        switch kind {
        case "setServers": self = .setServers
        case "deleteUser": self = .deleteUser(deleteQueues: json["deleteQueues"]?.boolValue ?? false)
        default: return nil
        }
    }
}
