package import SMPProtocol
package import SMPTransport

/// The settings of the network, which decide what routers may learn. They may change while clients run: connections are then made again.
///
/// The defaults are those of the official clients.
package struct NetworkConfiguration: Sendable, Hashable {
    /// When connections go through the SOCKS proxy.
    package enum SOCKSMode: String, Sendable, Hashable, CaseIterable {
        case always
        /// For onion hosts only; other hosts see our address.
        case onion
    }

    /// Which of a router's hosts is used.
    package enum HostMode: String, Sendable, Hashable, CaseIterable {
        /// Onion hosts if there is a SOCKS proxy, else public ones.
        case onionViaSOCKS = "onionViaSocks"
        case onion
        case `public`
    }

    /// The scope of one connection, as a router or a SOCKS proxy such as Tor's sees it.
    package enum SessionMode: String, Sendable, Hashable, CaseIterable {
        /// One connection with each router for a user, and one circuit for all of a user's routers.
        case user
        /// The same, with other circuits after each start of the process or change of the proxy.
        case session
        /// The same, and another circuit for each router.
        case server
        /// A connection of its own for each of the user's connections: the router cannot tell by them which queues are one user's. Costs
        /// about 32 KB for each on either side.
        case entity
    }

    /// Routers that are reached by port 443 where their address names no port.
    package enum WebPortServers: String, Sendable, Hashable, CaseIterable {
        case all
        /// Those in the ``SMPClientConfiguration/presetDomains``.
        case preset
        case off
    }

    /// A time limit.
    package struct Limit: Sendable, Hashable {
        /// For what nobody waits for.
        package var background: Duration
        /// For requests that a person waits for.
        package var interactive: Duration

        package init(background: Duration, interactive: Duration) {
            self.background = background
            self.interactive = interactive
        }
    }

    /// nil to connect directly; onion hosts cannot be reached then.
    package var socksProxy: SOCKSProxy?
    package var socksMode = SOCKSMode.always
    package var hostMode = HostMode.onionViaSOCKS
    /// True if a router without such a host is not connected to at all.
    package var isHostModeRequired = false
    package var sessionMode = SessionMode.session
    /// For which routers commands go through a proxy.
    package var privateRouting = PrivateRoutingPolicy.Mode.never
    /// The fallback when that is not possible.
    package var privateRoutingFallback = PrivateRoutingPolicy.Fallback.allow
    package var webPortServers = WebPortServers.preset
    /// For a connection with its handshakes, host by host.
    package var connectTimeout = Limit(background: .seconds(45), interactive: .seconds(15))
    /// For the response to a command.
    package var responseTimeout = Limit(background: .seconds(30), interactive: .seconds(10))
    /// The additional time of a response for each 1,024 bytes that are sent before it.
    package var timeoutPerKilobyte = Duration.milliseconds(5)
    /// True if all of these limits are half as long again, as for networks of mobile phones. A change is for new connections: those that
    /// there are stay.
    package var isSlow = false
    /// nil to leave idle connections unprobed by TCP.
    package var keepAlive: TCPKeepAlive? = TCPKeepAlive()
    /// A connection with subscriptions on which nothing has arrived for this long is probed with `PING`; zero for never.
    package var pingInterval = Duration.seconds(600)
    /// Commands without a response in a row after which a silent connection is given up; 0 for never.
    package var pingCount = 3

    /// True if routers are shown service certificates, by which all queues of a user on a router are subscribed to at once. The router sees
    /// by them which queues are one user's; so it has no effect in session mode `entity`.
    package var usesServices = false

    /// True if a failure of TLS with a router is logged as a warning, instead of at `debug` level.
    package var logsTLSErrors = false

    package init() {}

    /// The time limit of a connection with its handshakes.
    ///
    /// - Parameter isInteractive: whether a person waits.
    package func connectLimit(isInteractive: Bool) -> Duration { onNetwork(isInteractive ? connectTimeout.interactive : connectTimeout.background) }

    /// The time limit of a response.
    ///
    /// - Parameters:
    ///   - isInteractive: whether a person waits.
    ///   - bytes: the bytes sent before it, including the command.
    package func responseLimit(isInteractive: Bool, bytes: Int = 0) -> Duration {
        onNetwork((isInteractive ? responseTimeout.interactive : responseTimeout.background) + timeoutPerKilobyte * (bytes / 1024))
    }

    private func onNetwork(_ limit: Duration) -> Duration { isSlow ? limit * 3 / 2 : limit }

    /// When commands go through a proxy, with these settings.
    package var privateRoutingPolicy: PrivateRoutingPolicy {
        PrivateRoutingPolicy(
            mode: privateRouting, fallback: privateRoutingFallback, usesSOCKS: socksProxy != nil && socksMode == .always,
            prefersOnion: socksProxy != nil && hostMode != .public)
    }

    /// The hosts to try, in their order. All are of one kind, so that a failure never leads to a host that learns more about us.
    package func hosts<Scheme: ServerScheme>(of server: ServerAddress<Scheme>) -> [TransportHost] {
        let reachable = server.hosts.filter { socksProxy != nil || !$0.isOnion }
        let wantsOnion = hostMode == .onion || (hostMode == .onionViaSOCKS && socksProxy != nil)
        let wanted = reachable.filter { $0.isOnion == wantsOnion }
        guard wanted.isEmpty, !isHostModeRequired else { return wanted }
        return reachable
    }

    /// Checks whether the SOCKS proxy is used for a host.
    package func usesProxy(for host: TransportHost) -> Bool { socksProxy != nil && (socksMode == .always || host.isOnion) }

    /// True if a router does not see this machine's address: the proxy is used for every host that is tried.
    package func hidesAddress<Scheme: ServerScheme>(from server: ServerAddress<Scheme>) -> Bool {
        socksProxy != nil && hosts(of: server).allSatisfy(usesProxy)
    }

    /// The purpose of a connection for an isolating SOCKS proxy, which keeps different purposes apart.
    ///
    /// - Parameter epoch: other after each start of the process, and each change of the proxy.
    func purpose(of session: TransportSessionKey, epoch: String) -> String {
        switch sessionMode {
        case .user: "\(session.userID)"
        case .session: "\(session.userID):\(epoch)"
        case .server: "\(session.userID):\(epoch)@\(session.server)"
        case .entity: "\(session.userID):\(epoch)@\(session.server)/\(session.entity?.description ?? "")"
        }
    }
}

extension NetworkConfiguration {
    /// The time limit of the response to a request.
    ///
    /// - Parameter bytes: the bytes sent before the response, including the request.
    func limit(of request: SMPRequest, bytes: Int) -> Duration {
        guard let timeout = request.timeout else { return responseLimit(isInteractive: request.command.isInteractive, bytes: bytes) }
        // A limit of the request's own counts from the end of what is sent.
        return timeout + responseLimit(isInteractive: false, bytes: bytes) - responseLimit(isInteractive: false)
    }
}

extension SMPCommand {
    /// True if a person waits for the response, as a rule.
    var isInteractive: Bool {
        switch self {
        case .new, .key, .skey, .rkey, .lset, .ldel, .lkey, .lget, .que, .off, .nkey, .ndel, .prxy, .rslv: true
        default: false
        }
    }
}
