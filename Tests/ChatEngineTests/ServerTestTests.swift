import ChatAPI
import ChatRules
import ChatSimulation
import SMPClient
import SMPProtocol
import SMPSimulation
import SMPWire
import Testing

@testable import ChatEngine

@Suite("Testing routers")
struct ServerTestTests {
    @Test("a router that works passes, with nothing left on it; one that does not tells the step")
    func outcomes() async throws {
        let world = TestWorld()
        let alice = try await world.core("alice")
        let tested = world.internet.addRouter("tested.example")
        for command in ["/_server test 1 \(tested.address)", "/smp test \(tested.address)"] {
            guard case .serverTestResult(let user, let server, nil) = try await alice.run(command) else {
                Issue.record("\(command) did not pass")
                continue
            }
            #expect(user.localDisplayName == "alice")
            #expect(server == tested.address.wireString)
        }
        #expect(tested.queueCount == 0)

        alice.network.setFault { request, _ in request.command == .del ? .refused(.auth) : nil }
        let command = "/_server test 1 \(tested.address)"
        guard case .serverTestResult(_, _, let failure?) = try await alice.run(command) else {
            Issue.record("a router that deletes nothing passed")
            return
        }
        #expect(failure == ServerTestFailure(step: "deleteQueue", error: .smp(server: tested.address.wireString, error: .auth)))
        await alice.close()
    }

    @Test("a file router that works passes; one that does not tells the step")
    func fileRouters() async throws {
        let scene = try await FileScene()
        for command in ["/_server test 1 \(SimulatedFileStorage.address)", "/xftp test \(SimulatedFileStorage.address)"] {
            guard case .serverTestResult(_, SimulatedFileStorage.address, nil) = try await scene.alice.core.run(command) else {
                Issue.record("\(command) did not pass")
                continue
            }
        }
        let other = "xftp://AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=@other.example"
        let secured = SimulatedFileStorage.address.replacing("@", with: ":password@")
        for (address, failure) in [
            (other, ServerTestFailure(step: "connect", error: .broker(server: other, error: .network(error: .failed)))),
            (secured, ServerTestFailure(step: "createFile", error: .xftp(server: SimulatedFileStorage.address, error: .auth))),
        ] {
            guard case .serverTestResult(_, _, let found) = try await scene.alice.core.run("/_server test 1 \(address)") else { throw UnexpectedAnswer() }
            #expect(found == failure)
        }
        await scene.close()
    }

    @Test("profiles that are not there and addresses that are none are refused")
    func refusals() async throws {
        let world = TestWorld()
        let alice = try await world.core("alice")
        let address = world.router.address
        for command in ["/_server test 9 \(address)", "/_server test 1 ntf://\(address.keyHash)@127.0.0.1"] {
            await #expect(throws: ChatCoreError.self, "\(command)") { try await alice.run(command) }
        }
        await alice.close()
    }
}
