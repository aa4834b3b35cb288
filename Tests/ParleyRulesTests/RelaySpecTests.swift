import Parley
import Testing

@testable import ParleyRules

/// `relay:` of a profile.
@Suite struct RelaySpecTests {
    /// Identifiers of channels, as people copy them without the sign at their end, and the key of an owner.
    private static let channel = String(repeating: "A", count: 43), denied = String(repeating: "A", count: 42) + "E"
    private static let owner = "MCowBQYDK2VwAyEA" + String(repeating: "A", count: 43) + "="

    private func file(_ relay: String) throws -> BotsFile {
        try BotsFile(parsing: "parley: 1\nprofiles:\n  relay:\n    relay: \(relay)\n")
    }

    @Test func aRelayServesEverybodyUnlessLimitsAreSet() throws {
        #expect(try file("true").relay == HostRelay() && file("true").profiles[0].isRelay)
        #expect(try !file("false").profiles[0].isRelay)
    }

    @Test func limitsAreRead() throws {
        let relay = try file(
            """

                  channels: 20
                  members: 5000
                  backlog: 300
                  messages-per-minute: 60
                  bytes-per-day: 2gb
                  total: { messages-per-minute: 600, bytes-per-day: 500mb }
                  allow: [\(Self.channel), \(Self.owner)]
                  deny: \(Self.denied)
                  drain: true
            """
        ).relay
        #expect(relay.maximumChannels == 20 && relay.maximumMembers == 5_000 && relay.maximumBacklog == 300 && relay.isDraining)
        #expect(relay.channelQuota == HostRelay.Quota(messagesPerMinute: 60, bytesPerDay: 2 << 30))
        #expect(relay.totalQuota == HostRelay.Quota(messagesPerMinute: 600, bytesPerDay: 500 << 20))
        #expect(relay.allowed == [Self.channel + "=", Self.owner] && relay.denied == [Self.denied + "="])
    }

    @Test(arguments: [
        ("{ channels: 0 }", 4, 24), ("{ members: many }", 4, 23), ("{ backlog: 0 }", 4, 23),
        ("{ bytes-per-day: 0 }", 4, 29), ("{ bytes-per-day: lots }", 4, 29),
        ("{ total: { channels: 3 } }", 4, 23), ("{ chanels: 3 }", 4, 14), ("{ allow: [] }", 4, 21), ("[true]", 4, 12),
    ])
    func aMistakeIsToldWithItsPosition(_ relay: String, _ line: Int, _ column: Int) throws {
        let error = try #require(throws: BotsFileError.self) { _ = try file(relay) }
        let position = try #require(error.diagnostics.first).position
        #expect((position.line, position.column) == (line, column), "\(error)")
    }
}
