internal import SMPWire

/// A time in UTC, to the nanosecond. Its JSON form is that of ISO 8601 in chat messages:
/// `2024-05-06T07:08:09.123Z`, with as many digits after the point as are needed and none for whole seconds.
///
/// The years are 0 to 9999, which that form can represent. A time outside is not read from text or from binary encodings, and a computed time
/// is set to the nearest end. Differences of two moments therefore always fit the type of ``seconds``.
public struct UTCTimestamp: Hashable, Sendable {
    /// Seconds since 1970 that a moment can have: from 0000-01-01T00:00:00Z to the last second of the year 9999.
    public static let range: ClosedRange<Int64> = UnixTime.range

    /// Whole seconds since 1970-01-01T00:00:00Z, rounded down; in ``range``.
    public let seconds: Int64
    /// Nanoseconds after ``seconds``, 0 to 999,999,999.
    public let nanoseconds: UInt32

    /// The moment, or the nearest end of ``range``.
    public init(seconds: Int64, nanoseconds: UInt32 = 0) {
        let (whole, overflow) = seconds.addingReportingOverflow(Int64(nanoseconds / 1_000_000_000))
        if !overflow, Self.range.contains(whole) {
            self.seconds = whole
            self.nanoseconds = nanoseconds % 1_000_000_000
        } else if seconds < 0 {
            self.seconds = Self.range.lowerBound
            self.nanoseconds = 0
        } else {
            self.seconds = Self.range.upperBound
            self.nanoseconds = 999_999_999
        }
    }

    /// The moment that a peer tells as seconds since 1970; nil outside of ``range``.
    public init?(exactly seconds: Int64) {
        guard Self.range.contains(seconds) else { return nil }
        self.init(seconds: seconds)
    }

    /// Seconds since 1970 as a binary number, as Foundation's `timeIntervalSince1970`; exact to the microsecond. Outside of ``range`` the
    /// nearest end, and 1970 for what is no number.
    public init(timeIntervalSince1970 interval: Double) {
        // Its microseconds fit 64 bits.
        let furthest = 3_155_760_000_000.0
        let bounded = interval.isNaN ? 0 : min(max(interval, -furthest), furthest)
        let microseconds = Int64((bounded * 1_000_000).rounded())
        let seconds = microseconds.dividedFloored(by: 1_000_000)
        self.init(seconds: seconds, nanoseconds: UInt32(microseconds - seconds * 1_000_000) * 1000)
    }

    /// Seconds since 1970 as a binary number, as Foundation has them.
    public var timeIntervalSince1970: Double { Double(seconds) + Double(nanoseconds) / 1_000_000_000 }

    /// The moment so long after the beginning of 1970, or before it; the nearest end of ``range`` if that is outside.
    public init(sinceEpoch duration: Duration) {
        // The components of the longest durations do not fit their type.
        let furthest = Duration.seconds(Self.range.upperBound + 1)
        let (seconds, attoseconds) = min(max(duration, .zero - furthest), furthest).components
        // Before 1970 both count backwards.
        let nanoseconds = attoseconds / 1_000_000_000
        self =
            nanoseconds < 0
            ? UTCTimestamp(seconds: seconds - 1, nanoseconds: UInt32(1_000_000_000 + nanoseconds))
            : UTCTimestamp(seconds: seconds, nanoseconds: UInt32(nanoseconds))
    }

    /// The time since the beginning of 1970; negative before it.
    public var sinceEpoch: Duration { .seconds(seconds) + .nanoseconds(Int64(nanoseconds)) }

    /// The same moment without the fraction of a second, as binary encodings have it.
    public var wholeSeconds: UTCTimestamp { UTCTimestamp(seconds: seconds) }
}

extension UTCTimestamp: Comparable {
    /// Orders two values.
    public static func < (left: UTCTimestamp, right: UTCTimestamp) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }
}

extension UTCTimestamp: JSONConvertible, CustomStringConvertible {
    /// Reads the JSON form.
    public init(json: JSONValue) throws(JSONError) {
        guard let moment = UTCTimestamp(try String(json: json)) else {
            throw JSONError(.invalidValue, "a time of ISO 8601 is expected")
        }
        self = moment
    }

    /// The JSON form.
    public var json: JSONValue { .string(description) }
    /// Appends the JSON text.
    public func write(to writer: inout JSONWriter) { writer.write(string: description) }

    /// A textual form, for messages and logs.
    public var description: String { UnixTime.text(seconds, nanoseconds: nanoseconds) }

    /// Reads a moment in ``range``: `YYYY-MM-DD`, a `T` or a space, `hh:mm`, optional seconds with an optional fraction, and `Z` or an offset
    /// (`+hh:mm`, `+hhmm`, `+hh`). Digits below the nanosecond are dropped.
    public init?(_ text: String) {
        var reader = TimestampReader(text: Array(text.utf8))
        guard let value = reader.timestamp() else { return nil }
        self = value
    }
}

private struct TimestampReader {
    let text: [UInt8]
    var position = 0

    init(text: [UInt8]) { self.text = text }

    private var next: UInt8? { position < text.count ? text[position] : nil }

    private mutating func skip(_ characters: String) -> Bool {
        guard let next, characters.utf8.contains(next) else { return false }
        position += 1
        return true
    }

    private mutating func number(_ digits: Int) -> Int? {
        guard text.count - position >= digits else { return nil }
        var value = 0
        for _ in 0..<digits {
            guard let byte = next, byte >= 0x30, byte <= 0x39 else { return nil }
            value = value * 10 + Int(byte - 0x30)
            position += 1
        }
        return value
    }

    private mutating func fraction() -> UInt32? {
        var value: UInt32 = 0
        var weight: UInt32 = 100_000_000
        let start = position
        while let byte = next, byte >= 0x30, byte <= 0x39 {
            value += UInt32(byte - 0x30) * weight
            weight /= 10
            position += 1
        }
        return position > start ? value : nil
    }

    private mutating func offset() -> Int? {
        if skip("Z") { return 0 }
        let sign = next == UInt8(ascii: "-") ? -1 : 1
        guard skip("+-"), let hours = number(2) else { return nil }
        var minutes = 0
        if next != nil {
            _ = skip(":")
            guard let value = number(2) else { return nil }
            minutes = value
        }
        guard hours < 24, minutes < 60 else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }

    mutating func timestamp() -> UTCTimestamp? {
        guard let year = number(4), skip("-"), let month = number(2), skip("-"), let day = number(2),
            let date = CivilDate(year: year, month: month, day: day), skip("T "),
            let hour = number(2), skip(":"), let minute = number(2), hour < 24, minute < 60
        else { return nil }
        var second = 0
        var nanoseconds: UInt32 = 0
        if skip(":") {
            guard let value = number(2), value <= 60 else { return nil }
            second = value
            if skip(".") {
                guard let value = fraction() else { return nil }
                nanoseconds = value
            }
        }
        guard let offset = offset(), next == nil else { return nil }
        let seconds = date.daysSince1970 * 86_400 + Int64(hour * 3600 + minute * 60 + second - offset)
        // An offset or a leap second may lead out of the years that can be represented.
        guard UTCTimestamp.range.contains(seconds) else { return nil }
        return UTCTimestamp(seconds: seconds, nanoseconds: nanoseconds)
    }
}
