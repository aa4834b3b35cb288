import ChatProtocol
import OfficialPeers
import ProcessSupport

/// A channel of 100 subscribers: the owner in one program, the relay in a second one, and the subscribers as profiles of a third one.
enum ChannelPosts {
    private static let subscribers = 100
    /// Subscribers that join at a time.
    private static let joining = 10

    static func measure(_ make: any Make, effort: Double) async throws -> [Figure] {
        let router = try await make.startRouter()
        let owner = try await make.startClient("Owner", router), relay = try await make.startClient("Relay", router, isRelay: true)
        let readers = try await make.startClient("Reader 1", router)
        var profiles: [Int64] = [1]
        for number in 2...subscribers { profiles.append(try await readers.createProfile("Reader \(number)")) }
        let channel = try await makeChannel(owner, over: relay)
        try await join(channel, readers, profiles)
        let count = max(3, make.scaled(20, effort))
        let figures = try await posts(count, owner, relay, readers) + [try await burst(owner, relay, readers)]
        for client in [owner, relay, readers] { await client.stop() }
        await router.stop()
        return figures
    }

    /// Makes a channel over a relay, and waits until subscribers can join.
    static func makeChannel(_ owner: BenchClient, over relay: BenchClient) async throws -> BenchLink {
        let shown = try await relay.send("/_show_address 1")
        guard let address = try BenchLink((shown["contactLink"] ?? shown)["connLinkContact"]).short else { throw BenchFault("the relay has no short address") }
        try await owner.send("/relays name=Relay \(address)")
        let servers = try await owner.send("/relays")["userServers"]?.arrayValue ?? []
        let known = servers.flatMap { $0["chatRelays"]?.arrayValue ?? [] }
        guard let id = known.first(where: { $0["address"]?.stringValue == address })?["chatRelayId"]?.intValue else {
            throw BenchFault("the relay is not configured")
        }
        let preferences: JSONValue = ["history": ["enable": "off"], "support": ["enable": "off"]]
        let profile: JSONValue = ["displayName": "news", "fullName": "", "groupPreferences": preferences]
        let link = try BenchLink(try await owner.send("/_public group 1 \(id) \(profile.text)")["groupLink"]?["connLinkContact"])
        await owner.tally.waitForActiveRelays(1)
        return link
    }

    static func join(_ channel: BenchLink, _ readers: BenchClient, _ profiles: [Int64]) async throws {
        guard let short = channel.short else { throw BenchFault("the channel has no short link") }
        for (index, profile) in profiles.enumerated() {
            try await readers.send("/_user \(profile)")
            let plan = try await readers.send("/_connect plan \(profile) \(short)")["connectionPlan"]
            guard let data = plan?["groupLinkPlan"]?["groupSLinkData_"] else { throw BenchFault("the link does not show a channel") }
            let prepared = try await readers.send("/_prepare group \(profile) \(channel.words) direct=off \(data.text)")
            guard let group = prepared["chat"]?["chatInfo"]?["groupInfo"]?["groupId"]?.intValue else { throw BenchFault("no channel is prepared") }
            try await readers.send("/_connect group #\(group) incognito=off")
            await readers.tally.waitForJoined(index + 1 - joining)
        }
        await readers.tally.waitForJoined(profiles.count)
    }

    /// Posts one after another, each when all have the one before.
    private static func posts(_ count: Int, _ owner: BenchClient, _ relay: BenchClient, _ readers: BenchClient) async throws -> [Figure] {
        var times: [Duration] = []
        let before = Duration(processorTimeOf: [relay.process])
        for number in 0..<count {
            let received = readers.tally.received, start = ContinuousClock.now
            try await owner.sendPost("post \(number)")
            await readers.tally.waitForReceived(received + subscribers)
            times.append(ContinuousClock.now - start)
        }
        let spent = Duration(processorTimeOf: [relay.process]) - before
        return [
            Figure("channel: post to \(subscribers) subscribers, until the last has it (median)", Samples(times).median.milliseconds, .milliseconds),
            Figure("channel: processor time of the relay per delivery", spent.milliseconds / Double(count * subscribers), .milliseconds),
        ]
    }

    /// Fifty posts at once. A relay passes on several in one body.
    private static func burst(_ owner: BenchClient, _ relay: BenchClient, _ readers: BenchClient) async throws -> Figure {
        let count = 50
        let received = readers.tally.received, start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count { group.addTask { try await owner.sendPost("burst \(number)") } }
            try await group.waitForAll()
        }
        await readers.tally.waitForReceived(received + count * subscribers)
        return Figure("channel: \(count) posts at once, posts at subscribers", Double(count * subscribers) / (ContinuousClock.now - start).seconds, .perSecond)
    }
}

extension BenchClient {
    /// Posts to the one channel, in its name.
    func sendPost(_ text: String) async throws {
        let message: JSONValue = ["msgContent": ["type": "text", "text": .string(text)], "mentions": [:]]
        try await send("/_send #1(as_group=on) json \(JSONValue.array([message]).text)")
    }
}
