import ChatAPI
import ChatRules
import EncryptedSQLite
import SMPSimulation
import SMPWire
import TestSupport
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

@Suite("Quotas of relays")
struct RelayQuotaTests {
    private static let noon = UTCTimestamp(seconds: 1_800_014_400)

    private func later(_ seconds: Int64) -> UTCTimestamp { Self.noon.adding(seconds: seconds) }

    @Test("messages of a minute are counted down, and the next minute begins anew")
    func minutes() {
        let quota = RelayQuota(messagesPerMinute: 5)
        var usage = RelayUsage()
        #expect(quota.allowance(usage, at: Self.noon) == .messages(5))
        usage = usage.adding(messages: 3, at: later(10))
        #expect(quota.allowance(usage, at: later(20)) == .messages(2))
        usage = usage.adding(messages: 2, at: later(30))
        #expect(quota.allowance(usage, at: later(31)) == .wait(until: later(60)))
        #expect(quota.allowance(usage, at: later(60)) == .messages(5))
        #expect(usage.adding(messages: 1, at: later(60)).messages == 1)
    }

    @Test("bytes of a day may be exceeded by the last body only, and the next day begins anew")
    func days() {
        let quota = RelayQuota(bytesPerDay: 1_000)
        var usage = RelayUsage().adding(bytes: 999, at: Self.noon)
        #expect(quota.allowance(usage, at: Self.noon) == .messages(nil))
        usage = usage.adding(bytes: 5_000, at: Self.noon)
        let midnight = UTCTimestamp(seconds: (Self.noon.seconds / 86_400 + 1) * 86_400)
        #expect(quota.allowance(usage, at: later(3_600)) == .wait(until: midnight))
        #expect(quota.allowance(usage, at: midnight) == .messages(nil))
    }

    @Test("a clock that is set back holds nothing up beyond the minute and the day that it shows")
    func clockSetBack() {
        let quota = RelayQuota(messagesPerMinute: 1, bytesPerDay: 1)
        let usage = RelayUsage().adding(messages: 1, bytes: 1, at: later(30 * 86_400))
        #expect(quota.allowance(usage, at: Self.noon) == .messages(1))
    }

    @Test("of two quotas the stricter one counts")
    func both() {
        #expect(RelayAllowance.messages(nil).and(.messages(nil)) == .messages(nil))
        #expect(RelayAllowance.messages(3).and(.messages(nil)) == .messages(3))
        #expect(RelayAllowance.messages(nil).and(.messages(3)) == .messages(3))
        #expect(RelayAllowance.messages(7).and(.messages(3)) == .messages(3))
        #expect(RelayAllowance.messages(7).and(.wait(until: later(1))) == .wait(until: later(1)))
        #expect(RelayAllowance.wait(until: later(1)).and(.messages(7)) == .wait(until: later(1)))
        #expect(RelayAllowance.wait(until: later(9)).and(.wait(until: later(1))) == .wait(until: later(9)))
    }

    @Test("sums of use stop at the largest number")
    func overflow() {
        let usage = RelayUsage().adding(bytes: .max, at: Self.noon).adding(bytes: 10, at: Self.noon)
        #expect(usage.bytes == .max)
    }

    /// Runs a relay's making of bodies at chosen times.
    private struct Replay {
        let scene: ChannelScene
        let policy: RelayPolicy
        let owner: GroupMemberID

        init(_ policy: RelayPolicy) async throws {
            scene = try await ChannelScene([])
            self.policy = policy
            owner = try await scene.member("owner", at: "relay").groupMemberID
        }

        /// Makes the relay serve one more channel, a copy of the first.
        func addChannel(_ group: GroupID) async throws {
            try await scene["relay"].native.engine.store.write { db in
                try db.run("CREATE TEMP TABLE copy AS SELECT * FROM groups WHERE group_id = 1")
                try db.run("UPDATE copy SET group_id = ?", [group])
                try db.run("INSERT INTO groups SELECT * FROM copy")
                try db.run("DROP TABLE copy")
            }
        }

