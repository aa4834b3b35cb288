import ChatAPI
import ChatRules
import SMPAgent
import SMPProtocol
import SMPWire
import XFTPAgent

extension ServerCommands {
    /// Tries whether queues can be made on a router, or files exchanged over one.
    ///
    /// - Parameter id: the profile whose sessions are used; nil for the profile of the command.
    func test(_ server: String, user id: UserID?) async throws(ChatCoreError) -> ChatResponse {
        let user = try await query { transaction in
            if let id { try transaction.user(id) } else { try transaction.user() }
        }
        if server.hasPrefix("xftp://") { return try await testFileRouter(server, of: user) }
        guard server.hasPrefix("smp://") else { throw ChatCoreError(Refusal.unsupported("testing routers of notifications").error) }
        let address: SMPServerWithAuth
        do {
            address = try SMPServerWithAuth(wireString: server)
        } catch {
            throw ChatCoreError(Refusal.command("not the address of a router: \(error)").error)
        }
        let agentUser = try runner.agentUser(of: user)
        do throws(RouterTestFailure) {
            try await core.agent.testServer(address, user: agentUser)
            return .serverTestResult(user: user, testServer: server, failure: nil)
        } catch {
            let failure = ServerTestFailure(step: error.step.rawValue, error: error.error.api)
            return .serverTestResult(user: user, testServer: server, failure: failure)
        }
    }

    private func testFileRouter(_ server: String, of user: User) async throws(ChatCoreError) -> ChatResponse {
        let address: XFTPServerWithAuth
        do {
            address = try XFTPServerWithAuth(wireString: server)
        } catch {
            throw ChatCoreError(Refusal.command("not the address of a router: \(error)").error)
        }
        do throws(FileServerTestFailure) {
            try await core.files.test(address, of: user.userID)
            return .serverTestResult(user: user, testServer: server, failure: nil)
        } catch {
            let failure = ServerTestFailure(step: error.step.rawValue, error: error.reason.messagingError(server: address.server.wireString))
            return .serverTestResult(user: user, testServer: server, failure: failure)
        }
    }
}
