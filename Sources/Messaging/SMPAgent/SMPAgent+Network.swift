package import SMPClient
package import SMPProtocol
import Synchronization

extension SMPAgent {
    /// The current settings of the network.
    package var networkConfiguration: NetworkConfiguration { core.settings.withLock { $0 } }

    /// Reaches routers in another way from now on: all connections are made anew, and what was subscribed to is subscribed to again.
    ///
    /// - Throws: `INTERNAL` if TLS is not available with these settings; nothing has changed then.
    package func setNetworkConfiguration(_ settings: NetworkConfiguration) async throws(AgentError) {
        let core = core
        let old = core.settings.withLock { $0 }
        guard old != settings else { return }
        let moves = (old.sessionMode == .entity) != (settings.sessionMode == .entity)
        // The subscriptions will belong to other sessions: the old ones must not take them up again.
        let moved = moves ? await core.releaseSubscriptions() : []
        var failure: AgentError?
        do {
            try await core.network.setNetwork(settings)
            core.settings.withLock { $0 = settings }
            core.router.reset(times: settings)
        } catch {
            failure = AgentError(.internal(error.message))
        }
        if !moved.isEmpty { _ = await subscribe(moved) }
        if let failure { throw failure }
    }

    /// Makes all connections to routers anew, at once.
    package func reconnectAll() async {
        await core.network.reconnect { _ in true }
        core.pauses.wakeAll()
    }

    /// Makes the connections of a user to a router anew, at once.
    package func reconnect(_ server: SMPServerAddress, user: AgentUserID) async {
        await core.network.reconnect { $0.server == server && $0.userID == user }
        core.pauses.wake(server)
    }

    /// The states of all routers, and their counts.
    package func serversSummary() async -> AgentServersSummary {
        let counted = core.statistics.all
        var sessions: [AgentServerKey: SessionCounts] = [:]
        for (session, state) in await core.network.sessionStates() {
            let key = AgentServerKey(user: session.userID, server: session.server)
            switch state {
            case .connected: sessions[key, default: SessionCounts()].connected += 1
            case .connecting: sessions[key, default: SessionCounts()].connecting += 1
            case .failed: sessions[key, default: SessionCounts()].failed += 1
            }
        }
        return AgentServersSummary(
            statistics: counted.servers, startedAt: counted.startedAt, sessions: sessions, subscriptions: core.subscriptions.counts)
    }

    /// The combined state of the subscriptions of some users, and whether any of their routers is connected.
    package func subscriptionTotal(of users: Set<AgentUserID>) async -> (subscriptions: SubscriptionCounts, isConnected: Bool) {
        var total = SubscriptionCounts()
        for (key, counts) in core.subscriptions.counts where users.contains(key.user) {
            total.active += counts.active
            total.pending += counts.pending
        }
        let states = await core.network.sessionStates()
        return (total, states.contains { $0.value == .connected && users.contains($0.key.userID) })
    }

    /// The state of the subscription to each queue.
    package func subscriptions() -> [QueueSubscriptionStatus] { core.subscriptions.all }

    /// Begins to count anew.
    package func resetServerStatistics() async {
        core.statistics.reset(at: core.now)
        await core.saveStatistics()
    }
}
