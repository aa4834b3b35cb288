import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import Logging
import SMPAgent

/// Deletion of connections and queues that the agent has made for a command that could not be stored.
struct AgentLeftovers: Sendable {
    let transactions: TransactionRunner
    let jobs: JobQueue
    let logger: Logger

    /// Schedules a job that deletes unused connections and queues of the agent, also when the disk fails, and after a restart.
    func discard(_ task: AgentJob.Task, agentUser: AgentUserID? = nil) {
        let now = transactions.clock.time.now
        transactions.store.submit(isPersistent: true) { db in
            try db.jobs.insert(task, connection: nil, agentUserID: agentUser, user: nil, at: now)
        } completion: { [jobs, logger] result in
            switch result {
            case .success(let job): jobs.enqueue([job])
            case .failure(let error):
                logger.warning("a leftover of the agent is not deleted", metadata: ["error": "\(ChatCoreError(thrown: error).code)"])
            }
        }
    }

    /// Runs a transaction that stores new connections of the agent; if it fails, they are deleted.
    func orDiscard<T>(
        _ made: AgentJob.Task, agentUser: AgentUserID? = nil, _ body: () async throws(ChatCoreError) -> T
    ) async throws(ChatCoreError) -> T {
        do {
            return try await body()
        } catch {
            discard(made, agentUser: agentUser)
            throw error
        }
    }

    /// Runs a transaction that stores a connection; if it fails, the agent's connection is deleted.
    func orDiscard<T>(_ connection: ConnectionID, _ body: () async throws(ChatCoreError) -> T) async throws(ChatCoreError) -> T {
        try await orDiscard(.connection(.delete(connections: [connection.bytes], after: [])), body)
    }
}
