import ChatAPI
import ChatProtocol
import Testing

@testable import ChatRules

@Suite("The servers of a profile, by operator")
struct UserServerSetTests {
    private static let one = ServerFixtures.serverOperator(1, domains: ["one.example"])
    private static let two = ServerFixtures.serverOperator(2, domains: ["two.example", "zwei.example"])

    private static let set = UserServerSet(
        operators: [one, two],
        smpServers: [ServerFixtures.server("a.zwei.example"), ServerFixtures.server("b.example"), ServerFixtures.server("c.one.example")],
        xftpServers: [ServerFixtures.server("f.one.example", "xftp"), ServerFixtures.server("g.example", "xftp")],
        chatRelays: [ServerFixtures.relay("r", domains: ["two.example"]), ServerFixtures.relay("s", domains: ["example"]), ServerFixtures.relay("t")])

    @Test("each server and relay is with the operator of its domain, and last come those of nobody known")
    func byOperator() {
        let groups = Self.set.byOperator
        #expect(groups.map(\.serverOperator) == [Self.one, Self.two, nil])
        #expect(
            groups.map { $0.smpServers.map(\.server) } == [["c.one.example"], ["a.zwei.example"], ["b.example"]].map { $0.map { ServerFixtures.address($0) } })
        #expect(groups.map { $0.xftpServers.count } == [1, 0, 1])
        #expect(groups.map { $0.chatRelays.map(\.relayProfile.displayName) } == [[], ["r"], ["s", "t"]])
    }

    @Test("an operator without servers is there, too")
    func empty() { #expect(UserServerSet(operators: [Self.one]).byOperator.map(\.serverOperator) == [Self.one, nil]) }

    @Test("an address that cannot be read is nobody's")
    func unreadable() { #expect(!Self.one.runs("one.example") && Self.one.runs(ServerFixtures.address("one.example"))) }

    @Test("the servers of one protocol are those, and no relays")
    func onlyOneKind() {
        let smp = Self.set.only(.smp), xftp = Self.set.only(.xftp), ntf = Self.set.only(.ntf), relays = Self.set.onlyRelays
        #expect(smp.smpServers == Self.set.smpServers && smp.xftpServers.isEmpty && smp.chatRelays.isEmpty)
        #expect(xftp.xftpServers == Self.set.xftpServers && xftp.smpServers.isEmpty && xftp.chatRelays.isEmpty)
        #expect(ntf.smpServers.isEmpty && ntf.xftpServers.isEmpty)
        #expect(relays.chatRelays == Self.set.chatRelays && relays.smpServers.isEmpty && relays.xftpServers.isEmpty)
        for part in [smp, xftp, ntf, relays] { #expect(part.operators == Self.set.operators) }
    }

    // MARK: Replacing

    @Test("new servers replace the old ones: presets are switched off, others deleted, and the new ones belong to nobody")
    func replacing() {
        let old = [ServerFixtures.server("a.example", isPreset: true), ServerFixtures.server("b.example")]
        let files = [ServerFixtures.server("f.example", "xftp")]
        let new = ServerFixtures.address("c.example")
        let nobody = ServerFixtures.group(smp: old, xftp: files).replacing(.smp, by: [new])
        #expect(
            nobody.smpServers == [
                ServerFixtures.server("a.example", isPreset: true, enabled: false), ServerFixtures.server("b.example", deleted: true),
                ServerFixtures.server("c.example"),
            ])
        #expect(nobody.xftpServers == files, "the other protocol stays")
        let owned = ServerFixtures.group(Self.one, smp: old, xftp: files).replacing(.smp, by: [new])
        #expect(owned.smpServers == Array(nobody.smpServers.prefix(2)), "an operator gets no new server")
        let replaced = ServerFixtures.group(smp: old, xftp: files).replacing(.xftp, by: [])
        #expect(replaced.smpServers == old && replaced.xftpServers == [ServerFixtures.server("f.example", "xftp", deleted: true)])
        #expect(ServerFixtures.group(smp: old, xftp: files).replacing(.ntf, by: [new]) == ServerFixtures.group(smp: old, xftp: files))
    }

    @Test("relays are replaced as servers are")
    func replacingRelays() {
        let old = [ServerFixtures.relay("a", preset: true), ServerFixtures.relay("b")]
        let new = NewChatRelay(name: "c", address: "https://c.example/r#key")
        let nobody = ServerFixtures.group(relays: old).replacingRelays(by: [new])
        #expect(
            nobody.chatRelays == [
                ServerFixtures.relay("a", preset: true, enabled: false), ServerFixtures.relay("b", deleted: true), ServerFixtures.relay("c", domains: [""]),
            ])
        #expect(ServerFixtures.group(Self.one, relays: old).replacingRelays(by: [new]).chatRelays == Array(nobody.chatRelays.prefix(2)))
    }
}
