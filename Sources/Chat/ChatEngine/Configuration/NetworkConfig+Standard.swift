import ChatAPI
import ChatRules
import SMPClient

extension NetworkConfig {
    /// The default settings for connections to servers. As in the official apps and the official terminal client, messages to a router
    /// that is not the user's own, but was chosen by a contact, go through one of the user's own: the contact's router does not see our address.
    static let standard: NetworkConfig = {
        var config = library
        config.smpProxyMode = PrivateRoutingPolicy.Mode.unknown.rawValue
        config.smpProxyFallback = PrivateRoutingPolicy.Fallback.allowProtected.rawValue
        return config
    }()
}
