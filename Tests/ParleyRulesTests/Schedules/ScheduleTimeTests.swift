import Foundation
import Parley
import Testing

@testable import ParleyRules

/// The times of schedules as a file says them.
@Suite struct ScheduleTimeTests {
    private func schedule(_ times: String) throws -> ScheduleSpec {
        let file = try BotsFile(parsing: "parley: 1\nprofiles: { a: { trusted-contacts: [Ann, A, B], schedules: [ { id: s, \(times), to: Ann, send: x } ] } }")
        return try #require(file.profiles.first?.schedules.first)
    }

    @Test(arguments: [
        ("at: \"2026-12-24 18:00\"", "2026-12-24T18:00:00Z"), ("at: 2026-12-24T18:00", "2026-12-24T18:00:00Z"),
        ("at: \"2026-12-24 8:05\"", "2026-12-24T08:05:00Z"),
        ("at: \"2028-02-29 00:00\"", "2028-02-29T00:00:00Z"), ("at: \"2026-12-24 18:00\", zone: Europe/Berlin", "2026-12-24T17:00:00Z"),
        ("at: \"2026-07-01 18:00\", zone: Europe/Berlin", "2026-07-01T16:00:00Z"), ("at: \"2026-07-01 18:00\", zone: America/New_York", "2026-07-01T22:00:00Z"),
        ("at: \"2026-07-01 18:00\", zone: Asia/Kathmandu", "2026-07-01T12:15:00Z"), ("at: \"1970-01-01 00:00\"", "1970-01-01T00:00:00Z"),
        ("at: \"9999-12-31 23:59\"", "9999-12-31T23:59:00Z"),
    ])
    func aDateIsOfItsTimeZone(_ times: String, _ expected: String) throws {
        guard case .at(let date) = try schedule(times).times else {
            Issue.record("no date")
            return
        }
        #expect(date.formatted(.iso8601) == expected)
    }

    /// Times that no clock shows, and texts that are none.
    @Test(arguments: [
        "2026-02-29 10:00", "2026-02-30 10:00", "2026-04-31 10:00", "2026-13-01 10:00", "2026-00-01 10:00", "2026-01-00 10:00", "2026-01-32 10:00",
        "2026-01-01 24:00", "2026-01-01 10:60", "2026-1-1 10:00", "26-01-01 10:00", "2026-01-01 10:00:00", "2026-01-01", "10:00", "2026-01-01  10:00",
        "2026-01-01 10:0", "+026-01-01 10:00", "2026-01-01 -1:00", "tomorrow", "٢٠٢٦-01-01 10:00",
    ])
    func whatIsNoDateIsRefusedWithAnExample(_ text: String) {
        let source = MarkedSource(
            "parley: 1\nprofiles:\n  a:\n    trusted-contacts: [Ann, A, B]\n    schedules:\n      - { id: s, to: Ann, send: x, at: §\"\(text)\" }\n")
        #expect(faults(in: source.text).map(\.position) == [source.position])
        #expect(faults(in: source.text).first?.hint == "write a date and a time: \"2026-12-24 18:00\"")
    }

    @Test func aTimeThatTheClockSkipsInSpringIsRefused() {
        func found(_ time: String) -> [Diagnostic] {
            faults(
                in:
                    "parley: 1\nprofiles: { a: { trusted-contacts: [Ann, A, B], schedules: [ { id: s, to: Ann, send: x, at: \"2026-03-29 \(time)\", zone: Europe/Berlin } ] } }"
            )
        }
        #expect(found("02:30").count == 1 && found("01:59") == [] && found("03:00") == [])
    }

    @Test(arguments: [("1m", 60), ("60s", 60), ("6h", 21_600), ("52w", 31_449_600)] as [(String, Double)])
    func anIntervalIsAMinuteOrMore(_ text: String, _ seconds: Double) throws { #expect(try schedule("every: \(text)").times == .every(seconds: seconds)) }

    @Test(
        "a schedule that is none is refused with its place",
        arguments: [
            ("§{ id: s, to: Ann, send: x }", "there is no time"),
            ("§{ id: s, at: \"2026-01-01 10:00\", every: 1h, to: Ann, send: x }", "one kind of time, not at and every"),
            ("{ id: s, every: §59s, to: Ann, send: x }", "must be a minute or more"), ("{ id: s, every: §0m, to: Ann, send: x }", "must be a minute or more"),
            ("{ id: s, every: §1 hour, to: Ann, send: x }", "cannot be \"1 hour\""),
            ("{ id: s, every: 1h, zone: §UTC, to: Ann, send: x }", "\"zone\" goes with"),
            ("{ id: s, cron: §\"* * *\", to: Ann, send: x }", "has 3 fields"), ("{ id: s, cron: §\"60 * * * *\", to: Ann, send: x }", "\"60\" is no minute"),
            ("{ id: s, cron: §\"0 0 31 2 *\", to: Ann, send: x }", "never comes"),
            ("{ id: s, cron: \"0 9 * * *\", zone: §Berlin, to: Ann, send: x }", "is not a time zone"),
            ("§{ every: 1h, to: Ann, send: x }", "needs the key \"id\""), ("§{ id: s, every: 1h, send: x }", "needs the key \"to\""),
            ("§{ id: s, every: 1h, to: Ann }", "needs the key \"send\""), ("{ id: s, every: 1h, to: §[], send: x }", "must not be empty"),
            ("{ id: s, every: 1h, to: Ann, send: x, missed: §never }", "cannot be \"never\""),
            ("{ id: s, every: 1h, to: Ann, send: \"§{{ contact.name }}\" }", "nobody has written"),
            ("{ id: s, every: 1h, to: Ann, send: \"§{{ match.1 }}\" }", "there is no pattern"),
            ("{ id: s, every: 1h, to: Ann, send: §{ text: x } }", "there is no file to send"),
            ("{ id: s, every: 1h, to: Ann, send: { voice: a, seconds: §301 } }", "from 1 to 300"),
            ("{ id: s, every: 1h, to: Ann, send: { video: a, seconds: §86401 } }", "from 1 to 86400"),
        ])
    func whatIsNoScheduleIsRefused(_ marked: String, _ message: String) {
        let source = MarkedSource("parley: 1\nprofiles:\n  a:\n    trusted-contacts: [Ann, A, B]\n    schedules:\n      - \(marked)\n"),
            found = faults(in: source.text)
        #expect(found.count == 1 && found.first?.position == source.position && found.first?.message.contains(message) == true, "\(found)")
    }

    @Test func twoSchedulesOfOneIdAreRefused() {
        let source = MarkedSource(
            "parley: 1\nprofiles:\n  a:\n    trusted-contacts: [Ann, A, B]\n    schedules: §[ { id: s, every: 1h, to: A, send: x }, { id: t, every: 1h, to: A, send: x }, { id: s, every: 2h, to: B, send: y } ]\n"
        )
        #expect(faults(in: source.text).map(\.message) == ["two schedules of profile \"a\" have the id \"s\""])
    }

    @Test func whatWasSentIsRememberedUpToABoundTheNewestLongest() {
        var sent = SentSchedules()
        for number in 0..<SentSchedules.maximumCount + 3 { for _ in 0..<2 { sent.add("s \(number)") } }
        #expect(sent.sent.count == SentSchedules.maximumCount)
        #expect(!sent.contains("s 2") && sent.contains("s 3") && sent.contains("s \(SentSchedules.maximumCount + 2)"))
    }
}
