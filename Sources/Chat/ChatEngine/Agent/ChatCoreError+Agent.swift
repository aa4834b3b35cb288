import ChatAPI
import SMPAgent

extension ChatCoreError {
    /// An error of the agent for the caller of a command.
    init(_ fault: AgentError) {
        self.init(.agent(error: fault.api, agentConnectionID: "", entity: nil), isTemporary: fault.isTemporary)
    }
}
