package import SMPCrypto
package import SMPWire

/// A command of a client to a router (simplex-messaging.md, "SMP commands"). The cases carry the protocol's own names.
package enum SMPCommand: Hashable, Sendable {
    // The recipient of a queue.

    /// Create a queue.
    case new(NewQueueRequest)
    /// Subscribe to a queue; the response is its first message, if it has any.
    case sub
    /// Subscribe to all queues of a service, which should be these.
    case subs(ServiceQueues)
    /// Let only the holder of this key send.
    case key(PublicAuthKey)
    /// Let only the holders of these keys receive; at least one.
    case rkey([PublicAuthKey])
    /// Set the data of a queue's short link.
    case lset(LinkID, QueueLinkData)
    /// Delete the data of the link.
    case ldel
    /// Let a notification server learn of messages.
    case nkey(NotificationCredentials)
    case ndel
    /// Receive one message without a subscription.
    case get
    /// Acknowledge a message: the router deletes it and delivers the next.
    case ack(MessageID)
    /// Take no more messages; those in the queue stay.
    case off
    /// Delete the queue and its messages.
    case del
    /// Ask about the state of the queue.
    case que

    // The sender.

    /// Secure the queue as its sender.
    case skey(PublicAuthKey)
    case send(MessageFlags, Bytes)

    // Anybody.
    case ping

    // Who opens a short link.

    /// Secure the queue of a one-time link and get the data of the link.
    case lkey(PublicAuthKey)
    /// Get the data of a contact link.
    case lget

    // A notification server.
    case nsub
    case nsubs(ServiceQueues)

    // Through a proxy.

    /// Ask a proxy for a session with another router.
    case prxy(SMPServerAddress, BasicAuth?)
    /// Send an encrypted transmission through the proxy's session; the entity is the session id.
    case pfwd(ForwardedCommand)
    /// A proxy passes on an encrypted transmission.
    case rfwd(Bytes)

    // Commands about names.

    /// Find out what a name stands for.
    case rslv(SimpleXDomain)
}
