import ChatAPI
import ChatProtocol
import ChatRules
import SMPAgent
import SMPProtocol
import SMPSimulation
import SMPWire
import TestSupport
import Testing

@testable import ChatEngine
@testable import ChatStore

@Suite struct UserServersTests {
    private static let fingerprint = "NQcFNezxnRvnm-HgNh60b4MyClQ4Z0ConemWw7eS9yI="

    private static func router(_ hosts: String) -> String { "smp://\(fingerprint)@\(hosts)" }

    private static let acme = PresetOperator(
        tag: "acme", tradeName: "Acme", serverDomains: ["acme.example"],
        smpServers: [.init(router("smp1.acme.example")), .init(router("smp2.acme.example"), isEnabled: false)])

    private func servers(_ core: TestCore) async throws -> [UserOperatorServers] {
        guard case .userServers(_, let servers) = try await core.run("/_servers 1") else { throw UnexpectedAnswer() }
        return servers
    }

    @Test func whatWasChosenForAProfileIsThereAfterARestartAndWhatTheCoreIsSetUpWithIsNotAdded() async throws {
        let world = TestWorld(), folder = try TemporaryFolder()
        let first = try await world.core("alice", prefix: folder.path + "/core")
        let chosen = Self.router("other.example:5224")
        #expect(try await first.run("/smp \(chosen)") == .cmdOk(user: nil))
        await first.close()
        let second = try await world.open(prefix: folder.path + "/core")
        #expect(try await servers(second).flatMap(\.smpServers).map(\.server) == [chosen])
        await second.close()
    }

    @Test func aProfileForWhichNobodyChoseUsesTheRoutersThatTheCoreIsSetUpWithNow() async throws {
        let world = TestWorld(), folder = try TemporaryFolder()
        let first = try await world.core("alice", prefix: folder.path + "/core")
        await first.close()
        let new = world.internet.addRouter("new.example")
        let second = try await world.open(prefix: folder.path + "/core", configure: { $0.servers = [SMPServerWithAuth(new.address)] })
        #expect(try await servers(second).flatMap(\.smpServers).map(\.server) == [new.address.wireString])
        // The agent uses them, too: what it makes now is there.
        #expect(try await second.invite().contains("new.example"))
        await second.close()
    }

    @Test func aFolderGetsTheRelaysOfAnUpdateAndLosesThoseThatAreGone() async throws {
        let world = TestWorld(), folder = try TemporaryFolder()
        @Sendable func relay(_ key: String, preset: Bool = true) -> UserChatRelay {
            UserChatRelay(
                address: "https://smp1.acme.example/r#\(Base64URL.encode(Bytes(repeating: UInt8(key.utf8.first ?? 0), count: 32), padded: false))",
                relayProfile: RelayProfile(displayName: key), domains: ["acme.example"], preset: preset, enabled: true, deleted: false)
        }
        func open(_ relays: [UserChatRelay], create: Bool = false) async throws -> TestCore {
            var acme = Self.acme
            acme.chatRelays = relays
            let operators = [acme]
            return create
                ? try await world.core("alice", prefix: folder.path + "/core") { $0.operators = operators }
                : try await world.open(prefix: folder.path + "/core", configure: { $0.operators = operators })
        }
        func relays(_ core: TestCore) async throws -> [UserChatRelay] { try await servers(core).flatMap(\.chatRelays) }
        let first = try await open([relay("a"), relay("b")], create: true)
        #expect(try await relays(first).map(\.relayProfile.displayName) == ["a", "b"])
        try await first.native.engine.store.write { db in
            var off = try #require(try db.servers.chatRelays(ofUser: 1).last)
            off.enabled = false
            try db.servers.set(off, user: 1)
            try db.servers.set(relay("own", preset: false), user: 1)
        }
        await first.close()
        let second = try await open([relay("b"), relay("c")])
        let now = try await relays(second)
        #expect(now.map(\.relayProfile.displayName).sorted() == ["b", "c", "own"])
        #expect(now.first { $0.relayProfile.displayName == "b" }?.enabled == false, "what was chosen stays")
        await second.close()
    }

    @Test func newQueuesAreMadeOnTheServersOfTheProfileFromTheNextCommandOn() async throws {
        let world = TestWorld()
        let alice = try await world.core("alice")
        let other = world.internet.addRouter("other.example")
        _ = try await alice.run("/smp \(other.address.wireString)")
        #expect(try await alice.invite().contains("other.example"))
        await alice.close()
    }

