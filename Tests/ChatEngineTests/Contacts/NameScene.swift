import ChatAPI
import ChatProtocol
import ChatRules
import ChatSimulation
import SMPSimulation
import SMPWire
import Testing

@testable import ChatEngine

/// Cores whose routers resolve the names that the test registers.
struct NameScene: Sendable {
    let simulator = ConnectionSimulator()
    let world = TestWorld()

    /// A core with one profile.
    ///
    /// - Parameter domain: The name that the profile claims.
    func open(_ name: String, claiming domain: String? = nil, isRelay: Bool = false) async throws -> TestCore {
        let now: @Sendable () -> UTCTimestamp = { .current() }
        let native = try NativeCore.open(world.configuration(prefix: nil), simulatedBy: simulator, as: name, now: now, age: now)
        let core = TestCore(native, world.internet.makeClient())
        try await native.start()
        var profile = Profile(displayName: name, fullName: "")
        if let domain { profile.unknownMembers["contactDomain"] = ["domain": .string(domain)] }
        let new = NewUser(profile: profile, pastTimestamp: false, isChatRelay: isRelay)
        guard case .activeUser = try await core.send(.users(.create(new))) else { throw UnexpectedAnswer() }
        return core
    }

    /// Makes an address with a short link.
    func address(of core: TestCore) async throws -> String {
        _ = try await core.run("/_address 1")
        guard case .userContactLink(_, let link) = try await core.run("/_short_link_address 1") else { throw UnexpectedAnswer() }
        return try #require(link.connectionLink.shortLink)
    }

    /// Makes a channel with one relay.
    ///
    /// - Returns: Its short link.
    func channel(_ name: String, owner: TestCore, relay: TestCore) async throws -> String {
        let made = await relay.answer("/_address 1")
        let address = try #require(made["connLinkContact"]?["connShortLink"]?.stringValue)
        _ = try await owner.run("/relays name=relay \(address)")
        guard case .userServers(_, let servers) = try await owner.run("/relays") else { throw UnexpectedAnswer() }
        let ids = servers.flatMap(\.chatRelays).compactMap(\.chatRelayID).map(\.description).joined(separator: ",")
        let command = "/_public group 1 \(ids) {\"displayName\":\"\(name)\",\"fullName\":\"\"}"
        guard case .publicGroupCreated(_, let group, let link, _) = try await owner.run(command) else { throw UnexpectedAnswer() }
        let isReady = await owner.eventually {
            guard case .groupRelays(_, _, let relays)? = try? await owner.run("/_get relays #\(group.groupID)") else { return false }
            return relays.contains { $0.status == .active }
        }
        try #require(isReady, "the relay is not at work")
        return try #require(link.connectionLink.shortLink)
    }
}
