import SMPClient
import SMPCrypto
import SMPProtocol
import SMPRatchet
package import SMPWire
import Synchronization

extension SMPAgent {
    /// Runs `body` alone on a connection, with its state.
    ///
    /// - Throws: what `body` does; if the agent is closed, or the connection is deleted or not there.
    func withLive<Value: Sendable>(
        _ connection: ConnectionID, _ body: (ConnectionAccess, ConnectionState) async throws(AgentError) -> Value
    ) async throws(AgentError) -> Value {
        try core.checkActive()
        return try await core.withConnection(connection) { access throws(AgentError) in try await body(access, try await access.liveState()) }
    }

    /// The state of a connection's queues and encryption.
    package func stats(of connection: ConnectionID) async throws(AgentError) -> AgentConnectionStats {
        let core = core
        return try await core.withConnection(connection) { access throws(AgentError) in core.stats(try await access.state()) }
    }

    /// SHA-256 of the ratchet's associated data: the same on both sides, it is what a security code shows.
    ///
    /// - Throws: `CONN NOT_FOUND` before the keys are agreed.
    package func ratchetHash(of connection: ConnectionID) async throws(AgentError) -> Bytes {
        try await core.withConnection(connection) { access throws(AgentError) in
            guard let ratchet = try await access.state().ratchet else { throw .notFound("no ratchet yet") }
            return Hash.sha256(ratchet.associatedData)
        }
    }

    /// All connections of a user that are not being deleted.
    package func connections(of user: AgentUserID) async throws(AgentError) -> [ConnectionID] {
        let core = core
        return try await core.stored { try await core.store.connections(of: user) }
    }

    /// All connections that are not being deleted.
    package func connections() async throws(AgentError) -> [ConnectionID] {
        let core = core
        return try await core.stored { try await core.store.connections(of: nil) }
    }

    /// The users that are not deleted.
    package func users() async throws(AgentError) -> [AgentUserID] {
        let core = core
        return try await core.stored { try await core.store.users().keys.sorted() }
    }

    /// Moves a connection that is not established to another user.
    package func changeUser(of connection: ConnectionID, to user: AgentUserID) async throws(AgentError) {
        try core.checkActive()
        let core = core
        guard core.users.withLock({ $0[user] != nil }) else { throw AgentError(.noUser) }
        try await core.withConnection(connection) { access throws(AgentError) in
            let state = try await access.liveState()
            guard state.kind == .new || state.kind == .receive else { throw .prohibited("changeConnectionUser: established connection") }
            var transition = Transition(state)
            transition.updateRecord { $0.user = user }
            try await access.commit(transition)
            // Sessions are not shared between users.
            let subscribed = state.receiveQueues.filter { core.subscriptions[$0.key] != nil }
            await core.unsubscribe(subscribed, for: state.record.owner)
        }
        _ = await subscribe([connection])
    }

    /// Asks the router about the connection's queue.
    package func queueState(of connection: ConnectionID) async throws(AgentError) -> AgentQueueState {
        try await withLive(connection) { access, state throws(AgentError) in
            guard let queue = state.receiveQueues.first else {
                throw AgentError(.connection(.simplex, context: "getConnectionQueueInfo"))
            }
            let response = try await core.request(
                SMPRequest(entity: queue.recipientID, command: .que, authKey: queue.privateKey), to: queue.server,
                for: state.record.owner)
            guard case .info(let info) = response else { throw AgentError(unexpected: response, to: "QUE", server: queue.server) }
            return AgentQueueState(
                server: queue.server, recipientID: queue.recipientID, senderID: queue.senderID, status: queue.status, atRouter: info)
        }
    }

    /// Tells the routers to take no more messages for the connection.
    package func suspendConnection(_ connection: ConnectionID) async throws(AgentError) {
        try await withLive(connection) { access, state throws(AgentError) in
            guard !state.receiveQueues.isEmpty else { throw AgentError(.connection(.simplex, context: "suspendConnection")) }
            for queue in state.receiveQueues {
                try await core.send(
                    .off, name: "OFF", entity: queue.recipientID, key: queue.privateKey, to: queue.server, for: state.record.owner)
            }
        }
    }
}
