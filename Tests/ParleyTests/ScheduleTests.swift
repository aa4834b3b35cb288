import ChatAPI
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Parley

@Suite("A timer") struct ScheduleTests {
    private struct Reminder: Codable, Sendable { var text: String }

    private static func reminding() -> Bot {
        Bot("Reminder") {
            On(.command("remind", .duration("when"), .rest("what"))) { call in
                let (delay, text) = call.arguments
                try await call.schedule("reminder", key: call.person.description, after: delay, Reminder(text: text))
                try await call.reply("I will.")
            }
            On(.command("never")) { message in
                try await message.client.cancelScheduled("reminder", key: message.person.description)
                try await message.send("Cancelled.")
            }
            On(.scheduled("reminder", Reminder.self)) { try await $0.send($0.value.text) }
        }
    }

    @Test("runs when it is due, in its chat") func due() async throws {
        let runner = try BotSessionRunner(), core = runner.core
        let ann = try core.add(contact: 4, name: "ann")
        try await runner.run(Self.reminding()) { _, _ in
            core.receive("/remind 45s tea", from: ann)
            await core.waitForSent(1, to: 4)
            await runner.pass(.seconds(45))
            await core.waitForSent(2, to: 4)
        }
        #expect(core.sent(to: 4) == ["I will.", "tea"])
        #expect(try await runner.store.timers(.once, of: 1).isEmpty)
    }

    @Test("that was due while the bot was not running runs once at the next start") func missed() async throws {
        let runner = try BotSessionRunner(), core = runner.core
        let ann = try core.add(contact: 4, name: "ann")
        try await runner.run(Self.reminding()) { _, _ in
            core.receive("/remind 1h tea", from: ann)
            await core.waitForSent(1, to: 4)
        }
        let later = try runner.restarted(after: .seconds(7200))
        try await later.run(Self.reminding()) { _, _ in await later.core.waitForSent(2, to: 4) }
        let last = try later.restarted(after: .seconds(7200))
        try await last.run(Self.reminding()) { _, _ in }
        #expect(last.core.sent(to: 4) == ["I will.", "tea"])
    }

    @Test("is replaced by one of the same name and key, and can be cancelled") func replaced() async throws {
        let runner = try BotSessionRunner(), core = runner.core
        let ann = try core.add(contact: 4, name: "ann")
        try await runner.run(Self.reminding()) { _, _ in
            core.receive("/remind 1h tea", from: ann)
            core.receive("/remind 2h coffee", from: ann)
            await core.waitForSent(2, to: 4)
        }
        let timers = try await runner.store.timers(.once, of: 1)
        #expect(timers.count == 1 && timers[0].due == BotSessionRunner.start.addingTimeInterval(7200))
        let later = try runner.restarted()
        try await later.run(Self.reminding()) { _, _ in
            later.core.receive("/never", from: ann)
            await later.core.waitForSent(3, to: 4)
        }
        #expect(try await runner.store.timers(.once, of: 1).isEmpty)
    }

    @Test("that expires does not run late") func expires() async throws {
        let runner = try BotSessionRunner()
        let ran = Mutex(0)
        let bot = Bot("Late") { On(.scheduled("offer")) { _ in ran.withLock { $0 += 1 } } }
        try await runner.run(bot) { profiles, _ in
            try await profiles[0].client.schedule("offer", after: .seconds(60), expiringAfter: .seconds(10))
        }
        let later = try runner.restarted(after: .seconds(120))
        try await later.run(bot) { _, session in
            try await eventually("the timer is gone") { try await later.store.timers(.once, of: 1).isEmpty }
            await session.settle()
        }
        #expect(ran.withLock(\.self) == 0)
    }

    @Test("that recurs runs at the first start, at its interval, and once for all runs that were missed") func recurring() async throws {
        let runner = try BotSessionRunner()
        let times = Mutex<[Double]>([])
        let bot = Bot("Feed") {
            On(.every(.seconds(30), "poll")) { tick in times.withLock { $0.append(tick.dueAt.timeIntervalSince(BotSessionRunner.start)) } }
        }
        try await runner.run(bot) { _, _ in
            for _ in 1...2 { await runner.pass(.seconds(30)) }
            try await eventually("three runs") { times.withLock(\.count) == 3 }
        }
        let later = try runner.restarted(after: .seconds(1000))
        try await later.run(bot) { _, _ in try await eventually("a run that was missed") { times.withLock(\.count) == 4 } }
        #expect(times.withLock(\.self) == [0, 30, 60, 90])
        #expect(try await later.store.timers(.recurring, of: 1).map { $0.due.timeIntervalSince(BotSessionRunner.start) } == [1080])
    }

