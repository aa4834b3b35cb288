package import SMPCrypto
package import SMPProtocol
package import SMPWire

/// A message to send.
package struct AgentSendRequest: Sendable {
    package var connection: ConnectionID
    /// At most ``AgentLimits/messageBodyLength(agentVersion:pqSupport:)`` bytes. Requests of one call with equal bodies share one
    /// stored copy.
    package var body: Bytes
    /// True if the recipient's notification server is notified.
    package var flags: MessageFlags
    /// True if post-quantum encryption is used from here on, if the peer can; turning it on also turns on support for it.
    package var pqEncryption: Bool
    /// The caller's own number of the message, unique in the connection and growing, such as a row of its outbox. A request with a
    /// number that was used before stores nothing and gets the outcome of the first one, so that a message can be given again after a
    /// crash. Numbers are remembered as long as the records of messages.
    package var key: Int64?

    package init(
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
package struct AcceptedMessage: Sendable, Hashable {
    package let messageID: AgentMessageID
    /// True if post-quantum encryption protects it.
    package let pqEncryption: Bool

    package init(messageID: AgentMessageID, pqEncryption: Bool) {
        self.messageID = messageID
        self.pqEncryption = pqEncryption
    }
}

/// A new connection with its links.
package struct CreatedConnection: Sendable {
    package let id: ConnectionID
    /// The full link, with scheme `simplex:`.
    package let link: ConnectionRequestURI
    /// Set if link data was given and the router keeps it.
    package let shortLink: ConnectionShortLink?

    package init(id: ConnectionID, link: ConnectionRequestURI, shortLink: ConnectionShortLink?) {
        self.id = id
        self.link = link
        self.shortLink = shortLink
    }
}

/// The identity of a short link, which stays the same whatever the link shows.
package struct LinkIdentity: Sendable {
    /// The key that signs the link's data.
    package let key: Ed25519.PrivateKey
    /// The identifier in the part that cannot change; nil for none.
    package let entityID: Bytes?

    package init(key: Ed25519.PrivateKey, entityID: Bytes?) {
        self.key = key
        self.entityID = entityID
    }
}

/// The target of a short link.
package struct ResolvedLink: Sendable {
    /// The part that cannot change: it holds the full link.
    package let fixed: FixedLinkData
    /// The part that the owner may change.
    package let user: ConnectionLinkData

    package init(fixed: FixedLinkData, user: ConnectionLinkData) {
        self.fixed = fixed
        self.user = user
    }
}

/// Which version and encryption a connection by a link would have.
package struct LinkCompatibility: Sendable, Hashable {
    /// The agent version that both sides support, 2 to 7.
    package let agentVersion: UInt16
    package let pqSupport: Bool

    package init(agentVersion: UInt16, pqSupport: Bool) {
        self.agentVersion = agentVersion
        self.pqSupport = pqSupport
    }
}
