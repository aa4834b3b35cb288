package import SMPCrypto
package import SMPProtocol

/// One command for a router.
package struct SMPRequest: Sendable {
    /// The queue, link or session that the command is about; `none` for commands about nothing.
    package var entity: EntityID
    package var command: SMPCommand
    /// The key that authorises the command: an authenticator with X25519, a signature with Ed25519 and Ed448.
    package var authKey: PrivateAuthKey?
    /// Given when something in the command derives from it, such as the sender id of `NEW` with link data. Otherwise random.
    /// It must not be used twice.
    package var correlationID: CorrelationID?
    /// The time limit of the response once the router is connected; nil for the configuration's time.
    package var timeout: Duration?

    package init(
        entity: EntityID = .none, command: SMPCommand, authKey: PrivateAuthKey? = nil, correlationID: CorrelationID? = nil,
        timeout: Duration? = nil
    ) {
        self.entity = entity
        self.command = command
        self.authKey = authKey
        self.correlationID = correlationID
        self.timeout = timeout
    }
}

/// A queue to receive from, and the key that authorises its recipient.
package struct QueueSubscription: Sendable {
    package var queue: RecipientID
    package var authKey: PrivateAuthKey
    /// The service that the queue belongs to on its router, as far as is known.
    package var service: ServiceID?

    package init(queue: RecipientID, authKey: PrivateAuthKey, service: ServiceID? = nil) {
        self.queue = queue
        self.authKey = authKey
        self.service = service
    }
}
