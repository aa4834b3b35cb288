import ChatAPI
import ChatProtocol
import ChatRules
import SMPCrypto
import SMPProtocol
import SMPWire
import Testing

@testable import ChatEngine

/// The servers that a profile begins with, and the settings that apps begin with.
@Suite struct PresetTests {
    @Test func theOperatorsOfThePublicNetworkComeWithTheirRelays() throws {
        let relays = PresetOperator.publicNetwork.flatMap(\.chatRelays)
        #expect(relays.map(\.relayProfile.displayName) == ["SimpleX Chat Relay 1", "SimpleX Chat Relay 2", "SimpleX Chat Relay 3"])
        for relay in relays {
            guard case .contact(_, let type, _, _) = try ConnectionShortLink(wireString: relay.address) else { throw UnexpectedAnswer() }
            #expect(type == .relay && relay.preset && relay.enabled && relay.domains == ["simplex.im"])
        }
    }

    @Test func theRoutersOfTheSecondOperatorStoreFilesAndResolveNamesButHoldNoQueues() {
        #expect(PresetOperator.flux.smpRoles == ServerRoles(storage: false, proxy: true, names: true))
        #expect(PresetOperator.flux.xftpRoles.storage && PresetOperator.simpleXChat.smpRoles.names == true)
    }

    private static func preset(_ count: Int, disabled: Int = 0, inUse: Int) -> PresetOperator {
        PresetOperator(
            tag: "test", tradeName: "Test", serverDomains: ["example.com"],
            smpServers: (0..<count).map { PresetOperator.Server("smp://router\($0)", isEnabled: $0 >= disabled) }, smpServersInUse: inUse)
    }

    private static func enabled(_ preset: PresetOperator, seed: UInt64) -> [String] {
        preset.drawn(using: SeededRandomSource(seed: seed)).smpServers.filter(\.isEnabled).map(\.address)
    }

    @Test func asManyServersAreEnabledAsAreInUseAndNoneIsAdded() {
        for seed in 0..<20 {
            #expect(Self.enabled(Self.preset(10, inUse: 4), seed: UInt64(seed)).count == 4)
            #expect(
                Self.enabled(Self.preset(10, disabled: 8, inUse: 4), seed: UInt64(seed)) == ["smp://router8", "smp://router9"],
                "those that are disabled stay so")
        }
        for inUse in [0, 10, 11, .max, -1] { #expect(Self.enabled(Self.preset(10, inUse: inUse), seed: 1).count == 10, "\(inUse)") }
        #expect(
            Self.preset(10, inUse: 4).drawn(using: SeededRandomSource(seed: 1)).smpServers.map(\.address) == Self.preset(10, inUse: 4).smpServers.map(\.address)
        )
    }

    @Test func profilesAreSpreadOverAllServers() {
        var counts: [String: Int] = [:]
        for seed in 0..<400 { for server in Self.enabled(Self.preset(8, inUse: 2), seed: UInt64(seed)) { counts[server, default: 0] += 1 } }
        #expect(counts.count == 8)
        // 100 are expected of each; 50 are less than one in a million draws would give.
        #expect(counts.values.allSatisfy { $0 > 50 && $0 < 150 }, "\(counts)")
    }

    @Test func whatAnAppSavedWinsOverItsPlatformAndThatOverTheDefaults() {
        let combined = AppSettings.combined(
            stored: ["uiColorScheme": "DARK", "unknownLater": 7, "oneHandUI": .null], given: ["uiColorScheme": "LIGHT", "oneHandUI": false])
        #expect(combined["uiColorScheme"] == "DARK" && combined["oneHandUI"] == false, "null is no setting")
        #expect(combined["unknownLater"] == 7, "settings of later versions are kept")
        #expect(combined["privacyAskToApproveRelays"] == true)
    }

    @Test(arguments: [JSONValue.null, 5, "text", [1, 2]]) func settingsThatAreNoObjectChangeNothing(settings: JSONValue) {
        #expect(AppSettings.combined(stored: settings, given: nil) == AppSettings.combined(stored: nil, given: nil))
    }
}
