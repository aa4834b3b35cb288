/// What a router has done since it was started, and what it holds.
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
        /// Commands that a proxy forwarded.
        public var commandsForwarded: UInt64 = 0

        public init() {}
    }

    public var counters = Counters()
    /// Connections now.
    public var sessions = 0
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
    /// Why nothing is accepted at present; nil when all is well.
    public var storageFailure: String?
    /// Why the journal is not cleared any more; nil when all is well.
    public var damage: String?

    public init() {}
}
