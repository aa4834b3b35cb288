public import ChatProtocol

/// The settings for connections to servers. Times are in microseconds.
@JSONMembers
public struct NetworkConfig: JSONObjectConvertible, Hashable {
    /// SOCKS5 proxy.
    public var socksProxy: String?
    /// When the proxy is used: always, or for onion hosts.
    public var socksMode: String
    /// Which hosts of a server are used.
    public var hostMode: String
    /// True if others may not be used.
    public var requiredHostMode: Bool
    /// The unit that shares a connection to a server.
    public var sessionMode: String
    /// When messages go through other routers.
    public var smpProxyMode: String
    /// The setting for going directly when that fails.
    public var smpProxyFallback: String
    /// Which routers are reached by port 443.
    public var smpWebPortServers: JSONValue
    /// Time to connect.
    public var tcpConnectTimeout: NetworkTimeout
    /// Time for an answer.
    public var tcpTimeout: NetworkTimeout
    /// More time for every kilobyte.
    public var tcpTimeoutPerKb: Int64
    /// The number of messages that are processed at a time.
    @JSONName("rcvConcurrency") public var receiveConcurrency: Int
    /// Probes on idle connections.
    public var tcpKeepAlive: KeepAliveOptions?
    /// Time between pings.
    public var smpPingInterval: Int64
    /// Pings without an answer after which a connection is closed.
    public var smpPingCount: Int
    /// True if TLS errors are logged.
    public var logTLSErrors: Bool
}

/// A time limit, in microseconds.
@JSONMembers
public struct NetworkTimeout: JSONObjectConvertible, Hashable {
    /// For work that nobody waits for.
    @JSONName("backgroundTimeout") public var background: Int64
    /// For work that somebody waits for.
    @JSONName("interactiveTimeout") public var interactive: Int64
}

/// Probes on idle connections, as the system sets them.
@JSONMembers
public struct KeepAliveOptions: JSONObjectConvertible, Hashable {
    /// Seconds before the first.
    public var keepIdle: Int
    /// Seconds between them.
    @JSONName("keepIntvl") public var keepInterval: Int
    /// The number of probes without an answer.
    @JSONName("keepCnt") public var keepCount: Int
}
