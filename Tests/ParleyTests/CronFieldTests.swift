import Foundation
import Testing

@testable import Parley

/// The bounds of the fields of a schedule, and what a person reads who has passed one.
@Suite struct CronFieldTests {
    private static let fields: [(name: String, range: ClosedRange<Int>)] = [
        ("minute", 0...59), ("hour", 0...23), ("day", 1...31), ("month", 1...12), ("weekday", 0...7),
    ]

    private static func expression(_ text: String, in field: Int) -> String {
        (0..<5).map { $0 == field ? text : "*" }.joined(separator: " ")
    }

    @Test(arguments: 0..<5) func bothEndsOfAFieldAreInItAndWhatIsBesideThemIsNot(_ field: Int) throws {
        let (name, range) = Self.fields[field]
        for value in [range.lowerBound, range.upperBound] { _ = try CronExpression(Self.expression("\(value)", in: field)) }
        _ = try CronExpression(Self.expression("\(range.lowerBound)-\(range.upperBound)/\(range.upperBound)", in: field))
        for value in ["\(range.lowerBound - 1)", "\(range.upperBound + 1)", "\(UInt64.max)", "1.5", "0x1", "٣", "-", ""] {
            let text = value.hasPrefix("-") ? "1-\(value)" : value
            let error = #expect(throws: CronError.self) { try CronExpression(Self.expression(text, in: field)) }
            guard !value.isEmpty else { continue }
            #expect(
                error?.description.contains("is no \(name): it is a number from \(range.lowerBound) to \(range.upperBound)") == true, "\(text): \(error as Any)"
            )
        }
    }

    @Test(arguments: 0..<5) func aStepIsFromOneToTheEndOfItsField(_ field: Int) throws {
        let (name, range) = Self.fields[field]
        for step in [1, range.upperBound] { _ = try CronExpression(Self.expression("*/\(step)", in: field)) }
        for step in ["0", "-1", "\(range.upperBound + 1)", "", "1/2", "x"] {
            let error = #expect(throws: CronError.self) { try CronExpression(Self.expression("*/\(step)", in: field)) }
            #expect(error?.description == "\"\(step)\" is not a step of a \(name)")
        }
    }

    @Test(arguments: [
        ("0 0 * jan,FEB,Mar *", "0 0 * 1-3 *"), ("0 0 * * sun", "0 0 * * 7"), ("0 0 * * 0", "0 0 * * 7"), ("0 0 * * mon-fri", "0 0 * * 1-5"),
        ("  0\t0  *\n*  * ", "0 0 * * *"), ("0,0,0 0 * * *", "0 0 * * *"), ("0 0 1-31 * *", "0 0 * * 0-6"),
        ("0 0 * * fri-sun", "0 0 * * 5-7"), ("0 0 * * sat-sun", "0 0 * * 0,6"), ("0 0 * * fri-mon", "0 0 * * 0,1,5,6"), ("0 0 * * 7-1", "0 0 * * 0,1"),
        ("0 0 * * mon-sun", "0 0 * * *"), ("0 0 * * sat-thu/2", "0 0 * * 1,3,6"), ("0 0 * * 6-0", "0 0 * * sun,sat"),
    ])
    func differentWordsCanMeanTheSameTimes(_ left: String, _ right: String) throws {
        let zone = try #require(TimeZone(identifier: "UTC")), schedules = try [left, right].map { try CronExpression($0) }
        var time = Date(timeIntervalSince1970: 1_767_225_600)
        for _ in 1...40 {
            let next = schedules.map { $0.next(after: time, in: zone) }
            #expect(next[0] == next[1])
            time = try #require(next[0])
        }
    }

    @Test(arguments: [("feb-jan", 3, "month"), ("22-6", 1, "hour"), ("31-1", 2, "day"), ("10-9/2", 0, "minute")])
    func aRangeThatRunsBackwardsIsToldByItsField(_ text: String, _ field: Int, _ name: String) {
        let error = #expect(throws: CronError.self) { try CronExpression(Self.expression(text, in: field)) }
        #expect(error?.description == "the range \"\(text.split(separator: "/")[0])\" of a \(name) runs backwards")
    }

    @Test func aScheduleHasFiveFieldsAndABoundedLength() throws {
        for count in [0, 1, 4, 6, 50] {
            let text = Array(repeating: "*", count: count).joined(separator: " ")
            let error = #expect(throws: CronError.self) { try CronExpression(text) }
            #expect(error?.description == "\"\(text)\" has \(count) fields, and a schedule has five: minute hour day month weekday")
        }
        let list = String(repeating: "1,", count: (CronExpression.longest - 10) / 2)
        let longest = list + "10 * * * *"
        #expect(longest.utf8.count == CronExpression.longest)
        _ = try CronExpression(longest)
        let error = #expect(throws: CronError.self) { try CronExpression(longest + " ") }
        #expect(error?.description == "a schedule has at most \(CronExpression.longest) bytes")
    }
}
