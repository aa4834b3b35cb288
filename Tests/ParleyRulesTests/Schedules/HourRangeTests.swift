import Foundation
import Testing

@testable import ParleyRules

/// Parts of the day in time zones and on days of the week.
@Suite struct HourRangeTests {
    private static func file(_ hours: String, _ tests: String...) -> String {
        """
        parley: 1
        profiles:
          shop:
            rules: [ { id: open, when: { message: any, hours: \(hours) }, then: { send: open } } ]
            tests:
        \(tests.map { "      - { say: hi, \($0) }" }.joined(separator: "\n"))
        """
    }

    /// 21 November 2026 is a Saturday.
    @Test(arguments: [
        ("\"09:00-17:00\"", "2026-11-21 09:00", true), ("\"09:00-17:00\"", "09:00", true), ("\"09:00-17:00\"", "17:00", false),
        ("{ between: \"09:00-17:00\" }", "16:59", true), ("{ days: [sat, sun] }", "2026-11-21 00:00", true),
        ("{ days: [sat, sun] }", "2026-11-23 00:00", false),
        ("{ days: mon-fri }", "2026-11-20 23:59", true), ("{ days: mon-fri }", "2026-11-21 00:00", false), ("{ days: sat-mon }", "2026-11-23 12:00", true),
        ("{ days: Sunday }", "2026-11-22 12:00", true),
        // Berlin is an hour before UTC in winter, and two in summer.
        ("{ between: \"09:00-17:00\", zone: Europe/Berlin }", "2026-11-20 08:00", true),
        ("{ between: \"09:00-17:00\", zone: Europe/Berlin }", "2026-11-20 16:00", false),
        ("{ between: \"09:00-17:00\", zone: Europe/Berlin }", "2026-07-20 07:00", true),
        ("{ days: sat, zone: Asia/Tokyo }", "2026-11-20 16:00", true), ("{ days: sat, zone: Asia/Tokyo }", "2026-11-21 16:00", false),
        // A range over midnight belongs to the day on which it begins.
        ("{ between: \"22:00-06:00\", days: fri }", "2026-11-21 05:00", true), ("{ between: \"22:00-06:00\", days: fri }", "2026-11-20 05:00", false),
        ("{ between: \"22:00-06:00\", days: fri }", "2026-11-20 22:00", true), ("{ between: \"22:00-06:00\", days: fri }", "2026-11-21 22:00", false),
    ]) func aRangeHoldsInItsZoneAndOnItsDays(_ hours: String, _ at: String, _ holds: Bool) throws {
        let file = try BotsFile(parsing: Self.file(hours, "at: \(at), \(holds ? "expect: open" : "expect-none: true")"))
        let failures = try file.testFailures()
        #expect(failures.isEmpty, "\(failures)")
    }

    @Test(arguments: [
        ("\"9-17\"", "write two times"), ("{ zone: UTC }", "neither a time nor a day"), ("{ days: funday, zone: UTC }", "days are mon"),
        ("{ days: mon, zone: Berlin }", "is not a time zone"), ("{ between: \"09:00-17:00\", day: mon }", "did you mean \"days\""),
        ("{ days: mon-tue-wed }", "days are mon"),
        ("{ between: \"25:00-26:00\" }", "write two times"),
    ]) func whatCannotBeReadIsReported(_ hours: String, _ hint: String) {
        #expect {
            try BotsFile(parsing: Self.file(hours, "expect: open"))
        } throws: {
            "\($0)".contains(hint)
        }
    }

    @Test func timesBeforeTheYear1970AndBeyondAllYearsDoNotTrap() throws {
        let file = try BotsFile(parsing: Self.file("{ days: thu, zone: Europe/Berlin }", "at: 2026-11-20 12:00, expect-none: true"))
        let checks = try #require(file.profiles.first?.rules.first).when.tree.checks
        let ranges = checks.compactMap { ($0.test as? HoursCheck)?.hours }
        let range = try #require(ranges.first)
        #expect(range.truth(0, at: Date(timeIntervalSince1970: -1)) == .yes)
        _ = range.truth(0, at: Date(timeIntervalSince1970: .greatestFiniteMagnitude))
        _ = range.truth(0, at: Date(timeIntervalSince1970: -.infinity))
        #expect(range.truth(0, at: nil) == .unknown)
    }
}
