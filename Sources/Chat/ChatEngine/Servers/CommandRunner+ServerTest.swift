import ChatAPI
import ChatProtocol
import SMPAgent
import SMPProtocol
import SMPWire

extension CommandRunner {
    /// Tries whether queues can be made on a router.
    ///
    /// - Parameter id: the profile whose sessions are used; nil for the one that the command is for.
    func test(_ server: String, user id: UserID?) async throws(ChatCoreError) -> ChatResponse {
        let user = try await query { transaction in
            if let id { try transaction.user(id) } else { try transaction.user() }
        }
        guard server.hasPrefix("smp://") else { throw ChatCoreError(Refusal.unsupported("testing routers of files and notifications").error) }
        let address: SMPServerWithAuth
        do {
            address = try SMPServerWithAuth(wireString: server)
        } catch {
            throw ChatCoreError(Refusal.command("not the address of a router: \(error)").error)
        }
        let agentUser = try agentUser(of: user)
        do throws(RouterTestFailure) {
            try await core.agent.testServer(address, user: agentUser)
            return .serverTestResult(user: user, testServer: server, failure: nil)
        } catch {
            let failure = ServerTestFailure(step: error.step.rawValue, error: error.error.api)
            return .serverTestResult(user: user, testServer: server, failure: failure)
        }
    }
}
