import ChatProtocol
import TestSupport
import Testing

@Suite struct TimestampTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", Int64(0), UInt32(0)), ("2024-05-06T07:08:09.123Z", 1_714_979_289, 123_000_000),
        ("2024-05-06T07:08:09.5Z", 1_714_979_289, 500_000_000), ("2024-02-29T23:59:59Z", 1_709_251_199, 0),
        ("2000-02-29T00:00:00Z", 951_782_400, 0), ("1969-12-31T23:59:59.000000001Z", -1, 1),
        ("1900-03-01T00:00:00Z", -2_203_891_200, 0), ("0001-01-01T00:00:00Z", -62_135_596_800, 0),
        ("9999-12-31T23:59:59.999999999Z", 253_402_300_799, 999_999_999), ("2026-11-20T23:48:53.611262335Z", 1_795_218_533, 611_262_335),
    ])
    func timesAreReadAndPrintedAlike(text: String, seconds: Int64, nanoseconds: UInt32) throws {
        let time = try #require(UTCTimestamp(text))
        #expect(time == UTCTimestamp(seconds: seconds, nanoseconds: nanoseconds))
        #expect(time.description == text)
        #expect(try UTCTimestamp(json: time.json) == time)
    }

    @Test(arguments: [
        (Int64.max, UInt32.max, "9999-12-31T23:59:59.999999999Z"), (Int64.min, 0, "0000-01-01T00:00:00Z"),
        (-62_167_219_200, 0, "0000-01-01T00:00:00Z"), (-62_167_219_201, 10, "0000-01-01T00:00:00Z"),
        (253_402_300_799, 1, "9999-12-31T23:59:59.000000001Z"), (253_402_300_800, 0, "9999-12-31T23:59:59.999999999Z"),
        (253_402_300_799, 1_000_000_000, "9999-12-31T23:59:59.999999999Z"),
    ])
    func timesOutsideFourDigitYearsStandAtTheNearestEndWhichIsReadBack(seconds: Int64, nanoseconds: UInt32, text: String) {
        let time = UTCTimestamp(seconds: seconds, nanoseconds: nanoseconds)
        #expect(time.description == text)
        #expect(UTCTimestamp(text) == time)
    }

    @Test func offsetsThatLeadOutOfFourDigitYearsAreRefused() {
        for text in ["0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "9999-12-31T23:59:60Z"] { #expect(UTCTimestamp(text) == nil) }
        #expect(UTCTimestamp(exactly: UTCTimestamp.range.upperBound + 1) == nil)
        #expect(UTCTimestamp(exactly: .min) == nil)
        #expect(UTCTimestamp(exactly: UTCTimestamp.range.lowerBound)?.seconds == UTCTimestamp.range.lowerBound)
    }

    @Test func durationsOfAnyLengthMakeATime() {
        #expect(UTCTimestamp(sinceEpoch: .seconds(Int64.max)).seconds == UTCTimestamp.range.upperBound)
        #expect(UTCTimestamp(sinceEpoch: .seconds(Int64.max) * 10).seconds == UTCTimestamp.range.upperBound)
        #expect(UTCTimestamp(sinceEpoch: .seconds(Int64.min)).seconds == UTCTimestamp.range.lowerBound)
        #expect(UTCTimestamp(sinceEpoch: .nanoseconds(-1)).description == "1969-12-31T23:59:59.999999999Z")
    }

    @Test(arguments: [
        ("2024-05-06 07:08:09Z", "2024-05-06T07:08:09Z"), ("2024-05-06T07:08Z", "2024-05-06T07:08:00Z"),
        ("2024-05-06T07:08:09+02:00", "2024-05-06T05:08:09Z"), ("2024-05-06T07:08:09-0230", "2024-05-06T09:38:09Z"),
        ("2024-05-06T07:08:09+01", "2024-05-06T06:08:09Z"), ("2024-05-06T07:08:09.1234567899Z", "2024-05-06T07:08:09.123456789Z"),
        ("2024-05-06T07:08:09.000Z", "2024-05-06T07:08:09Z"), ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"),
    ])
    func otherSpellingsAreRead(text: String, canonical: String) { #expect(UTCTimestamp(text)?.description == canonical) }

    @Test(arguments: [
        "", "2024", "2024-05-06", "2024-05-06T07:08:09", "2024-05-06T07:08:09z", "2024-13-06T07:08:09Z", "2024-00-06T07:08:09Z",
        "2024-04-31T07:08:09Z", "2023-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2024-05-06T24:00:00Z", "2024-05-06T07:60:00Z",
        "2024-05-06T07:08:61Z", "2024-05-06T07:08:09.Z", "2024-05-06T07:08:09Zx", "2024-05-06T07:08:09+25:00", "-024-05-06T07:08:09Z",
        "2024-05-06T07:08:09+0", "２０２４-05-06T07:08:09Z", "2024-5-6T7:8:9Z",
    ])
    func whatIsNoTimeIsRefused(text: String) {
        #expect(UTCTimestamp(text) == nil)
        #expect(throws: JSONError.self) { try UTCTimestamp(json: .string(text)) }
    }

    @Test func anyMomentOfFourDigitYearsIsPrintedAndReadBack() {
        var random = SplitMix64(seed: 7)
        for _ in 0..<2000 {
            let time = UTCTimestamp(
                seconds: .random(in: -62_135_596_800...253_402_300_799, using: &random),
                nanoseconds: .random(in: 0..<1_000_000_000, using: &random))
            #expect(UTCTimestamp(time.description) == time)
        }
    }

    @Test func extremeMomentsArePrintedWithoutHarm() {
        for seconds in [Int64.min, .min + 1, -1, .max - 1, .max] { #expect(!UTCTimestamp(seconds: seconds).description.isEmpty) }
        for interval in [Double.infinity, -.infinity, .nan, 1e300, -1e300, 0.1] {
            #expect(!UTCTimestamp(timeIntervalSince1970: interval).description.isEmpty)
        }
        #expect(UTCTimestamp(timeIntervalSince1970: -0.25) == UTCTimestamp(seconds: -1, nanoseconds: 750_000_000))
        #expect(UTCTimestamp(seconds: 1, nanoseconds: 500_000_000).timeIntervalSince1970 == 1.5)
        #expect(UTCTimestamp(seconds: 5, nanoseconds: 1).wholeSeconds == UTCTimestamp(seconds: 5))
        #expect(UTCTimestamp(seconds: 5, nanoseconds: 1) < UTCTimestamp(seconds: 5, nanoseconds: 2))
        #expect(UTCTimestamp(seconds: 4, nanoseconds: 9) < UTCTimestamp(seconds: 5, nanoseconds: 0))
    }
}
