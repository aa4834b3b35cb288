import SMPProtocol
import SMPTransport
import SMPWire
import Testing

@testable import SMPClient

@Suite("Which host of a router is used, and how")
struct NetworkSettingsTests {
    private let server: SMPServerAddress

    init() throws {
        server = try #require(SMPServerAddress(
            hosts: [.domain("smp.example"), .onion("abc.onion"), .ipv4(10, 0, 0, 1)], port: nil, keyHash: KeyHash(Bytes(repeating: 0, count: 32))))
    }

    private func hosts(_ change: (inout SMPNetworkSettings) -> Void) -> [String] {
        var settings = SMPNetworkSettings()
        change(&settings)
        return settings.hosts(of: server).map(\.description)
    }

    @Test func onionHostsNeedAProxyAndComeFirstWhenThereIsOne() {
        #expect(hosts { _ in } == ["smp.example", "10.0.0.1"])
        #expect(hosts { $0.proxy = SOCKSProxy() } == ["abc.onion", "smp.example", "10.0.0.1"])
        #expect(hosts { $0.proxy = SOCKSProxy(); $0.hostMode = .public } == ["smp.example", "10.0.0.1", "abc.onion"])
    }

    @Test func hostsOfTheOtherKindAreNotUsedWhereThatIsAskedFor() {
        #expect(hosts { $0.requiresHostMode = true } == ["smp.example", "10.0.0.1"])
        #expect(hosts { $0.proxy = SOCKSProxy(); $0.requiresHostMode = true } == ["abc.onion"])
        #expect(hosts { $0.hostMode = .onion; $0.requiresHostMode = true } == [], "without a proxy there is no way to it")
    }

    @Test func theProxyCanBeForOnionHostsAlone() {
        var settings = SMPNetworkSettings()
        settings.proxy = SOCKSProxy()
        #expect(settings.hidesAddress && settings.usesProxy(for: .domain("smp.example")))
        settings.socksMode = .onion
        #expect(!settings.hidesAddress && !settings.usesProxy(for: .domain("smp.example")) && settings.usesProxy(for: .onion("abc.onion")))
    }

    @Test func port443IsUsedOnlyWhereTheAddressNamesNone() throws {
        var settings = SMPNetworkSettings()
        #expect(settings.port(of: server, default: 5223) == 5223)
        settings.webPorts = .below(["example"])
        #expect(settings.port(of: server, default: 5223) == 443)
        settings.webPorts = .below(["ample"])
        #expect(settings.port(of: server, default: 5223) == 5223)
        settings.webPorts = .all
        #expect(settings.port(of: server, default: 5223) == 443)
        let other = try #require(SMPServerAddress(hosts: server.hosts, port: 5224, keyHash: server.keyHash))
        #expect(settings.port(of: other, default: 5223) == 5224)
    }
}

@Suite("Sessions are made anew", .timeLimit(.minutes(1)))
struct ReconnectingTests {
    @Test func subscriptionsAreTakenUpAgainAtOnceWhenAPersonAsksForIt() async throws {
        try await withRouter { router, client in
            let events = EventReader(client.pool)
            _ = await client.pool.subscribe(client.subscriptions(1...1), over: client.session)
            #expect(await events.next() == "connected")
            #expect(client.pool.sessions.map(\.activeSubscriptions) == [1])
            client.pool.reconnect(userID: client.session.userID, server: client.session.server)
            // The clock stands still: nothing waits.
            #expect(await events.next() == "disconnected 1")
            #expect(await events.next() == "connected")
            #expect(await events.next() == "subscribed 1")
            #expect(client.pool.sessions.map(\.state) == [.connected])
            #expect(router.clients.count == 2)
        }
    }

    @Test func sessionsOfOthersStay() async throws {
        try await withRouter { router, client in
            _ = try await client.ping()
            client.pool.reconnect(userID: client.session.userID + 1, server: nil)
            _ = try await client.ping()
            #expect(router.clients.count == 1)
        }
    }

    @Test func otherSettingsMakeOtherSessionsAndTheSameSettingsDoNot() async throws {
        try await withRouter { router, client in
            let events = EventReader(client.pool)
            _ = try await client.ping()
            #expect(await events.next() == "connected")
            var settings = SMPNetworkSettings(SMPClientConfiguration())
            settings.pingInterval = .seconds(60)
            try client.pool.apply(settings)
            #expect(await events.next() == "disconnected ")
            _ = try await client.ping()
            #expect(router.clients.count == 2)
            try client.pool.apply(settings)
            _ = try await client.ping()
            #expect(router.clients.count == 2)
        }
    }

    @Test func aRouterNoneOfWhoseHostsMayBeUsedIsNotConnectedTo() async throws {
        try await withRouter { router, client in
            var settings = SMPNetworkSettings(SMPClientConfiguration())
            settings.hostMode = .onion
            settings.requiresHostMode = true
            try client.pool.apply(settings)
            #expect(await clientErrorCode { () throws(SMPClientError) in _ = try await client.ping() } == .incompatibleHost)
            #expect(router.clients.isEmpty)
        }
    }
}
