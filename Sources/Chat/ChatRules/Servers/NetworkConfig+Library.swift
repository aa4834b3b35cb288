package import ChatAPI
import ChatProtocol

extension NetworkConfig {
    /// The initial settings of apps: the official library's own defaults, before an app sets others. Times are in microseconds.
    package static let library = NetworkConfig(
        socksMode: "always", hostMode: "onionViaSocks", requiredHostMode: false, sessionMode: "session", smpProxyMode: "never",
        smpProxyFallback: "allow", smpWebPortServers: "preset",
        tcpConnectTimeout: NetworkTimeout(background: 45_000_000, interactive: 15_000_000),
        tcpTimeout: NetworkTimeout(background: 30_000_000, interactive: 10_000_000), tcpTimeoutPerKb: 5000, receiveConcurrency: 8,
        tcpKeepAlive: KeepAliveOptions(keepIdle: 30, keepInterval: 15, keepCount: 4), smpPingInterval: 600_000_000, smpPingCount: 3,
        logTLSErrors: false)
}
