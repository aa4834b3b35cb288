public import SMPProtocol
public import SMPWire

/// A message to send.
public struct AgentSendRequest: Sendable {
    public var connection: ConnectionID
    /// At most ``AgentLimits/messageBodyLength(agentVersion:pqSupport:)`` bytes. Requests of one call with equal bodies share one
    /// stored copy.
    public var body: Bytes
    /// True if the recipient's notification server hears of it.
    public var flags: MessageFlags
    /// True if post-quantum encryption is used from here on, if the peer can; turning it on also turns on support for it.
    public var pqEncryption: Bool
    /// The caller's own number of the message, unique in the connection and growing, such as a row of its outbox. A request with a
    /// number that was used before stores nothing and gets the outcome of the first one, so that a message can be given again after a
    /// crash. Numbers are remembered as long as the records of messages.
    public var key: Int64?

    public init(
        connection: ConnectionID, body: Bytes, flags: MessageFlags = MessageFlags(notification: true), pqEncryption: Bool = true,
        key: Int64? = nil
    ) {
        self.connection = connection
        self.body = body
        self.flags = flags
        self.pqEncryption = pqEncryption
        self.key = key
    }
}

/// The outcome of an ``AgentSendRequest``: the message is stored and will be sent.
public struct AcceptedMessage: Sendable, Hashable {
    public let messageID: AgentMessageID
    /// True if post-quantum encryption protects it.
    public let pqEncryption: Bool

    public init(messageID: AgentMessageID, pqEncryption: Bool) {
        self.messageID = messageID
        self.pqEncryption = pqEncryption
    }
}

/// A new connection with its links.
public struct CreatedConnection: Sendable {
    public let id: ConnectionID
    /// The full link, with scheme `simplex:`.
    public let link: ConnectionRequestURI
    /// Set if link data was given and the router keeps it.
    public let shortLink: ConnectionShortLink?

    public init(id: ConnectionID, link: ConnectionRequestURI, shortLink: ConnectionShortLink?) {
        self.id = id
        self.link = link
        self.shortLink = shortLink
    }
}

/// The target of a short link.
public struct ResolvedLink: Sendable {
    /// The part that cannot change: it holds the full link.
    public let fixed: FixedLinkData
    /// The part that the owner may change.
    public let user: ConnectionLinkData

    public init(fixed: FixedLinkData, user: ConnectionLinkData) {
        self.fixed = fixed
        self.user = user
    }
}

/// Which version and encryption a connection by a link would have.
public struct LinkCompatibility: Sendable, Hashable {
    /// The agent version that both sides support, 2 to 7.
    public let agentVersion: UInt16
    public let pqSupport: Bool

    public init(agentVersion: UInt16, pqSupport: Bool) {
        self.agentVersion = agentVersion
        self.pqSupport = pqSupport
    }
}
