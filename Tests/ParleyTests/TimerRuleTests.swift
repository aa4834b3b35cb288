import ChatAPI
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Parley

/// Timers in unusual circumstances: handlers that fail, chats that are gone, values of another type, and times that nobody lives to see.
@Suite(.timeLimit(.minutes(5))) struct TimerRuleTests {
    private struct Reminder: Codable, Sendable { var text: String }
    private struct Problem: Error {}

    /// Runs a bot, and then again at later times, until no timer is due at any of them.
    private static func run(
        _ bot: Bot, _ runner: BotSessionRunner, then later: [Duration] = [], _ first: @escaping @Sendable (BotClient) async throws -> Void = { _ in }
    ) async throws {
        var runner = runner
        try await runner.run(bot) { profiles, session in
            try await first(profiles[0].client)
            await session.settleTimers()
        }
        for downtime in later {
            runner = try runner.restarted(after: downtime)
            try await runner.run(bot) { _, session in await session.settleTimers() }
        }
    }

    @Test func aRecurringHandlerThatFailsRunsAgainAtItsNextTimeAndATimerDoesNot() async throws {
        let log = EventLog<String>()
        let bot = Bot("Feed") {
            On(.every(.seconds(60), "poll")) { _ in
                log.add("poll")
                throw Problem()
            }
            On(.scheduled("once")) { _ in
                log.add("once")
                throw Problem()
            }
        }
        let runner = try BotSessionRunner()
        try await Self.run(bot, runner, then: [.seconds(61), .seconds(1), .seconds(61)]) { try await $0.schedule("once", after: .seconds(30)) }
        #expect(log.all.filter { $0 == "poll" }.count == 3)
        #expect(log.all.filter { $0 == "once" }.count == 1)
    }

    @Test func whatIsDueTogetherRunsInTheOrderOfItsTimes() async throws {
        let log = EventLog<Int>()
        let bot = Bot("Feed") { On(.scheduled("n", Int.self)) { log.add($0.value) } }
        try await Self.run(bot, try BotSessionRunner(), then: [.seconds(1_000)]) { client in
            for number in [5, 3, 9, 1, 7] { try await client.schedule("n", after: .seconds(number * 10), number) }
            // The same moment, and two kinds of the past.
            for number in [100, 101] { try await client.schedule("n", at: BotSessionRunner.start.addingTimeInterval(95), number) }
        }
        #expect(log.all == [1, 3, 5, 7, 9, 100, 101])
    }

    @Test(arguments: [-1.0, 0, -1e9, -9.3e15, -1e300, -.infinity] as [Double]) func aTimeThatIsOverIsDueAtOnce(_ seconds: Double) async throws {
        let log = EventLog<Double>()
        let bot = Bot("Feed") { On(.scheduled("past")) { log.add($0.dueAt.timeIntervalSince1970) } }
        try await Self.run(bot, try BotSessionRunner()) { try await $0.schedule("past", at: Date(timeIntervalSince1970: seconds)) }
        #expect(log.all == [seconds])
    }

    @Test func aTimeThatNeverComesHoldsUpNoOther() async throws {
        let log = EventLog<String>()
        let bot = Bot("Feed") { On(.scheduled("x", String.self)) { log.add($0.value) } }
        let runner = try BotSessionRunner()
        try await Self.run(bot, runner, then: [.seconds(5)]) { client in
            try await client.schedule("x", at: .distantFuture, "never")
            try await client.schedule("x", at: Date(timeIntervalSince1970: .infinity), "never")
            try await client.schedule("x", after: .seconds(Int64.max), "never")
            await #expect(throws: (any Error).self) { try await client.schedule("x", at: Date(timeIntervalSince1970: .nan), "when?") }
            try await client.schedule("x", after: .seconds(1), "soon")
        }
        #expect(log.all == ["soon"])
        #expect(try await runner.store.timers(.once, of: 1).count == 3)
    }

    @Test(arguments: [(9.0, 1), (10, 1), (10.5, 0), (1e9, 0)]) func aTimerRunsLateUntilItExpires(_ late: Double, _ runs: Int) async throws {
        let log = EventLog<Void>()
        let bot = Bot("Feed") { On(.scheduled("offer")) { _ in log.add(()) } }, runner = try BotSessionRunner()
        try await Self.run(bot, runner, then: [.seconds(60) + .seconds(late)]) { client in
            try await client.schedule("offer", after: .seconds(60), expiringAfter: .seconds(10))
        }
        #expect(log.all.count == runs)
        #expect(try await runner.store.timers(.once, of: 1).isEmpty, "whether it ran or not")
    }

    @Test func aValueOfAnotherVersionOfTheProgramIsPassedOver() async throws {
        let log = EventLog<String>()
        let bot = Bot("Feed") {
            On(.scheduled("reminder", Reminder.self)) { log.add($0.value.text) }
            On(.scheduled("reminder", [Int].self)) { log.add("\($0.value)") }
        }
        let runner = try BotSessionRunner()
        try await Self.run(bot, runner) { client in
            try await client.schedule("reminder", after: .zero, ["words": "tea"])
            try await client.schedule("reminder", after: .zero, [1, 2])
            try await client.schedule("reminder", after: .zero, Reminder(text: "tea"))
            try await client.schedule("reminder", after: .zero)
            try await client.schedule("nobody's", after: .zero, 1)
        }
        #expect(log.all == ["[1, 2]", "tea"])
        #expect(try await runner.store.timers(.once, of: 1).isEmpty, "what nobody takes is handled")
    }

    @Test func aTimerOfAChatThatIsGoneHasNoChatAndSaysSo() async throws {
        let log = EventLog<String>()
        let bot = Bot("Feed") {
            On(.scheduled("x")) { timer in
                let error = await #expect(throws: ChatCoreError.self) { try await timer.send("hello") }
                log.add("\(timer.chat == nil) \(error?.code.rawValue ?? "")")
            }
        }
        try await Self.run(bot, try BotSessionRunner()) { client in
            for chat in [nil, ChatReference.direct(99), .group(99)] { try await client.schedule("x", after: .zero, in: chat) }
        }
        #expect(log.all == Array(repeating: "true core.unsupported", count: 3))
    }

    @Test func cancellingTwiceOrWhatIsNotThereIsNoError() async throws {
        let runner = try BotSessionRunner()
        let bot = Bot("Feed") { On(.every(.seconds(3_600), "poll")) { _ in } }
        try await Self.run(bot, runner) { client in
            try await client.schedule("a", key: "1", after: .seconds(60))
            for key in ["1", "1", "2", ""] { try await client.cancelScheduled("a", key: key) }
            // A recurring handler is not cancelled by its name.
            try await client.cancelScheduled("poll", key: "")
        }
        #expect(try await runner.store.timers(.once, of: 1).isEmpty)
        #expect(try await runner.store.timers(.recurring, of: 1).map(\.name) == ["poll"])
    }

    @Test func anErrorTakesBackWhatItsHandlerScheduledAndCancelled() async throws {
        let bot = Bot("Feed") {
            On(.text("go")) { message in
                try await message.client.cancelScheduled("old", key: "k")
                try await message.schedule("new", key: "k", after: .seconds(60))
                throw Problem()
            }
        }
        let runner = try BotSessionRunner(), ann = try runner.core.add(contact: 4, name: "ann")
        try await runner.run(bot) { profiles, _ in
            try await profiles[0].client.schedule("old", key: "k", after: .seconds(60))
            runner.core.receive("go", from: ann)
        }
        #expect(try await runner.store.timers(.once, of: 1).map(\.name) == ["old"])
    }

    @Test func keysOfOneNameAreOfTheWholeBotAndNotOfAChat() async throws {
        let bot = Bot("Feed") { On(.command("remind", .word("key"))) { try await $0.schedule("reminder", key: $0.arguments, after: .seconds(60)) } }
        let runner = try BotSessionRunner(), core = runner.core, ann = try core.add(contact: 4, name: "ann"), ben = try core.add(contact: 5, name: "ben")
        try await runner.run(bot) { _, session in
            core.receive("/remind a", from: ann)
            core.receive("/remind b", from: ann)
            try await eventually("both are stored") { try await runner.store.timers(.once, of: 1).count == 2 }
            core.receive("/remind a", from: ben)
        }
        let timers = try await runner.store.timers(.once, of: 1).map { "\($0.key) \($0.chat ?? "")" }
        #expect(timers.sorted() == ["a @5", "b @4"])
    }
}
