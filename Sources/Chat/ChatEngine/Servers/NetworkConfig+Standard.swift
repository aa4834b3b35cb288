import ChatAPI
import ChatProtocol
import SMPClient

extension NetworkConfig {
    /// How the core connects to servers if nothing else is said. As in the official apps and the official terminal client, messages to a router
    /// that is not the user's own, but was chosen by a contact, go through one of the user's own: the contact's router does not see our address.
    static let standard: NetworkConfig = {
        var config = library
        config.smpProxyMode = PrivateRoutingPolicy.Mode.unknown.rawValue
        config.smpProxyFallback = PrivateRoutingPolicy.Fallback.allowProtected.rawValue
        return config
    }()

    /// The initial settings of apps: the official library's own defaults, before an app sets others. Times are in microseconds.
    static let library = NetworkConfig(
        socksMode: "always", hostMode: "onionViaSocks", requiredHostMode: false, sessionMode: "session", smpProxyMode: "never",
        smpProxyFallback: "allow", smpWebPortServers: "preset",
        tcpConnectTimeout: NetworkTimeout(background: 45_000_000, interactive: 15_000_000),
        tcpTimeout: NetworkTimeout(background: 30_000_000, interactive: 10_000_000), tcpTimeoutPerKb: 5000, receiveConcurrency: 8,
        tcpKeepAlive: KeepAliveOptions(keepIdle: 30, keepInterval: 15, keepCount: 4), smpPingInterval: 600_000_000, smpPingCount: 3,
        logTLSErrors: false)
}
