import ChatAPI
import ChatProtocol
import ChatRules
import Foundation
import Logging
import SMPProtocol
import SMPSimulation
import SMPWire
import TestSupport
import Testing

@testable import ChatEngine
@testable import Hosting

/// The public network, simulated: every router of the preset operators, and what is asked of each.
@Suite struct PresetOperatorTests {
    private let internet = SimulatedInternet()
    private let storage: Set<SMPServerAddress>
    private let forwarding: Set<SMPServerAddress>

    init() throws {
        func addresses(_ one: PresetOperator) throws -> Set<SMPServerAddress> {
            Set(try one.smpServers.map { try SMPServerWithAuth(wireString: $0.address).server })
        }
        storage = try addresses(.simpleXChat)
        forwarding = try addresses(.flux)
        for address in storage.union(forwarding) { _ = internet.addRouter(at: address) }
    }

    private func configuration(_ folder: String, accepting: Bool) throws -> HostConfiguration {
        var configuration = HostConfiguration(
            dataFolder: folder, network: .presetOperators(acceptingConditions: accepting), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        configuration.servers = []
        configuration.databaseKey = nil
        return configuration
    }

    private func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = try TemporaryFolder(isCreated: false)
        try await body(folder.path)
    }

    private func createUser(_ name: String, _ host: CoreHost) async throws -> User {
        let new = NewUser(profile: Profile(displayName: name, fullName: ""), pastTimestamp: false, isChatRelay: false)
        guard case .activeUser(let user) = try await host.core.send(.users(.create(new)), as: nil) else { throw CancellationError() }
        return user
    }

    private func servers(of user: UserID, _ host: CoreHost) async throws -> [UserOperatorServers] {
        guard case .userServers(_, let servers) = try await host.core.send(.servers(.userServers(user: user)), as: user) else { return [] }
        return servers
    }

    @Test func nothingIsContactedBeforeTheConditionsAreAccepted() async throws {
        try await withFolder { folder in
            let network = internet.makeClient()
            let error = await #expect(throws: HostError.self) {
                _ = try await CoreHost.open(try configuration(folder, accepting: false), network: network)
            }
            #expect(error?.code == .conditionsNotAccepted)
            let message = try #require(error?.message)
            #expect(message.contains("SimpleX Chat and Flux") && message.contains("PRIVACY.md"), "\(message)")
            #expect(message.contains("accept-conditions: yes") && message.contains("--accept-conditions"), "\(message)")
            #expect(network.contactedServers.isEmpty)
            #expect(!FileManager.default.fileExists(atPath: folder + "/router"), "no router runs inside the process either")
        }
    }

    @Test func aProfileUsesSomeRoutersOfBothOperatorsInTheirRolesOnceTheConditionsAreAccepted() async throws {
        try await withFolder { folder in
            let network = internet.makeClient()
            let host = try await CoreHost.open(try configuration(folder, accepting: true), network: network)
            #expect(network.contactedServers.isEmpty, "accepting is not yet using")
            guard case .serverOperatorConditions(let state) = try await host.core.send(.servers(.operators), as: nil) else { return }
            #expect(state.serverOperators.map(\.operatorTag) == ["simplex", "flux"])
            #expect(state.serverOperators.map(\.smpRoles.storage) == [true, false])
            #expect(state.serverOperators.allSatisfy { $0.smpRoles.proxy && $0.enabled })
            #expect(state.conditionsAction?.json["type"] == "accepted")
            let user = try await createUser("bot", host)
            let groups = try await servers(of: user.userID, host)
            func enabled(_ servers: KeyPath<UserOperatorServers, [UserServer]>) -> [Int] { groups.prefix(2).map { $0[keyPath: servers].count { $0.enabled } } }
            #expect(enabled(\.smpServers) == [4, 3])
            #expect(enabled(\.xftpServers) == [3, 3])
            let used = Set(try groups.flatMap(\.smpServers).filter(\.enabled).map { try SMPServerWithAuth(wireString: $0.server).server })
            _ = try await host.core.send(.core(.start()), as: nil)
            for _ in 0..<12 { _ = try await host.core.send(.connections(.add(user: user.userID, incognito: false)), as: user.userID) }
            #expect(network.contactedServers.isSubset(of: used.intersection(storage)), "queues are made on routers that hold queues")
            guard case .networkConfig(let config) = try await host.core.send(.servers(.networkConfig), as: nil) else { return }
            #expect(config.smpProxyMode == "unknown" && config.smpProxyFallback == "allowProtected", "private routing as official clients begin")
            await host.close()
        }
    }

    @Test func acceptedConditionsAndDrawnRoutersStayWithTheFolder() async throws {
        try await withFolder { folder in
            let first = try await CoreHost.open(try configuration(folder, accepting: true), network: internet.makeClient())
            let user = try await createUser("bot", first)
            let drawn = try await servers(of: user.userID, first)
            await first.close()
            let second = try await CoreHost.open(try configuration(folder, accepting: false), network: internet.makeClient())
            #expect(try await servers(of: user.userID, second) == drawn)
            await second.close()
        }
    }

    @Test func profilesAreSpreadOverTheOperatorsRouters() async throws {
        try await withFolder { folder in
            let host = try await CoreHost.open(try configuration(folder, accepting: true), network: internet.makeClient())
            var seen: Set<Set<String>> = []
            for number in 0..<8 {
                let user = try await createUser("bot \(number)", host)
                seen.insert(Set(try await servers(of: user.userID, host).flatMap(\.smpServers).filter(\.enabled).map(\.server)))
            }
            #expect(seen.count > 1)
            await host.close()
        }
    }

    @Test func routersCannotBeNamedBesideTheOperators() async throws {
        try await withFolder { folder in
            var configuration = try configuration(folder, accepting: true)
            configuration.servers = [PresetOperator.simpleXChat.smpServers[0].address]
            let both = configuration
            let error = await #expect(throws: HostError.self) { _ = try await CoreHost.open(both, network: nil) }
            #expect(error?.code == .serversAndOperators)
        }
    }

    @Test func aShortLinkThatNamesAPresetRouterByItsHostIsCompleted() throws {
        let full = try SMPServerWithAuth(wireString: PresetOperator.simpleXChat.smpServers[0].address).server
        let link = try ConnectionShortLink(wireString: "https://smp8.simplex.im/a#lXUjJW5vHYQzoLYgmi8GbxkGP41_kjefFvBrdwg-0Ok")
        #expect(link.server != full)
        #expect(link.complete.server == full)
    }
}