        func accept(_ count: Int, size: Int = 10, in group: GroupID = 1) async throws {
            let owner = owner
            try await scene["relay"].native.engine.store.write { db in
                for _ in 0..<count {
                    try db.relayWork.insertTask(
                        group: group, scope: .all, sender: owner, element: Bytes(repeating: 1, count: size), at: RelayQuotaTests.noon)
                }
            }
        }

        func step(at time: UTCTimestamp, in group: GroupID = 1) async throws -> RelayProgress {
            let engine = scene["relay"].native.engine, policy = policy
            return try await engine.store.write { db in
                try engine.transactions.perform(on: db, at: TransactionTime(now: time, steady: time)) { transaction in
                    let progress = try transaction.relayWork.makeJob(group: group, policy: policy)
                    // Three members are given each body at once.
                    while let job = try transaction.db.relayWork.job(group: group) {
                        try transaction.db.relayWork.deleteJob(job.id)
                        try transaction.relayWork.noteDeliveries(3, of: job)
                    }
                    return progress
                }.value
            }
        }

        var waiting: Int { get async throws { try await scene["relay"].native.engine.store.read { try $0.relayWork.backlog().tasks } } }

        /// The messages of a channel that were passed on.
        func passed(in group: GroupID) async throws -> Int64 {
            try await scene["relay"].native.engine.store.read { try $0.relayUsage.current(of: group).messages }
        }
    }

    @Test("what exceeds the messages of a minute waits, in order, and is passed on in the next minutes")
    func delay() async throws {
        var policy = RelayPolicy()
        policy.channelQuota.messagesPerMinute = 4
        let replay = try await Replay(policy)
        try await replay.accept(10)
        #expect(try await replay.step(at: later(5)) == .made)
        #expect(try await replay.waiting == 6)
        #expect(try await replay.step(at: later(6)) == .waits(until: later(60)))
        #expect(try await replay.waiting == 6)
        #expect(try await replay.step(at: later(61)) == .made)
        #expect(try await replay.step(at: later(120)) == .made)
        #expect(try await replay.waiting == 0)
        #expect(try await replay.step(at: later(121)) == .none)
        await replay.scene.close()
    }

    @Test("what is left of a quota for all channels is filled up evenly, the one that has used least first")
    func shares() {
        func usage(_ messages: Int, bytes: Int64 = 0) -> RelayUsage { RelayUsage().adding(messages: messages, bytes: bytes, at: Self.noon) }
        let quota = RelayQuota(messagesPerMinute: 10), turn = RelayAllowance.wait(until: later(RelayQuota.turn))
        func share(_ own: Int, of total: Int, _ others: [Int]) -> RelayAllowance {
            quota.share(usage(own), of: usage(total), others: others.map { usage($0) }, at: Self.noon)
        }
        // Nobody else waits: everything that is left, also after others have used some of it.
        #expect(share(0, of: 0, []) == .messages(10) && share(3, of: 7, []) == .messages(3))
        #expect(share(0, of: 0, [0]) == .messages(5) && share(0, of: 0, [0, 0]) == .messages(4))
        // 4 are left: both may come to 5.
        #expect(share(6, of: 6, [0]) == turn && share(0, of: 6, [6]) == .messages(4) && share(1, of: 6, [5]) == .messages(4))
        #expect(share(2, of: 8, [6, 0]) == turn && share(0, of: 8, [6, 2]) == .messages(2))
        #expect(share(0, of: 10, [0]) == .wait(until: later(60)))
        let bytes = RelayQuota(bytesPerDay: 1_000)
        #expect(bytes.share(usage(0, bytes: 600), of: usage(0, bytes: 600), others: [usage(0)], at: Self.noon) == turn)
        #expect(bytes.share(usage(0), of: usage(0, bytes: 600), others: [usage(0, bytes: 600)], at: Self.noon) == .messages(nil))
        #expect(RelayQuota().share(usage(5), of: usage(5), others: [usage(0)], at: Self.noon) == .messages(nil))
    }

