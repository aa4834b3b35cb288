import ChatAPI
import ChatProtocol
import ParleyRules
import Synchronization
import TestSupport
import Testing

@testable import Parley

/// What rules remember, when the handlers of two chats run side by side.
@Suite(.timeLimit(.minutes(5))) struct ParallelRuleTests {
    private static func bot(_ profile: String) throws -> Bot {
        try #require(try BotsFile(parsing: "parley: 1\nprofiles:\n  guard:\n\(profile)").makeBots().first)
    }

    /// Two contacts write while the answer to the first of them is on its way.
    @Test(arguments: ["once: bot", "cooldown: { for: 1h, per: bot }"])
    func aRuleForTheWholeBotAppliesInOneOfTwoChatsThatWriteAtOnce(_ repetition: String) async throws {
        let bot = try Self.bot(
            """
                rules:
                  - { id: first, when: { message: any }, then: { send: You are the first. }, \(repetition), continue: true }
                  - { when: { message: any }, then: { send: Hello. } }
            """)
        let runner = try BotSessionRunner(), core = runner.core, answering = Gate(), sent = Gate()
        let ann = try core.add(contact: 4, name: "ann"), ben = try core.add(contact: 5, name: "ben")
        try await runner.run(bot) { _, _ in
            core.holdSending(to: .direct(4), answering, sent)
            core.receive("hi", from: ann)
            await answering.wait()
            core.receive("hi", from: ben)
            await core.waitForSent(1, to: 5)
            sent.open()
        }
        #expect(core.sent(to: 4) == ["You are the first.", "Hello."] && core.sent(to: 5) == ["Hello."])
        let later = try runner.restarted(after: .seconds(60))
        try await later.run(bot) { _, _ in later.core.receive("again", from: ben) }
        #expect(later.core.sent(to: 5) == ["Hello.", "Hello."])
    }

    /// What is forgiven are the points that there were when the rule applied.
    @Test func aWarningThatIsGivenWhileAnotherRuleForgivesCounts() async throws {
        let bot = try Self.bot(
            """
                rules:
                  - { id: pardon, when: { contains: pardon, chat: group }, then: [ { forgive: true }, { send: forgiven } ] }
                  - { id: links, when: { contains: casino, chat: [group, support] }, then: [ { warn: true }, { send: "{{ points }}" } ] }
            """)
        let runner = try BotSessionRunner(), core = runner.core, answering = Gate(), sent = Gate(), (group, bob) = try core.addGroup()
        try await runner.run(bot) { profiles, session in
            let client = try #require(profiles.first).client
            core.receive("casino", from: bob, in: group)
            await core.waitForSent(1, to: 7)
            core.holdSending(to: .group(7), answering, sent)
            core.receive("pardon", from: bob, in: group)
            await answering.wait()
            core.receiveInSupport("casino", from: bob, in: group)
            try await eventually("the second warning is stored") { try await client.groups.group(7)?.cases().count == 2 }
            sent.open()
            await core.waitForSent(3, to: 7)
            core.receive("casino", from: bob, in: group)
            await core.waitForSent(4, to: 7)
        }
        #expect(core.sent(to: .group(7)) == ["1", "forgiven", "2"] && core.sent(to: .group(7, scope: .memberSupport(4))) == ["1"])
    }

    /// In the group and in the member's chat with the moderators. The second warning completes what blocks.
    @Test func warningsOfOneMemberInTwoChatsAtOnceAddUpAndHaveNumbersOfTheirOwn() async throws {
        let bot = try Self.bot(
            """
                rules:
                  - { id: links, when: { contains: casino, chat: [group, support] }, then: [ { warn: true }, { send: "{{ points }} of 2" } ] }
                  - { id: out, when: { warned: ">= 2" }, then: { block: true } }
                  - { id: undo, when: { command: undo, chat: group, role: admin }, then: { undo: true } }
            """)
        let runner = try BotSessionRunner(), core = runner.core, answering = Gate(), sent = Gate(), (group, bob) = try core.addGroup()
        try await runner.run(bot) { profiles, session in
            core.holdSending(to: .group(7), answering, sent)
            core.receive("casino", from: bob, in: group)
            await answering.wait()
            core.receiveInSupport("casino", from: bob, in: group)
            await core.waitForSent(1, to: 7)
            sent.open()
            await session.settle()
            let cases = try await profiles.first?.client.groups.group(7)?.cases()
            #expect(cases?.map(\.line) == ["1: warn bob, rule links: casino", "2: warn bob, rule links: casino", "3: block bob, rule out: casino"])
            var admin = bob
            admin.role = .admin
            core.receive("/undo 2", from: admin, in: group)
            await core.waitForSent(3, to: 7)
            core.receive("casino", from: bob, in: group)
        }
        #expect(core.sent(to: .group(7, scope: .memberSupport(4))) == ["2 of 2"])
        #expect(core.sent(to: .group(7)) == ["1 of 2", "Case 2 is undone: warn bob.", "2 of 2"])
        #expect(core.groupCommands.contains("/_block #7 4 blocked=on"))
    }

    /// The second of two answers waits for the pace of the bot when that stops.
    @Test func aRuleThatAStopInterruptsGoesOnAtTheNextStart() async throws {
        let bot = try Self.bot(
            """
                pace: { chat: off, profile: { burst: 1, per-second: 0.001 } }
                rules: [ { id: first, when: { message: any }, then: [ { send: one }, { send: two } ], once: bot } ]
            """)
        let core = ScriptedCore(), store = try BotStateStore(path: nil, logger: HostSessionTests.logger), ann = try core.add(contact: 4, name: "ann")
        func run(_ core: ScriptedCore, _ clock: any Clock<Duration>, stoppingWithin limit: Duration, _ body: @Sendable () async -> Void) async throws {
            let session = HostSession(core: core, bots: [bot], store: store, maxConcurrentHandlers: 8, logger: HostSessionTests.logger, clock: clock)
            try await session.running { _ in
                await body()
                await session.drain(within: limit)
                core.finish()
            }
            try await store.flush()
        }
        try await run(core, ManualClock(), stoppingWithin: .zero) {
            core.receive("hi", from: ann)
            await core.waitForSent(1, to: 4)
        }
        #expect(core.sent(to: 4) == ["one"])
        let again = core.restarted()
        try await run(again, ImpatientClock(), stoppingWithin: .seconds(600)) { await again.waitForSent(2, to: 4) }
        #expect(again.sent(to: 4) == ["one", "two"])
    }
}

extension ScriptedCore {
    /// Holds what is sent into a chat until a gate is open.
    ///
    /// - Parameter reached: opened when something is sent there.
    func holdSending(to chat: ChatReference, _ reached: Gate, _ gate: Gate) {
        hold.withLock {
            $0 = { command in
                guard case .messages(.send(let target, _, _, _, _)) = command, target.chat == chat else { return }
                reached.open()
                await gate.wait()
            }
        }
    }

    /// A message in the chat of a member with the moderators is stored.
    func receiveInSupport(_ text: String, from member: GroupMember, in group: GroupInfo) {
        receive(.receivedMessage(content: .text(text)), from: member, in: .group(groupInfo: group, scope: .memberSupport(groupMember: member)), text: text)
    }
}
