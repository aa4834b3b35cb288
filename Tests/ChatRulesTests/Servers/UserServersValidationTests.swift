import ChatAPI
import ChatProtocol
import Testing

@testable import ChatRules

@Suite("The check of a profile's servers")
struct UserServersValidationTests {
    private typealias F = ServerFixtures
    private static let relay = [F.relay("r")]

    private func check(_ groups: [UserOperatorServers], others: [(user: User, servers: [UserOperatorServers])] = []) -> UserServersValidation {
        UserServersValidation(groups, others: others)
    }

    private static let user = User(
        userID: 2, agentUserID: "2", userContactID: 2, localDisplayName: "bob",
        profile: LocalProfile(Profile(displayName: "bob", fullName: ""), id: 2, alias: ""),
        fullPreferences: FullChatPreferences(nil), isActive: false, activeOrder: 1, showsNotifications: true, sendsReceiptsToContacts: true,
        sendsReceiptsToSmallGroups: true)

    @Test("a router of a profile's own stores and sends, and no file router is needed")
    func ownRouter() {
        let validation = check([F.group(smp: [F.server("a.example")], relays: Self.relay)])
        #expect(validation.errors.isEmpty && validation.warnings.isEmpty && validation.fault == nil)
    }

    @Test("a profile without a router that is switched on cannot do anything")
    func noRouters() {
        let missing: [UserServersError] = [.noServers(serverProtocol: "smp", user: nil)]
        #expect(check([]).errors == missing)
        #expect(check([F.group(smp: [F.server("a.example", enabled: false), F.server("b.example", deleted: true)])]).errors == missing)
        #expect(check([F.group(F.serverOperator(enabled: false), smp: [F.server("a.one.example")])]).errors == missing, "its operator is switched off")
    }

