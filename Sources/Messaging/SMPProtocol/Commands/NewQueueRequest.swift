package import SMPCrypto
package import SMPWire

/// The parameters of `NEW`.
package struct NewQueueRequest: Hashable, Sendable {
    /// Authorises the recipient's commands, this one included.
    package var recipientKey: PublicAuthKey
    /// The key for the secret that encrypts messages between router and recipient.
    package var encryptionKey: X25519.PublicKey
    package var basicAuth: BasicAuth?
    package var subscription: SubscriptionMode
    /// nil: the sender does not secure the queue, and the queue has no link. Versions below 9 have only such queues.
    package var mode: NewQueueMode?
    /// From version 17.
    package var notifications: NotificationCredentials?

    package init(
        recipientKey: PublicAuthKey, encryptionKey: X25519.PublicKey, basicAuth: BasicAuth? = nil,
        subscription: SubscriptionMode = .subscribe, mode: NewQueueMode? = nil, notifications: NotificationCredentials? = nil
    ) {
        self.recipientKey = recipientKey
        self.encryptionKey = encryptionKey
        self.basicAuth = basicAuth
        self.subscription = subscription
        self.mode = mode
        self.notifications = notifications
    }
}

/// The mode of a new queue and what its short link holds, if it gets one (from version 15).
package enum NewQueueMode: Hashable, Sendable {
    /// The sender id must be ``QueueIDs/senderID(correlationID:)`` of the command's correlation id.
    case messaging(link: MessagingLink?)
    case contact(link: ContactLink?)

    package struct MessagingLink: Hashable, Sendable {
        package var senderID: SenderID
        package var data: QueueLinkData

        package init(senderID: SenderID, data: QueueLinkData) {
            self.senderID = senderID
            self.data = data
        }
    }

    package struct ContactLink: Hashable, Sendable {
        package var linkID: LinkID
        package var senderID: SenderID
        package var data: QueueLinkData

        package init(linkID: LinkID, senderID: SenderID, data: QueueLinkData) {
            self.linkID = linkID
            self.senderID = senderID
            self.data = data
        }
    }

    package var queueMode: QueueMode {
        switch self {
        case .messaging: .messaging
        case .contact: .contact
        }
    }
}

/// The purpose of a queue, which decides who may secure it.
package enum QueueMode: UInt8, WireCodable, Hashable, Sendable, Codable {
    /// One sender, who may secure the queue.
    case messaging = 0x4D
    /// Many senders: the queue stays open.
    case contact = 0x43

    package var senderCanSecure: Bool { self == .messaging }

    package func encode(to writer: inout WireWriter) { writer.write(byte: rawValue) }

    package init(from parser: inout WireParser) throws(WireError) {
        guard let mode = QueueMode(rawValue: try parser.byte()) else {
            throw WireError(.invalidValue, "a queue mode is M or C", at: parser.offset - 1)
        }
        self = mode
    }
}

/// The choice between subscribing to a new queue at once and later.
package enum SubscriptionMode: WireCodable, StringCodable, Hashable, Sendable, CaseIterable {
    case subscribe
    case onlyCreate

    package func encode(to writer: inout WireWriter) { writer.write(byte: UInt8(ascii: self == .subscribe ? "S" : "C")) }

    package init(from parser: inout WireParser) throws(WireError) {
        switch try parser.byte() {
        case UInt8(ascii: "S"): self = .subscribe
        case UInt8(ascii: "C"): self = .onlyCreate
        default: throw WireError(.invalidValue, "a subscription mode is S or C", at: parser.offset - 1)
        }
    }

    package func encodeString(to writer: inout WireWriter) {
        writer.write(text: self == .subscribe ? "subscribe" : "only-create")
    }

    package init(fromString parser: inout WireParser) throws(WireError) {
        if parser.skip("subscribe") {
            self = .subscribe
        } else if parser.skip("only-create") {
            self = .onlyCreate
        } else {
            throw parser.error(.invalidValue, "subscribe or only-create")
        }
    }
}

/// Keys that let a notification server learn of a queue's messages.
package struct NotificationCredentials: WireCodable, Hashable, Sendable {
    /// Authorises the notification server's subscription.
    package var notifierKey: PublicAuthKey
    /// Agrees the secret that message ids in notifications are encrypted with.
    package var encryptionKey: X25519.PublicKey

    package init(notifierKey: PublicAuthKey, encryptionKey: X25519.PublicKey) {
        self.notifierKey = notifierKey
        self.encryptionKey = encryptionKey
    }

    package func encode(to writer: inout WireWriter) {
        writer.write(notifierKey)
        writer.write(encryptionKey)
    }

    package init(from parser: inout WireParser) throws(WireError) {
        notifierKey = try parser.read()
        encryptionKey = try parser.read()
    }
}

/// The data of a short link as the router keeps it: encrypted, so that only those with the link can read it.
package struct QueueLinkData: WireCodable, Hashable, Sendable {
    /// Nonce, authentication tag and 2,008 padded bytes: 2,048 bytes from our clients. Never changes.
    package var fixedData: Bytes
    /// 13,824 bytes from our clients. Changes with what the link's owner shows.
    package var userData: Bytes

    /// - Precondition: at most 65,535 bytes each.
    package init(fixedData: Bytes, userData: Bytes) {
        self.fixedData = fixedData
        self.userData = userData
    }

    package func encode(to writer: inout WireWriter) {
        writer.write(large: fixedData)
        writer.write(large: userData)
    }

    package init(from parser: inout WireParser) throws(WireError) {
        fixedData = try parser.large()
        userData = try parser.large()
    }
}
