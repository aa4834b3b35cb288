import AsyncPrimitives
import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import GRDB
import SMPAgent
import SMPClient
import SMPSimulation
import SMPTransport
import TestSupport
import Testing

@testable import ChatEngine

@Suite struct NetworkTests {
    private func config(_ core: TestCore) async throws -> NetworkConfig {
        guard case .networkConfig(let config) = try await core.run("/network") else { throw UnexpectedAnswer() }
        return config
    }

    /// How the agent beneath reaches routers.
    private func settings(_ core: TestCore) throws -> NetworkConfiguration {
        try #require(core.native.engine.agent as? SMPAgent).networkConfiguration
    }

    @Test func messagesToRoutersThatContactsChoseGoThroughOnesOwnIfNothingElseIsSaid() async throws {
        let world = TestWorld()
        let core = try await world.core("alice")
        let said = try await config(core)
        #expect(said.smpProxyMode == "unknown" && said.smpProxyFallback == "allowProtected")
        let settings = try settings(core)
        #expect(settings.privateRouting == .unknown && settings.privateRoutingFallback == .allowProtected)
        await core.close()
    }

    @Test func nobodyUsesTheNetworkBeforeItsSettingsAreApplied() async throws {
        let core = try await TestWorld().open(), engine = core.native.engine, goesOn = Promise<Void>()
        let servers = ServerConfigurator(configuration: engine.configuration, transactions: engine.transactions, agent: engine.agent, network: engine.network)
        await engine.locks.acquire(NetworkController.lockKey)
        async let first: Void = servers.apply()
        try await eventually("the first applies them") { engine.locks.waiterCount(NetworkController.lockKey) == 1 }
        async let second: Void = {
            try await servers.apply()
            goesOn.resolve(())
        }()
        for _ in 0..<1_000 { await Task.yield() }
        #expect(goesOn.current == nil)
        engine.locks.release(NetworkController.lockKey)
        try await first
        try await second
        await core.close()
    }

    @Test func whatWasSetIsCarriedOutAndIsThereAfterARestart() async throws {
        let world = TestWorld(), folder = try TemporaryFolder()
        let first = try await world.core("alice", prefix: folder.path + "/core")
        _ = try await first.run("/network socks=:9050 socks-mode=onion host-mode=onion smp-proxy=always smp-proxy-fallback=no timeout=4")
        func expectSettings(_ core: TestCore) throws {
            let settings = try settings(core)
            #expect(settings.socksProxy?.port == 9050)
            #expect(settings.socksMode == .onion && settings.hostMode == .onion)
            #expect(settings.connectTimeout == .init(background: .seconds(18), interactive: .seconds(6)))
            #expect(settings.responseTimeout == .init(background: .seconds(12), interactive: .seconds(4)))
            #expect(settings.privateRouting == .always && settings.privateRoutingFallback == .prohibit)
        }
        try expectSettings(first)
        let set = try await config(first)
        #expect(set.smpProxyMode == "always" && set.smpProxyFallback == "prohibit")
        await first.close()
        let second = try await world.open(prefix: folder.path + "/core")
        #expect(try await config(second) == set)
        try expectSettings(second)
        await second.close()
    }

    @Test func whatTheCoreIsSetUpWithWinsOverWhatWasSetBefore() async throws {
        let world = TestWorld(), folder = try TemporaryFolder()
        let first = try await world.core("alice", prefix: folder.path + "/core")
        _ = try await first.run("/network socks=off smp-proxy=always timeout=4")
        await first.close()
        let second = try await world.open(prefix: folder.path + "/core", configure: { $0.network.privateRouting = .unprotected })
        let now = try await config(second)
        #expect(now.smpProxyMode == "unprotected")
        #expect(now.tcpTimeout.interactive == 4_000_000, "what it says nothing of stays")
        await second.close()
    }