    @Test("one of the channels that wait may always go on while anything is left, whatever they have used", arguments: 0..<20)
    func somebodyGoesOn(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<200 {
            let used = (0..<Int.random(in: 1...6, using: &random)).map { _ in Int.random(in: 0...20, using: &random) }
            let total = used.reduce(0, +) + Int.random(in: 0...10, using: &random), left = Int.random(in: 1...30, using: &random)
            let quota = RelayQuota(messagesPerMinute: total + left)
            let usages = used.map { RelayUsage().adding(messages: $0, at: Self.noon) }
            let shares = usages.indices.map { index in
                var others = usages
                let own = others.remove(at: index)
                return quota.share(own, of: RelayUsage().adding(messages: total, at: Self.noon), others: others, at: Self.noon)
            }
            let allowed = shares.map { if case .messages(let count?) = $0 { count } else { 0 } }
            #expect(allowed.contains { $0 > 0 } && allowed.allSatisfy { $0 <= left }, "\(used) of \(total), \(left) left: \(shares)")
            // Nobody overtakes one that used no more and waits as well.
            for (one, two) in zip(used.indices, used.indices.dropFirst()) {
                let (less, more) = used[one] <= used[two] ? (one, two) : (two, one)
                #expect(used[less] + allowed[less] >= min(used[more] + allowed[more], used[less] + left) || allowed[more] == 0)
            }
        }
    }

    @Test("a channel with many messages leaves others their share of the quota for all, and gets what they do not need")
    func fairness() async throws {
        var policy = RelayPolicy()
        policy.totalQuota.messagesPerMinute = 10
        let replay = try await Replay(policy)
        try await replay.addChannel(2)
        try await replay.accept(40)
        try await replay.accept(3, in: 2)
        #expect(try await replay.step(at: later(0)) == .made)
        #expect(try await replay.passed(in: 1) == 5)
        #expect(try await replay.step(at: later(0)) == .waits(until: later(RelayQuota.turn)))
        #expect(try await replay.step(at: later(0), in: 2) == .made)
        #expect(try await replay.step(at: later(0), in: 2) == .none)
        #expect(try await replay.step(at: later(1)) == .made)
        let passed = try await [replay.passed(in: 1), replay.passed(in: 2)]
        #expect(passed == [7, 3])
        #expect(try await replay.step(at: later(2)) == .waits(until: later(60)))
        await replay.scene.close()
    }

    @Test("a channel that its own quota holds up keeps no share from others")
    func heldUp() async throws {
        var policy = RelayPolicy()
        (policy.totalQuota.messagesPerMinute, policy.channelQuota.messagesPerMinute) = (10, 8)
        let replay = try await Replay(policy)
        try await replay.addChannel(2)
        try await replay.accept(8)
        #expect(try await replay.step(at: later(0)) == .made)
        try await replay.accept(9)
        // The first channel waits for the next minute.
        try await replay.accept(2, in: 2)
        #expect(try await replay.step(at: later(0)) == .waits(until: later(60)))
        #expect(try await replay.step(at: later(0), in: 2) == .made)
        #expect(try await replay.passed(in: 2) == 2)
        await replay.scene.close()
    }

    @Test("the bytes of a day are those of all receivers, counted in the store")
    func bytes() async throws {
        var policy = RelayPolicy()
        policy.totalQuota.bytesPerDay = 2_000
        let replay = try await Replay(policy)
        try await replay.accept(1, size: 600)
        #expect(try await replay.step(at: Self.noon) == .made)
        let used = try await replay.scene["relay"].native.engine.store.read { try $0.relayUsage.current().bytes }
        #expect(used >= 1_800 && used < 2_000)
        try await replay.accept(1, size: 600)
        #expect(try await replay.step(at: later(1)) == .made)
        try await replay.accept(1, size: 600)
        guard case .waits(let time) = try await replay.step(at: later(2)) else { throw UnexpectedAnswer() }
        #expect(time.seconds % 86_400 == 0 && time > later(2))
        await replay.scene.close()
    }

