import ChatAPI
import ChatProtocol
import ChatStore
import SMPAgent
import SMPWire

/// The difference between the engine's and the agent's stores. They are two files: a process can end between their commits, and one of
/// them can be restored from a backup.
struct AgentDifference: Sendable, Hashable {
    struct Part<ID: Sendable & Hashable>: Sendable, Hashable {
        /// The ids that the agent does not have.
        var missing: Set<ID>
        /// The ids that only the agent has.
        var extra: Set<ID>

        init(engine: some Sequence<ID>, agent: some Sequence<ID>) {
            let (engine, agent) = (Set(engine), Set(agent))
            missing = engine.subtracting(agent)
            extra = agent.subtracting(engine)
        }
    }

    var users: Part<AgentUserID>
    var connections: Part<ConnectionID>

    var userReport: DatabaseDifference {
        func ids(_ users: Set<AgentUserID>) -> [JSONValue] { users.sorted().map { .int($0) } }
        return DatabaseDifference(missingIDs: ids(users.missing), extraIDs: ids(users.extra))
    }

    var connectionReport: DatabaseDifference {
        func ids(_ connections: Set<ConnectionID>) -> [JSONValue] {
            connections.map { Base64URL.encode($0.bytes) }.sorted().map { .string($0) }
        }
        return DatabaseDifference(missingIDs: ids(connections.missing), extraIDs: ids(connections.extra))
    }
}

extension EngineCore {
    func agentDifference() async throws(ChatCoreError) -> AgentDifference {
        let (users, connections) = try await transactions.query(isLong: true) { (try $0.db.users.agentUsers(), try $0.db.connections.agentConnections()) }
        let held = try await agent { agent throws(AgentError) in (try await agent.users(), try await agent.connections()) }
        return AgentDifference(
            users: .init(engine: users, agent: held.0), connections: .init(engine: connections.map { ConnectionID($0) }, agent: held.1))
    }

    /// Tells at the start which profiles and connections only one of the two databases has. Official cores tell it after a migration, also if there are
    /// none; here the event means that something is missing.
    func tellDifference() async throws(ChatCoreError) {
        let difference = try await agentDifference()
        let users = difference.userReport, connections = difference.connectionReport
        guard ![users, connections].allSatisfy({ $0.missingIDs.isEmpty && $0.extraIDs.isEmpty }) else { return }
        hub.publish(.connectionsDiff(userIDs: users, connectionIDs: connections))
    }
}
