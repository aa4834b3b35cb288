import Foundation
import TestSupport
import Testing

@testable import Parley

/// Times of schedules, compared with a search through every minute.
@Suite struct CronOracleTests {
    /// A field of a schedule, and the values that it means.
    private struct Field {
        var text: String
        var values: Set<Int>
        var isRestricted: Bool { !text.hasPrefix("*") }

        /// A field of one to three parts, each a star, a number, a range or one of them with a step.
        init(in range: ClosedRange<Int>, by random: inout SplitMix64) {
            guard Int.random(in: 0..<3, using: &random) > 0 else {
                (text, values) = ("*", Set(range))
                return
            }
            var parts: [String] = [], values: Set<Int> = []
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let low = Int.random(in: range, using: &random), high = Int.random(in: low...range.upperBound, using: &random)
                let step = Int.random(in: 1...range.upperBound, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0:
                    parts.append("\(low)")
                    values.insert(low)
                case 1:
                    parts.append("\(low)-\(high)")
                    values.formUnion(low...high)
                case 2:
                    parts.append("\(low)-\(high)/\(step)")
                    values.formUnion(stride(from: low, through: high, by: step))
                default:
                    parts.append("\(low)/\(step)")
                    values.formUnion(stride(from: low, through: range.upperBound, by: step))
                }
            }
            (text, self.values) = (parts.joined(separator: ","), values)
        }
    }

    /// Year, month and day of a day since 1970.
    private static func civil(_ day: Int) -> (year: Int, month: Int, day: Int) {
        func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }
        var year = 1970, left = day
        while left >= (isLeap(year) ? 366 : 365) {
            left -= isLeap(year) ? 366 : 365
            year += 1
        }
        for (index, length) in [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].enumerated() {
            if left < length { return (year, index + 1, left + 1) }
            left -= length
        }
        return (year, 12, 31)
    }

    /// The first minute behind a moment that matches, by its number since 1970; nil if there is none in four years.
    private static func search(_ fields: [Field], after minute: Int) -> Int? {
        let (minutes, hours, days, months, weekdays) = (fields[0], fields[1], fields[2], fields[3], fields[4])
        for day in minute / 1440...minute / 1440 + 1_461 {
            let date = civil(day), isDay = days.values.contains(date.day), weekday = (day + 4) % 7
            // Sunday has two numbers.
            let isWeekday = weekdays.values.contains { $0 % 7 == weekday }
            let matches = days.isRestricted && weekdays.isRestricted ? isDay || isWeekday : isDay && isWeekday
            guard matches, months.values.contains(date.month) else { continue }
            for minuteOfDay in 0..<1440 where day * 1440 + minuteOfDay > minute {
                if hours.values.contains(minuteOfDay / 60), minutes.values.contains(minuteOfDay % 60) { return day * 1440 + minuteOfDay }
            }
        }
        return nil
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>) func theNextTimeIsTheFirstMinuteThatMatches(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let zone = try #require(TimeZone(identifier: "UTC"))
        for _ in 0..<100 {
            let fields = [0...59, 0...23, 1...31, 1...12, 0...7].map { Field(in: $0, by: &random) }
            let expression = fields.map(\.text).joined(separator: " "), start = Int.random(in: 25_000_000...40_000_000, using: &random)
            guard let expected = Self.search(fields, after: start) else { continue }
            // Anywhere within the minute: the seconds that have passed do not count.
            let after = Date(timeIntervalSince1970: Double(start * 60 + Int.random(in: 0..<60, using: &random)))
            let next = try CronExpression(expression).next(after: after, in: zone)
            #expect(next?.timeIntervalSince1970 == Double(expected * 60), "seed \(seed): \(expression) after \(start)")
        }
    }

    @Test(arguments: [
        ("2096-02-29T00:00:00Z", "2104-02-29T00:00:00Z"), ("2104-02-28T23:59:59Z", "2104-02-29T00:00:00Z"), ("1999-12-31T23:59:59Z", "2000-02-29T00:00:00Z"),
    ])
    func aLeapDayIsFoundAlsoOverACenturyWithoutOne(_ after: String, _ expected: String) throws {
        let next = try CronExpression("0 0 29 2 *").next(after: try Date(after, strategy: .iso8601), in: try #require(TimeZone(identifier: "UTC")))
        #expect(next == (try Date(expected, strategy: .iso8601)))
    }
}
