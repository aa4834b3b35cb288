package import SMPCrypto
package import SMPWire

/// A message of a router: an answer, or an event (simplex-messaging.md, "Router messages"). The cases carry the protocol's own names.
package enum SMPBrokerMessage: Hashable, Sendable {
    /// A queue was created.
    case ids(QueueIDsAndKeys)
    /// The data of a short link, and the sender id of its queue.
    case lnk(SenderID, QueueLinkData)
    /// Subscribed; the service that the queue now belongs to.
    case sok(ServiceID?)
    /// A service's queues were subscribed: these.
    case soks(ServiceQueues)
    case msg(ReceivedMessage)
    /// All messages that waited in the queues of a service when it subscribed to them were given. From version 19.
    case alls
    case nid(NotifierID, X25519.PublicKey)
    /// There is a message: nonce and encrypted ``NotificationMessageMeta``.
    case nmsg(BoxNonce, Bytes)
    /// A proxy has a session with the destination router.
    case pkey(RelaySession)
    /// Destination to proxy: an encrypted response.
    case rres(Bytes)
    /// Proxy to client: an encrypted response.
    case pres(Bytes)
    /// Another connection has subscribed to the queue.
    case end
    /// Another connection has subscribed to the service's queues: these.
    case ends(ServiceQueues)
    /// The queue was deleted.
    case deld
    case info(QueueState)
    case ok
    case err(SMPErrorType)
    case pong
    /// The record of a name.
    case rname(NameRecord)
}

/// The ids and keys of a new queue in `IDS`.
package struct QueueIDsAndKeys: Hashable, Sendable {
    package var recipientID: RecipientID
    package var senderID: SenderID
    /// The router's key for encrypting messages to the recipient.
    package var serverKey: X25519.PublicKey
    /// nil below version 9.
    package var mode: QueueMode?
    /// From version 15.
    package var linkID: LinkID?
    /// From version 16.
    package var serviceID: ServiceID?
    /// From version 17.
    package var notifications: ServerNotificationCredentials?

    package init(
        recipientID: RecipientID, senderID: SenderID, serverKey: X25519.PublicKey, mode: QueueMode? = nil, linkID: LinkID? = nil,
        serviceID: ServiceID? = nil, notifications: ServerNotificationCredentials? = nil
    ) {
        self.recipientID = recipientID
        self.senderID = senderID
        self.serverKey = serverKey
        self.mode = mode
        self.linkID = linkID
        self.serviceID = serviceID
        self.notifications = notifications
    }
}

/// The credentials that the router created for a queue's notifications.
package struct ServerNotificationCredentials: WireCodable, Hashable, Sendable {
    package var notifierID: NotifierID
    package var serverKey: X25519.PublicKey

    package init(notifierID: NotifierID, serverKey: X25519.PublicKey) {
        self.notifierID = notifierID
        self.serverKey = serverKey
    }

    package func encode(to writer: inout WireWriter) {
        writer.write(notifierID)
        writer.write(serverKey)
    }

    package init(from parser: inout WireParser) throws(WireError) {
        notifierID = try parser.read()
        serverKey = try parser.read()
    }
}

/// A message as the router delivers it: its body is a ``ReceivedMessageBody``, encrypted for the recipient.
package struct ReceivedMessage: Hashable, Sendable {
    package var id: MessageID
    package var encryptedBody: Bytes

    package init(id: MessageID, encryptedBody: Bytes) {
        self.id = id
        self.encryptedBody = encryptedBody
    }
}

/// A proxy's session with a destination router: what the client needs to encrypt commands for that router.
package struct RelaySession: WireCodable, Hashable, Sendable {
    package var sessionID: Bytes
    package var versions: VersionRange
    /// The destination's session key, signed with its certificate.
    package var key: CertifiedKey

    package init(sessionID: Bytes, versions: VersionRange, key: CertifiedKey) {
        self.sessionID = sessionID
        self.versions = versions
        self.key = key
    }

    package func encode(to writer: inout WireWriter) {
        writer.write(short: sessionID)
        writer.write(versions)
        writer.write(key)
    }

    package init(from parser: inout WireParser) throws(WireError) {
        sessionID = try parser.short()
        versions = try parser.read()
        key = try parser.read()
    }
}
