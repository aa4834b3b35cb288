import AsyncPrimitives
import ChatAPI
import ChatProtocol
import Synchronization
import TestSupport
import Testing

@testable import Parley

/// The link of a group that several handlers make or change at once.
@Suite(.timeLimit(.minutes(5))) struct GroupLinkRaceTests {
    private static let short = JoinerRule(nameLongerThan: 20, decision: .pendingReview(role: nil))
    private static let plain = JoinerRule(withoutImage: true, decision: .accept(role: nil))

    /// Runs calls side by side: the first is held up by the core, and the others by the first.
    ///
    /// - Returns: the commands about the link, in the order in which the core was given them, and the link at the end.
    private static func run(
        after setUp: @Sendable (BotGroup) async throws -> Void = { _ in }, _ calls: [@Sendable (BotGroup) async throws -> Void]
    ) async throws -> (commands: [String], link: GroupLink?) {
        let runner = try BotSessionRunner(), core = runner.core, gate = Gate(), before = Mutex(0)
        _ = try core.addGroup()
        try await runner.run(Bot("Keeper") {}) { profiles, _ in
            let client = try #require(profiles.first).client, team = try #require(await client.groups.group(7))
            try await setUp(team)
            before.withLock { $0 = core.groupCommands.count }
            core.hold.withLock { $0 = { command in if case .groups = command { await gate.wait() } } }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for call in calls { group.addTask { try await call(team) } }
                try await eventually("one is at it, and the others wait") { client.effects.locks.groups.waiterCount(7) == calls.count - 1 }
                gate.open()
                try await group.waitForAll()
            }
        }
        let words = core.groupCommands.dropFirst(before.withLock(\.self)).map { $0.split(separator: "#")[0].dropFirst(2).dropLast() }
        return (words.map(String.init), core.state.withLock { $0.groupLinks[7] })
    }

    @Test func aLinkIsMadeOnceForAllWhoAskForIt() async throws {
        let links = EventLog<String>()
        let make: @Sendable (BotGroup) async throws -> Void = { links.add(try await $0.makeLink().connectionLink.fullLink) }
        let (commands, _) = try await Self.run([make, make, make])
        #expect(commands == ["get link", "create link", "get link", "get link"])
        #expect(links.all.count == 3 && Set(links.all).count == 1)
    }

    @Test func eachOfTwoRolesIsSetWhole() async throws {
        let (commands, _) = try await Self.run([{ _ = try await $0.makeLink(role: .observer) }, { _ = try await $0.makeLink(role: .member) }])
        #expect(commands == ["get link", "create link", "get link", "set link role"])
    }

    @Test func aLinkThatIsDeletedMeanwhileIsMadeOrGone() async throws {
        let (commands, link) = try await Self.run(
            after: { _ = try await $0.makeLink() }, [{ try await $0.deleteLink() }, { _ = try await $0.makeLink(role: .observer) }])
        #expect(commands == (link == nil ? ["get link", "set link role", "delete link"] : ["delete link", "get link", "create link"]))
    }

    @Test(
        arguments: [
            (short, ["get link", "set link admission", "get link"]), (plain, ["get link", "set link admission", "get link", "set link admission"]),
        ] as [(JoinerRule, [String])])
    func rulesForJoinersAreComparedWithThoseThatAreThere(_ other: JoinerRule, _ expected: [String]) async throws {
        let calls: [@Sendable (BotGroup) async throws -> Void] = [Self.short, other].map { rule in { try await $0.setJoinerRules([rule]) } }
        let (commands, _) = try await Self.run(after: { _ = try await $0.makeLink() }, calls)
        #expect(commands == expected)
    }
}
