import Foundation
import Parley
import ParleyTesting
import Testing

/// Schedules of a bot over days, changes of the clocks, and times at which it does not run.
@Suite struct CronBotTests {
    private static func newsBot(_ missed: MissedRuns = .runOnce, _ expression: String = "30 2 * * *") throws -> Bot {
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        return Bot("News") {
            On(.cron(expression, "news", in: berlin, missed: missed)) { tick in
                try await tick.update(Editions.self, of: .bot) { $0.times.append(tick.dueAt.timeIntervalSince1970) }
            }
        }
    }

    private struct Editions: StoredState { var times: [Double] = [] }

    /// The times at which the handler was due, as a person in Berlin reads them.
    private static func editions(_ room: TestRoom) async throws -> [String] {
        let style = Date.ISO8601FormatStyle(timeZone: try #require(TimeZone(identifier: "Europe/Berlin")))
        return try await room.bot("News").state(Editions.self).times.map { String(Date(timeIntervalSince1970: $0).formatted(style).prefix(16)) }
    }

    @Test(arguments: [
        ("2026-03-28T11:00:00Z", ["2026-03-29T03:30", "2026-03-30T02:30", "2026-03-31T02:30"]),
        ("2026-10-24T11:00:00Z", ["2026-10-25T02:30", "2026-10-26T02:30", "2026-10-27T02:30"]),
        ("2028-02-28T11:00:00Z", ["2028-02-29T02:30", "2028-03-01T02:30", "2028-03-02T02:30"]),
        ("2026-12-30T11:00:00Z", ["2026-12-31T02:30", "2027-01-01T02:30", "2027-01-02T02:30"]),
    ]) func aNightlyEditionComesOnceANightWhateverTheClocksDo(_ start: String, _ expected: [String]) async throws {
        try await withBots(try Self.newsBot(), startingAt: try Date(start, strategy: .iso8601)) { room in
            for _ in 1...3 { try await room.advance(by: .seconds(86_400)) }
            #expect(try await Self.editions(room) == expected)
        }
    }

    @Test(arguments: [
        (MissedRuns.runOnce, ["2026-01-02T02:30", "2026-01-10T02:30"]), (.skip, ["2026-01-10T02:30"]),
    ]) func nightsWithoutTheBotAreMadeUpForOnceOrNotAtAll(_ missed: MissedRuns, _ expected: [String]) async throws {
        try await withBots(try Self.newsBot(missed), startingAt: try Date("2026-01-01T11:00:00Z", strategy: .iso8601)) { room in
            try await room.restart(after: .seconds(8 * 86_400))
            try await room.settle()
            #expect(try await Self.editions(room).count == expected.count - 1)
            try await room.advance(by: .seconds(86_400))
            #expect(try await Self.editions(room) == expected)
        }
    }

    @Test func aDayIsMadeUpOfEveryQuarterOfAnHour() async throws {
        try await withBots(try Self.newsBot(.runOnce, "*/15 8-9 * * mon-fri"), startingAt: try Date("2026-06-05T05:00:00Z", strategy: .iso8601)) { room in
            // A Friday, a weekend, and a Monday.
            try await room.advance(by: .seconds(4 * 86_400 - 3_600))
            let editions = try await Self.editions(room)
            #expect(editions.count == 16 && editions.first == "2026-06-05T08:00" && editions.last == "2026-06-08T09:45")
        }
    }
}
