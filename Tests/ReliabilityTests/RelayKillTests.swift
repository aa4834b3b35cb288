import ChatAPI
import ChatProtocol
import Foundation
import OfficialPeers
import Parley
import ProcessSupport
import TestSupport
import Testing

/// The relay of a channel is killed at random moments while the owner posts.
///
/// The environment variables `PARLEY_POSTS`, `PARLEY_SUBSCRIBERS`, `PARLEY_KILLS` and `PARLEY_SEED` make the run longer or repeat its plan.
@Suite struct RelayKillTests {
    @Test(.timeLimit(.minutes(60)))
    func everyPostIsAtEverySubscriberOnceAndInOrderWheneverTheRelayIsKilled() async throws {
        let plan = RelayPlan.fromEnvironment()
        try await run(plan) {
            try await KilledRelay(plan)
        } result: {
            ", \(await $0.deaths) deaths, \(await $0.unfinished) of them with work left"
        }
    }

    @Test func aPlanOfARelayFollowsFromItsSeed() {
        let plan = RelayPlan(seed: 7, posts: 1_000, subscribers: 50, kills: 100), again = RelayPlan(seed: 7, posts: 1_000, subscribers: 50, kills: 100)
        #expect(plan.kills == again.kills && plan.kills.count == 100)
        #expect(plan.kills != RelayPlan(seed: 8, posts: 1_000, subscribers: 50, kills: 100).kills)
        #expect(plan.kills.map(\.afterPosts) == plan.kills.map(\.afterPosts).sorted())
        #expect(plan.kills.contains { $0.again != nil })
    }
}

