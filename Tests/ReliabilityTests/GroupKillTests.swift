import ChatProtocol
import Foundation
import OfficialPeers
import ProcessSupport
import Synchronization
import TestSupport
import Testing

/// The members of a group and their router are killed at random moments while everybody writes, and others join, leave, are removed and change
/// roles.
///
/// The environment variables `PARLEY_MESSAGES`, `PARLEY_KILLS` and `PARLEY_SEED` make the run longer or repeat its plan. With `PARLEY_QUOTA` queues take so
/// many messages, and those of the dead are full soon.
@Suite struct GroupKillTests {
    @Test(.timeLimit(.minutes(60)))
    func everyMessageOfAGroupIsAtEveryMemberOnceAndInOrderWhoeverIsKilled() async throws {
        let plan = GroupPlan.fromEnvironment()
        try await run(plan) { try await KilledGroup(plan, Array(repeating: .parley(ParleyProgram.path), count: GroupPlan.members)) }
    }

    @Test(.enabled(if: PeerProgram.simplexChat.isInstalled, "SIMPLEX_PEERS names no folder with simplex-chat"), .timeLimit(.minutes(60)))
    func theSameHoldsWithTwoOfficialMembersWhoLiveOn() async throws {
        let ours = OfficialClient.Program.parley(ParleyProgram.path)
        let plan = GroupPlan.fromEnvironment { $0 < 3 }
        try await run(plan) { try await KilledGroup(plan, [ours, ours, ours, .simplexChat, .simplexChat]) }
    }
}

/// A group of five, whose guests come and go, by a plan.
private final class KilledGroup: PlannedRun {
    /// The time for which all agree before they are taken to have finished.
    private static let calm = Duration.seconds(5)
    private static let names = ["alice", "bob", "cath", "dan", "erin"]

    private let plan: GroupPlan
    private let members: [GroupParty]
    private let guests: [GroupParty]
    private let router: KilledRouter
    private let folder: ScratchFolder
    private let link: String
    private let progress: GroupProgress