    @Test("the deletion of a channel is passed on although its bytes of the day are used up")
    func deletionWithoutQuota() async throws {
        var policy = RelayPolicy()
        policy.channelQuota.bytesPerDay = 1
        let scene = try await ChannelScene(["ann"], policy: policy, clock: ManualClock(), time: TestClock(1_800_014_400))
        let store = scene["relay"].native.engine.store
        for number in 1...3 { try await scene.post("post \(number)") }
        try await TestSupport.eventually("posts wait for the next day") { try await store.read { try $0.relayWork.backlog() }.tasks > 0 }
        _ = try await scene.owner.run("/_delete #1 full notify=on")
        await scene.eventually("the channel is deleted", at: "ann") { try await scene.info(at: "ann").membership.status == .groupDeleted }
        await scene.close()
    }

    @Test("a quota holds over a restart of the relay")
    func restart() async throws {
        let world = TestWorld()
        let person = try await TestPerson("relay", world, isChatRelay: true)
        let scene = try await ChannelScene([], relayPerson: person, world: world)
        try await person.core.native.engine.transactions.transaction { transaction in
            let usage = RelayUsage().adding(messages: 7, bytes: 70, at: Self.noon)
            try transaction.db.relayUsage.set(usage, of: 1, messages: 7, deliveries: 21)
            try transaction.db.relayUsage.set(usage, messages: 7, deliveries: 21)
            try transaction.db.relayUsage.setDrained(true)
        }
        await person.kill()
        try await person.restart()
        let store = person.core.native.engine.store
        let (own, total, isDrained) = try await store.read { (try $0.relayUsage.current(of: 1), try $0.relayUsage.current(), try $0.relayUsage.isDrained()) }
        #expect(own == total && own.messages == 7 && own.bytes == 70 && isDrained)
        #expect(RelayQuota(bytesPerDay: 70).allowance(own, at: Self.noon) != .messages(nil))
        let statistics = try #require(try await person.core.native.relayStatistics())
        #expect(statistics.total.messages == 7 && statistics.total.deliveries == 21 && statistics.channels == 1 && statistics.isDrained)
        #expect(statistics.busiest.first?.name == "news" && statistics.busiest.first?.work.deliveries == 21)
        await scene.close()
        await person.core.close()
    }

    @Test("statistics count subscribers, messages, deliveries and what waits")
    func statistics() async throws {
        let scene = try await ChannelScene(["ann", "bob"])
        try await scene.post("one")
        for name in ["ann", "bob"] { await scene.expect("one", at: name) }
        let relay = scene["relay"].native
        try await TestSupport.eventually("the deliveries are counted") { try await relay.relayStatistics()?.total.waitingBodies == 0 }
        let before = try #require(try await relay.relayStatistics())
        let channel = try #require(before.busiest.first?.work)
        #expect(channel.subscribers == 2 && channel.waitingMessages == 0 && channel.oldest == nil)
        #expect(channel.messages >= 1 && channel.deliveries >= 2 && channel.bytes > 0)
        #expect(before.total.deliveries == channel.deliveries && !before.isDrained)
        // What nobody was told of waits.
        try await relay.engine.store.write { db in
            try db.relayWork.insertTask(group: 1, scope: .all, sender: 1, element: [1], at: Self.noon)
        }
        let after = try #require(try await relay.relayStatistics())
        #expect(after.total.waitingMessages == 1 && after.total.oldest == Self.noon && after.busiest.first?.work.oldest == Self.noon)
        // Also of a channel that is not listed, because more waits in others.
        #expect(try await relay.engine.store.read { try $0.relayUsage.statistics(limit: 0) }.total.oldest == Self.noon)
        #expect(try await scene["owner"].native.relayStatistics() == nil)
        await scene.close()
    }

