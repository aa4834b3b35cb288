import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB
import TestSupport
import Testing

@testable import ChatEngine
@testable import ChatStore

/// How fast strangers may join a group by its link: as their joins make its host send messages.
@Suite("The pace of joins")
struct JoinPaceTests {
    @Test("lets in at once whom a full bucket pays for, and the others one after the other, however often they are asked about")
    func turns() {
        let clock = ManualClock(), pacer = JoinPacer(JoinPace(burst: 100, perSecond: 10), clock: clock)
        for member in 1...4 { #expect(pacer.wait(for: GroupMemberID(Int64(member)), in: 1, cost: 25) == nil) }
        for _ in 1...3 {
            #expect(pacer.wait(for: 5, in: 1, cost: 25) == .seconds(2.5))
            #expect(pacer.wait(for: 6, in: 1, cost: 25) == .seconds(5))
        }
        // Another group is not behind the first.
        #expect(pacer.wait(for: 7, in: 2, cost: 25) == nil)
        clock.advance(by: .seconds(2.5))
        #expect(pacer.wait(for: 5, in: 1, cost: 25) == nil)
        #expect(pacer.wait(for: 6, in: 1, cost: 25) == .seconds(2.5))
        pacer.end(5)
        // Who comes again has to wait behind the others.
        #expect(pacer.wait(for: 5, in: 1, cost: 25) == .seconds(5))
        clock.advance(by: .seconds(1_000))
        for member in 10...13 { #expect(pacer.wait(for: GroupMemberID(Int64(member)), in: 1, cost: 25) == nil) }
        #expect(pacer.wait(for: 14, in: 1, cost: 25) == .seconds(2.5))
        for member in 1...14 { pacer.end(GroupMemberID(Int64(member))) }
        #expect(pacer.waitingCount == 0)
    }

    @Test("lets somebody into a group of any size, and holds the next one back for a time that is bounded")
    func large() {
        let clock = ManualClock(), pacer = JoinPacer(JoinPace(burst: 100, perSecond: 10), clock: clock)
        #expect(pacer.wait(for: 1, in: 1, cost: .max) == nil)
        #expect(pacer.wait(for: 2, in: 1, cost: .max) == .seconds(10))
    }

    @Test("keeps the buckets of a bounded number of groups, the emptiest ones")
    func groups() {
        let clock = ManualClock(), pacer = JoinPacer(JoinPace(burst: 10, perSecond: 1), clock: clock)
        #expect(pacer.wait(for: 1, in: 1, cost: 10) == nil)
        for group in 2...3 * JoinPacer.maximumGroups {
            #expect(pacer.wait(for: 2, in: GroupID(Int64(group)), cost: 1) == nil)
            pacer.end(2)
        }
        #expect(pacer.wait(for: 3, in: 1, cost: 10) == .seconds(10))
    }

    @Test("costs what introductions cost: in a group as many as it has members, in a channel and a business chat none")
    func cost() async throws {
        let scene = try await RuleScene()
        try await scene.addGroup(with: ["bob": .member, "cath": .member])
        var group = try await scene.group()
        let members = Int(group.groupSummary.currentMembers)
        #expect(members > 0 && JoinPace.cost(of: group) == JoinPace.messagesPerMember * members + JoinPace.messagesPerJoin)
        group.groupSummary.currentMembers = .max
        #expect(JoinPace.cost(of: group) > 1_000_000)
        group.usesRelays = true
        #expect(JoinPace.cost(of: group) == JoinPace.messagesPerJoin)
        try await scene.close()
    }

    @Test("of many who join a group by its link, none is lost: those beyond the pace are let in later")
    func world() async throws {
        let world = TestWorld(), clock = ManualClock()
        let alice = try await world.open(clock: clock, configure: { $0.joinPace = JoinPace(burst: 20, perSecond: 1) })
        _ = try await alice.createUser("alice")
        guard case .groupCreated = try await alice.run(#"/_group 1 {"displayName":"team","fullName":""}"#) else { throw UnexpectedAnswer() }
        guard case .groupLinkCreated(_, _, let created) = try await alice.run("/_create link #1 member") else { throw UnexpectedAnswer() }
        let link = created.connectionLink.fullLink
        var others: [TestCore] = []
        for name in ["ann", "ben", "cid", "dan", "eve"] {
            let core = try await world.core(name)
            try await core.join(link)
            others.append(core)
        }
        func connected() async throws -> Int64? {
            try await alice.native.engine.store.read { db in
                try db.number("SELECT count(*) FROM group_members WHERE status = 'connected' AND category = 'invitee'")
            }
        }
        // Each costs at least seven messages.
        try await eventually("all have asked, and some have to wait") {
            let asked = try await alice.native.engine.store.read { try $0.number("SELECT count(*) FROM group_members WHERE category = 'invitee'") }
            let waiting = try await alice.native.engine.store.read { try $0.jobs.waiting() }
            return asked == 5 && (1...4).contains(waiting.count) && clock.sleeperCount >= waiting.count
        }
        #expect(try await connected() ?? 5 < 5)
        try await eventually("all are members") {
            clock.advance(by: .seconds(20))
            return try await connected() == 5
        }
        for core in others + [alice] { await core.close() }
    }
}
