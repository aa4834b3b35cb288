import ChatAPI
import SMPCrypto
import Testing

@testable import ChatRules

@Suite("Operators that a profile begins with")
struct PresetOperatorTests {
    private func preset(smpInUse: Int, xftpInUse: Int = 0) -> PresetOperator {
        PresetOperator(
            tag: "one", tradeName: "One", serverDomains: ["one.example"],
            smpServers: (1...6).map { .init(ServerFixtures.address("s\($0).one.example"), isEnabled: $0 != 6) }, smpServersInUse: smpInUse,
            xftpServers: (1...3).map { .init(ServerFixtures.address("f\($0).one.example", "xftp")) }, xftpServersInUse: xftpInUse)
    }

    private func enabled(_ servers: [PresetOperator.Server]) -> [Int] { servers.indices.filter { servers[$0].isEnabled } }

    @Test(
        "a profile begins with as many servers as are to be used, and none that is off is switched on",
        arguments: [
            (0, 5), (1, 1), (4, 4), (5, 5), (6, 5), (-1, 5),
        ])
    func counts(inUse: Int, expected: Int) {
        for seed in 0..<20 as Range<UInt64> {
            let drawn = preset(smpInUse: inUse).drawn(using: SeededRandomSource(seed: seed))
            #expect(enabled(drawn.smpServers).count == expected && !drawn.smpServers[5].isEnabled)
            #expect(drawn.smpServers.map(\.address) == preset(smpInUse: inUse).smpServers.map(\.address), "the order stays")
            #expect(enabled(drawn.xftpServers).count == 3)
        }
    }

    @Test("file servers are drawn by their own number")
    func fileServers() {
        let drawn = preset(smpInUse: 0, xftpInUse: 2).drawn(using: SeededRandomSource(seed: 1))
        #expect(enabled(drawn.xftpServers).count == 2 && enabled(drawn.smpServers).count == 5)
    }

    @Test("profiles spread over all servers of an operator")
    func spread() {
        var counts: [Int: Int] = [:]
        for seed in 0..<200 as Range<UInt64> {
            for index in enabled(preset(smpInUse: 2).drawn(using: SeededRandomSource(seed: seed)).smpServers) { counts[index, default: 0] += 1 }
        }
        for index in 0..<5 { #expect((40...120).contains(counts[index, default: 0]), "server \(index) of \(counts)") }
    }

    @Test("the servers of the operators of the public network can be read, and are theirs", arguments: PresetOperator.publicNetwork)
    func publicNetwork(preset: PresetOperator) {
        let owner = ServerOperator(
            tradeName: preset.tradeName, serverDomains: preset.serverDomains, conditionsAcceptance: .required(deadline: nil), enabled: preset.isEnabled,
            smpRoles: preset.smpRoles, xftpRoles: preset.xftpRoles)
        for server in preset.smpServers + preset.xftpServers { #expect(owner.runs(server.address), "\(server.address)") }
        #expect(enabled(preset.smpServers).count > preset.smpServersInUse && preset.xftpServers.count > preset.xftpServersInUse)
        for relay in preset.chatRelays { #expect(!Set(relay.domains).isDisjoint(with: preset.serverDomains)) }
    }

    @Test("a profile can begin with the operators of the public network")
    func usable() {
        let groups = PresetOperator.publicNetwork.map { preset in
            UserOperatorServers(
                serverOperator: ServerFixtures.serverOperator(storage: preset.smpRoles.storage, proxy: preset.smpRoles.proxy),
                smpServers: preset.smpServers.map { UserServer(server: $0.address, isPreset: true, enabled: $0.isEnabled, deleted: false) },
                xftpServers: preset.xftpServers.map { UserServer(server: $0.address, isPreset: true, enabled: $0.isEnabled, deleted: false) },
                chatRelays: preset.chatRelays)
        }
        let validation = UserServersValidation(groups, others: [])
        #expect(validation.errors.isEmpty && validation.warnings.isEmpty)
    }
}
