package import SMPProtocol

/// A counter for each router of a user. The raw values are the names in the chat API, and in the store.
package enum ServerCounter: String, Sendable, Hashable, CaseIterable {
    /// `SEND` that the router took: directly, through a proxy, and for other routers as a proxy.
    case sentDirect, sentViaProxy, sentProxied
    case sentDirectAttempts, sentViaProxyAttempts, sentProxiedAttempts
    /// Messages that were given up.
    case sentAuthErrs, sentQuotaErrs, sentExpiredErrs, sentOtherErrs
    /// Messages that the router delivered, with those that came before, could not be decrypted, or were of no use.
    case recvMsgs, recvDuplicates, recvCryptoErrs, recvErrs
    case ackMsgs, ackAttempts, ackNoMsgErrs, ackOtherErrs
    /// Queues of ours on the router, and connections by them.
    case connCreated, connSecured, connCompleted, connDeleted, connDelAttempts, connDelErrs
    case connSubscribed, connSubAttempts, connSubIgnored, connSubErrs
    /// Notifier keys.
    case ntfKey, ntfKeyAttempts, ntfKeyDeleted, ntfKeyDeleteAttempts
}

/// The counts for one router of a user.
package struct ServerStatistics: Sendable, Hashable {
    private var counts: [ServerCounter: Int] = [:]

    package init() {}

    package subscript(_ counter: ServerCounter) -> Int {
        get { counts[counter, default: 0] }
        set { counts[counter] = newValue == 0 ? nil : newValue }
    }

    /// The sums.
    package static func + (one: ServerStatistics, other: ServerStatistics) -> ServerStatistics {
        var sum = one
        for (counter, count) in other.counts { sum[counter] += count }
        return sum
    }
}

/// A router, as one user uses it.
package struct AgentServerKey: Sendable, Hashable {
    package let user: AgentUserID
    package let server: SMPServerAddress

    package init(user: AgentUserID, server: SMPServerAddress) {
        self.user = user
        self.server = server
    }
}

/// Connections to a router, by their state.
package struct SessionCounts: Sendable, Hashable {
    package var connected = 0
    /// The last attempt failed.
    package var failed = 0
    package var connecting = 0

    package init() {}
}

/// Queues on a router, by the state of their subscriptions.
package struct SubscriptionCounts: Sendable, Hashable {
    package var active = 0
    package var pending = 0

    package init() {}
}

/// The states of all users' routers, and their counts.
package struct AgentServersSummary: Sendable {
    package var statistics: [AgentServerKey: ServerStatistics]
    /// Since when is counted, in milliseconds since 1970.
    package var startedAt: Int64
    package var sessions: [AgentServerKey: SessionCounts]
    package var subscriptions: [AgentServerKey: SubscriptionCounts]

    package init(
        statistics: [AgentServerKey: ServerStatistics] = [:], startedAt: Int64, sessions: [AgentServerKey: SessionCounts] = [:],
        subscriptions: [AgentServerKey: SubscriptionCounts] = [:]
    ) {
        self.statistics = statistics
        self.startedAt = startedAt
        self.sessions = sessions
        self.subscriptions = subscriptions
    }
}

/// The state of the subscription to one queue.
package struct QueueSubscriptionStatus: Sendable, Hashable {
    package let connection: ConnectionID
    package let user: AgentUserID
    package let server: SMPServerAddress
    package let queue: RecipientID
    package let status: AgentSubscriptionStatus

    package init(connection: ConnectionID, user: AgentUserID, server: SMPServerAddress, queue: RecipientID, status: AgentSubscriptionStatus) {
        self.connection = connection
        self.user = user
        self.server = server
        self.queue = queue
        self.status = status
    }
}
