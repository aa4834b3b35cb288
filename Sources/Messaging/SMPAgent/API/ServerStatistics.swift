public import SMPProtocol

/// A counter for each router of a user. The raw values are the names in the chat API, and in the store.
public enum ServerCounter: String, Sendable, Hashable, CaseIterable {
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
public struct ServerStatistics: Sendable, Hashable {
    private var counts: [ServerCounter: Int] = [:]

    public init() {}

    public subscript(_ counter: ServerCounter) -> Int {
        get { counts[counter, default: 0] }
        set { counts[counter] = newValue == 0 ? nil : newValue }
    }

    /// The sums.
    public static func + (one: ServerStatistics, other: ServerStatistics) -> ServerStatistics {
        var sum = one
        for (counter, count) in other.counts { sum[counter] += count }
        return sum
    }
}

/// A router, as one user uses it.
public struct AgentServerKey: Sendable, Hashable {
    public let user: AgentUserID
    public let server: SMPServerAddress

    public init(user: AgentUserID, server: SMPServerAddress) {
        self.user = user
        self.server = server
    }
}

/// Connections to a router, by how they stand.
public struct SessionCounts: Sendable, Hashable {
    public var connected = 0
    /// The last attempt failed.
    public var failed = 0
    public var connecting = 0

    public init() {}
}

/// Queues on a router, by how their subscriptions stand.
public struct SubscriptionCounts: Sendable, Hashable {
    public var active = 0
    public var pending = 0

    public init() {}
}

/// How all users' routers stand, and what was counted.
public struct AgentServersSummary: Sendable {
    public var statistics: [AgentServerKey: ServerStatistics]
    /// Since when is counted, in milliseconds since 1970.
    public var startedAt: Int64
    public var sessions: [AgentServerKey: SessionCounts]
    public var subscriptions: [AgentServerKey: SubscriptionCounts]
}

/// How the subscription to one queue stands.
public struct QueueSubscriptionStatus: Sendable, Hashable {
    public let connection: ConnectionID
    public let user: AgentUserID
    public let server: SMPServerAddress
    public let queue: RecipientID
    public let status: SubscriptionStatus
}
