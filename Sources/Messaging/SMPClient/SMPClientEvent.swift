package import SMPCrypto
package import SMPProtocol
package import SMPWire

/// An unsolicited event of a connection to a router.
package enum SMPClientEvent: Sendable {
    /// A connection is there.
    case connected(TransportSessionKey)
    /// A connection was lost, and with it the subscriptions to these queues. They are taken up again by themselves.
    case disconnected(TransportSessionKey, queues: [RecipientID])
    /// These queues were subscribed to by themselves, after a lost connection or a failed attempt.
    case subscribed(TransportSessionKey, queues: [RecipientID])
    /// Taking up a subscription again failed permanently: it is forgotten.
    case subscriptionFailed(TransportSessionKey, queue: RecipientID, SMPClientError)
    /// A message, which the router keeps until it is acknowledged. Exactly one event for each delivery.
    case message(TransportSessionKey, queue: RecipientID, ReceivedMessage)
    /// Another connection has subscribed to the queue: this one's subscription is over and forgotten.
    case ended(TransportSessionKey, queue: RecipientID)
    /// There is a message in a queue whose notifier is subscribed to by `NSUB`; the notice is for the queue's recipient to read.
    case notification(TransportSessionKey, notifier: NotifierID, BoxNonce, Bytes)
    /// The router takes these queues for the service's, or for no service's.
    case associated(TransportSessionKey, queues: [RecipientID], ServiceID?)
    /// The outcome of subscribing to the queues of the client's service.
    case service(TransportSessionKey, ServiceSubscription)
    /// The queue was deleted: its subscription is forgotten.
    case deleted(TransportSessionKey, queue: RecipientID)
}
