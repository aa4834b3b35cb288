package import RouterSupport
package import SMPProtocol
package import SMPTransport
package import SMPWire

/// The settings of a router: addresses, permissions, limits and durability.
package struct RouterConfiguration: CommonRouterSettings {
    package var storage: RouterStorage
    /// The address to listen on.
    package var host = "127.0.0.1"
    /// The port to listen on; 0 takes any free one.
    package var port = 5223
    /// The hosts in the router's address; empty: the one listened on, or 127.0.0.1 if that is all interfaces.
    package var advertisedHosts: [TransportHost] = []
    /// True if queues may be created.
    package var allowsNewQueues = true
    /// The password for creating queues; nil for none.
    package var basicAuth: BasicAuth?
    /// True if the router is a proxy for senders, who must know ``basicAuth`` if it is set: it connects to other routers in their place.
    package var allowsProxying = true
    /// Other routers that the proxy is connected to, at most. When another is wanted, the client with most of them loses the one that was
    /// used least lately.
    package var maximumRelays = 1_000
    /// True if the proxy connects to routers on this machine and in private networks, and wherever else the internet does not reach: with
    /// that, strangers could look around there. nil: if the router itself listens on the loopback interface only.
    package var allowsPrivateRelays: Bool?
    /// The maximum number of messages in a queue; a sender must wait while the queue is full.
    package var messageQuota = 128
    /// After how long messages are deleted; nil: never.
    package var messageLifetime: Duration? = .seconds(21 * 86_400)
    /// The interval between searches for old messages in queues without new messages.
    package var expirySweepInterval: Duration = .seconds(7_200)
    /// After how long without use queues are deleted, in whole days; nil: never. A subscription counts as use.
    package var queueLifetime: Duration?
    /// Queues at most.
    package var maximumQueues = 1_000_000
    /// Connections at most.
    package var maximumConnections = 20_000
    /// Connections at most from one address (one /64 of IPv6), and connections made from it in a minute; nil: as many as there are. Many people may share
    /// one: behind Tor, a proxy, an address translator. Limits for an address do not concern clients on the router's own machine.
    package var maximumConnectionsPerAddress: Int? = 2_000
    /// Queues that may be created from one address in an hour, and as many at once; nil: any number.
    package var queuesPerAddressAndHour: Int? = 10_000
    /// Connections in their TLS handshake at most; the oldest gives way to a new one.
    package var maximumHandshakes = 2_000
    /// The time limit of TLS, and again of a client's hello.
    package var handshakeTimeout: Duration = .seconds(30)
    /// After how long a client is disconnected that takes nothing of what waits for it. It finds all of it when it comes back.
    package var stallTimeout: Duration = .seconds(120)
    /// After how long a silent connection without subscriptions is closed; nil: never.
    package var idleTimeout: Duration? = .seconds(6 * 3_600)
    /// For how many days a certificate is issued; nil: without end. The router renews it when a third of them is left, if it has the
    /// key of the identity.
    package var certificateDays: Int?
    /// True if an operator can talk to the router on a socket in the data folder.
    package var hasControl = false
    /// Where metrics are served over HTTP; nil: nowhere.
    package var metrics: MetricsAddress?
    /// The guarantee behind `OK`.
    package var durability: Durability = .always
    /// Bytes of a journal segment.
    package var segmentSize = 16 << 20
    /// Bytes of the journal that may be out of use, however little is in use, before it is cleared.
    package var clearingThreshold = 32 << 20
    /// The time limits of the proxy for other routers.
    package var relayTimes = RelayTimes()
    /// Looks up the names of other routers instead of the system.
    package var lookup: (@Sendable (String) async -> [IPAddress])?
    /// Resolves names for clients; nil: the router answers that it resolves none.
    package var nameResolver: (any NameResolver)?
    /// Versions of the protocol that are offered.
    package var versions = SMPVersion.offered

    package init(storage: RouterStorage) { self.storage = storage }

    /// - Throws: ``RouterError`` `invalidConfiguration`.
    func validate() throws(RouterError) {
        try checkCommonSettings()
        let check = Self.check
        try check((1...100_000).contains(messageQuota), "the message quota is \(messageQuota): it must be from 1 to 100000")
        try check(messageLifetime.map { $0 >= .seconds(1) } ?? true, "messages must live for a second at least")
        try check(queueLifetime.map { $0 >= .seconds(86_400) } ?? true, "queues must live for a day at least")
        try check(expirySweepInterval >= .seconds(1), "old messages must not be looked for more often than once a second")
        try check(maximumQueues > 0, "there must be room for a queue")
        try check(maximumRelays > 0, "a proxy must have room for a router; to have no proxy, do not allow it")
        try check(queuesPerAddressAndHour.map { (1...1_000_000).contains($0) } ?? true, "queues from an address: 1 to 1000000 in an hour")
        let times = Duration.milliseconds(1)...Duration.seconds(86_400)
        try check(times.contains(handshakeTimeout), "the time for a handshake must be from a millisecond to a day")
        try check(times.contains(stallTimeout), "the time for a client that takes nothing must be from a millisecond to a day")
        let longTimes = Duration.milliseconds(1)...Duration.seconds(36_500 * 86_400)
        try check(longTimes.contains(expirySweepInterval), "old messages must be looked for once in 36500 days")
        if case .interval(let time) = durability {
            try check(
                time >= .milliseconds(Durability.milliseconds.lowerBound) && time <= .milliseconds(Durability.milliseconds.upperBound),
                "the disk must be flushed every \(Durability.milliseconds.lowerBound) ms to \(Durability.milliseconds.upperBound) ms")
        }
        try check(
            versions.intersection(SMPVersion.encodable) == versions,
            "versions \(versions) are offered, but only \(SMPVersion.encodable) are known")
    }

    /// True if only this machine itself can connect.
    var isLoopbackOnly: Bool { host == "localhost" || IPAddress(parsing: host)?.isLoopback == true }

    var limits: RouterState.Limits {
        RouterState.Limits(
            messageQuota: messageQuota, messageLifetime: messageLifetime.map { $0.components.seconds },
            allowsNewQueues: allowsNewQueues, basicAuth: basicAuth, maximumQueues: maximumQueues,
            queueLifetime: queueLifetime?.components.seconds)
    }
}
