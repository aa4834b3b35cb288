import Logging
import SMPClient
import SMPProtocol
import Synchronization

/// Counts what happens on routers.
final class StatisticsRegistry: Sendable {
    private struct Inner {
        var servers: [AgentServerKey: ServerStatistics] = [:]
        var startedAt: Int64 = 0
        var isChanged = false
    }

    private let inner = Mutex(Inner())

    func restore(_ servers: [AgentServerKey: ServerStatistics], startedAt: Int64) {
        inner.withLock { $0 = Inner(servers: servers, startedAt: startedAt) }
    }

    func add(_ counter: ServerCounter, _ user: AgentUserID, _ server: SMPServerAddress, count: Int = 1) {
        guard count > 0 else { return }
        inner.withLock { inner in
            inner.servers[AgentServerKey(user: user, server: server), default: ServerStatistics()][counter] += count
            inner.isChanged = true
        }
    }

    func forget(_ user: AgentUserID) {
        inner.withLock { inner in
            inner.servers = inner.servers.filter { $0.key.user != user }
            inner.isChanged = true
        }
    }

    /// Begins to count anew.
    func reset(at time: Int64) { inner.withLock { $0 = Inner(startedAt: time, isChanged: true) } }

    var all: (servers: [AgentServerKey: ServerStatistics], startedAt: Int64) { inner.withLock { ($0.servers, $0.startedAt) } }

    /// The statistics to store; nil if nothing has changed since the last call.
    func takeChanged() -> (servers: [AgentServerKey: ServerStatistics], startedAt: Int64)? {
        inner.withLock { inner in
            guard inner.isChanged else { return nil }
            inner.isChanged = false
            return (inner.servers, inner.startedAt)
        }
    }
}

extension AgentCore {
    func restoreStatistics() async throws(AgentError) {
        let stored = try await stored { try await store.statistics() }
        statistics.restore(stored?.servers ?? [:], startedAt: stored?.startedAt ?? now)
    }

    /// Stores the counters. Later counts are lost if the process does not end cleanly.
    func saveStatistics() async {
        guard let changed = statistics.takeChanged() else { return }
        do {
            try await store.setStatistics(changed.servers, startedAt: changed.startedAt)
        } catch {
            log.error("the statistics of routers could not be stored", metadata: ["error": "\(error)"])
        }
    }

    /// Counts an attempt to send a message.
    func countAttempt(_ user: AgentUserID, _ server: SMPServerAddress, proxy: SMPServerAddress?, isSent: Bool) {
        if let proxy {
            statistics.add(.sentViaProxyAttempts, user, server)
            statistics.add(.sentProxiedAttempts, user, proxy)
            guard isSent else { return }
            statistics.add(.sentViaProxy, user, server)
            statistics.add(.sentProxied, user, proxy)
        } else {
            statistics.add(.sentDirectAttempts, user, server)
            if isSent { statistics.add(.sentDirect, user, server) }
        }
    }

    /// Counts messages that were given up.
    func countGivenUp(_ error: AgentError, isExpired: Bool, count: Int, _ user: AgentUserID, _ server: SMPServerAddress) {
        let counter: ServerCounter =
            switch error.reason {
            case _ where isExpired: .sentExpiredErrs
            case .smp(_, .auth): .sentAuthErrs
            case .smp(_, .quota): .sentQuotaErrs
            default: .sentOtherErrs
            }
        statistics.add(counter, user, server, count: count)
    }
}

extension PrivateRoutingError {
    /// The proxy that a command was given to; nil if it went to `server` directly.
    func proxy(for server: SMPServerAddress) -> SMPServerAddress? {
        switch self {
        case .client(_, let address): address == server ? nil : address
        case .proxy(_, let proxy, _): proxy
        }
    }
}
