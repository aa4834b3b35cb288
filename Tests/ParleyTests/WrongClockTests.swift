import ChatAPI
import ChatProtocol
import Foundation
import ParleyRules
import Synchronization
import SystemSupport
import TestSupport
import Testing

@testable import Parley

/// Bots that start while the clock is wrong, stop, and start with another one: what waits keeps the delay that was left.
@Suite(.timeLimit(.minutes(5))) struct WrongClockTests {
    private static let start = BotSessionRunner.start.timeIntervalSince1970
    /// Clocks that are off by seventy years: in 2096, and in 1970 and before.
    private static let offsets = [2_208_988_800.0, -1_767_225_600, -2_208_988_800]

    private struct Reminder: Codable, Sendable { var text = "" }

    private func reminding(_ log: EventLog<String>) -> Bot { Bot("Feed") { On(.scheduled("reminder")) { _ in log.add("now") } } }

    /// Runs a bot on the data of another start, with a clock that is off.
    private func again(_ runner: BotSessionRunner, by offset: Double, after pause: Duration = .seconds(10)) throws -> BotSessionRunner {
        let later = try runner.restarted(after: pause)
        later.setClock(by: offset)
        return later
    }

    // MARK: The decision

    @Test func aTimerKeepsTheDelayThatWasLeftWhenTheClockWasWrong() {
        let now = Self.start, ahead = now + 2e9, day = 86_400.0
        func due(_ setAt: Double, _ due: Double, _ seen: Double?, at now: Double = now) -> Double? {
            TimerTimes(setAt: setAt, due: due).corrected(at: now, seen: seen)?.due
        }
        #expect(due(now - 10, now + day, now - 5) == nil && due(now + 1_800, now + day, now + 1_800) == nil)
        #expect(due(ahead, ahead + day, nil) == now + day)
        #expect(due(ahead, ahead + day, ahead + 1_000) == now + day - 1_000)
        #expect(due(ahead, ahead + 100, ahead + 1_000) == now, "it was due")
        #expect(due(ahead, ahead + day, now - 100) == now + day, "the time that was seen was another clock's")
        #expect(due(5_000, 5_000 + day, 6_000) == now + day - 1_000)
        #expect(due(5_000, 5_000 + day, 6_000, at: 7_000) == nil, "both may be wrong in the same way")
        #expect(due(now, now + day, now + 50, at: 7_000) == 7_000 + day - 50)
    }

    @Test func aTimerHasItsOwnTimeAgainWhenTheClockIsRightAgain() throws {
        let now = Self.start, times = TimerTimes(setAt: now, due: now + 5_000)
        let wrong = try #require(times.corrected(at: 7_000, seen: now + 10))
        #expect(wrong.due == 7_000 + 4_990 && wrong.original == .init(setAt: now, due: now + 5_000))
        let worse = try #require(wrong.corrected(at: 100, seen: 7_005))
        #expect(worse.due == 100 + 4_985 && worse.original == wrong.original)
        #expect(worse.corrected(at: now + 60, seen: 120) == times)
    }

    // MARK: Reminders and dialogues

    @Test(arguments: offsets) func aReminderThatWasSetByAWrongClockComesAfterItsDelay(_ offset: Double) async throws {
        let runner = try BotSessionRunner(), log = EventLog<String>()
        runner.setClock(by: offset)
        try await runner.run(reminding(log)) { profiles, _ in try await profiles[0].client.schedule("reminder", after: .seconds(3_000)) }
        let later = try again(runner, by: 0)
        try await later.run(reminding(log)) { _, session in
            await session.settleTimers()
            #expect(log.all.isEmpty)
            later.clock.advance(by: .seconds(2_900))
            await session.settleTimers()
            #expect(log.all.isEmpty)
            later.clock.advance(by: .seconds(101))
            try await eventually("it comes") {
                await session.settleTimers()
                return log.all == ["now"]
            }
        }
    }

    @Test(arguments: offsets.filter { $0 < 0 }) func aReminderOutlivesAStartWithAWrongClockAndComesAtItsTime(_ offset: Double) async throws {
        let runner = try BotSessionRunner(), log = EventLog<String>()
        try await runner.run(reminding(log)) { profiles, _ in try await profiles[0].client.schedule("reminder", after: .seconds(3_000)) }
        let due = try await runner.store.timers(.once, of: 1).map(\.due)
        let wrong = try again(runner, by: offset)
        try await wrong.run(reminding(log)) { _, session in
            await session.settleTimers()
            #expect(log.all.isEmpty)
        }
        let right = try again(wrong, by: 0)
        try await right.run(reminding(log)) { _, session in await session.settleTimers() }
        #expect(try await runner.store.timers(.once, of: 1).map(\.due) == due)
        #expect(log.all.isEmpty)
    }

    @Test(arguments: offsets) func aDialogueThatWasOpenedByAWrongClockEndsInTime(_ offset: Double) async throws {
        let runner = try BotSessionRunner(), wrong = BotSessionRunner.start.addingTimeInterval(offset)
        let record = DialogueRecord(name: "order", state: Data("{}".utf8), expires: wrong.addingTimeInterval(600))
        var batch = HandlerChanges.Batch()
        batch.dialogues["@4"] = .some(record)
        batch.timers = [
            .set(
                TimerRecord(
                    id: 0, userID: 1, kind: .dialogue, name: "order", key: "@4", due: wrong.addingTimeInterval(600), value: record.state, setAt: wrong))
        ]
        try await runner.store.commit(batch, .none, of: 1)
        #expect(try await runner.store.correctTimers(at: BotSessionRunner.start) == 1)
        let expected = BotSessionRunner.start.addingTimeInterval(600)
        #expect(try await runner.store.dialogues(of: 1)["@4"]?.expires == expected)
        #expect(try await runner.store.timers(.dialogue, of: 1).map(\.due) == [expected])
        #expect(try await runner.store.correctTimers(at: BotSessionRunner.start) == 0)
    }

    /// A clock that is set back is followed after a day; what was set before that waits no longer than it had to.
    @Test func aClockThatIsSetBackWhileTheBotRunsDoesNotHoldUpWhatWasSetBefore() async throws {
        let runner = try BotSessionRunner(), log = EventLog<String>()
        runner.setClock(by: 2_208_988_800)
        try await runner.run(reminding(log)) { profiles, session in
            try await profiles[0].client.schedule("reminder", after: .seconds(5 * 86_400))
            await session.settleTimers()
            runner.setClock(by: -2_208_988_800)
            for _ in 1...(5 * 24 + 1) {
                runner.clock.advance(by: .seconds(3_600))
                await session.settleTimers()
            }
            try await eventually("it comes") {
                runner.clock.advance(by: .seconds(60))
                await session.settleTimers()
                return log.all == ["now"]
            }
        }
    }

    // MARK: Captchas, files and webhooks

    @Test(arguments: offsets.filter { $0 > 0 }) func aQuestionThatWasAskedByAWrongClockCanBeAnsweredAndIsEndedByItsTimer(_ offset: Double) {
        let progress = CaptchaProgress(round: 1, attempts: 3, deadline: Self.start + offset + 300)
        #expect(progress.outcome(isRight: true, at: Self.start) == .passed)
        #expect(TimerTimes(setAt: Self.start + offset, due: progress.deadline).corrected(at: Self.start, seen: nil)?.due == Self.start + 300)
    }

    /// The time of a bot whose system's clock jumps, and the clocks behind it.
    private func jumping(_ jump: Double) -> (time: BotTime, clock: ManualClock, jump: @Sendable () -> Void) {
        let wall = Mutexed(BotSessionRunner.start), clock = ManualClock(), elapsed = clock.stopwatch()
        let time = BotTime(clock: clock, timeOfDay: { wall.value.withLock(\.self).addingTimeInterval(elapsed().seconds) })
        return (time, clock, { wall.value.withLock { $0 += jump } })
    }

    private final class Mutexed: Sendable {
        let value: Mutex<Date>
        init(_ date: Date) { value = Mutex(date) }
    }

    @Test(arguments: offsets) func theFilesOfADayAreThoseOfADayWhateverTheClockSays(_ jump: Double) {
        let (time, clock, set) = jumping(jump), limits = FileReception(upTo: 1_000, filesPerDay: 2)
        var use = FileReceptionUse()
        #expect(use.take(1, within: limits, at: time.now()) == .accept)
        set()
        #expect(use.take(1, within: limits, at: time.now()) == .accept)
        #expect(use.take(1, within: limits, at: time.now()) == .refuse(isFirst: true))
        clock.advance(by: .seconds(86_000))
        #expect(use.take(1, within: limits, at: time.now()) == .refuse(isFirst: false))
        clock.advance(by: .seconds(399))
        #expect(use.take(1, within: limits, at: time.now()) == .refuse(isFirst: false))
        // The day has passed; the clock is followed from now on, and begins another.
        clock.advance(by: .seconds(2))
        #expect(use.take(1, within: limits, at: time.now()) == .accept)
    }
}
