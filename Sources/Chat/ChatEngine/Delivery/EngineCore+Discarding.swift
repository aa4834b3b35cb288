import ChatAPI
import ChatProtocol
import Logging
import SMPAgent

// What the agent has made for a command that could not be stored.

extension EngineCore {
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
                logger.warning("what the agent made in vain stays", metadata: ["error": "\(ChatCoreError(thrown: error).code)"])
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
