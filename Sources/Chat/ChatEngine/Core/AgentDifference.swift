import ChatAPI
import ChatProtocol
import Logging
import SMPAgent
import SMPWire

/// What the engine's and the agent's stores have of each other. They are two files: a process can end between their commits, and one of
/// them can be restored from a backup.
struct AgentDifference: Sendable, Hashable {
    struct Part<ID: Sendable & Hashable>: Sendable, Hashable {
        /// What the agent does not have.
        var missing: Set<ID>
        /// What only the agent has.
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

/// What the agent has and nobody knows, and what it was found with: twice in a row it is nobody's, and not only on its way.
struct AgentStrays: Sendable, Hashable {
    var users: Set<AgentUserID> = []
    var connections: Set<ConnectionID> = []

    init() {}

    init(_ difference: AgentDifference) { (users, connections) = (difference.users.extra, difference.connections.extra) }

    func found(again later: AgentStrays) -> AgentStrays {
        var both = AgentStrays()
        both.users = users.intersection(later.users)
        both.connections = connections.intersection(later.connections)
        return both
    }

    var isEmpty: Bool { users.isEmpty && connections.isEmpty }
}

extension EngineCore {
    func agentDifference() async throws(ChatCoreError) -> AgentDifference {
        let (users, connections) = try await query { (try $0.db.agentUsers(), try $0.db.agentConnections()) }
        let held = try await agent { agent throws(AgentFault) in (try await agent.users(), try await agent.connections()) }
        return AgentDifference(
            users: .init(engine: users, agent: held.0), connections: .init(engine: connections.map { ConnectionID($0) }, agent: held.1))
    }

    /// Has the agent delete what nobody knows now and nobody knew then.
    ///
    /// - Returns: what nobody knows now.
    func discardStrays(knownBefore: AgentStrays) async -> AgentStrays {
        let difference: AgentDifference
        do throws(ChatCoreError) {
            difference = try await agentDifference()
        } catch {
            logger.warning("the agent's store could not be compared", metadata: ["error": "\(error.code)"])
            return knownBefore
        }
        let now = AgentStrays(difference), strays = knownBefore.found(again: now)
        guard !strays.isEmpty else { return now }
        logger.info(
            "what the agent has for nobody is deleted",
            metadata: ["users": "\(strays.users.count)", "connections": "\(strays.connections.count)"])
        if !strays.connections.isEmpty { discard(.delete(connections: strays.connections.map(\.bytes), after: [])) }
        for user in strays.users { discard(.deleteUser(deleteQueues: true), agentUser: user) }
        hub.publish(.connectionsDiff(userIDs: difference.userReport, connectionIDs: difference.connectionReport))
        return now
    }

    /// Has the agent delete what it made in vain: also when the disk fails, and after a restart.
    func discard(_ task: AgentWork.Task, agentUser: AgentUserID? = nil) {
        let now = moment.now
        store.submit(isPersistent: true) { db in
            try db.insertAgentWork(task, connection: nil, agentUserID: agentUser, user: nil, at: now)
        } completion: { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let work): clerk.enqueue([work])
            case .failure(let error):
                // It is found as a stray later.
                logger.warning("what the agent made in vain stays for now", metadata: ["error": "\(ChatCoreError(thrown: error).code)"])
            }
        }
    }

    /// Runs a transaction that stores what the agent has made; if it fails, the agent's part does not stay behind.
    func orDiscard<T>(
        _ made: AgentWork.Task, agentUser: AgentUserID? = nil, _ body: () async throws(ChatCoreError) -> T
    ) async throws(ChatCoreError) -> T {
        do {
            return try await body()
        } catch {
            discard(made, agentUser: agentUser)
            throw error
        }
    }

    /// Runs a transaction that stores a connection; if it fails, the agent's part does not stay behind.
    func orDiscard<T>(_ connection: ConnectionID, _ body: () async throws(ChatCoreError) -> T) async throws(ChatCoreError) -> T {
        try await orDiscard(.delete(connections: [connection.bytes], after: []), body)
    }
}