    @Test(arguments: [
        (#""socksMode":"always""#, #""socksMode":"sometimes""#), (#""hostMode":"onionViaSocks""#, #""hostMode":"tor""#),
        (#""smpProxyMode":"unknown""#, #""smpProxyMode":"no""#), (#""smpWebPortServers":"preset""#, #""smpWebPortServers":7"#),
        (#""smpPingCount":3"#, #""smpPingCount":0"#), (#""interactiveTimeout":10000000"#, #""interactiveTimeout":-1"#),
        (#""backgroundTimeout":30000000"#, #""backgroundTimeout":0"#), (#""keepIdle":30"#, #""keepIdle":0"#),
        (#""socksMode""#, #""socksProxy":"nowhere","socksMode""#),
    ])
    func aConfigurationThatMakesNoSenseIsRefusedAndChangesNothing(_ right: String, _ wrong: String) async throws {
        let alice = try await TestWorld().core("alice")
        let before = try await config(alice), settings = try settings(alice)
        let text = before.json.text
        #expect(text.contains(right), "\(text)")
        let answer = await alice.answer("/_network \(text.replacing(right, with: wrong))")
        #expect(answer["chatError"]?["errorType"]?["type"] == "commandError", "\(answer.text)")
        #expect(try await config(alice) == before)
        #expect(try self.settings(alice) == settings)
        await alice.close()
    }

    @Test(arguments: ["127.0.0.1:9050", "@127.0.0.1:9050", "me:secret@proxy.example:1080", "[::1]:9050"])
    func theAddressOfAProxyIsPrintedAsItIsRead(_ text: String) {
        #expect(SOCKSProxy(parsing: text)?.text == text)
    }

    @Test func aProxyIsolatesStreamsUnlessItsAddressSaysOtherwise() async throws {
        #expect(SOCKSProxy(parsing: "127.0.0.1:9050")?.authentication == .isolating)
        #expect(SOCKSProxy(parsing: "@127.0.0.1:9050")?.authentication == SOCKSProxy.Authentication.none)
        #expect(SOCKSProxy(parsing: "me:secret@127.0.0.1:9050")?.authentication == .password(user: "me", password: "secret"))
        let alice = try await TestWorld().core("alice")
        guard case .networkConfig(let config) = try await alice.run("/network socks=on") else { throw UnexpectedAnswer() }
        #expect(config.socksProxy == "127.0.0.1:9050", "as official cores write it")
        #expect(try settings(alice).socksProxy?.authentication == .isolating)
        await alice.close()
    }

    @Test func streamsThatAnEarlierVersionIsolatedStayIsolated() throws {
        let database = try DatabaseQueue(), migrator = ChatStoreMigrations.migrator
        try migrator.migrate(database, upTo: "39 operators that resolve names")
        try database.write { db in
            try db.execute(
                sql: "INSERT INTO settings (name, value_json) VALUES ('network', ?), ('other', ?)",
                arguments: [#"{"socksMode":"always","socksProxy":"@127.0.0.1:9050"}"#, #"{"socksProxy":"@other"}"#])
        }
        try migrator.migrate(database)
        let texts = try database.read { try String.fetchAll($0, sql: "SELECT value_json FROM settings ORDER BY name") }
        let stored = try JSONValue(parsing: Array(try #require(texts.first).utf8))
        #expect(stored["socksMode"] == "always")
        #expect(SOCKSProxy(parsing: try #require(stored["socksProxy"]?.stringValue))?.authentication == .isolating)
        #expect(texts.last == #"{"socksProxy":"@other"}"#)
    }

    @Test func theAddressOfAProxyCanBeShort() {
        #expect(SOCKSProxy(parsing: ":9050")?.text == "127.0.0.1:9050")
        for wrong in ["", "9050", "host", "host:0", "host:70000", "me@host:1", ":@host:1"] { #expect(SOCKSProxy(parsing: wrong) == nil, "\(wrong)") }
    }

    @Test func routersHaveMoreTimeOnTheNetworksOfMobilePhonesAndWhereThereIsNone() {
        for (type, isSlow) in [("cellular", true), ("none", true), ("wifi", false), ("ethernet", false), ("other", false)] {
            #expect(UserNetworkInfo(networkType: type, online: true).isSlow == isSlow)
        }
    }

    @Test func whenAnAppSaysThatThereIsANetworkAgainSessionsAreMadeAnewAndOnlyThen() async throws {
        let world = TestWorld()
        let alice = try await world.core("alice"), bob = try await world.core("bob")
        try await bob.join(try await alice.invite())
        #expect(await bob.wait { events in events.contains { if case .contactConnected = $0 { true } else { false } } })
        let before = bob.events.count { $0.json["type"] == "subscriptionStatus" }
        for info in [#"{"networkType":"none","online":false}"#, #"{"networkType":"wifi","online":true}"#, #"{"networkType":"cellular","online":true}"#] {
            _ = try await bob.run("/_network info \(info)")
        }
        #expect(await bob.wait { $0.count { $0.json["type"] == "subscriptionStatus" } == before + 2 }, "lost and taken up again")
        #expect(await bob.eventually { await bob.answer("/get subs total 1")["subsTotal"]?["ssActive"]?.intValue == 1 })
        await alice.close()
        await bob.close()
    }
}
