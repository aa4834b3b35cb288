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
    /// True if the router is a proxy for senders: it connects to other routers in their place. Senders must know ``basicAuth`` if it is set.
    package var allowsProxying = true
    /// The maximum number of other routers that the proxy is connected to. Beyond it, the client with most of these connections loses its least
    /// recently used one.
    package var maximumRelays = 1_000
    /// True if the proxy connects to routers on this machine, in private networks, and at other addresses that the internet does not reach:
    /// strangers could explore these networks through it. nil: only if the router itself listens on the loopback interface only.
    package var allowsPrivateRelays: Bool?
    /// The maximum number of messages in a queue; a sender must wait while the queue is full.
    package var messageQuota = 128
    /// The time after which messages are deleted; nil: never.
    package var messageLifetime: Duration? = .seconds(21 * 86_400)
    /// The interval between searches for old messages in queues without new messages.
    package var expirySweepInterval: Duration = .seconds(7_200)
    /// The time without use after which queues are deleted, in whole days; nil: never. A subscription counts as use.
    package var queueLifetime: Duration?
    /// The maximum number of queues.
    package var maximumQueues = 1_000_000
    /// The maximum number of connections.
    package var maximumConnections = 20_000
    /// The maximum number of connections from one address (one /64 of IPv6), and of new ones in a minute; nil: no limit for an address. Many people may
    /// share an address: behind Tor, a proxy, an address translator. Limits for an address do not apply to clients on the router's own machine.
    package var maximumConnectionsPerAddress: Int? = 2_000
    /// The number of queues that may be created from one address at once, and again in each hour; nil: any number.
    package var queuesPerAddressAndHour: Int? = 10_000
    /// The maximum number of connections in their TLS handshake; beyond it, a new one replaces the oldest.
    package var maximumHandshakes = 2_000
    /// The time limit of the TLS handshake, and again of a client's hello.
    package var handshakeTimeout: Duration = .seconds(30)
    /// The time after which a client is disconnected that reads none of its waiting data. It gets the data when it connects again.
    package var stallTimeout: Duration = .seconds(120)
    /// The time after which a silent connection without subscriptions is closed; nil: never.
    package var idleTimeout: Duration? = .seconds(6 * 3_600)
    /// The lifetime of a certificate in days; nil: unlimited. The router renews it when a third of the lifetime is left, if it has
    /// the key of the identity.
    package var certificateDays: Int?
    /// True if an operator can talk to the router on a socket in the data folder.
    package var hasControl = false
    /// The address of the metrics endpoint over HTTP; nil for none.
    package var metrics: MetricsAddress?
    /// The durability of data that the router has answered `OK` to.
    package var durability: Durability = .always
    /// The size of a journal segment in bytes.
    package var segmentSize = 16 << 20
    /// The number of unneeded bytes from which the journal is cleared; more are allowed if more are in use.
    package var clearingThreshold = 32 << 20
    /// The time limits of the proxy for other routers.
    package var relayTimes = RelayTimes()
    /// The function that looks up the names of other routers; nil: the system does.
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
        try check(expirySweepInterval >= .seconds(1), "the interval between searches for old messages must be at least 1 second")
        try check(maximumQueues > 0, "the maximum number of queues must be at least 1")
        try check(maximumRelays > 0, "the maximum number of other routers of a proxy must be at least 1; to have no proxy, do not allow it")
        try check(queuesPerAddressAndHour.map { (1...1_000_000).contains($0) } ?? true, "queues from an address in an hour must be from 1 to 1000000")
        let times = Duration.milliseconds(1)...Duration.seconds(86_400)
        try check(times.contains(handshakeTimeout), "the time for a handshake must be from a millisecond to a day")
        try check(times.contains(stallTimeout), "the time limit for a client that reads nothing must be from a millisecond to a day")
        let longTimes = Duration.milliseconds(1)...Duration.seconds(36_500 * 86_400)
        try check(longTimes.contains(expirySweepInterval), "the interval between searches for old messages must be at most 36500 days")
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
