package import SMPProtocol
import Synchronization

extension SMPAgent {
    /// Makes a user who uses these routers for new queues.
    ///
    /// - Throws: `CMD PROHIBITED` without routers.
    package func createUser(servers: [SMPServerWithAuth]) async throws(AgentError) -> AgentUserID {
        try await createUser(servers: servers.map { AgentServer($0) })
    }

    /// Makes a user who uses these routers for new queues and as proxies.
    ///
    /// - Throws: `CMD PROHIBITED` without routers.
    package func createUser(servers: [AgentServer]) async throws(AgentError) -> AgentUserID {
        guard !servers.isEmpty else { throw .prohibited("createUser: no routers") }
        let core = core
        let user = try await core.stored { try await core.store.createUser(servers: servers) }
        core.users.withLock { $0[user] = UserServers(servers) }
        return user
    }

    /// Replaces the user's routers.
    package func setServers(_ servers: [SMPServerWithAuth], user: AgentUserID) async throws(AgentError) {
        try await setServers(servers.map { AgentServer($0) }, user: user)
    }

    /// Replaces the user's routers and their uses.
    ///
    /// - Throws: `CMD PROHIBITED` without routers.
    package func setServers(_ servers: [AgentServer], user: AgentUserID) async throws(AgentError) {
        guard !servers.isEmpty else { throw .prohibited("setServers: no routers") }
        let core = core
        guard try await core.stored({ try await core.store.setServers(servers, user: user) }) else { throw AgentError(.noUser) }
        core.users.withLock { $0[user] = UserServers(servers) }
    }

    /// Deletes a user with all connections; `userDeleted` is reported when they are gone.
    ///
    /// A call that failed or was interrupted can be repeated.
    ///
    /// - Parameter deleteQueues: also on their routers.
    package func deleteUser(_ user: AgentUserID, deleteQueues: Bool) async throws(AgentError) {
        let core = core
        let isKnown = core.users.withLock { $0[user] } != nil
        if isKnown {
            try await core.stored { try await core.store.setUserDeleted(user) }
            core.users.withLock { $0[user] = nil }
            core.statistics.forget(user)
        }
        let connections = try await core.stored { try await core.store.connections(of: user) }
        guard isKnown || !connections.isEmpty else { throw AgentError(.noUser) }
        try await core.startDeletion(of: connections, waitDelivery: false, onRouters: deleteQueues)
        if connections.isEmpty { try await core.deleteUsersWithoutConnections() }
    }
}
