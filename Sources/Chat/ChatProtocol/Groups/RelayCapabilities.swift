/// The reason why a relay does not serve a channel (`x.grp.relay.reject`).
public enum RelayRejectionReason: TextCode {
    /// The relay has left the channel, and comes back when its operator allows it.
    case rejoinRejected
    case unknown(String)

    /// Reads the word.
    public init(code: String) {
        switch code {
        case "rejoin_rejected": self = .rejoinRejected
        default: self = .unknown(code)
        }
    }

    /// The word.
    public var code: String {
        switch self {
        case .rejoinRejected: "rejoin_rejected"
        case .unknown(let code): code
        }
    }
}

/// The abilities of a relay beside forwarding.
@JSONMembers
public struct RelayCapabilities: Hashable, ExtensibleObject {
    /// The domain where the relay shows channels as web pages.
    public var webDomain: String?
}

extension RelayCapabilities {
    /// Nothing beside forwarding.
    public init() { self.init(webDomain: nil) }
}