    @Test("that recurs and is gone from the program, or has another interval, is not what it was") func changed() async throws {
        let store = try BotSessionRunner().store, now = BotSessionRunner.start
        func recurrence(_ name: String, _ seconds: Int) -> Recurrence { Recurrence(name: name, rule: .every(.seconds(seconds)), missed: .skip) }
        try await store.prepare([recurrence("a", 10), recurrence("b", 10)], of: 1, at: now)
        try await store.prepare([recurrence("b", 20)], of: 1, at: now.addingTimeInterval(5))
        let timers = try await store.timers(.recurring, of: 1)
        #expect(timers.map(\.name) == ["b"] && timers[0].due == now.addingTimeInterval(5))
        try await store.prepare([recurrence("b", 20)], of: 1, at: now.addingTimeInterval(50))
        #expect(try await store.timers(.recurring, of: 1).map(\.due) == [now.addingTimeInterval(65)])
    }
}

@Suite("A schedule in the fields of cron") struct CronExpressionTests {
    private func next(_ expression: String, after time: String, _ zone: String = "UTC") throws -> String? {
        let zone = try #require(TimeZone(identifier: zone))
        let style = Date.ISO8601FormatStyle(timeZone: zone)
        return try CronExpression(expression).next(after: try Date(time, strategy: style), in: zone)?.formatted(style)
    }

    @Test(
        "gives the next time",
        arguments: [
            ("* * * * *", "2026-11-23T08:00:30Z", "2026-11-23T08:01:00Z"), ("0 9 * * *", "2026-11-23T09:00:00Z", "2026-11-24T09:00:00Z"),
            ("*/20 8-9 * * mon-fri", "2026-11-20T09:40:00Z", "2026-11-23T08:00:00Z"), ("15,45 0 1 jan *", "2026-01-01T00:15:00Z", "2026-01-01T00:45:00Z"),
            ("0 0 29 2 *", "2026-03-01T00:00:00Z", "2028-02-29T00:00:00Z"), ("0 12 13 * fri", "2026-11-01T00:00:00Z", "2026-11-06T12:00:00Z"),
            ("0 0 * * 7", "2026-11-23T00:00:00Z", "2026-11-29T00:00:00Z"), ("5/10 * * * *", "2026-11-23T08:56:00Z", "2026-11-23T09:05:00Z"),
        ])
    func times(_ expression: String, _ after: String, _ expected: String) throws {
        #expect(try next(expression, after: after) == expected)
    }

    @Test("counts a time that the clocks skip, and one that they repeat, once") func daylightSaving() throws {
        // Berlin: 29 March 2026, 2:00 to 3:00; 25 October 2026, 3:00 to 2:00.
        let spring = try #require(try next("30 2 * * *", after: "2026-03-28T12:00:00+01:00", "Europe/Berlin"))
        #expect(spring.hasPrefix("2026-03-29T03:30:00"))
        let autumn = try #require(try next("30 2 * * *", after: "2026-10-24T12:00:00+02:00", "Europe/Berlin"))
        #expect(autumn.hasPrefix("2026-10-25T02:30:00"))
        #expect(try next("30 2 * * *", after: autumn, "Europe/Berlin")?.hasPrefix("2026-10-26T02:30:00") == true)
    }

    @Test("that never comes gives none") func never() throws { #expect(try next("0 0 30 2 *", after: "2026-01-01T00:00:00Z") == nil) }

    @Test(
        "is refused if it is not one",
        arguments: [
            "", "* * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8", "5-1 * * * *", "*/0 * * * *", "a * * * *", "1,,2 * * * *",
            "-1 * * * *",
            String(repeating: "1,", count: 200) + "1 * * * *",
        ])
    func refused(_ expression: String) { #expect(throws: CronError.self) { try CronExpression(expression) } }
}