    @Test("a profile needs routers for both roles, of whichever operator")
    func roles() {
        let storage = F.group(F.serverOperator(1, proxy: false), smp: [F.server("a.one.example")])
        let proxy = F.group(F.serverOperator(2, domains: ["two.example"], storage: false), smp: [F.server("a.two.example")])
        #expect(check([storage]).errors == [.proxyMissing(serverProtocol: "smp", user: nil)])
        #expect(check([proxy]).errors == [.storageMissing(serverProtocol: "smp", user: nil)])
        #expect(check([storage, proxy]).errors.isEmpty)
        let off = F.group(F.serverOperator(2, enabled: false), smp: [F.server("a.two.example")])
        #expect(check([storage, off]).errors == [.proxyMissing(serverProtocol: "smp", user: nil)])
        #expect(
            check([proxy, F.group(F.serverOperator(1))]).errors == [.storageMissing(serverProtocol: "smp", user: nil)],
            "an operator needs servers to have a role")
    }

    @Test("a profile that names a file router needs one that it can use")
    func fileRouters() {
        let smp = [F.server("a.example")]
        #expect(check([F.group(smp: smp, xftp: [F.server("f.example", "xftp")])]).errors.isEmpty)
        #expect(check([F.group(smp: smp, xftp: [F.server("f.example", "xftp", enabled: false)])]).errors == [.noServers(serverProtocol: "xftp", user: nil)])
        var half = F.serverOperator()
        half.xftpRoles = ServerRoles(storage: false, proxy: true)
        #expect(
            check([F.group(half, smp: smp, xftp: [F.server("f.one.example", "xftp")])]).errors == [.storageMissing(serverProtocol: "xftp", user: nil)],
            "the roles of an operator for files are others than those for messages")
    }

    @Test("a host is named once: in both of its servers, whoever they belong to")
    func duplicates() {
        let a = F.server("a.example"), both = F.server("a.example,b.example"), b = F.server("b.example"), c = F.server("c.example")
        func duplicate(_ server: UserServer, _ host: String) -> UserServersError { .duplicateServer(serverProtocol: "smp", server: server.server, host: host) }
        #expect(check([F.group(smp: [a, c]), F.group(smp: [both])]).errors == [duplicate(a, "a.example"), duplicate(both, "a.example")])
        #expect(check([F.group(smp: [b, both])]).errors == [duplicate(b, "b.example"), duplicate(both, "b.example")])
        #expect(check([F.group(smp: [a, F.server("a.example", deleted: true)])]).errors.isEmpty, "a deleted one does not count")
        #expect(check([F.group(smp: [a], xftp: [F.server("a.example", "xftp")])]).errors.isEmpty, "a host may serve two protocols")
    }

    @Test("a relay is there once")
    func duplicateRelays() {
        let relay = F.relay("r")
        var renamed = relay
        renamed.relayProfile.displayName = "s"
        let errors = check([F.group(smp: [F.server("a.example")], relays: [relay, F.relay("t"), renamed])]).errors
        #expect(errors == ["r", "s"].map { .duplicateChatRelayAddress(relay: $0, address: relay.address) })
        #expect(check([F.group(smp: [F.server("a.example")], relays: [relay, F.relay("r", deleted: true)])]).errors.isEmpty)
    }

    @Test("a profile without a relay that is switched on is warned, and may be so")
    func relays() {
        func warnings(_ relays: [UserChatRelay], of owner: ServerOperator? = nil) -> [UserServersWarning] {
            let validation = check([F.group(smp: [F.server("a.example")]), F.group(owner, relays: relays)])
            #expect(validation.errors.isEmpty)
            return validation.warnings
        }
        let warning: [UserServersWarning] = [.noChatRelays(user: nil)]
        #expect(warnings([]) == warning && warnings([], of: F.serverOperator()) == warning)
        #expect(warnings([F.relay("r", enabled: false)]) == warning && warnings([F.relay("r", deleted: true)]) == warning)
        #expect(warnings([F.relay("r")], of: F.serverOperator(enabled: false)) == warning)
        #expect(warnings([F.relay("r", enabled: false), F.relay("s")]).isEmpty && warnings([F.relay("r")], of: F.serverOperator()).isEmpty)
    }

    @Test("a profile without a router that resolves names is warned, but not if its program speaks 6.5")
    func resolvers() throws {
        let operators = [true, false].map { names in
            var mine = F.serverOperator()
            mine.smpRoles.names = names
            return check([F.group(mine, smp: [F.server("a.example")], relays: Self.relay)]).warnings
        }
        #expect(operators == [[], [.noNamesServers(user: nil)]])
        #expect(check([F.group(smp: [F.server("a.example")], relays: Self.relay)]).warnings.isEmpty, "routers of no operator resolve names")
        let answer = ChatResponse.userServersValidation(user: Self.user, errors: [], warnings: [.noChatRelays(user: nil), .noNamesServers(user: nil)])
        func warnings(_ version: APIVersion) throws -> JSONValue? {
            var writer = JSONWriter(for: version)
            answer.write(to: &writer)
            return try JSONValue(parsing: writer.bytes)["serverWarnings"]
        }
        #expect(try warnings(.v65) == [["type": "noChatRelays"]])
        #expect(try warnings(.v70) == [["type": "noChatRelays"], ["type": "noNamesServers"]])
    }

    @Test("a change of an operator must leave other profiles what they need")
    func otherProfiles() {
        let mine = F.group(smp: [F.server("a.example")], relays: Self.relay)
        let theirs = F.group(F.serverOperator(1), smp: [F.server("a.one.example")], relays: Self.relay)
        func check(_ changed: ServerOperator) -> UserServersValidation { self.check([mine, F.group(changed)], others: [(Self.user, [theirs])]) }
        #expect(check(F.serverOperator(1)).errors.isEmpty && check(F.serverOperator(1)).warnings.isEmpty)
        let off = check(F.serverOperator(1, enabled: false))
        #expect(off.errors == [.noServers(serverProtocol: "smp", user: Self.user)])
        #expect(off.warnings == [.noChatRelays(user: Self.user), .noNamesServers(user: Self.user)])
        #expect(off.fault?.hasSuffix("no smp servers are enabled for bob") == true)
        #expect(check(F.serverOperator(1, proxy: false)).errors == [.proxyMissing(serverProtocol: "smp", user: Self.user)])
        #expect(check(F.serverOperator(2, enabled: false)).errors.isEmpty, "another operator")
    }
}
