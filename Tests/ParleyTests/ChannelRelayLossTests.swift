import ChatAPI
import ChatProtocol
import Hosting
import TestSupport
import Testing

@testable import Parley

/// A channel whose only relay leaves: what is posted would reach nobody, and nobody is left to believe it did.
@Suite(.timeLimit(.minutes(10))) struct ChannelRelayLossTests {
    @Test func aPostWithoutARelayFailsAndTheRelayIsInvitedAgainWithoutAStart() async throws {
        var relay = Bot("Relay", id: "relay") { On(.text) { _ in } }
        relay.isRelay = true
        let changes = EventLog<Bool>()
        var owner = Bot("Owner", id: "owner") { On(.relayChanged) { changes.add($0.isActive) } }
        owner.channels = [ManagedChannel("news", GroupSettings("News"), relays: [.bot("relay")])]
        let world = try await LiveBots(), gate = Gate()
        try await world.run([relay, owner], clock: GatedClock(gate)) { profiles in
            defer { gate.open() }
            let channel = try #require(await profiles[1].groups.channels.first)
            try await channel.post("first")
            let served = try #require(await profiles[0].groups.channels.first)
            try await profiles[0].client.execute(.groups(.leave(served.id)))
            try await eventually("the owner hears of it") { try await channel.relays().map(\.status) == [.inactive] && changes.all.last == false }
            for post in [{ @Sendable () async throws -> Void in try await channel.post("lost") }, { try await channel.chat.announce("lost") }] {
                do {
                    try await post()
                    Issue.record("the post is taken")
                } catch let error as ChatCoreError { #expect(error.code == .noRelay) }
            }
            try await profiles[0].client.execute(.groups(.allowRelay(served.id)))
            gate.open()
            try await eventually("the relay is there again") { try await channel.relays().contains { $0.status == .active } }
            try await eventually("posts are taken again") { (try? await channel.post("second")) != nil }
            let posts = try await channel.chat.history().map(\.text)
            #expect(posts == ["first", "second"])
        }
    }

    /// Before the owner knows that the relay leaves, while there is none, and while the subscribers look for it.
    @Test func everyPostThatIsTakenWhileARelayLeavesAndComesBackReachesItsSubscribers() async throws {
        var relay = Bot("Relay", id: "relay") { On(.text) { _ in } }
        relay.isRelay = true
        let received = EventLog<String>()
        let reader = Bot("Reader", id: "reader") { On(.text, in: .groups) { received.add($0.text) } }
        var owner = Bot("Owner", id: "owner") { On(.text) { _ in } }
        owner.channels = [ManagedChannel("news", GroupSettings("News"), relays: [.bot("relay")])]
        let world = try await LiveBots(), gate = Gate()
        try await world.run([relay, owner, reader], clock: GatedClock(gate)) { profiles in
            defer { gate.open() }
            try await profiles[2].groups.join(link: try #require(profiles[1].managedChannels.first?.link))
            try await eventually("subscribed") { await profiles[2].groups.channels.first?.isMember == true }
            let channel = try #require(await profiles[1].groups.channels.first), served = try #require(await profiles[0].groups.channels.first)
            try await channel.post("first")
            try await eventually("it comes") { received.all == ["first"] }
            try await profiles[0].client.execute(.groups(.leave(served.id)))
            let taken = EventLog<String>(), refused = EventLog<String>()
            taken.add("first")
            let post: @Sendable () async throws -> Void = {
                let text = "post \(taken.all.count + refused.all.count)"
                do {
                    try await channel.post(text)
                    taken.add(text)
                } catch let error as ChatCoreError where error.code == .noRelay { refused.add(text) }
            }
            try await post()
            try await eventually("posts are refused") {
                try await post()
                return !refused.all.isEmpty
            }
            try await profiles[0].client.execute(.groups(.allowRelay(served.id)))
            gate.open()
            let before = taken.all.count
            try await eventually("posts are taken again") {
                try await post()
                return taken.all.count >= before + 3
            }
            try await eventually("all have come") { received.all.count >= taken.all.count }
            #expect(received.all == taken.all)
        }
    }

    @Test func aChannelWhoseListOfRelaysIsEmptyTakesNoPost() async throws {
        var relay = Bot("Relay", id: "relay") { On(.text) { _ in } }
        relay.isRelay = true
        var owner = Bot("Owner", id: "owner") { On(.text) { _ in } }
        owner.channels = [ManagedChannel("news", GroupSettings("News"), relays: [.bot("relay")])]
        let world = try await LiveBots(), gate = Gate()
        try await world.run([relay, owner], clock: GatedClock(gate)) { profiles in
            defer { gate.open() }
            let channel = try #require(await profiles[1].groups.channels.first)
            try await channel.post("first")
            try await channel.removeRelay(try #require(try await channel.relays().first))
            try await eventually("no relay is left") { try await channel.relays().allSatisfy { $0.status != .active } }
            let error = await #expect(throws: ChatCoreError.self) { try await channel.post("lost") }
            #expect(error?.code == .noRelay)
            #expect(try await channel.chat.history().map(\.text) == ["first"])
        }
    }

    @Test func noRelayAtAllIsNone() { #expect([GroupRelay]().haveNone) }

    @Test func whatHasNoRelayIsSeenByThoseWhoWatchTheProcess() throws {
        let monitor = HostMonitor()
        monitor.setChannelsWithoutRelay(["News"], of: "owner")
        let profile = HostStatus.Profile(
            id: "owner", name: "Owner", chats: 1, waiting: 0, channelsWithoutRelay: monitor.channelsWithoutRelay(of: "owner"), counts: BotMetrics.Counts())
        let status = HostStatus(
            phase: .ready, isStorageFailing: false, uptime: .seconds(1), profiles: [profile], routers: [], running: 0, relay: nil, failures: [],
            residentBytes: nil)
        #expect(status.health.text.contains(#""status":"ok","problems":["channels"]"#) && status.health.text.contains(#""channelsWithoutRelay":1"#))
        #expect(status.json.text.contains(#""channelsWithoutRelay":["News"]"#))
        #expect(status.metrics(behind: nil).text.contains(#"parley_channels_without_relay{bot="owner"} 1"#))
        monitor.setChannelsWithoutRelay([], of: "owner")
        #expect(monitor.channelsWithoutRelay(of: "owner").isEmpty)
    }
}

/// A clock whose waits end once a gate is open.
private struct GatedClock: Clock {
    typealias Instant = ContinuousClock.Instant
    private let gate: Gate

    init(_ gate: Gate) { self.gate = gate }

    var now: Instant { ContinuousClock().now }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        // The wait before relays are invited again.
        if (.seconds(14) ... .seconds(15)).contains(ContinuousClock().now.duration(to: deadline)) {
            await gate.wait()
        } else {
            try await ContinuousClock().sleep(until: deadline)
        }
    }
}
