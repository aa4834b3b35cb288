import Foundation
import Testing

@testable import Parley

/// Schedules in the hour that the clocks repeat.
@Suite struct CronAutumnTests {
    private static func times(_ expression: String, from start: String, count: Int, in name: String) throws -> [String] {
        let schedule = try CronExpression(expression), zone = try #require(TimeZone(identifier: name))
        var times: [String] = [], time = try Date(start, strategy: .iso8601)
        for _ in 0..<count {
            time = try #require(schedule.next(after: time, in: zone))
            times.append(String(time.formatted(.iso8601).dropFirst(11).prefix(5)))
        }
        return times
    }

    @Test(
        arguments: [
            ("0 * * * *", ["00:00", "01:00", "02:00", "03:00"]), ("*/30 * * * *", ["00:00", "00:30", "01:00", "01:30"]),
            ("0 */2 * * *", ["00:00", "01:00", "03:00", "05:00"]), ("0 0-23 * * *", ["00:00", "01:00", "02:00", "03:00"]),
            ("30 1-3/1 * * *", ["00:30", "01:30", "02:30"]),
        ] as [(String, [String])])
    func whatRunsThroughTheHoursFollowsTheTimeThatPasses(_ expression: String, _ expected: [String]) throws {
        // At 1:00 UTC the clocks of Berlin go from 3:00 to 2:00.
        #expect(try Self.times(expression, from: "2026-10-24T23:45:00Z", count: expected.count, in: "Europe/Berlin") == expected)
    }

    @Test(arguments: [("30 2 * * *", 1), ("0,30 2,3 * * *", 4), ("15 1,2,3 * * *", 3)]) func fixedHoursCountOnce(_ expression: String, _ count: Int) throws {
        let schedule = try CronExpression(expression), zone = try #require(TimeZone(identifier: "Europe/Berlin"))
        var time = try Date("2026-10-24T22:30:00Z", strategy: .iso8601), found = 0
        let end = try Date("2026-10-25T12:00:00Z", strategy: .iso8601)
        while let next = schedule.next(after: time, in: zone), next < end { (time, found) = (next, found + 1) }
        #expect(found == count)
    }

    @Test(arguments: ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Havana", "Asia/Beirut", "Pacific/Chatham", "Europe/Dublin"])
    func everyQuarterOfAnHourComesInAllOfAYear(_ name: String) throws {
        let schedule = try CronExpression("*/15 * * * *"), zone = try #require(TimeZone(identifier: name))
        var time = try Date("2026-09-20T00:01:00Z", strategy: .iso8601)
        let end = try Date("2026-11-10T00:00:00Z", strategy: .iso8601)
        while let next = schedule.next(after: time, in: zone), next < end {
            #expect(next > time && next.timeIntervalSince(time) <= 900, "\(time) \(next)")
            time = next
        }
        #expect(time.timeIntervalSince(end) > -1_800)
    }
}