    @Test func serversOfAnOperatorThatIsSwitchedOffAreNotUsed() async throws {
        let world = TestWorld()
        let router = world.internet.addRouter("smp1.acme.example")
        var acme = Self.acme
        acme.smpServers = [.init(router.address.wireString)]
        let alice = try await world.core("alice") { $0.operators = [acme] }
        let groups = try await servers(alice)
        #expect(groups.map { $0.serverOperator?.operatorTag } == ["acme", nil])
        #expect(groups[0].smpServers.map(\.isPreset) == [true])
        _ = try await alice.run("/operators 1:off")
        for _ in 0..<8 { #expect(try await alice.invite().contains("router.example")) }
        _ = try await alice.run("/operators 1:on:smp=proxy")
        for _ in 0..<8 { #expect(try await alice.invite().contains("router.example"), "its routers are only to send through") }
        await alice.close()
    }

    @Test func whatIsWrongWithServersIsSaidAndChangesNothing() async throws {
        let alice = try await TestWorld().core("alice")
        let before = try await servers(alice)
        for wrong in [
            #"[{"smpServers":[],"xftpServers":[],"chatRelays":[]},{"smpServers":[{"serverId":1,"server":"\#(Self.router("a.example"))","preset":false,"enabled":false,"deleted":false}],"xftpServers":[],"chatRelays":[]}]"#,
            #"[{"smpServers":[{"server":"smp://nonsense","preset":false,"enabled":true,"deleted":false}],"xftpServers":[],"chatRelays":[]}]"#,
            #"[{"smpServers":[{"server":"\#(Self.router("a.example,b.example"))","preset":false,"enabled":true,"deleted":false},{"server":"\#(Self.router("c.example,b.example:1"))","preset":false,"enabled":true,"deleted":false}],"xftpServers":[],"chatRelays":[]}]"#,
        ] {
            let answer = await alice.answer("/_servers 1 \(wrong)")
            #expect(answer["chatError"]?["errorType"]?["type"] == "commandError", "\(answer.text)")
        }
        #expect(try await servers(alice) == before)
        await alice.close()
    }

    @Test func aChangeOfAnOperatorIsCheckedForAllProfiles() async throws {
        let world = TestWorld()
        let router = world.internet.addRouter("smp1.acme.example")
        var acme = Self.acme
        acme.smpServers = [.init(router.address.wireString)]
        let alice = try await world.core("alice") { configuration in
            configuration.servers = []
            configuration.operators = [acme]
        }
        let bob = try await alice.createUser("bob")
        var groups = try #require(try await servers(of: 1, alice))
        groups[0].serverOperator?.enabled = false
        let validation = try await alice.run("/_validate_servers 1 \(JSONValue.array(groups.map(\.json)).text)", as: 1)
        guard case .userServersValidation(_, let errors, let warnings) = validation else { throw UnexpectedAnswer() }
        #expect(errors.map(\.json["type"]) == ["noServers", "noServers"])
        #expect(errors.last?.json["user"]?["userId"]?.intValue == bob.userID.rawValue)
        #expect(warnings.list.map(\.json["type"]) == ["noChatRelays", "noNamesServers", "noChatRelays", "noNamesServers"])
        await alice.close()
    }

    @Test func theRoleOfNamesIsStoredAndStaysWhereAProgramDoesNotNameIt() async throws {
        let world = TestWorld()
        let alice = try await world.core("alice") { configuration in
            configuration.servers = []
            configuration.operators = [Self.acme]
        }
        func operators() async throws -> [ServerOperator] {
            guard case .serverOperatorConditions(let conditions) = try await alice.run("/_operators") else { throw UnexpectedAnswer() }
            return conditions.serverOperators
        }
        func setNames(_ isOn: Bool?) async throws {
            var operators = try await operators()
            operators[0].smpRoles.names = isOn
            _ = try await alice.run("/_operators \(JSONValue.array(operators.map(\.json)).text)")
        }
        /// The roles in which the agent may use the routers.
        func resolvers() async throws -> Set<Bool> {
            let routers = try await alice.native.engine.store.read { db in
                try db.servers.servers(ofUser: 1, operators: try db.operators.stored()).usedRouters
            }
            return Set(routers.map(\.isForNames))
        }
        #expect(try await operators()[0].smpRoles.names == true)
        #expect(try await resolvers() == [true])
        for isOn in [false, nil] {
            try await setNames(isOn)
            #expect(try await operators()[0].smpRoles.names == false)
            #expect(try await resolvers() == [false])
        }
        _ = try await alice.run("/operators 1:on")
        #expect(try await operators()[0].smpRoles.names == true)
        let texts = [try await alice.answer("/_operators", for: .v65).text, try await alice.answer("/_operators", for: .v70).text]
        #expect(texts.map { $0.contains(#""names""#) } == [false, true])
        await alice.close()
    }

    private func servers(of user: UserID, _ core: TestCore) async throws -> [UserOperatorServers]? {
        guard case .userServers(_, let servers) = try await core.run("/_servers \(user)", as: user) else { return nil }
        return servers
    }

    @Test func acceptedConditionsAreRememberedAndNewOnesAreAskedForAgain() async throws {
        let world = TestWorld(), folder = try TemporaryFolder()
        func open(_ commit: String) async throws -> TestCore {
            try await world.open(
                prefix: folder.path + "/core",
                configure: { configuration in
                    configuration.operators = [Self.acme]
                    configuration.conditions = ConditionsDocument(commit: commit, text: "Be kind.")
                })
        }
        func action(_ core: TestCore) async throws -> JSONValue? {
            guard case .serverOperatorConditions(let conditions) = try await core.run("/_operators") else { throw UnexpectedAnswer() }
            return conditions.conditionsAction?.json
        }
        let first = try await open("aaa")
        _ = try await first.createUser("alice")
        #expect(try await action(first)?["type"] == "review")
        _ = try await first.run("/_accept_conditions 2 1")
        #expect(try await action(first)?["type"] == "accepted")
        await first.close()
        let again = try await open("aaa")
        #expect(try await action(again)?["type"] == "accepted")
        await again.close()
        let newer = try await open("bbb")
        let asked = try await action(newer)
        #expect(asked?["type"] == "review")
        #expect(asked?["showNotice"] == true)
        #expect(asked?["deadline"] != nil, "there is time to read them")
        await newer.close()
    }
}

@Suite struct ConditionsRulesTests {
    private let created = UTCTimestamp(seconds: 1_000_000)

    private func rules(notified: Int64?, after seconds: Int64) -> ConditionsRules {
        ConditionsRules(
            current: UsageConditions(
                conditionsID: 3, conditionsCommit: "new", notifiedAt: notified.map { created.adding(seconds: $0) }, createdAt: created),
            latestAccepted: "old", now: created.adding(seconds: seconds))
    }

    private let old = ConditionsRules.Acceptance(commit: "old", acceptedAt: nil, wasAutomatic: false)

    @Test func whoIsToldInTimeCanGoOnForAMonth() {
        #expect(rules(notified: 86_400, after: 20 * 86_400).acceptance(old) == .required(deadline: created.adding(seconds: 32 * 86_400)))
        #expect(rules(notified: nil, after: 86_400).acceptance(old) == .required(deadline: created.adding(seconds: 32 * 86_400)))
    }

    @Test func whoIsToldLateHasToAcceptFirst() {
        #expect(rules(notified: 14 * 86_400, after: 15 * 86_400).acceptance(old) == .required(deadline: nil))
        #expect(rules(notified: nil, after: 15 * 86_400).acceptance(old) == .required(deadline: nil))
    }

    @Test func anOperatorWhoseConditionsWereNeverAcceptedIsAskedFor() {
        #expect(rules(notified: nil, after: 0).acceptance(nil) == .required(deadline: nil))
    }
}

@Suite struct RouterHostsTests {
    private let key = "NQcFNezxnRvnm-HgNh60b4MyClQ4Z0ConemWw7eS9yI="

    @Test func hostsAreThoseOfTheAddressWithoutItsPortAndPassword() {
        #expect(RouterHosts.parse("smp://\(key)@a.example,b.onion:443")?.map(\.description) == ["a.example", "b.onion"])
        #expect(RouterHosts.parse("xftp://\(key):secret@10.0.0.1")?.map(\.description) == ["10.0.0.1"])
        #expect(RouterHosts.parse("smp://\(key)@[::1]:5223")?.count == 1)
    }

    @Test(arguments: [
        "", "smp://a.example", "smp://abc@a.example", "smp://NQcFNezxnRvnm-HgNh60b4MyClQ4Z0ConemWw7eS9yI=@",
        "smp://NQcFNezxnRvnm-HgNh60b4MyClQ4Z0ConemWw7eS9yI=@a.example:99999",
    ])
    func whatIsNoAddressHasNoHosts(_ text: String) {
        #expect(RouterHosts.parse(text) == nil)
    }

    @Test func aDomainIsAnOperatorsOnlyAsAWhole() throws {
        let one = ServerOperator(
            operatorID: 1, tradeName: "Acme", serverDomains: ["acme.example"], conditionsAcceptance: .required(deadline: nil), enabled: true,
            smpRoles: ServerRoles(storage: true, proxy: true), xftpRoles: ServerRoles(storage: true, proxy: true))
        #expect(one.runs("smp://\(key)@smp1.acme.example"))
        #expect(!one.runs("smp://\(key)@notacme.example"))
    }
}
