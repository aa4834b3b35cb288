import RouterSupport
import SMPClient
import SMPProtocol
import SMPServer
import SMPSimulation
import SMPWire
import Synchronization
import Testing

@testable import SMPAgent

@Suite struct ServerTestTests {
    private func failure(_ party: TestParty, _ server: SMPServerAddress) async -> RouterTestFailure? {
        let user = party.user.withLock { $0 }
        do throws(RouterTestFailure) {
            try await party.agent.testServer(SMPServerWithAuth(server), user: user)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [UInt16(4), 2]) func `A router that works passes, and nothing is left on it`(clientVersion: UInt16) async throws {
        let internet = SimulatedInternet()
        let own = internet.addRouter("own.example")
        let tested = internet.addRouter("tested.example")
        let alice = try await TestParty("alice", internet, on: [own.address], configuration: .version(7, client: clientVersion))
        #expect(await failure(alice, tested.address) == nil)
        #expect(tested.queueCount == 0)
        #expect(alice.seen.events.allSatisfy { $0.connection == nil })
        await alice.close()
    }

    @Test func `The step that fails is told`() async throws {
        let internet = SimulatedInternet()
        let router = internet.addRouter("own.example")
        let alice = try await TestParty("alice", internet, on: [router.address])
        let steps: [(RouterTestFailure.Step, @Sendable (SMPCommand) -> Bool)] = [
            (.createQueue, { if case .new = $0 { true } else { false } }), (.secureQueue, { if case .skey = $0 { true } else { false } }),
            (.deleteQueue, { $0 == .del }),
        ]
        for (step, matches) in steps {
            alice.network.setFault { request, _ in matches(request.command) ? .refused(.auth) : nil }
            let failure = await failure(alice, router.address)
            #expect(failure?.step == step)
            #expect(failure?.error == AgentError(.smp(server: router.address.wireString, .auth)))
        }
        await alice.close()
    }

    @Test func `A router with a password is passed with it, and one that is not there fails at once`() async throws {
        var configuration = RouterConfiguration(storage: .memory)
        configuration.port = 0
        configuration.basicAuth = try BasicAuth(wireString: "secret")
        let router = try await SMPRouter.start(configuration)
        let pool = try SMPClientPool()
        let agent = SMPAgent(store: try AgentStore(path: nil), network: pool)
        try await agent.start()
        try await agent.testServer(SMPServerWithAuth(router.address, basicAuth: try BasicAuth(wireString: "secret")), user: 1)
        let refused = await #expect(throws: RouterTestFailure.self) {
            try await agent.testServer(SMPServerWithAuth(router.address), user: 1)
        }
        #expect(refused?.step == .createQueue)
        #expect(refused?.error.code == "SMP")
        await router.stop()
        let gone = await #expect(throws: RouterTestFailure.self) {
            try await agent.testServer(SMPServerWithAuth(router.address), user: 2)
        }
        #expect(gone?.step == .connect)
        #expect(gone?.error.isTemporary == true)
        await agent.close()
        await pool.close()
    }
}
