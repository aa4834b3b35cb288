/// The counters of a router since its start, and its present load.
package struct RouterStatistics: Sendable, Hashable {
    /// Totals since the start.
    package struct Counters: Sendable, Hashable {
        package var sessionsOpened: UInt64 = 0
        package var queuesCreated: UInt64 = 0
        package var queuesSecured: UInt64 = 0
        package var queuesDeleted: UInt64 = 0
        package var subscriptions: UInt64 = 0
        /// Messages accepted from senders.
        package var messagesSent: UInt64 = 0
        /// Bytes of accepted messages.
        package var bytesSent: UInt64 = 0
        /// Messages delivered to recipients, repetitions included.
        package var messagesDelivered: UInt64 = 0
        package var messagesAcknowledged: UInt64 = 0
        /// Messages refused because the queue was full.
        package var messagesOverQuota: UInt64 = 0
        /// Messages refused because the sender was not authorised or the queue was off.
        package var messagesRefused: UInt64 = 0
        package var messagesExpired: UInt64 = 0
        /// Stored messages that were found damaged later.
        package var messagesLost: UInt64 = 0
        package var notificationsSent: UInt64 = 0
        /// Subscriptions to all queues of a service at once.
        package var serviceSubscriptions: UInt64 = 0
        /// Of those, where client and router have the same queues.
        package var serviceSubscriptionsAsExpected: UInt64 = 0
        /// Where the router has more queues than the client expects.
        package var serviceSubscriptionsWithMore: UInt64 = 0
        /// Where the router has fewer.
        package var serviceSubscriptionsWithFewer: UInt64 = 0
        /// Where the router has as many, but others.
        package var serviceSubscriptionsWithOthers: UInt64 = 0
        /// Queues that clients did not expect, in all subscriptions of services.
        package var serviceQueuesUnexpected: UInt64 = 0
        /// Queues that clients expected, in all subscriptions of services, and the router does not have for them.
        package var serviceQueuesMissing: UInt64 = 0
        /// Commands that were not authorised, or about queues that are not there.
        package var authorizationFailures: UInt64 = 0
        /// Commands that a proxy forwarded to this router.
        package var commandsForwarded: UInt64 = 0
        /// Commands that this router, as a proxy, has forwarded to others.
        package var commandsRelayed: UInt64 = 0
        /// Queues deleted because nobody had used them for long.
        package var queuesExpired: UInt64 = 0
        /// Queues blocked by the operator.
        package var queuesBlocked: UInt64 = 0
        /// Names that clients asked for.
        package var namesRequested: UInt64 = 0
        /// Of those, names with a record.
        package var namesResolved: UInt64 = 0
        /// Names that are not registered.
        package var namesNotFound: UInt64 = 0
        /// Names that the resolver could not look up, or not in time.
        package var namesFailed: UInt64 = 0
        /// Names that were not looked up: too many waited, or their client was gone.
        package var namesRefused: UInt64 = 0

        package init() {}
    }

    /// The counters since the router was created; a kill of the process loses the counts of the last minute.
    package var counters = Counters()
    /// The counters of the last day, the last 7 and the last 30 days, including today (UTC).
    package var day = Counters(), week = Counters(), month = Counters()
    /// Queues that were used on these days.
    package var activeQueues = ActiveQueues()
    /// The time at which counting began: seconds since 1970.
    package var since: Int64 = 0
    /// The start time of the process: seconds since 1970.
    package var started: Int64 = 0

    package struct ActiveQueues: Sendable, Hashable {
        package var day = 0, week = 0, month = 0

        package init() {}
    }

    /// Clients that have completed their TLS handshake.
    package var sessions = 0
    /// Connections now, those in their TLS handshake included.
    package var connections = 0
    /// Other routers that this one is connected to as a proxy.
    package var relays = 0
    /// Queues now.
    package var queues = 0
    /// Messages in all queues now.
    package var messages = 0
    /// Bytes of the journal.
    package var journalBytes = 0
    /// Bytes of the journal that are still needed.
    package var liveBytes = 0
    /// Services that have queues or a session.
    package var services = 0
    /// Queues whose messages or notifications services receive.
    package var serviceQueues = 0
    /// Seconds until the certificate expires, negative afterwards.
    package var certificateLifetime: Int?
    /// The reason why nothing is accepted at present; nil when the disk works.
    package var storageFailure: String?
    /// The reason why the journal is not cleared any more; nil without damage.
    package var damage: String?

    package init() {}
}
