import Testing

@testable import SMPWire

/// Times as text, and the days of the calendar.
@Suite struct UnixTimeTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"), (-86_400, "1969-12-31T00:00:00Z"), (-86_401, "1969-12-30T23:59:59Z"),
            (1_793_404_800, "2026-10-31T00:00:00Z"), (951_782_400, "2000-02-29T00:00:00Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
            (-62_167_219_200, "0000-01-01T00:00:00Z"),
        ] as [(Int64, String)])
    func timesAreShownAsTheyAre(_ seconds: Int64, _ text: String) { #expect(UnixTime.text(seconds) == text) }

    @Test(arguments: [(0, "Z"), (1, ".000000001Z"), (120_000_000, ".12Z"), (999_999_999, ".999999999Z")] as [(UInt32, String)])
    func aFractionHasAsManyDigitsAsItNeeds(_ nanoseconds: UInt32, _ end: String) {
        #expect(UnixTime.text(1, nanoseconds: nanoseconds) == "1970-01-01T00:00:01" + end)
    }

    @Test(arguments: [Int64.min, Int64.min + 1, -1 << 40, 1 << 40, Int64.max - 1, Int64.max] as [Int64])
    func aTimeThatNoCalendarReachesIsShownToo(_ seconds: Int64) {
        let text = UnixTime.text(seconds, nanoseconds: 999_999_999)
        #expect(text.hasSuffix(".999999999Z") && text.utf8.allSatisfy { $0 != 0 })
    }

    @Test func aDayAndItsDateAreTheSameDay() {
        for day in stride(from: Int64(-800_000), through: 3_000_000, by: 97) {
            let date = CivilDate(daysSince1970: day)
            #expect(date.daysSince1970 == day && CivilDate(year: date.year, month: date.month, day: date.day) == date)
        }
    }

    @Test(arguments: [(2023, 2, 29), (1900, 2, 29), (2024, 4, 31), (2024, 13, 1), (2024, 0, 1), (2024, 1, 0)])
    func aDayThatTheCalendarDoesNotHaveIsNone(_ year: Int, _ month: Int, _ day: Int) { #expect(CivilDate(year: year, month: month, day: day) == nil) }
}
