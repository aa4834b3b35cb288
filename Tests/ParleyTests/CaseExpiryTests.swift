import ChatAPI
import ChatProtocol
import Synchronization
import TestSupport
import Testing

@testable import Parley

/// The ends of cases: which block ends, and what becomes of an end that fails.
@Suite(.timeLimit(.minutes(5))) struct CaseExpiryTests {
    private static let unblocking = "blocked=off"

    private static func unblocks(_ core: ScriptedCore) -> [String] { core.groupCommands.filter { $0.hasSuffix(unblocking) } }

    private static func cases(_ profiles: [HostReady.Profile]) async throws -> [ModerationCase] {
        let client = try #require(profiles.first).client
        return try await client.state(ModerationRecord.self, of: .chat(.group(7))).cases
    }

    /// Two that have the same number until the first of them is stored: of bob for ever, and of eve for an hour.
    @Test(arguments: [false, true]) func aCaseIsEndedThatAHandlerOfAnotherChatOpenedAtTheSameTime(isUndone: Bool) async throws {
        let runner = try BotSessionRunner(), core = runner.core, opened = Gate(), stored = Gate()
        let bot = Bot("Guard") {
            On(.text, in: [.groups, .supportChats]) { message in
                let isFirst = message.chat.reference == .group(7)
                try await message.member?.moderate(.block, expiresAfter: isFirst ? nil : .seconds(3_600))
                if !isFirst { opened.open() }
                await (isFirst ? opened : stored).wait()
            }
        }
        let (group, bob) = try core.addGroup()
        var other = bob
        other.groupMemberID = 99
        let eve = other
        core.state.withLock { $0.members.append(eve) }
        try await runner.run(bot) { profiles, session in
            core.receive("spam", from: bob, in: group)
            await core.waitForCommand("/_block #7 4 blocked=on")
            core.receive(
                .receivedMessage(content: .text("spam")), from: eve, in: .group(groupInfo: group, scope: .memberSupport(groupMember: eve)), text: "spam")
            try await eventually("the first is stored") { try await Self.cases(profiles).count == 1 }
            stored.open()
            try await eventually("both are stored") { try await Self.cases(profiles).count == 2 }
            guard isUndone else { return }
            let found = try await profiles.first?.client.groups.group(7)?.undoCase(2, by: "Ben")
            #expect(found?.member == 99)
            #expect(try await runner.store.timers(.once, of: 1).isEmpty)
        }
        let later = try runner.restarted(after: .seconds(3_601))
        try await later.run(bot) { profiles, session in
            await session.settleTimers()
            let cases = try await Self.cases(profiles)
            #expect(cases.map(\.member) == [4, 99] && cases.map(\.undoneBy) == [nil, isUndone ? "Ben" : "expiry"])
        }
        #expect(Self.unblocks(later.core) == ["/_block #7 99 blocked=off"])
    }

    @Test(
        arguments: [
            (SendingTests.timeout, CommandRetry.waits.count + 1, "expiry", CommandRetry.waits.count + 2),
            (ChatCoreError(.unsupported, "the member is gone"), 1, nil, 1),
        ] as [(ChatCoreError, Int, String?, Int)])
    func anEndThatFailsForAReasonThatPassesIsTriedAgain(_ error: ChatCoreError, _ count: Int, _ undoneBy: String?, _ attempts: Int) async throws {
        let runner = try BotSessionRunner()
        let bot = Bot("Guard") { On(.text, in: .groups) { try await $0.member?.moderate(.block, expiresAfter: .seconds(3_600)) } }
        let (group, bob) = try runner.core.addGroup()
        try await runner.run(bot) { _, _ in
            runner.core.receive("spam", from: bob, in: group)
            await runner.core.waitForCommand("/_block #7 4 blocked=on")
        }
        let later = try runner.restarted(after: .seconds(3_600))
        later.core.state.withLock { $0.unblockFailures = Array(repeating: error, count: count) }
        try await later.run(bot) { profiles, _ in
            try await eventually("the timer is done with") {
                later.clock.advance(by: .seconds(1))
                return try await later.store.timers(.once, of: 1).isEmpty
            }
            let ended = try await Self.cases(profiles)
            #expect(ended.map(\.undoneBy) == [undoneBy])
        }
        #expect(Self.unblocks(later.core).count == attempts)
    }
}
