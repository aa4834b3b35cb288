import Foundation
import Testing

@testable import Parley

/// Schedules where clocks are put forward and back: at night, at midnight, by half an hour, and over a whole day.
@Suite struct CronZoneTests {
    private static let zones = [
        "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo", "America/Havana", "Asia/Beirut", "Pacific/Chatham", "Asia/Kathmandu",
    ]

    private static func calendar(_ zone: TimeZone) -> Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        return calendar
    }

    /// The times of a schedule from one moment to another.
    private static func times(_ expression: String, from start: String, to end: String, in zone: TimeZone) throws -> [Date] {
        let schedule = try CronExpression(expression), end = try Date(end, strategy: .iso8601)
        var times: [Date] = [], time = try Date(start, strategy: .iso8601)
        while let next = schedule.next(after: time, in: zone), next < end {
            guard next > time else {
                Issue.record("\(next) does not come after \(time)")
                break
            }
            times.append(next)
            time = next
        }
        return times
    }

    @Test(arguments: zones, ["0 0 * * *", "30 2 * * *", "59 23 * * *"])
    func aDailyTimeComesOnceOnEachDayOfAYear(_ name: String, _ expression: String) throws {
        let zone = try #require(TimeZone(identifier: name)), calendar = Self.calendar(zone)
        let times = try Self.times(expression, from: "2026-01-03T12:00:00Z", to: "2027-01-03T12:00:00Z", in: zone)
        let days = times.map { calendar.startOfDay(for: $0) }
        #expect(times.count == 365 && Set(days).count == 365)
    }

    @Test(arguments: zones) func anHourlyTimeLeavesOutNoHourButOneThatIsRepeated(_ name: String) throws {
        let zone = try #require(TimeZone(identifier: name)), calendar = Self.calendar(zone)
        // The weeks in which the clocks are changed somewhere.
        for (start, end) in [("2026-03-01T12:30:00Z", "2026-05-01T12:30:00Z"), ("2026-09-20T12:30:00Z", "2026-11-10T12:30:00Z")] {
            let times = try Self.times("0 * * * *", from: start, to: end, in: zone)
            for (time, next) in zip(times, times.dropFirst()) where next.timeIntervalSince(time) > 3_600 {
                #expect(next.timeIntervalSince(time) <= 7_200 && zone.daylightSavingTimeOffset(for: time) != zone.daylightSavingTimeOffset(for: next))
                #expect(calendar.component(.minute, from: next) == 0)
            }
        }
    }

    @Test func aTimeThatIsSkippedDoesNotHideOneThatFollowsSooner() throws {
        // On Lord Howe Island the clocks go from 2:00 to 2:30 on 4 October 2026: 2:15 is moved behind 2:30.
        let zone = try #require(TimeZone(identifier: "Australia/Lord_Howe")), calendar = Self.calendar(zone)
        let times = try Self.times("15,30,50 2 * * *", from: "2026-10-03T13:30:00Z", to: "2026-10-04T12:00:00Z", in: zone)
        let clock = times.map { calendar.dateComponents([.hour, .minute], from: $0) }.map { ($0.hour ?? 0) * 100 + ($0.minute ?? 0) }
        #expect(clock == clock.sorted() && clock.contains(230) && clock.contains(250))
    }

    @Test func aDayThatAZoneHasLeftOutIsPassedOver() throws {
        // Samoa went from 29 to 31 December 2011.
        let zone = try #require(TimeZone(identifier: "Pacific/Apia"))
        let times = try Self.times("0 12 * * *", from: "2011-12-29T00:00:00Z", to: "2012-01-01T23:00:00Z", in: zone)
        let days = times.map { Self.calendar(zone).component(.day, from: $0) }
        #expect(days == [29, 31, 1, 2])
    }

    @Test func aScheduleInAnotherZoneIsAnotherSchedule() throws {
        let expression = try CronExpression("0 9 * * MON"), zones = try ["UTC", "Asia/Tokyo"].map { try #require(TimeZone(identifier: $0)) }
        let rules = zones.map { Recurrence(name: "news", rule: .calendar(expression, $0), missed: .skip).ruleText }
        #expect(Set(rules).count == 2)
        let start = Date(timeIntervalSince1970: 1_767_225_600)
        let times = zones.map { expression.next(after: start, in: $0)?.timeIntervalSince(start) }
        #expect(times[0].flatMap { first in times[1].map { first - $0 } } == 32_400.0)
    }
}
