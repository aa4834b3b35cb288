import ChatAPI
import ChatProtocol
import TestSupport
import Testing

@testable import Hosting
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

    @Test func theOwnerHearsOfEachSubscriberOnceAndPostsLongTextsInSeveralParts() async throws {
        let world = try await LiveBots(), posts = EventLog<(String, ItemDirection)>(), joined = EventLog<String>()
        let reader = Bot("Reader", id: "reader") { On(.text, in: .groups) { posts.add(($0.text, $0.item.direction)) } }
        var owner = Bot("Owner", id: "owner") { On(.memberJoined) { joined.add($0.member.displayName) } }
        owner.channels = [ManagedChannel("news", GroupSettings("News"), relays: [.bot("relay")])]
        let words = String(repeating: "word ", count: 5_000)
        try await world.run([Self.relay, owner, reader]) { profiles in
            try await profiles[2].groups.join(link: try #require(profiles[1].managedChannels.first?.link))
            try await eventually("subscribed") { await profiles[2].groups.channels.first?.isMember == true }
            try await eventually("the owner hears of it") { joined.all == ["Reader"] }
            let owned = try #require(await profiles[1].groups.channels.first)
            let sent = try await owned.post(words)
            #expect(sent.furtherItems.count == 1)
            // As schedules, webhooks and rules of bots.yaml send.
            try await owned.chat.announce("from a schedule")
            try await eventually("the posts come") { posts.all.count == 3 }
        }
        #expect(joined.all == ["Reader"] && posts.all.allSatisfy { $0.1 == .channelReceived } && posts.all.last?.0 == "from a schedule")
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

    @Test func aChannelIsBroughtToTheRelaysThatAreNamedNowAndItsSubscribersCome() async throws {
        let folder = try TemporaryFolder(), posts = EventLog<String>()
        let reader = Bot("Reader", id: "reader") { On(.text, in: .groups) { posts.add($0.text) } }
        var other = Bot("Other relay", id: "other") { On(.text) { _ in } }
        other.isRelay = true
        let elsewhere = try await LiveBots()
        try await elsewhere.run([other]) { others in
            let address = try #require(others[0].shortAddress)
            try await LiveBots(on: folder).run([Self.relay, Self.owner(), reader]) { profiles in
                try await profiles[2].groups.join(link: try #require(profiles[1].managedChannels.first?.link))
                try await eventually("subscribed") { await profiles[2].groups.channels.first?.isMember == true }
                try await profiles[1].groups.channels.first?.post("by the first relay")
                try await eventually("the post comes") { posts.all == ["by the first relay"] }
                #expect(try await profiles[1].groups.testRelay(address) == nil)
            }
            try await LiveBots(on: folder).run([Self.relay, Self.owner(relays: [.address(address)]), reader]) { profiles in
                let channel = try #require(await profiles[1].groups.channels.first)
                try await eventually("the channel has the new relay alone") {
                    try await channel.relays().map(\.userChatRelay.address) == [address]
                }
                // Without history, what is posted while the reader still connects does not reach it.
                try await eventually("the reader is connected with the new relay") {
                    guard let served = await others[0].groups.channels.first else { return false }
                    return try await served.members().contains { $0.role == .observer && $0.member.status == .connected }
                }
                try await channel.post("by the second relay")
                try await eventually("the post comes") { posts.all.contains("by the second relay") }
            }
        }
        #expect(posts.all == ["by the first relay", "by the second relay"])
    }

    @Test func aBotAddsAndRemovesRelaysOfItsChannel() async throws {
        var other = Bot("Other relay", id: "other") { On(.text) { _ in } }
        other.isRelay = true
        let elsewhere = try await LiveBots(), world = try await LiveBots()
        try await elsewhere.run([other]) { others in
            let address = try #require(others[0].shortAddress)
            try await world.run([Self.relay, Self.owner()]) { profiles in
                let channel = try #require(await profiles[1].groups.channels.first)
                try await channel.addRelay(address)
                try await channel.addRelay(address)
                try await eventually("both are at work") { try await channel.relays().map(\.status) == [.active, .active] }
                let first = try #require(try await channel.relays().first)
                try await channel.removeRelay(first)
                #expect(try await channel.relays().map(\.userChatRelay.address) == [address])
            }
        }
    }

    @Test func relaysThatHaveLeftAreInvitedAgainAndThoseThatAreNotNamedGo() throws {
        func relay(_ number: Int, _ address: String, _ status: String) throws -> GroupRelay {
            let profile = #"{"displayName":"relay","fullName":""}"#
            return try GroupRelay(
                parsing: #"""
                    {"groupRelayId":\#(number),"groupMemberId":\#(number),"relayStatus":"\#(status)",
                     "userChatRelay":{"chatRelayId":\#(number),"address":"\#(address)","relayProfile":\#(profile),"domains":[],"preset":false,"enabled":true,"deleted":false}}
                    """#)
        }
        let current = [try relay(1, "a", "active"), try relay(2, "b", "inactive"), try relay(3, "c", "invited"), try relay(4, "d", "new")]
        let change = RelayChange(from: current, to: ["a", "b", "d", "e"])
        #expect(change.added == ["b", "d", "e"])
        #expect(change.removed.map(\.userChatRelay.address) == ["c"])
        let none = RelayChange(from: current, to: ["a", "c"])
        #expect(none.added.isEmpty && none.removed.isEmpty)
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
