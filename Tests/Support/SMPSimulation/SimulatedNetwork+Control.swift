public import SMPClient
public import SMPProtocol
import Synchronization

extension SimulatedNetwork: SMPNetworkControl {
    /// The settings that were applied last.
    public var settings: SMPNetworkSettings? { inner.withLock { $0.settings } }

    public func apply(_ settings: SMPNetworkSettings) { inner.withLock { $0.settings = settings } }

    public func reconnect(userID: Int64?, server: SMPServerAddress?) {
        for key in sessions.map(\.key) where userID ?? key.userID == key.userID && server ?? key.server == key.server {
            disconnect(key.server)
            reconnect(key.server)
        }
    }

    public func retryNow() {
        for router in inner.withLock({ $0.offline }) { reconnect(router) }
    }

    public var sessions: [SMPSessionSummary] {
        inner.withLock { inner in
            inner.subscriptions.map { key, queues in
                let isOnline = !inner.offline.contains(key.server)
                return SMPSessionSummary(
                    key: key, state: isOnline ? .connected : .failed, activeSubscriptions: isOnline ? queues.count : 0,
                    pendingSubscriptions: isOnline ? 0 : queues.count)
            }
        }
    }
}
