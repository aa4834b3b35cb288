public import SMPCrypto
public import SMPWire

/// The parameters of `NEW`.
public struct NewQueueRequest: Hashable, Sendable {
    /// Authorises the recipient's commands, this one included.
    public var recipientKey: PublicAuthKey
    /// Agrees the secret that messages are encrypted with between router and recipient.
    public var encryptionKey: X25519.PublicKey
    public var basicAuth: BasicAuth?
    public var subscription: SubscriptionMode
    /// nil: a queue that is neither secured by its sender nor has a link (all that versions below 9 know).
    public var mode: NewQueueMode?
    /// From version 17.
    public var notifications: NotificationCredentials?

    public init(
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
public enum NewQueueMode: Hashable, Sendable {
    /// The sender id must be ``QueueIDs/senderID(correlationID:)`` of the command's correlation id.
    case messaging(link: MessagingLink?)
    case contact(link: ContactLink?)

    public struct MessagingLink: Hashable, Sendable {
        public var senderID: SenderID
        public var data: QueueLinkData

        public init(senderID: SenderID, data: QueueLinkData) {
            self.senderID = senderID
            self.data = data
        }
    }

    public struct ContactLink: Hashable, Sendable {
        public var linkID: LinkID
        public var senderID: SenderID
        public var data: QueueLinkData

        public init(linkID: LinkID, senderID: SenderID, data: QueueLinkData) {
            self.linkID = linkID
            self.senderID = senderID
            self.data = data
        }
    }

    public var queueMode: QueueMode {
        switch self {
        case .messaging: .messaging
        case .contact: .contact
        }
    }
}

/// The purpose of a queue, which decides who may secure it.
public enum QueueMode: UInt8, WireCodable, Hashable, Sendable, Codable {
    /// One sender, who may secure the queue.
    case messaging = 0x4D
    /// Many senders: the queue stays open.
    case contact = 0x43

    public var senderCanSecure: Bool { self == .messaging }

    public func encode(to writer: inout WireWriter) { writer.write(byte: rawValue) }

    public init(from parser: inout WireParser) throws(WireError) {
        guard let mode = QueueMode(rawValue: try parser.byte()) else {
            throw WireError(.invalidValue, "a queue mode is M or C", at: parser.offset - 1)
        }
        self = mode
    }
}

/// The choice between subscribing to a new queue at once and later.
public enum SubscriptionMode: WireCodable, StringCodable, Hashable, Sendable, CaseIterable {
    case subscribe
    case onlyCreate

    public func encode(to writer: inout WireWriter) { writer.write(byte: UInt8(ascii: self == .subscribe ? "S" : "C")) }

    public init(from parser: inout WireParser) throws(WireError) {
        switch try parser.byte() {
        case UInt8(ascii: "S"): self = .subscribe
        case UInt8(ascii: "C"): self = .onlyCreate
        default: throw WireError(.invalidValue, "a subscription mode is S or C", at: parser.offset - 1)
        }
    }

    public func encodeString(to writer: inout WireWriter) {
        writer.write(text: self == .subscribe ? "subscribe" : "only-create")
    }

    public init(fromString parser: inout WireParser) throws(WireError) {
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
public struct NotificationCredentials: WireCodable, Hashable, Sendable {
    /// Authorises the notification server's subscription.
    public var notifierKey: PublicAuthKey
    /// Agrees the secret that message ids in notifications are encrypted with.
    public var encryptionKey: X25519.PublicKey

    public init(notifierKey: PublicAuthKey, encryptionKey: X25519.PublicKey) {
        self.notifierKey = notifierKey
        self.encryptionKey = encryptionKey
    }

    public func encode(to writer: inout WireWriter) {
        writer.write(notifierKey)
        writer.write(encryptionKey)
    }

    public init(from parser: inout WireParser) throws(WireError) {
        notifierKey = try parser.read()
        encryptionKey = try parser.read()
    }
}

/// The data of a short link as the router keeps it: encrypted, so that only those with the link can read it.
public struct QueueLinkData: WireCodable, Hashable, Sendable {
    /// Nonce, authentication tag and 2,008 padded bytes: 2,048 bytes from our clients. Never changes.
    public var fixedData: Bytes
    /// 13,824 bytes from our clients. Changes with what the link's owner shows.
    public var userData: Bytes

    /// - Precondition: at most 65,535 bytes each.
    public init(fixedData: Bytes, userData: Bytes) {
        self.fixedData = fixedData
        self.userData = userData
    }

    public func encode(to writer: inout WireWriter) {
        writer.write(large: fixedData)
        writer.write(large: userData)
    }

    public init(from parser: inout WireParser) throws(WireError) {
        fixedData = try parser.large()
        userData = try parser.large()
    }
}
