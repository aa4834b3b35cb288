public import ChatProtocol

/// How the core connects to servers. Times are in microseconds.
public struct NetworkConfig: JSONObjectConvertible, Hashable {
    /// SOCKS5 proxy.
    public var socksProxy: String?
    /// When the proxy is used: always, or for onion hosts.
    public var socksMode: String
    /// Which hosts of a server are used.
    public var hostMode: String
    /// Whether others may not be used.
    public var requiredHostMode: Bool
    /// What shares a connection to a server.
    public var sessionMode: String
    /// When messages go through other routers.
    public var smpProxyMode: String
    /// Whether they may go directly when that fails.
    public var smpProxyFallback: String
    /// Which routers are reached by port 443.
    public var smpWebPortServers: JSONValue
    /// Time to connect.
    public var tcpConnectTimeout: NetworkTimeout
    /// Time for an answer.
    public var tcpTimeout: NetworkTimeout
    /// More time for every kilobyte.
    public var tcpTimeoutPerKb: Int64
    /// How many messages are processed at a time.
    public var receiveConcurrency: Int
    /// Probes on idle connections.
    public var tcpKeepAlive: KeepAliveOptions?
    /// Time between pings.
    public var smpPingInterval: Int64
    /// Pings without an answer after which a connection is closed.
    public var smpPingCount: Int
    /// Whether TLS errors are logged.
    public var logTLSErrors: Bool

    /// Makes the value from its parts.
    public init(
        socksProxy: String? = nil, socksMode: String, hostMode: String, requiredHostMode: Bool, sessionMode: String,
        smpProxyMode: String, smpProxyFallback: String, smpWebPortServers: JSONValue, tcpConnectTimeout: NetworkTimeout,
        tcpTimeout: NetworkTimeout, tcpTimeoutPerKb: Int64, receiveConcurrency: Int, tcpKeepAlive: KeepAliveOptions? = nil,
        smpPingInterval: Int64, smpPingCount: Int, logTLSErrors: Bool
    ) {
        self.socksProxy = socksProxy
        self.socksMode = socksMode
        self.hostMode = hostMode
        self.requiredHostMode = requiredHostMode
        self.sessionMode = sessionMode
        self.smpProxyMode = smpProxyMode
        self.smpProxyFallback = smpProxyFallback
        self.smpWebPortServers = smpWebPortServers
        self.tcpConnectTimeout = tcpConnectTimeout
        self.tcpTimeout = tcpTimeout
        self.tcpTimeoutPerKb = tcpTimeoutPerKb
        self.receiveConcurrency = receiveConcurrency
        self.tcpKeepAlive = tcpKeepAlive
        self.smpPingInterval = smpPingInterval
        self.smpPingCount = smpPingCount
        self.logTLSErrors = logTLSErrors
    }
}

extension NetworkConfig {
    public init(object: JSONObject) throws(JSONError) {
        socksProxy = try object.optional("socksProxy")
        socksMode = try object.required("socksMode")
        hostMode = try object.required("hostMode")
        requiredHostMode = try object.required("requiredHostMode")
        sessionMode = try object.required("sessionMode")
        smpProxyMode = try object.required("smpProxyMode")
        smpProxyFallback = try object.required("smpProxyFallback")
        smpWebPortServers = try object.required("smpWebPortServers")
        tcpConnectTimeout = try object.required("tcpConnectTimeout")
        tcpTimeout = try object.required("tcpTimeout")
        tcpTimeoutPerKb = try object.required("tcpTimeoutPerKb")
        receiveConcurrency = try object.required("rcvConcurrency")
        tcpKeepAlive = try object.optional("tcpKeepAlive")
        smpPingInterval = try object.required("smpPingInterval")
        smpPingCount = try object.required("smpPingCount")
        logTLSErrors = try object.required("logTLSErrors")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["socksProxy"] = socksProxy
        object["socksMode"] = socksMode
        object["hostMode"] = hostMode
        object["requiredHostMode"] = requiredHostMode
        object["sessionMode"] = sessionMode
        object["smpProxyMode"] = smpProxyMode
        object["smpProxyFallback"] = smpProxyFallback
        object["smpWebPortServers"] = smpWebPortServers
        object["tcpConnectTimeout"] = tcpConnectTimeout
        object["tcpTimeout"] = tcpTimeout
        object["tcpTimeoutPerKb"] = tcpTimeoutPerKb
        object["rcvConcurrency"] = receiveConcurrency
        object["tcpKeepAlive"] = tcpKeepAlive
        object["smpPingInterval"] = smpPingInterval
        object["smpPingCount"] = smpPingCount
        object["logTLSErrors"] = logTLSErrors
    }
}

/// A time limit, in microseconds.
public struct NetworkTimeout: JSONObjectConvertible, Hashable {
    /// For work that nobody waits for.
    public var background: Int64
    /// For work that somebody waits for.
    public var interactive: Int64

    /// Makes the value from its parts.
    public init(background: Int64, interactive: Int64) {
        self.background = background
        self.interactive = interactive
    }
}

extension NetworkTimeout {
    public init(object: JSONObject) throws(JSONError) {
        background = try object.required("backgroundTimeout")
        interactive = try object.required("interactiveTimeout")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["backgroundTimeout"] = background
        object["interactiveTimeout"] = interactive
    }
}

/// Probes on idle connections, as the system sets them.
public struct KeepAliveOptions: JSONObjectConvertible, Hashable {
    /// Seconds before the first.
    public var keepIdle: Int
    /// Seconds between them.
    public var keepInterval: Int
    /// How many without an answer.
    public var keepCount: Int

    /// Makes the value from its parts.
    public init(keepIdle: Int, keepInterval: Int, keepCount: Int) {
        self.keepIdle = keepIdle
        self.keepInterval = keepInterval
        self.keepCount = keepCount
    }
}

extension KeepAliveOptions {
    public init(object: JSONObject) throws(JSONError) {
        keepIdle = try object.required("keepIdle")
        keepInterval = try object.required("keepIntvl")
        keepCount = try object.required("keepCnt")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["keepIdle"] = keepIdle
        object["keepIntvl"] = keepInterval
        object["keepCnt"] = keepCount
    }
}
