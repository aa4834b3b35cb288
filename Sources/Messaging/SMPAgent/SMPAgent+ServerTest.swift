import SMPClient
import SMPCrypto
package import SMPProtocol

extension SMPAgent {
    /// Tries whether queues can be made on a router: connects, makes one, secures and deletes it. Nothing of it is stored.
    ///
    /// - Parameter user: whose session with the router is used, if there is one.
    package func testServer(_ server: SMPServerWithAuth, user: AgentUserID) async throws(RouterTestFailure) {
        let core = core
        let address = server.server
        let owner = SessionOwner(user: user)
        func step<Value: Sendable>(
            _ step: RouterTestFailure.Step, _ body: () async throws(AgentError) -> Value
        ) async throws(RouterTestFailure) -> Value {
            do {
                return try await body()
            } catch {
                throw RouterTestFailure(step: step, error: error)
            }
        }
        try await step(.connect) { () async throws(AgentError) in
            try core.checkActive()
            do throws(SMPClientError) {
                _ = try await core.network.sessionInfo(core.session(owner, address))
            } catch {
                throw AgentError(error, server: address)
            }
        }
        let queue = try await step(.createQueue) { () async throws(AgentError) in
            // Not subscribed to: its messages would be nobody's.
            try await core.createQueue(
                PreparedQueue(core.random), on: server, for: owner, mode: .invitation, clientVersions: core.configuration.clientVersions,
                subscription: .onlyCreate)
        }
        let senderKey = core.configuration.queueKeys.generateKey(core.random)
        try await step(.secureQueue) { () async throws(AgentError) in
            if queue.senderCanSecure {
                try await core.send(
                    .skey(senderKey.publicKey), name: "SKEY", entity: queue.senderID, key: senderKey, to: address, for: owner)
            } else {
                try await core.send(
                    .key(senderKey.publicKey), name: "KEY", entity: queue.recipientID, key: queue.privateKey, to: address, for: owner)
            }
        }
        try await step(.deleteQueue) { () async throws(AgentError) in
            try await core.send(.del, name: "DEL", entity: queue.recipientID, key: queue.privateKey, to: address, for: owner)
        }
    }
}
