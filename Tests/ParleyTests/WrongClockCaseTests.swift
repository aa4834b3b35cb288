import ChatAPI
import ChatProtocol
import EncryptedSQLite
import Foundation
import ParleyRules
import Synchronization
import TestSupport
import Testing

@testable import Parley

/// What has an end by time, begun while the clock was wrong: it lasts for its time once the clock is right.
@Suite(.timeLimit(.minutes(5))) struct WrongClockCaseTests {
    /// Clocks that are off by a month, a year and seventy years, and in 1970 and before.
    private static let offsets = [2_592_000, 31_536_000, 2_208_988_800.0, -1_767_225_600, -2_208_988_800]

    enum Action: String, CaseIterable, Sendable {
        case ruleOfBlock, block, role

        var done: String { self == .role ? "/_member role #7 4 observer" : "/_block #7 4 blocked=on" }
        var undone: String { self == .role ? "/_member role #7 4 member" : "/_block #7 4 blocked=off" }

        func bot(lasting seconds: Int) throws -> Bot {
            guard self == .ruleOfBlock else {
                return Bot("Guard") {
                    On(.text, in: .groups) { try await $0.member?.moderate(self == .role ? .role(.observer) : .block, expiresAfter: .seconds(seconds)) }
                }
            }
            let rule = "{ when: { contains: casino, chat: group }, then: { block: { for: \(seconds)s } } }"
            return try #require(try BotsFile(parsing: "parley: 1\nprofiles: { guard: { rules: [ \(rule) ] } }").makeBots().first)
        }
    }

    /// Runs a bot on the data of another start, with a clock that is off.
    private func again(_ runner: BotSessionRunner, by offset: Double, after pause: Duration = .seconds(10)) throws -> BotSessionRunner {
        let later = try runner.restarted(after: pause)
        later.setClock(by: offset)
        return later
    }

    private func doneOnce(_ action: Action, lasting seconds: Int, _ offset: Double) async throws -> BotSessionRunner {
        let runner = try BotSessionRunner(), core = runner.core, (group, bob) = try core.addGroup()
        runner.setClock(by: offset)
        try await runner.run(try action.bot(lasting: seconds)) { _, session in
            core.receive("casino", from: bob, in: group)
            await core.waitForCommand(action.done)
            await session.settle()
        }
        return runner
    }

    private func cases(_ profiles: [HostReady.Profile]) async throws -> [ModerationCase] {
        try await profiles[0].client.state(ModerationRecord.self, of: .chat(.group(7))).cases
    }

    @Test(arguments: offsets, Action.allCases)
    func whatWasDoneByAWrongClockEndsAfterItsTime(_ offset: Double, _ action: Action) async throws {
        let runner = try await doneOnce(action, lasting: 2_000, offset)
        let later = try again(runner, by: 0)
        try await later.run(try action.bot(lasting: 2_000)) { profiles, session in
            await session.settleTimers()
            later.clock.advance(by: .seconds(1_900))
            await session.settleTimers()
            #expect(!later.core.groupCommands.contains(action.undone))
            let end = try #require(try await cases(profiles).first?.expires), left = end - later.now.timeIntervalSince1970
            #expect((90...100) ~= left, "the record shows the end")
            later.clock.advance(by: .seconds(101))
            try await eventually("it ends") {
                await session.settleTimers()
                return later.core.groupCommands.contains(action.undone)
            }
            #expect(try await cases(profiles).map(\.undoneBy) == ["expiry"])
        }
    }

    @Test(arguments: offsets.filter { $0 < 0 }, Action.allCases)
    func whatWasDoneByARightClockOutlivesAStartWithAWrongOneAndEndsAtItsTime(_ offset: Double, _ action: Action) async throws {
        let runner = try await doneOnce(action, lasting: 2_000, 0), end = try await runner.store.timers(.once, of: 1).map(\.due)
        let wrong = try again(runner, by: offset)
        try await wrong.run(try action.bot(lasting: 2_000)) { _, session in
            await session.settleTimers()
            #expect(!wrong.core.groupCommands.contains(action.undone))
        }
        let right = try again(wrong, by: 0)
        try await right.run(try action.bot(lasting: 2_000)) { profiles, session in
            await session.settleTimers()
            #expect(try await right.store.timers(.once, of: 1).map(\.due) == end)
            #expect(try await cases(profiles).map { $0.expires.map(Date.init(timeIntervalSince1970:)) } == end)
            right.clock.advance(by: .seconds(2_000))
            try await eventually("it ends") {
                await session.settleTimers()
                return right.core.groupCommands.contains(action.undone)
            }
        }
    }

    /// A block of a clock that was behind has an end in 1970, and holds all the same.
    @Test(arguments: offsets)
    func aBlockThatWasSetByAWrongClockHoldsWhenAnotherEnds(_ offset: Double) async throws {
        let runner = try await doneOnce(.block, lasting: 10_000, offset)
        let later = try again(runner, by: 0), bob = try #require(later.core.state.withLock { $0.members.first })
        let group = try #require(later.core.state.withLock { $0.groups.first }), unblocked = Action.block.undone
        try await later.run(try Action.block.bot(lasting: 1_000)) { profiles, session in
            later.core.receive("casino", from: bob, in: group)
            try await eventually("there are two cases") { try await cases(profiles).count == 2 }
            later.clock.advance(by: .seconds(1_001))
            try await eventually("one has ended") {
                await session.settleTimers()
                return try await cases(profiles).map(\.undoneBy) == [nil, "expiry"]
            }
            #expect(!later.core.groupCommands.contains(unblocked))
            later.clock.advance(by: .seconds(9_000))
            try await eventually("both have") {
                await session.settleTimers()
                return later.core.groupCommands.contains(unblocked)
            }
        }
    }

    @Test(arguments: offsets)
    func aWarningThatWasGivenByAWrongClockCountsForItsTime(_ offset: Double) async throws {
        let points = EventLog<Int>()
        let bot = Bot("Guard") {
            On(.text("casino"), in: .groups) { try await $0.member?.warn(points: 3, expiresAfter: .seconds(2_000)) }
            On(.text("points"), in: .groups) { message in
                if let member = message.member { points.add(try await member.warningPoints()) }
            }
        }
        let runner = try BotSessionRunner(), (group, bob) = try runner.core.addGroup()
        runner.setClock(by: offset)
        try await runner.run(bot) { _, session in
            runner.core.receive("casino", from: bob, in: group)
            await session.settle()
        }
        let later = try again(runner, by: 0)
        try await later.run(bot) { _, session in
            for (count, pause) in [0, 1_900, 101].enumerated() {
                later.clock.advance(by: .seconds(pause))
                later.core.receive("points", from: bob, in: group)
                try await eventually("they are told") { points.all.count == count + 1 }
            }
        }
        #expect(points.all == [3, 3, 0])
    }

    /// As rules store them, and beside them what only looks like a term.
    @Test func theWarningsOfRulesAreCorrectedAndNothingElseThatIsStored() async throws {
        let runner = try BotSessionRunner(), store = runner.store, now = BotSessionRunner.start.timeIntervalSince1970, ahead = now + 31_536_000
        @Sendable func json(_ begin: Double, _ end: Double) -> Data {
            Data(#"{"runs":{"expires":\#(end),"time":\#(begin)},"warnings":[{"expires":\#(end),"number":1,"points":2,"time":\#(begin)}]}"#.utf8)
        }
        let keys = [StateKey(scope: "@4", name: "parley.rules"), StateKey(scope: "@4", name: "mine")]
        for key in keys { try await store.update(key, of: 1) { _ in (StateValue(version: 1, json: json(ahead, ahead + 500)), ()) } }
        try await store.correctTimers(at: Date(timeIntervalSince1970: ahead + 100))
        try await store.correctTimers(at: Date(timeIntervalSince1970: now))
        let values = try await [store.value(keys[0], of: 1), store.value(keys[1], of: 1)].map { try JSONValue(parsing: Array(try #require($0).json)) }
        #expect(values[1] == (try JSONValue(parsing: Array(json(ahead, ahead + 500)))))
        #expect(values[0]["runs"] == values[1]["runs"])
        let warning = try #require(values[0]["warnings"]?[0])
        #expect(warning["expires"]?.numberValue?.double == now + 400 && warning["time"]?.numberValue?.double == now - 100)
        #expect(warning["points"]?.intValue == 2)
        // What is right stays as it is.
        let before = try await store.value(keys[0], of: 1)
        for _ in 1...2 { try await store.correctTimers(at: Date(timeIntervalSince1970: now + 50)) }
        #expect(try await store.value(keys[0], of: 1) == before)
    }

    // MARK: Forms and captchas

    @Test(arguments: offsets)
    func aFormThatWasBegunByAWrongClockGoesOn(_ offset: Double) async throws {
        let runner = try BotSessionRunner(), ann = try runner.core.add(contact: 4, name: "ann")
        let file = try BotsFile(
            parsing: """
                parley: 1
                profiles:
                  shop:
                    rules: [ { when: { command: order }, then: { form: order } } ]
                    forms: { order: { questions: [ { name: what, ask: What? } ], done: { send: "{{ form.what }}!" } } }
                """)
        let bot = try #require(try file.makeBots().first)
        runner.setClock(by: offset)
        try await runner.run(bot) { _, _ in
            runner.core.receive("/order", from: ann)
            await runner.core.waitForSent(1, to: 4)
        }
        let later = try again(runner, by: 0)
        try await later.run(bot) { _, session in
            later.core.receive("soup", from: ann)
            await session.settle()
        }
        #expect(later.core.sent(to: 4).last == "soup!")
    }

    @Test(arguments: offsets)
    func theRightAnswerToACaptchaThatWasAskedByAWrongClockPasses(_ offset: Double) {
        let now = BotSessionRunner.start.timeIntervalSince1970, progress = CaptchaProgress(round: 1, attempts: 3, deadline: now + offset + 300)
        #expect(progress.outcome(isRight: true, at: now) == .passed)
        #expect(CaptchaProgress(round: 1, attempts: 3, deadline: now - 1).outcome(isRight: true, at: now) == .failed)
    }
}
