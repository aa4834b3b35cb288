import ChatStore
import Logging
import SMPAgent

/// Performs jobs about profiles of this program.
struct ProfileJobPerformer: Sendable {
    let servers: ServerConfigurator
    let agent: any AgentService
    let logger: Logger

    func perform(_ job: ProfileJob, agentUser: Int64) async throws {
        switch job {
        case .setServers: try await servers.publish(agentUser: agentUser)
        case .deleteUser(let deleteQueues):
            try await agent.ignoringPermanent(logger) { () async throws(AgentError) in
                try await agent.deleteUser(agentUser, deleteQueues: deleteQueues)
            }
        }
    }
}
