import SMPProtocol

/// When the commands of senders go through a proxy, which hides the sender's network address from the router of the recipient
/// (simplex-messaging.md, "Proxying sender commands").
public struct PrivateRoutingPolicy: Sendable, Hashable {
    /// For which routers a proxy is used. The raw values are the names in the commands of the official client.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        case never
        /// For routers that are not the user's own.
        case unknown
        /// The same, unless connections to the router do not show our address anyway.
        case unprotected
        case always
    }

    /// The fallback when the proxy or the router behind it is too old for proxying or cannot be used in this way.
    public enum Fallback: String, Sendable, Hashable, CaseIterable {
        /// Connect directly.
        case allow
        /// Connect directly if that does not show our address.
        case allowProtected
        /// Fail.
        case prohibit
    }

    /// The cases in which routing is private.
    public var mode: Mode
    /// The fallback when a message cannot be routed privately.
    public var fallback: Fallback
    /// True if connections go through a SOCKS proxy, so that no router sees our address.
    public var usesSOCKS: Bool
    /// True if onion hosts are chosen where a router has one.
    public var prefersOnion: Bool

    /// The official client's defaults.
    public init(mode: Mode = .never, fallback: Fallback = .allow, usesSOCKS: Bool = false, prefersOnion: Bool = false) {
        self.mode = mode
        self.fallback = fallback
        self.usesSOCKS = usesSOCKS
        self.prefersOnion = prefersOnion
    }

    /// Checks whether commands for this router go through a proxy.
    ///
    /// - Parameter known: the user's own routers.
    func usesProxy(for server: SMPServerAddress, known: [SMPServerWithAuth]) -> Bool {
        switch mode {
        case .never: false
        case .always: true
        case .unknown: !isKnown(server, known)
        case .unprotected: !hidesAddress(from: server) && !isKnown(server, known)
        }
    }

    /// Checks whether commands for this router may go to it directly when a proxy cannot be used.
    func allowsDirect(to server: SMPServerAddress) -> Bool {
        switch fallback {
        case .allow: true
        case .allowProtected: hidesAddress(from: server)
        case .prohibit: false
        }
    }

    /// Those of the user's routers that hide something as proxies.
    ///
    /// A router on this machine connects with this machine's own address, and past a SOCKS proxy of ours: it hides nothing, and may show what
    /// would have been hidden. It is a proxy only where that is asked for, by mode `always` or fallback `prohibit`.
    ///
    /// - Returns: nil if all are of that kind: commands then go directly, at once, whatever the fallback.
    func proxies(among servers: [SMPServerWithAuth]) -> [SMPServerWithAuth]? {
        guard mode != .always, fallback != .prohibit else { return servers }
        let elsewhere = servers.filter { !$0.server.isOnThisMachine }
        return elsewhere.isEmpty && !servers.isEmpty ? nil : elsewhere
    }

    private func hidesAddress(from server: SMPServerAddress) -> Bool {
        usesSOCKS || (prefersOnion && server.hosts.contains(where: \.isOnion))
    }

    private func isKnown(_ server: SMPServerAddress, _ known: [SMPServerWithAuth]) -> Bool {
        known.contains { !Set($0.server.hosts).isDisjoint(with: server.hosts) }
    }
}

extension SMPServerAddress {
    /// True if all of its hosts are this machine's loopback interface.
    var isOnThisMachine: Bool { !hosts.isEmpty && hosts.allSatisfy(\.isLoopback) }
}

extension TransportHost {
    fileprivate var isLoopback: Bool {
        switch self {
        case .ipv4(let first, _, _, _): first == 127
        case .ipv6(let bytes): bytes == Self.ipv6Loopback || bytes.starts(with: Self.mappedLoopback)
        case .domain(let name): name == "localhost" || name.hasSuffix(".localhost")
        case .onion: false
        }
    }

    private static let ipv6Loopback = [UInt8](repeating: 0, count: 15) + [1]
    /// 127.0.0.0/8 as IPv6 addresses hold it.
    private static let mappedLoopback = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 127]
}
