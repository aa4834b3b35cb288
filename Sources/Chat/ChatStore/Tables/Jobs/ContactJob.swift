package import ChatAPI
import ChatProtocol

/// Jobs about contacts and addresses.
package enum ContactJob: Sendable, Hashable {
    /// Accept a request to be a contact, by the connection that is prepared for it if there is one already.
    case accept(request: UserContactRequestID)
    /// Publish the profile behind the link of the profile's address.
    case publishAddress
}

extension ContactJob: FeatureJob {
    var kind: String {
        switch self {
        case .accept: "accept"
        case .publishAddress: "publishAddress"
        }
    }

    var json: JSONValue {
        switch self {
        case .accept(let request): ["request": request.json]
        case .publishAddress: [:]
        }
    }

    var isCausedByPeers: Bool {
        switch self {
        case .accept: true
        case .publishAddress: false
        }
    }

    init?(kind: String, json: JSONValue) {
        switch kind {
        case "accept":
            guard let request = json["request"]?.intValue else { return nil }
            self = .accept(request: UserContactRequestID(request))
        case "publishAddress": self = .publishAddress
        default: return nil
        }
    }
}
