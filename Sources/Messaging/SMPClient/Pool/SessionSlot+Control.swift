import SMPProtocol
import Synchronization

extension SessionSlot {
    /// How the session is doing.
    var summary: SMPSessionSummary {
        state.withLock { state in
            let active = state.current.map { state.subscriptions.activeCount(in: $0) } ?? 0
            let link: SMPSessionSummary.State =
                switch state.link {
                case .connected: .connected
                case .connecting: .connecting
                case .idle, .closed: state.failure == nil ? .idle : .failed
                }
            return SMPSessionSummary(
                key: key, state: link, activeSubscriptions: active, pendingSubscriptions: state.subscriptions.count - active)
        }
    }

    /// What waits for the next attempt to connect need not wait any longer.
    func retryNow() {
        state.withLock { state in
            state.failure = nil
            state.mustWait = false
            state.workerSleep?.cancel()
        }
    }

    /// Drops the connection if there is one. It is made again at once if there are subscriptions, else when it is needed.
    func reconnect() {
        retryNow()
        let session = state.withLock { state -> SMPSession? in
            guard case .connected(let session, _, _) = state.link else { return nil }
            state.isRenewed = true
            return session
        }
        session?.close(SMPClientError(.network(.failed), "the connection is made anew"))
    }
}
