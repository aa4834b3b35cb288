/// The counters of a router since its start, and its present load.
public struct RouterStatistics: Sendable, Hashable {
    /// Totals since the start.
    public struct Counters: Sendable, Hashable {
        public var sessionsOpened: UInt64 = 0
        public var queuesCreated: UInt64 = 0
        public var queuesSecured: UInt64 = 0
        public var queuesDeleted: UInt64 = 0
        public var subscriptions: UInt64 = 0
        /// Accepted from senders.
        public var messagesSent: UInt64 = 0
        /// Of accepted messages.
        public var bytesSent: UInt64 = 0
        /// Given to recipients, repetitions included.
        public var messagesDelivered: UInt64 = 0
        public var messagesAcknowledged: UInt64 = 0
        /// Refused because the queue was full.
        public var messagesOverQuota: UInt64 = 0
        /// Refused because the sender was not authorised or the queue was off.
        public var messagesRefused: UInt64 = 0
        public var messagesExpired: UInt64 = 0
        /// Stored, but found damaged later.
        public var messagesLost: UInt64 = 0
        public var notificationsSent: UInt64 = 0
        /// Of all queues of a service at once.
        public var serviceSubscriptions: UInt64 = 0
        /// Commands that were not authorised, or about queues that are not there.
        public var authorizationFailures: UInt64 = 0
        /// Commands that a proxy forwarded to this router.
        public var commandsForwarded: UInt64 = 0
        /// Commands that this router, as a proxy, has passed on to others.
        public var commandsRelayed: UInt64 = 0
        /// Because nobody had used them for long.
        public var queuesExpired: UInt64 = 0
        /// By the operator.
        public var queuesBlocked: UInt64 = 0

        public init() {}
    }

    /// Since the router was made, as far as it remembers: what was counted in the last minute before a kill is lost.
    public var counters = Counters()
    /// Of the last day, the last 7 and the last 30, today included (UTC).
    public var day = Counters(), week = Counters(), month = Counters()
    /// Queues that were used on these days.
    public var activeQueues = ActiveQueues()
    /// When counting began: seconds since 1970.
    public var since: Int64 = 0
    /// When the process was started: seconds since 1970.
    public var started: Int64 = 0

    public struct ActiveQueues: Sendable, Hashable {
        public var day = 0, week = 0, month = 0

        public init() {}
    }

    /// Clients that have done their TLS handshake.
    public var sessions = 0
    /// Connections now, those in their TLS handshake included.
    public var connections = 0
    /// Other routers that this one is connected to as a proxy.
    public var relays = 0
    /// Queues now.
    public var queues = 0
    /// Messages in all queues now.
    public var messages = 0
    /// Bytes of the journal.
    public var journalBytes = 0
    /// Bytes of the journal that are still needed.
    public var liveBytes = 0
    /// Services that have queues or a session.
    public var services = 0
    /// Queues that services receive from or hear of.
    public var serviceQueues = 0
    /// Seconds until the certificate expires, negative afterwards.
    public var certificateLifetime: Int?
    /// Why nothing is accepted at present; nil when all is well.
    public var storageFailure: String?
    /// Why the journal is not cleared any more; nil when all is well.
    public var damage: String?

    public init() {}
}
