import ChatAPI
import ChatProtocol
import ParleyRules
import Synchronization
import TestSupport
import Testing

@testable import Parley

/// Cases of events that do not come again after a crash, such as edits: they are stored before their action.
@Suite(.timeLimit(.minutes(5))) struct UnconfirmedCaseTests {
    enum Author: CaseIterable {
        case swift, rules

        func bot() throws -> Bot {
            switch self {
            case .swift: Bot("Guard", id: "guard") { On(.edited, in: .groups) { try await $0.member?.moderate(.block, expiresAfter: .seconds(3_600)) } }
            case .rules:
                try #require(
                    try BotsFile(
                        parsing: "parley: 1\nprofiles: { guard: { rules: [ { id: r, when: { edited: true, chat: group }, then: { block: { for: 1h } } } ] } }"
                    ).makeBots().first)
            }
        }
    }

    private static func edit(_ core: ScriptedCore, _ member: GroupMember, in group: GroupInfo) {
        var item = ScriptedCore.item(50, .receivedMessage(content: .text("casino")), .groupReceived(member: member), "casino")
        item.meta.isEdited = true
        let entry = ItemInChat(chatInfo: .group(groupInfo: group, scope: nil), chatItem: item)
        core.publish { .chatItemUpdated(user: $0, chatItem: entry) }
    }

    private static func record(in store: BotStateStore) async throws -> ModerationRecord {
        try ModerationRecord(stored: try await store.value(StateKey(scope: "#7", name: ModerationRecord.stateName), of: 1))
    }

    /// What was on the disk when the core was given the block is what the next process finds, if this one dies behind it.
    @Test(arguments: Author.allCases) func aBlockHasItsCaseAndItsEndAlsoIfTheProcessDiesBehindIt(_ author: Author) async throws {
        let runner = try BotSessionRunner(), core = runner.core, bot = try author.bot(), (group, bob) = try core.addGroup(), left = EventLog<BotStateStore>()
        core.hold.withLock {
            $0 = { command in
                guard case .groups(.blockForAll(_, _, true)) = command, let copy = try? await runner.store.copyInMemory() else { return }
                left.add(copy)
            }
        }
        try await runner.run(bot) { _, _ in
            Self.edit(core, bob, in: group)
            await core.waitForCommand("/_block #7 4 blocked=on")
        }
        let confirmed = try await Self.record(in: runner.store).cases
        #expect(confirmed.map(\.action) == ["block"] && confirmed.map(\.isUnconfirmed) == [false])

        let store = try #require(left.all.first), found = try await Self.record(in: store).cases
        #expect(found.map(\.number) == [1] && found.map(\.isUnconfirmed) == [true] && found.first?.line.contains(", perhaps not done") == true)
        let later = try BotSessionRunner(core: core.restarted(), store: store)
        later.clock.advance(by: .seconds(3_601))
        try await later.run(bot) { _, session in await session.settleTimers() }
        #expect(try await Self.record(in: store).cases.map(\.undoneBy) == ["expiry"])
        #expect(later.core.groupCommands.last == "/_block #7 4 blocked=off")
    }

    @Test(arguments: Author.allCases) func anActionThatFailsLeavesNeitherCaseNorEnd(_ author: Author) async throws {
        let runner = try BotSessionRunner(), core = runner.core, (group, bob) = try core.addGroup()
        core.state.withLock { $0.blockFailures = [ChatCoreError(.unsupported, "the member is gone")] }
        try await runner.run(try author.bot()) { _, _ in
            Self.edit(core, bob, in: group)
            await core.waitForCommand("/_block #7 4 blocked=on")
        }
        let record = try await Self.record(in: runner.store)
        #expect(record.cases.isEmpty && record.next == 2, "its number is not given again")
        #expect(try await runner.store.timers(.once, of: 1).isEmpty)
    }

    @Test func aHandlerSeesItsCaseAndCanTakeItBack() async throws {
        let lines = EventLog<[String]>()
        let bot = Bot("Guard") {
            On(.edited, in: .groups) { edit in
                guard let group = edit.group, let member = edit.member else { return }
                try await member.warn()
                let opened = try await member.moderate(.block, expiresAfter: .seconds(3_600))
                lines.add(try await group.cases().map(\.line))
                try await group.undoCase(opened.number, by: "Ben")
            }
        }
        let runner = try BotSessionRunner(), core = runner.core, (group, bob) = try core.addGroup()
        try await runner.run(bot) { _, _ in
            Self.edit(core, bob, in: group)
            await core.waitForCommand("/_block #7 4 blocked=off")
        }
        #expect(lines.all == [["1: warn bob", "2: block bob"]])
        #expect(try await Self.record(in: runner.store).cases.map(\.line) == ["1: warn bob", "2: block bob, undone by Ben"])
        #expect(try await runner.store.timers(.once, of: 1).isEmpty)
    }

    /// A handler that fails behind its action, and one that opens a case while the case of another waits for its confirmation.
    @Test func theCaseOfAHandlerThatFailsIsConfirmedBesideThatOfAnother() async throws {
        struct Problem: Error {}
        let blocked = Gate(), both = Gate()
        let bot = Bot("Guard") {
            On(.edited, in: .groups) { edit in
                try await edit.member?.moderate(.block)
                blocked.open()
                await both.wait()
                throw Problem()
            }
            On(.text, in: .supportChats) { try await $0.member?.moderate(.role(.observer)) }
        }
        let runner = try BotSessionRunner(), core = runner.core, (group, bob) = try core.addGroup()
        try await runner.run(bot) { _, _ in
            Self.edit(core, bob, in: group)
            await blocked.wait()
            core.receiveInSupport("spam", from: bob, in: group)
            try await eventually("the other case is stored") { try await Self.record(in: runner.store).cases.count == 2 }
            both.open()
        }
        let cases = try await Self.record(in: runner.store).cases
        #expect(cases.map(\.line) == ["1: block bob", "2: role bob"])
    }
}