    @Test("a channel that leaves its relay gets what waited for a quota before")
    func leaving() async throws {
        var policy = RelayPolicy()
        policy.channelQuota.messagesPerMinute = 1
        let scene = try await ChannelScene(["ann"], policy: policy)
        for number in 1...4 { try await scene.post("post \(number)") }
        let relay = scene["relay"].native
        try await TestSupport.eventually("the posts are accepted") {
            let statistics = try await relay.relayStatistics()?.total
            return (statistics?.waitingMessages ?? 0) + (statistics?.messages ?? 0) >= 4
        }
        _ = try await scene["relay"].run("/_leave #1")
        for number in 1...4 { await scene.expect("post \(number)", at: "ann") }
        #expect(await scene.texts(at: "ann") == (1...4).map { "post \($0)" })
        await scene.eventually("ann knows that the relay has left", at: "ann") {
            await scene.members(at: "ann").contains { $0.role == .relay && $0.status == .left }
        }
        await scene.close()
    }

    @Test("more than the backlog of a channel is kept by its senders and their routers, and comes in order once there is room")
    func backlog() async throws {
        var policy = RelayPolicy()
        (policy.channelQuota.messagesPerMinute, policy.maximumBacklog) = (4, 3)
        let time = TestClock(1_800_014_400), delays = ManualClock()
        let scene = try await ChannelScene(["ann"], policy: policy, clock: delays, time: time)
        let store = scene["relay"].native.engine.store, router = scene.world.router
        // What the joining of ann has used up is over.
        time.advance(60)
        let posts = (1...20).map { "post \($0)" }
        for post in posts { try await scene.post(post) }
        try await TestSupport.eventually("the relay takes no more") {
            try await store.read { try $0.relayWork.backlog() }.tasks > 3 && router.messageCount > 0
        }
        // A post in several is more than the bound at the most: each sender has one that is stored and not acknowledged.
        let waiting = try await store.read { try $0.relayWork.backlog() }.tasks
        #expect(waiting == 4)
        #expect(await scene.texts(at: "ann").count < posts.count)
        try await TestSupport.eventually("everything is passed on") {
            let waiting = try await store.read { try $0.relayWork.backlog() }.tasks
            #expect(waiting <= 4)
            time.advance(60)
            delays.advance(by: .seconds(60))
            return await scene.texts(at: "ann").count == posts.count
        }
        #expect(await scene.texts(at: "ann") == posts)
        await scene.close()
    }

    @Test("a drained relay takes no channels and no subscribers, and delivers on")
    func draining() async throws {
        let scene = try await ChannelScene(["ann"])
        #expect(try await scene["relay"].native.setRelayDrained(true))
        #expect(try await !scene["owner"].native.setRelayDrained(true))
        let late = try await scene.world.open(agent: .light)
        _ = try await late.createUser("late")
        try await scene.prepare(late)
        _ = try await late.run("/_connect group #1 incognito=off")
        try await TestSupport.eventually("the relay has refused the subscriber") {
            try await scene["relay"].native.engine.store.read { try $0.jobs.waiting().isEmpty }
        }
        try await scene.post("still delivered")
        await scene.expect("still delivered", at: "ann")
        #expect(await scene.members(at: "relay").map(\.localDisplayName).sorted() == ["ann", "owner"])
        guard case .publicGroupCreated = try await scene.owner.run("/_public group 1 1 {\"displayName\":\"more\",\"fullName\":\"\"}") else {
            throw UnexpectedAnswer()
        }
        try await TestSupport.eventually("the relay has refused the channel") {
            try await scene["relay"].native.engine.store.read { try $0.groups.groups(user: 1) }.contains { $0.relayOwnStatus == .rejected }
        }
        await late.close()
        await scene.close()
    }
}
