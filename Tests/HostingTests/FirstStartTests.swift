import ChatAPI
import ChatProtocol
import Foundation
import Logging
import SMPProtocol
import SMPSimulation
import SMPWire
import TestSupport
import Testing

@testable import Hosting

/// A folder whose first start named a router that cannot be used.
@Suite struct FirstStartTests {
    @Test func theRouterThatIsNamedAtTheNextStartIsUsedFromItsFirstCommandOn() async throws {
        let folder = try TemporaryFolder(isCreated: false)
        let internet = SimulatedInternet(), wrong = internet.addRouter("wrong.example"), right = internet.addRouter("right.example")
        func open(_ router: SimulatedRouter) async throws -> CoreHost {
            let network = internet.makeClient()
            network.disconnect(wrong.address)
            var configuration = HostConfiguration(
                dataFolder: folder.path, servers: [router.address.wireString], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            configuration.databaseKey = nil
            return try await CoreHost.open(configuration, network: network)
        }
        let first = try await open(wrong)
        let new = NewUser(profile: Profile(displayName: "bot", fullName: ""), pastTimestamp: false, isChatRelay: false)
        guard case .activeUser(let user) = try await first.core.send(.users(.create(new)), as: nil) else { return }
        let error = await #expect(throws: ChatCoreError.self) { _ = try await first.core.send(.address(.create(user: user.userID)), as: user.userID) }
        #expect(error?.isTemporary == true, "\(String(describing: error))")
        await first.close()

        let second = try await open(right)
        guard case .userContactLinkCreated(_, let link) = try await second.core.send(.address(.create(user: user.userID)), as: user.userID) else { return }
        #expect(link.fullLink.contains("right.example") && !link.fullLink.contains("wrong.example"))
        await second.close()
    }
}
