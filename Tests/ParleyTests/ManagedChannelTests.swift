import ChatAPI
import ChatProtocol
import TestSupport
import Testing

@testable import Parley

/// Channels that a bot keeps, with a relay and a subscriber in the same process.
@Suite struct ManagedChannelTests {
    private static var relay: Bot {
        var bot = Bot("Relay", id: "relay") { On(.text) { _ in } }
        bot.isRelay = true
        return bot
    }

    private static func owner(_ welcome: String? = nil, relays: [ManagedChannel.Relay] = [.bot("relay")]) -> Bot {
        var bot = Bot("Owner", id: "owner") {
            On(.command("post")) { message in
                let channel = await message.groups.channels.first
                try await channel?.post(message.arguments)
            }
        }
        bot.channels = [ManagedChannel("news", GroupSettings("News", welcome: welcome), relays: relays)]
        return bot
    }

    @Test func aPostOfTheOwnerReachesASubscriberInTheNameOfTheChannel() async throws {
        let world = try await LiveBots(), posts = EventLog<(String, ItemDirection)>()
        let reader = Bot("Reader", id: "reader") { On(.text, in: .groups) { posts.add(($0.text, $0.item.direction)) } }
        try await world.run([Self.relay, Self.owner(), reader]) { profiles in
            let channel = try #require(profiles[1].managedChannels.first)
            try await profiles[2].groups.join(link: try #require(channel.link))
            try await eventually("subscribed") { await profiles[2].groups.channels.first?.isMember == true }
            let owned = try #require(await profiles[1].groups.channels.first)
            #expect(owned.isChannel && owned.channelLink == channel.link)
            #expect(try await owned.relays().map(\.status) == [.active])
            try await owned.post("first")
            try await eventually("the post comes") { !posts.all.isEmpty }
            await #expect(throws: ChatCoreError.self) { try await profiles[2].groups.channels.first?.post("mine") }
        }
        #expect(posts.all.map(\.0) == ["first"])
        #expect(posts.all.first?.1 == .channelReceived)
    }

    @Test func aChannelIsMadeOnceAndKeptAsItIsDescribed() async throws {
        let folder = try TemporaryFolder()
        let links = EventLog<String?>()
        try await LiveBots(on: folder).run([Self.relay, Self.owner()]) { links.add($0[1].managedChannels.first?.link) }
        try await LiveBots(on: folder).run([Self.relay, Self.owner("Be kind.")]) { profiles in
            links.add(profiles[1].managedChannels.first?.link)
            let channel = await profiles[1].groups.channels
            #expect(channel.count == 1 && channel.first?.info.groupProfile.description == "Be kind.")
        }
        #expect(links.all.count == 2 && links.all[0] != nil && links.all[0] == links.all[1])
    }

    @Test func aRelayThatIsNoBotOfTheProcessIsRefused() async throws {
        await #expect { try await LiveBots().run([Self.owner(relays: [.bot("nobody")])]) { _ in } } throws: {
            ($0 as? HostError)?.message.contains("nobody") == true
        }
    }

    @Test func aProfileThatWasMadeForABotBecomesNoRelay() async throws {
        let folder = try TemporaryFolder()
        var bot = Self.relay
        bot.isRelay = false
        try await LiveBots(on: folder).run([bot]) { _ in }
        await #expect { try await LiveBots(on: folder).run([Self.relay]) { _ in } } throws: { ($0 as? HostError)?.code == .handlers }
    }
}
