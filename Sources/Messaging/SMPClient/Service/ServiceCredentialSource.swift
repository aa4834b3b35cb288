package import SMPProtocol
package import SMPTransport

/// Gives the certificates by which routers know a client as a service (simplex-messaging.md, "Service certificates").
///
/// All queues of a service on a router are subscribed to by one command. In return the router sees, over all connections and restarts,
/// that they are one client's; so each user has a certificate of its own for each router.
package protocol ServiceCredentialSource: Sendable {
    /// The certificate of a user for a router, always the same one.
    ///
    /// - Returns: nil to be no service there.
    func serviceCredential(user: Int64, server: SMPServerAddress) async throws -> ServerCredential?
}

/// The outcome of subscribing to all queues of a service by one command, or a later change of that subscription.
package enum ServiceSubscription: Sendable {
    /// The router counts the queues that were expected: all are subscribed to.
    case complete(queues: Int)
    /// The router counts other queues than were expected, or as many others: each is subscribed to by itself, which makes it the service's again.
    case incomplete(counted: Int64, expected: Int)
    /// The router does not do this for the client: each queue is subscribed to by itself.
    case unavailable(SMPClientError)
    /// All messages that had waited in the service's queues when it subscribed to them have been delivered.
    case allDelivered
    /// Another connection of the service has subscribed: this one receives nothing more of these queues.
    case ended(queues: [RecipientID])
}
