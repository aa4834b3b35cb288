import Parley
import ParleyTesting
import TestSupport
import Testing

@testable import RelayBot

@Suite struct RelayBotTests {
    @Test func theEnvironmentDescribesThePolicy() throws {
        #expect(try RelayBot.policy([:]) == HostRelay())
        let policy = try RelayBot.policy([
            "RELAY_CHANNELS": "20", "RELAY_MEMBERS": "5000", "RELAY_ALLOW": " one, two,", "RELAY_DENY": "three", "RELAY_DRAIN": "1",
            "RELAY_MESSAGES_PER_MINUTE": "60",
        ])
        #expect(policy.maximumChannels == 20 && policy.maximumMembers == 5000 && policy.isDraining)
        #expect(policy.channelQuota == HostRelay.Quota(messagesPerMinute: 60) && policy.totalQuota == HostRelay.Quota())
        #expect(policy.allowed == ["one", "two"] && policy.denied == ["three"])
    }

    @Test(arguments: ["0", "-1", "many", "1e3", "99999999999999999999"]) func aLimitThatIsNoNumberIsRefused(_ text: String) {
        #expect(throws: RelaySettingError(description: "RELAY_CHANNELS is not a number above 0: \"\(text)\"")) {
            try RelayBot.policy(["RELAY_CHANNELS": text])
        }
    }

    @Test func theRelayTakesAsManyMembersAsItsPolicySays() async throws {
        var owner = Bot("Owner", id: "owner", address: .none) {}
        owner.channels = [ManagedChannel("news", GroupSettings("News"), relays: [.bot("relay")])]
        let late = Bot("Late", id: "late", address: .none) {}
        // The owner, the relay and one subscriber.
        let policy = try RelayBot.policy(["RELAY_MEMBERS": "3"])
        try await withBots(RelayBot.bot(name: "Relay"), owner, late, relay: policy) { room in
            let ann = try await room.stranger("Ann")
            try await ann.subscribe(to: "news")
            let channel = try #require(await room.bot("owner").groups.channels.first), link = try #require(channel.channelLink)
            try await room.bot("late").groups.join(link: link)
            try await room.settle()
            try await channel.post("Hello")
            try await ann.expect("Hello", in: "News")
            try await room.settle()
            #expect(try await room.bot("late").groups.channels.map(\.isMember) == [false])
            #expect(try await room.bot("relay").groups.channels.first?.members().count == 2)
        }
    }
}
