import SMPProtocol
public import SMPTransport
public import SMPWire

/// How a client connects to routers and talks to them. The defaults are those of the official clients.
public struct SMPClientConfiguration: Sendable {
    /// Versions of the protocol to offer.
    public var versions: VersionRange = SMPVersion.offered
    /// The longest time for connecting to one host, handshakes included.
    public var connectTimeout: Duration = .seconds(15)
    /// The longest time for the response to a command that names no time of its own.
    public var responseTimeout: Duration = .seconds(30)
    /// The port of routers whose address names none.
    public var defaultPort: UInt16 = 5223
    /// How long to wait between attempts to take up subscriptions again.
    public var retry = RetryInterval()
    /// For how long after a failed attempt to connect further commands fail at once with the same error.
    public var failureMemory: Duration = .seconds(3)
    /// A connection with subscriptions on which nothing has arrived for this long is probed with `PING`.
    public var pingInterval: Duration = .seconds(600)
    /// Commands without a response in a row after which a connection is given up, if it has been silent for
    /// ``silenceLimit``.
    public var pingCount = 3
    /// How long a connection must have been silent before unanswered commands end it.
    public var silenceLimit: Duration = .seconds(900)
    /// Queues that are subscribed to in one go; the next go waits for the responses.
    public var subscriptionBatch = 1350
    /// Commands of one connection that may wait for responses; further ones fail with code `overloaded`.
    public var maximumPendingRequests = 16_384
    /// Bytes of commands of one connection that may wait for the router to read them; further ones fail with code
    /// `overloaded`.
    public var maximumOutgoingBytes = 32 << 20
    /// The TLS connections.
    public var transport = SMPTransportClient.Configuration()

    public init() {}
}
