public import SMPProtocol
public import SMPTransport

/// How routers are reached: what a person can change while a client works. The defaults are those of the official clients.
public struct SMPNetworkSettings: Sendable, Hashable {
    /// For which hosts the SOCKS proxy is used. The raw values are the names in the commands of the official client.
    public enum SOCKSMode: String, Sendable, Hashable, CaseIterable {
        case always
        /// Only for onion hosts.
        case onion
    }

    /// Which host of a router is preferred. The raw values are the names in the commands of the official client.
    public enum HostMode: String, Sendable, Hashable, CaseIterable {
        /// Onion hosts if there is a SOCKS proxy, else public ones.
        case onionViaSOCKS = "onionViaSocks"
        case onion
        case `public`
    }

    /// A SOCKS5 proxy, such as Tor's.
    public var proxy: SOCKSProxy?
    public var socksMode = SOCKSMode.always
    public var hostMode = HostMode.onionViaSOCKS
    /// For which routers without a port in their address port 443 is used.
    public enum WebPorts: Sendable, Hashable {
        case all
        /// For those below these domains.
        case below([String])
        case never
    }

    public var webPorts = WebPorts.never
    /// Whether hosts of the other kind are not used at all.
    public var requiresHostMode = false
    /// The longest time for connecting to one host, handshakes included.
    public var connectTimeout: Duration = .seconds(15)
    /// The longest time for the response to a command that names no time of its own.
    public var responseTimeout: Duration = .seconds(30)
    /// When and how often a silent peer is probed by TCP; nil for never.
    public var keepAlive: TCPKeepAlive? = TCPKeepAlive()
    /// A connection with subscriptions on which nothing has arrived for this long is probed with `PING`.
    public var pingInterval: Duration = .seconds(600)
    /// Commands without a response in a row after which a silent connection is given up.
    public var pingCount = 3

    public init() {}

    /// The settings that a configuration begins with.
    public init(_ configuration: SMPClientConfiguration) {
        proxy = configuration.transport.proxy
        connectTimeout = configuration.connectTimeout
        responseTimeout = configuration.responseTimeout
        keepAlive = configuration.transport.keepAlive
        pingInterval = configuration.pingInterval
        pingCount = configuration.pingCount
    }

    /// The hosts of a router to try, in this order; none if the settings allow none.
    public func hosts(of server: SMPServerAddress) -> [TransportHost] {
        // An onion service has no other way to it than a proxy.
        let reachable = server.hosts.filter { proxy != nil || !$0.isOnion }
        let prefersOnion =
            switch hostMode {
            case .onionViaSOCKS: proxy != nil
            case .onion: true
            case .public: false
            }
        let preferred = reachable.filter { $0.isOnion == prefersOnion }
        return requiresHostMode ? preferred : preferred + reachable.filter { $0.isOnion != prefersOnion }
    }

    /// The port of a router.
    func port(of server: SMPServerAddress, default port: UInt16) -> UInt16 {
        if let port = server.port { return port }
        let usesWebPort =
            switch webPorts {
            case .all: true
            case .never: false
            case .below(let domains):
                server.hosts.contains { host in
                    guard case .domain(let name) = host else { return false }
                    return domains.contains { name == $0 || name.hasSuffix("." + $0) }
                }
            }
        return usesWebPort ? 443 : port
    }

    /// Whether the proxy is used for a host.
    func usesProxy(for host: TransportHost) -> Bool { proxy != nil && (socksMode == .always || host.isOnion) }

    /// Whether no router sees our address.
    public var hidesAddress: Bool { proxy != nil && socksMode == .always }

    /// A configuration with these settings in it.
    func applied(to configuration: SMPClientConfiguration) -> SMPClientConfiguration {
        var copy = configuration
        copy.connectTimeout = connectTimeout
        copy.responseTimeout = responseTimeout
        copy.pingInterval = pingInterval
        copy.pingCount = pingCount
        copy.transport.connectTimeout = connectTimeout
        copy.transport.keepAlive = keepAlive
        return copy
    }
}