    init(_ plan: GroupPlan, _ programs: [OfficialClient.Program]) async throws {
        self.plan = plan
        folder = try ScratchFolder("parley-group")
        let router = try await KilledRouter(.smp, folder, messageQuota: PlanSettings.number("PARLEY_QUOTA"))
        self.router = router
        progress = GroupProgress()
        var members: [GroupParty] = []
        for (name, program) in zip(Self.names, programs) { members.append(try await GroupParty(name, server: router.address, program)) }
        self.members = members
        var guests: [GroupParty] = []
        for number in 0..<plan.guests {
            guests.append(try await GroupParty("guest\(number)", server: router.address, .parley(ParleyProgram.path)))
        }
        self.guests = guests
        let owner = members[0]
        _ = try await owner.ask(#"/_group 1 {"displayName":"team","fullName":"","groupPreferences":{"history":{"enable":"off"}}}"#)
        let made = try await owner.ask("/_create link #1 member")["groupLink"]?["connLinkContact"]
        guard let full = made?["connFullLink"]?.stringValue else { throw RunFault("no link was made") }
        link = full
        for member in members.dropFirst() {
            _ = try await member.ask("/c \(full)")
            // One after another: who is introduced to whom is the same in every run.
            try await untilTrue("\(member.name) is connected to all who are there") {
                let others = try await member.members().values.filter(\.isConnected)
                return try await owner.members()[member.name]?.isConnected == true && others.count == members.firstIndex { $0 === member }
            }
        }
    }

    // MARK: What happens

    /// Everybody writes its share; changes and kills come when so many messages were sent.
    func perform() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (member, share) in zip(members, plan.shares) {
                group.addTask { [progress] in
                    // Whoever waits for a number of messages goes on after a failure, too.
                    defer { progress.add(0, isLast: true) }
                    for number in 0..<share {
                        try await member.say("\(member.name) \(number)")
                        progress.add(1)
                    }
                }
            }
            group.addTask { [self] in
                for (moment, change) in plan.changes {
                    await progress.wait(for: moment)
                    try await perform(change)
                }
            }
            group.addTask { [self] in
                for (moment, kill) in plan.kills {
                    await progress.wait(for: moment)
                    try await PlannedPause.pass(milliseconds: kill.delay)
                    if let member = kill.member {
                        try await members[member].kill(downtime: kill.downtime)
                    } else {
                        try await router.kill(downtime: kill.downtime)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private func perform(_ change: GroupPlan.Change) async throws {
        let owner = members[0]
        switch change {
        case .join(let number):
            let guest = guests[number]
            try await guest.join(link)
            try await untilTrue("\(guest.name) has joined") {
                try await guest.membership()?.status == "connected"
            }
        case .remove(let number):
            let name = guests[number].name
            try await owner.persistently("remove \(name)") {
                try await owner.members()[name]?.isCurrent != true
            } _: {
                guard let id = try await owner.members()[name]?.id else { return }
                try await $0.send("/_remove #1 \(id)")
            }
        case .leave(let number):
            let guest = guests[number]
            try await guest.persistently("leave") {
                try await guest.membership()?.status == "left"
            } _: {
                try await $0.send("/_leave #1")
            }
        case .role(let number, let role):
            let name = members[number].name
            guard let id = try await owner.members()[name]?.id else { throw RunFault("the owner does not know \(name)") }
            try await owner.persistently("set the role of \(name)") {
                try await owner.members()[name]?.role == role
            } _: {
                try await $0.send("/_member role #1 \(id) \(role)")
            }
        }
    }

    /// Waits until everything that was sent has come, and all agree about the members.
    private func settle() async throws {
        for member in members {
            try await untilTrue("\(member.name) has all messages") { [self] in
                let received = try await member.texts().received
                for author in members where author !== member {
                    guard await received[author.name]?.count ?? 0 >= author.accepted.count else { return false }
                }
                return true
            }
        }
        // Who is slow may know of fewer changes, and still agree for a moment.
        var agreed: (view: [String: String], since: ContinuousClock.Instant)?
        try await untilTrue("all agree about the members") { [self] in
            let views = Set(try await views())
            guard views.count == 1, let view = views.first else {
                agreed = nil
                return false
            }
            if agreed?.view != view { agreed = (view, .now) }
            return agreed.map { $0.since.duration(to: .now) > Self.calm } ?? false
        }
    }

    // MARK: What must be true

    /// Every message once and in order, and the same members everywhere.
    func verify() async throws {
        try await settle()
        for member in members {
            let texts = try await member.texts()
            expectSame(texts.sent, await member.accepted, "\(plan): messages of \(member.name) in its own chat")
            for author in members where author !== member {
                expectSame(texts.received[author.name] ?? [], await author.accepted, "\(plan): messages of \(author.name) at \(member.name)")
            }
        }
        for guest in guests where try await guest.membership() != nil {
            let received = try await guest.texts().received
            for author in members {
                // A guest has what was written while it was there: a part without gaps. The last messages that the host has passed on and the first
                // ones that the author has sent itself may change places (docs/guarantees.md).
                let all = await author.accepted
                let texts = (received[author.name] ?? []).map { ($0, all.firstIndex(of: $0) ?? .max) }.sorted { $0.1 < $1.1 }
                guard let start = texts.first?.1, start < all.count else { continue }
                expectSame(texts.map(\.0), Array(all[start...].prefix(texts.count)), "\(plan): messages of \(author.name) at \(guest.name)")
            }
        }
        let views = try await views()
        for (member, view) in zip(members, views) { #expect(view == views[0], "\(plan): the members as \(member.name) knows them") }
        #expect(views[0].count >= GroupPlan.members)
    }

    /// The members who take part, with their roles, as each of the five knows them.
    private func views() async throws -> [[String: String]] {
        var views: [[String: String]] = []
        for member in members {
            var view = try await member.members().filter(\.value.isCurrent).mapValues(\.role)
            view[member.name] = try await member.membership()?.role
            views.append(view)
        }
        return views
    }

    private func untilTrue(_ what: String, _ condition: () async throws -> Bool) async throws {
        do {
            // Databases of other processes announce nothing.
            try await eventually(what, within: Patience.limit + .seconds(30), every: .milliseconds(100), condition)
        } catch is TimeLimitError {
            var states: [String] = []
            for member in members {
                let texts = try await member.texts()
                states.append("\(member.name): \(try await member.members()), sent \(texts.sent.count), received \(texts.received.mapValues(\.count))")
            }
            for guest in guests {
                let chats = try await guest.ask("/_get chats 1 pcc=on count=100")["chats"]?.arrayValue ?? []
                states.append("\(guest.name): \(chats.compactMap { $0["chatInfo"]?["contactConnection"]?.text })")
            }
            throw RunFault("\(plan): not in time: \(what)\n\(states.joined(separator: "\n"))")
        }
    }

    func stop() async {
        for party in members + guests { await party.stop() }
        await router.stop()
        folder.remove()
    }
}

/// The number of messages that were sent, for those who wait for one.
private final class GroupProgress: Sendable {
    private struct State {
        var count = 0
        var finished = 0
        var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    /// - Parameter isLast: True if this sender has sent its last one.
    func add(_ count: Int, isLast: Bool = false) {
        let woken = state.withLock { state in
            state.count += count
            if isLast { state.finished += 1 }
            let isOver = state.finished == GroupPlan.members
            let woken = state.waiting.filter { isOver || $0.count <= state.count }
            state.waiting.removeAll { isOver || $0.count <= state.count }
            return woken
        }
        for waiter in woken { waiter.continuation.resume() }
    }

    func wait(for count: Int) async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                let isDone = state.count >= count || state.finished == GroupPlan.members
                if !isDone { state.waiting.append((count, continuation)) }
                return isDone
            }
            if isDone { continuation.resume() }
        }
    }
}

extension GroupPlan {
    /// The plan of `PARLEY_SEED`, `PARLEY_MESSAGES` and `PARLEY_KILLS`; without a seed one is drawn.
    static func fromEnvironment(mayDie: (Int) -> Bool = { _ in true }) -> GroupPlan {
        GroupPlan(
            seed: PlanSettings.seed(), messages: PlanSettings.number("PARLEY_MESSAGES") ?? 60,
            kills: PlanSettings.number("PARLEY_KILLS") ?? 5, mayDie: mayDie)
    }
}

@Suite struct GroupPlanTests {
    @Test func aPlanOfAGroupFollowsFromItsSeed() {
        let plan = GroupPlan(seed: 7, messages: 500, kills: 40), again = GroupPlan(seed: 7, messages: 500, kills: 40)
        #expect(plan.shares == again.shares && plan.kills.map(\.kill) == again.kills.map(\.kill) && plan.changes.map(\.change) == again.changes.map(\.change))
        #expect(plan.kills.map(\.kill) != GroupPlan(seed: 8, messages: 500, kills: 40).kills.map(\.kill))
        #expect(plan.shares.reduce(0, +) == 500 && plan.kills.count == 40)
        #expect(plan.kills.contains { $0.kill.member == nil })
        #expect(Set(plan.kills.compactMap(\.kill.member)) == Set(0..<GroupPlan.members))
        #expect(plan.changes.map(\.afterMessages) == plan.changes.map(\.afterMessages).sorted())
        for guest in 0..<plan.guests { #expect(plan.changes.contains { $0.change == .join(guest: guest) }) }
        #expect(GroupPlan(seed: 7, messages: 500, kills: 40) { $0 < 3 }.kills.allSatisfy { ($0.kill.member ?? 0) < 3 })
    }
}
