import Foundation
import TestSupport
import Testing

@testable import Parley

/// The run behind a run.
@Suite struct RecurrenceTests {
    private static let start = BotSessionRunner.start

    private static func every(_ interval: Duration) -> Recurrence { Recurrence(name: "poll", rule: .every(interval), missed: .runOnce) }

    @Test(arguments: [(0.0, 10.0), (9.9, 10), (10, 20), (10.1, 20), (19.9, 20), (20, 30), (100_000, 100_010), (-5, 10)])
    func anIntervalIsCountedFromTheRunThatWasDueWheneverItRan(_ late: Double, _ expected: Double) throws {
        let next = try #require(Self.every(.seconds(10)).next(after: Self.start, now: Self.start.addingTimeInterval(late)))
        #expect(next.timeIntervalSince(Self.start) == expected)
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>) func whatComesNextIsNeverOverAndNeverMoreThanAnIntervalAway(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for _ in 0..<500 {
            let interval = Double.random(in: 1...1e6, using: &random), late = Double.random(in: 0...1e8, using: &random),
                now = Self.start.addingTimeInterval(late)
            let next = try #require(Self.every(.seconds(interval)).next(after: Self.start, now: now))
            let wait = next.timeIntervalSince(now)
            // A microsecond for what doubles of this size cannot tell.
            #expect(wait > -1e-6 && wait <= interval + 1e-6, "seed \(seed): every \(interval), \(late) late")
        }
    }

    @Test func aRunOfTheCalendarThatIsLateIsNotMadeUpFor() throws {
        let zone = try #require(TimeZone(identifier: "UTC"))
        let hourly = Recurrence(name: "news", rule: .calendar(try CronExpression("0 * * * *"), zone), missed: .skip)
        func next(_ due: Double, _ now: Double) -> Double? {
            hourly.next(after: Self.start.addingTimeInterval(due), now: Self.start.addingTimeInterval(now))?.timeIntervalSince(Self.start)
        }
        #expect(next(0, 0) == 3_600)
        #expect(next(0, 3_599) == 3_600)
        #expect(next(0, 3_600) == 7_200)
        #expect(next(0, 36_001) == 39_600)
        // A clock that was set back runs nothing twice.
        #expect(next(7_200, 10) == 10_800)
    }

    @Test func theFirstRunIsAtTheStartOrAtTheNextTimeOfTheCalendar() throws {
        let zone = try #require(TimeZone(identifier: "UTC")), now = Self.start.addingTimeInterval(30)
        #expect(Self.every(.seconds(10)).first(from: now) == now)
        let hourly = Recurrence(name: "news", rule: .calendar(try CronExpression("0 * * * *"), zone), missed: .runOnce)
        #expect(hourly.first(from: now) == Self.start.addingTimeInterval(3_600))
    }

    @Test(arguments: [(Duration.milliseconds(999), false), (.seconds(1), true), (.zero, false), (.seconds(-5), false), (.seconds(Int64.max), true)])
    func anIntervalIsASecondAtLeast(_ interval: Duration, _ isFine: Bool) {
        let faults = Bot("Feed") { On(.every(interval, "poll")) { _ in } }.validationErrors
        #expect(faults.map(\.message) == (isFine ? [] : ["the interval of \"poll\" is shorter than a second"]))
    }

    @Test func aRuleIsTakenForAnotherWhenItsTimesAreOthers() async throws {
        let store = try BotSessionRunner().store, zone = try #require(TimeZone(identifier: "UTC")), rome = try #require(TimeZone(identifier: "Europe/Rome"))
        func due(_ rule: Recurrence.Rule, _ missed: MissedRuns = .runOnce, at seconds: Double) async throws -> [Double] {
            try await store.prepare([Recurrence(name: "news", rule: rule, missed: missed)], of: 1, at: Self.start.addingTimeInterval(seconds))
            return try await store.timers(.recurring, of: 1).map { $0.due.timeIntervalSince(Self.start) }
        }
        let noon = Recurrence.Rule.calendar(try CronExpression("0 12 * * *"), zone)
        #expect(try await due(noon, at: 0) == [43_200])
        #expect(try await due(noon, at: 50_000) == [43_200], "it was missed, and runs once")
        #expect(try await due(noon, .skip, at: 50_000) == [129_600], "it was missed, and is passed over")
        #expect(try await due(.calendar(try CronExpression("0 12 * * *"), rome), at: 50_000) == [126_000], "noon is an hour earlier there")
        #expect(try await due(.every(.seconds(60)), at: 50_001) == [50_001])
    }
}