/// A channel with an owner and subscribers in this process, and a relay in another, which is killed by a plan.
private actor KilledRelay: PlannedRun {
    private let plan: RelayPlan
    private let folder: ScratchFolder
    private let router: KilledRouter
    private let relay: OfficialClient
    private let owner, readers: CoreHost
    private var subscribers: [Subscriber] = []
    private var accepted: [String] = []
    private var first: RelayLedger
    private var last: RelayLedger
    /// How often the relay died, and how often with something left to deliver.
    private(set) var deaths = 0
    private(set) var unfinished = 0

    private struct Subscriber: Sendable {
        let user: UserID
        let group: Int64
    }

    init(_ plan: RelayPlan) async throws {
        self.plan = plan
        let folder = try ScratchFolder("parley-relay")
        self.folder = folder
        router = try await KilledRouter(.smp, folder)
        let server = router.address
        let (relay, address) = try await OfficialClient.startRelay("relay", program: .parley(ParleyProgram.path), servers: [server])
        self.relay = relay
        owner = try await CoreHost.open(HostConfiguration(dataFolder: folder("owner"), servers: [server]))
        readers = try await CoreHost.open(HostConfiguration(dataFolder: folder("readers"), servers: [server]))
        let none = try RelayLedger.reading(relay)
        (first, last) = (none, none)
        let user = try await Self.makeUser("owner", in: owner)
        _ = try await owner.core.send(.core(.start()), as: nil)
        _ = try await Self.ask("/relays name=relay \(address)", owner, as: user)
        let known = try await Self.ask("/relays", owner, as: user)["userServers"]?.arrayValue ?? []
        guard let id = known.lazy.flatMap({ $0["chatRelays"]?.arrayValue ?? [] }).first(where: { $0["address"]?.stringValue == address })?["chatRelayId"]
        else { throw RunFault("the relay is not configured") }
        let profile: JSONValue = [
            "displayName": "news", "fullName": "", "groupPreferences": ["history": ["enable": "off"], "support": ["enable": "off"]],
        ]
        let made = try await Self.ask("/_public group \(user) \(id.text) \(profile.text)", owner, as: user)
        guard let link = made["groupLink"]?["connLinkContact"] else { throw RunFault("no channel was made") }
        try await eventually("the relay is active", every: .milliseconds(20)) {
            try await Self.ask("/_get relays #1", owner, as: user)["groupRelays"]?[0]?["relayStatus"]?.stringValue == "active"
        }
        try await subscribe(to: link)
        // The messages of those who came are passed on before the first post.
        try await eventually("the relay has nothing left to do", every: .milliseconds(50)) { try await self.isIdle() }
        first = last
    }

    private static func makeUser(_ name: String, in host: CoreHost) async throws -> UserID {
        let profile = NewUser(profile: Profile(displayName: name, fullName: ""), pastTimestamp: false, isChatRelay: false)
        guard case .activeUser(let user) = try await host.core.send(.users(.create(profile)), as: nil) else { throw RunFault("no profile was made") }
        return user.userID
    }

    private static func ask(_ command: String, _ host: CoreHost, as user: UserID) async throws -> JSONValue {
        ChatResult.response(try await host.core.send(ChatCommand(parsing: command), as: user)).json
    }

    private func subscribe(to link: JSONValue) async throws {
        guard let full = link["connFullLink"]?.stringValue, let short = link["connShortLink"]?.stringValue else { throw RunFault("the channel has no link") }
        for number in 0..<plan.subscribers {
            let user = try await Self.makeUser("reader \(number)", in: readers)
            if number == 0 { _ = try await readers.core.send(.core(.start()), as: nil) }
            let plan = try await Self.ask("/_connect plan \(user) \(short)", readers, as: user)["connectionPlan"]?["groupLinkPlan"]
            guard let data = plan?["groupSLinkData_"] else { throw RunFault("the link has no data") }
            let prepared = try await Self.ask("/_prepare group \(user) \(full) \(short) direct=off \(data.text)", readers, as: user)
            guard let group = prepared["chat"]?["chatInfo"]?["groupInfo"]?["groupId"]?.intValue else { throw RunFault("the channel was not prepared") }
            _ = try await Self.ask("/_connect group #\(group) incognito=off", readers, as: user)
            subscribers.append(Subscriber(user: user, group: group))
        }
        try await eventually("all are subscribed", every: .milliseconds(100)) {
            let members = try await relay.send("/_members #1")["group"]?["members"]?.arrayValue ?? []
            return members.count { $0["memberRole"]?.stringValue == "observer" && $0["memberStatus"]?.stringValue == "connected" } == plan.subscribers
        }
    }

    // MARK: What happens

    /// The owner posts; the relay dies when so many posts were sent.
    func perform() async throws {
        var kills = plan.kills[...]
        var killing: Task<Void, any Error>?
        for number in 1...plan.posts {
            let text = "post \(number)"
            let message: JSONValue = [["msgContent": ["type": "text", "text": .string(text)], "mentions": [:]]]
            _ = try await Self.ask("/_send #1(as_group=on) json \(message.text)", owner, as: 1)
            accepted.append(text)
            while let kill = kills.first, kill.afterPosts <= number {
                kills.removeFirst()
                try await killing?.value
                killing = Task { try await self.perform(kill) }
            }
        }
        try await killing?.value
    }

    private func perform(_ kill: RelayPlan.Kill) async throws {
        try await PlannedPause.pass(milliseconds: kill.delay)
        await relay.stop(.kill)
        try inspect()
        try await PlannedPause.pass(milliseconds: kill.downtime)
        if let again = kill.again {
            let port = try LoopbackPort.free()
            let process = try ParleyProgram.start(
                ["api", "--relay", "--port", "\(port.number)", "--data", relay.folder("data"), "--server", router.address], log: relay.log)
            try await PlannedPause.pass(milliseconds: again)
            process.kill()
            guard try await process.exit() == ProcessSignal.kill.exitStatus else { throw RunFault("the relay ended by itself: \(process.logTail())") }
            try inspect()
        }
        try await relay.start()
    }

    /// Compares what the dead relay left behind with what it left before.
    private func inspect() throws {
        let now = try RelayLedger.reading(relay)
        now.expectProgress(since: first, previous: last, plan)
        last = now
        deaths += 1
        if !now.isIdle { unfinished += 1 }
    }

    /// Stops the relay in good order to see if it has done everything; if not, it goes on.
    private func isIdle() async throws -> Bool {
        await relay.stop(.terminate)
        last = try RelayLedger.reading(relay)
        try await relay.start()
        return last.isIdle
    }

    // MARK: What must be true

    /// Every post once and in order at the relay and at each subscriber, and nothing left to do.
    func verify() async throws {
        for subscriber in subscribers {
            try await eventually("subscriber \(subscriber.user) has the last post", within: .seconds(600), every: .milliseconds(100)) {
                try await texts(of: subscriber, count: 5).last == accepted.last
            }
        }
        for subscriber in subscribers {
            expectSame(try await texts(of: subscriber, count: plan.posts + 100), accepted, "\(plan): posts at subscriber \(subscriber.user)")
        }
        let items = try await relay.send("/_get chat #1 count=\(plan.posts + 100)")["chat"]?["chatItems"]?.arrayValue ?? []
        expectSame(Self.posts(items), accepted, "\(plan): posts at the relay")
        try await eventually("the relay has nothing left to do", every: .milliseconds(50)) { try await self.isIdle() }
        #expect(last.posts == plan.posts && last.tasks - first.tasks == Int64(plan.posts), "\(plan): \(last)")
    }

    private func texts(of subscriber: Subscriber, count: Int) async throws -> [String] {
        let chat = try await Self.ask("/_get chat #\(subscriber.group) count=\(count)", readers, as: subscriber.user)["chat"]
        return Self.posts(chat?["chatItems"]?.arrayValue ?? [])
    }

    private static func posts(_ items: [JSONValue]) -> [String] {
        items.filter { $0["content"]?["type"]?.stringValue == "rcvMsgContent" }.compactMap { $0["meta"]?["itemText"]?.stringValue }
    }

    func stop() async {
        await relay.stop(.terminate)
        await owner.close()
        await readers.close()
        await router.stop()
        folder.remove()
    }
}

extension RelayLedger {
    /// The ledger of a relay that `parley api` runs, while it is dead.
    fileprivate static func reading(_ relay: OfficialClient) throws -> RelayLedger {
        try RelayLedger(copying: relay.folder("data") + "/parley_chat.db")
    }
}
