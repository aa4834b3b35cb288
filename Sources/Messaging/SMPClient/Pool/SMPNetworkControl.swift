public import SMPProtocol

/// What can be seen of a client's sessions, and changed.
public protocol SMPNetworkControl: Sendable {
    /// Reaches routers in this way from now on. Sessions that were made in another way are made anew.
    ///
    /// - Throws: ``SMPClientError`` `crypto` when TLS is not available here.
    func apply(_ settings: SMPNetworkSettings) throws(SMPClientError)

    /// Drops sessions and makes those with subscriptions anew, at once.
    ///
    /// - Parameters:
    ///   - userID: whose; nil for those of all users.
    ///   - server: with which router; nil for those with all.
    func reconnect(userID: Int64?, server: SMPServerAddress?)

    /// What waits for its next attempt to connect is tried at once.
    func retryNow()

    /// All sessions that there are or are to be.
    var sessions: [SMPSessionSummary] { get }
}

/// How one session is doing.
public struct SMPSessionSummary: Sendable, Hashable {
    public enum State: Sendable, Hashable {
        case connected
        case connecting
        /// Not connected: the last attempt failed.
        case failed
        /// Not connected, and nothing needs it.
        case idle
    }

    public var key: TransportSessionKey
    public var state: State
    /// Queues that are subscribed to.
    public var activeSubscriptions: Int
    /// Queues that are to be subscribed to.
    public var pendingSubscriptions: Int

    public init(key: TransportSessionKey, state: State, activeSubscriptions: Int, pendingSubscriptions: Int) {
        self.key = key
        self.state = state
        self.activeSubscriptions = activeSubscriptions
        self.pendingSubscriptions = pendingSubscriptions
    }
}

extension SMPClientPool: SMPNetworkControl {
    public func apply(_ settings: SMPNetworkSettings) throws(SMPClientError) {
        guard try connector.apply(settings) else { return }
        reconnect(userID: nil, server: nil)
    }

    public func reconnect(userID: Int64?, server: SMPServerAddress?) {
        for slot in allSlots where userID ?? slot.key.userID == slot.key.userID && server ?? slot.key.server == slot.key.server {
            slot.reconnect()
        }
    }

    public func retryNow() {
        for slot in allSlots { slot.retryNow() }
    }

    public var sessions: [SMPSessionSummary] { allSlots.map(\.summary) }
}
