import Logging
import SMPAgent

extension AgentService {
    /// Marks a job as done if it was done before or cannot be done any more.
    ///
    /// - Throws: Temporary errors of the agent.
    func ignoringPermanent(_ logger: Logger, _ call: () async throws(AgentError) -> Void) async throws(AgentError) {
        do throws(AgentError) {
            try await call()
        } catch {
            if error.isTemporary { throw error }
            logger.debug("a job of the agent is obsolete", metadata: ["error": "\(error.code)"])
        }
    }
}
