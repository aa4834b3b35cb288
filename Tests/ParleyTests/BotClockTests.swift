import ChatAPI
import ChatProtocol
import Foundation
import ParleyRules
import Synchronization
import TestSupport
import Testing

@testable import Parley

/// Bots on a system whose clock is set: what they have stored for later does not follow it.
@Suite(.timeLimit(.minutes(5))) struct BotClockTests {
    /// Jumps of the clock, in seconds: by hours, days and months, to 1970 and before, and to 2100.
    private static let jumps = [7_200.0, 90_000, 2_592_000, 2_335_219_200, -7_200, -2_592_000, -1_767_225_600, -1_900_000_000]

    private struct Reminder: Codable, Sendable { var text = "" }

    @Test(arguments: jumps) func aReminderComesWhenItsTimeHasPassedWhateverTheClockSays(_ jump: Double) async throws {
        let runner = try BotSessionRunner(), log = EventLog<String>()
        let bot = Bot("Feed") { On(.scheduled("reminder")) { _ in log.add("now") } }
        try await runner.run(bot) { profiles, session in
            try await profiles[0].client.schedule("reminder", after: .seconds(3_000))
            runner.setClock(by: jump)
            await session.settleTimers()
            #expect(log.all.isEmpty)
            runner.clock.advance(by: .seconds(3_001))
            try await eventually("it comes") {
                await session.settleTimers()
                return log.all == ["now"]
            }
        }
    }

    @Test(arguments: jumps) func aDialogueGoesOn(_ jump: Double) async throws {
        let runner = try BotSessionRunner(), core = runner.core, ann = try core.add(contact: 4, name: "ann")
        let file = try BotsFile(
            parsing: """
                parley: 1
                profiles:
                  shop:
                    rules: [ { when: { command: order }, then: { form: order } } ]
                    forms: { order: { questions: [ { name: what, ask: What? } ], done: { send: "{{ form.what }}!" } } }
                """)
        try await runner.run(try #require(try file.makeBots().first)) { _, session in
            core.receive("/order", from: ann)
            await core.waitForSent(1, to: 4)
            runner.setClock(by: jump)
            await session.settleTimers()
            core.receive("soup", from: ann)
            await core.waitForSent(2, to: 4)
        }
        #expect(core.sent(to: 4) == ["What?", "soup!"])
    }

    @Test(arguments: jumps) func aBlockLastsForItsTime(_ jump: Double) async throws {
        let runner = try BotSessionRunner(), core = runner.core, (group, bob) = try core.addGroup()
        let file = try BotsFile(
            parsing: "parley: 1\nprofiles: { guard: { rules: [ { when: { contains: casino, chat: group }, then: { block: { for: 2000s } } } ] } }")
        try await runner.run(try #require(try file.makeBots().first)) { _, session in
            core.receive("casino", from: bob, in: group)
            await core.waitForCommand("/_block #7 4 blocked=on")
            await session.settle()
            runner.setClock(by: jump)
            await session.settleTimers()
            #expect(!core.groupCommands.contains("/_block #7 4 blocked=off"))
            runner.clock.advance(by: .seconds(2_001))
            await core.waitForCommand("/_block #7 4 blocked=off")
        }
    }

    @Test(arguments: jumps) func aCaptchaCanBeAnsweredForItsTime(_ jump: Double) {
        let wall = Mutex(BotSessionRunner.start), clock = ManualClock()
        let time = BotTime(clock: clock, timeOfDay: { wall.withLock(\.self) })
        let progress = CaptchaProgress(round: 1, attempts: 3, deadline: time.now().timeIntervalSince1970 + 3_000)
        wall.withLock { $0 += jump }
        #expect(progress.outcome(isRight: true, at: time.now().timeIntervalSince1970) == .passed)
        clock.advance(by: .seconds(3_001))
        #expect(progress.outcome(isRight: true, at: time.now().timeIntervalSince1970) == .failed)
    }

    @Test func aClockThatStandsByItsTimeForADayIsFollowed() {
        let wall = Mutex(BotSessionRunner.start), clock = ManualClock()
        let time = BotTime(clock: clock, timeOfDay: { wall.withLock(\.self) })
        wall.withLock { $0 += 2_592_000 }
        #expect(time.now() == BotSessionRunner.start)
        for _ in 1...25 {
            clock.advance(by: .seconds(3_600))
            wall.withLock { $0 += 3_600 }
            _ = time.now()
        }
        #expect(time.now() == wall.withLock(\.self))
    }

    @Test(arguments: [Double.infinity, -Double.infinity, Double.nan, 1e300]) func aClockThatSaysNoTimeEndsNothing(_ seconds: Double) {
        let wall = Mutex(BotSessionRunner.start), time = BotTime(clock: ManualClock(), timeOfDay: { wall.withLock(\.self) })
        wall.withLock { $0 = Date(timeIntervalSince1970: seconds) }
        #expect(time.now() == BotSessionRunner.start)
    }

    // MARK: What was stored while the clock was wrong

    @Test func aScheduleThatWasPlannedFarAheadIsPlannedAnew() async throws {
        let runner = try BotSessionRunner(), log = EventLog<String>()
        let bot = Bot("Feed") {
            On(.every(.seconds(60), "every")) { _ in log.add("every") }
            On(.cron("* * * * *", "cron", in: .gmt)) { _ in log.add("cron") }
        }
        // It starts in 2099, for eight seconds.
        runner.setClock(by: 2_303_683_200)
        try await runner.run(bot) { _, session in await session.settleTimers() }
        let wrong = try await runner.store.timers(.recurring, of: 1).map(\.due)
        #expect(wrong.count == 2 && wrong.allSatisfy { $0 > BotSessionRunner.start.addingTimeInterval(2e9) })
        let later = try runner.restarted(after: .seconds(8)), before = log.all.count
        try await later.run(bot) { _, session in
            later.clock.advance(by: .seconds(61))
            try await eventually("both run") {
                await session.settleTimers()
                return Set(log.all.dropFirst(before)) == ["every", "cron"]
            }
        }
    }

    @Test func aScheduleIsNotPlannedAnewAtAnOrdinaryStart() async throws {
        let runner = try BotSessionRunner(), bot = Bot("Feed") { On(.every(.seconds(3_600), "every")) { _ in } }
        try await runner.run(bot) { _, session in await session.settleTimers() }
        let due = try await runner.store.timers(.recurring, of: 1).map(\.due)
        try await runner.restarted(after: .seconds(1_800)).run(bot) { _, session in await session.settleTimers() }
        #expect(try await runner.store.timers(.recurring, of: 1).map(\.due) == due)
    }

    @Test func theFilesOfADayThatIsYetToComeAreForgotten() {
        let limits = FileReception(upTo: 1_000), now = BotSessionRunner.start, today = Int(now.timeIntervalSince1970 / 86_400)
        var use = FileReceptionUse(day: today + 26_000, files: 1_000_000, bytes: .max)
        #expect(use.take(1, within: limits, at: now) == .accept && use.day == today)
        // Set back over midnight, the day is not begun anew.
        use = FileReceptionUse(day: today + 1, files: 1_000_000)
        #expect(use.take(1, within: limits, at: now) == .refuse(isFirst: true) && use.day == today + 1)
    }

    @Test func runsOfTheFutureDoNotCountAgainstALimit() {
        let limiter = RateLimiter([RateLimit(1, per: .seconds(60))]), now = BotSessionRunner.start
        #expect(limiter.admit("ann", at: now.addingTimeInterval(2e9)) == .admitted)
        #expect(limiter.admit("ann", at: now) == .admitted)
        #expect(limiter.admit("ann", at: now.addingTimeInterval(1)) == .exceededFirst)
    }
}
