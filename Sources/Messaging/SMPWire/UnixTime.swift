/// Times as seconds since 1970-01-01T00:00:00Z.
public enum UnixTime {
    /// The range of a time: the years 0 to 9999. All sums and differences of such times, in milliseconds too, fit 64 bits.
    public static let range: ClosedRange<Int64> = -62_167_219_200...253_402_300_799

    /// The time, or the nearest end of ``range``.
    public static func bounded(_ seconds: Int64) -> Int64 { min(max(seconds, range.lowerBound), range.upperBound) }

    /// A time as text of ISO 8601 in universal time: `2024-05-06T07:08:09.123Z`, with as many digits after the point as are needed and none for whole seconds.
    ///
    /// A time outside of ``range``, which a damaged file may hold, has a year with more digits or a sign.
    package static func text(_ seconds: Int64, nanoseconds: UInt32 = 0) -> String {
        let days = seconds.dividedFloored(by: 86_400)
        let remainder = Int(seconds % 86_400)
        let second = remainder < 0 ? remainder + 86_400 : remainder
        let date = CivilDate(daysSince1970: days)
        return String(unsafeUninitializedCapacity: TimestampText.maximumLength) { buffer in
            var text = TimestampText(buffer: buffer)
            text.write(date.year, digits: 4)
            text.write("-", date.month)
            text.write("-", date.day)
            text.write("T", second / 3600)
            text.write(":", second / 60 % 60)
            text.write(":", second % 60)
            text.write(fraction: nanoseconds)
            text.write("Z")
            return text.count
        }
    }
}

/// Writes the parts of a time. Times are most of what items print, hence no strings in between.
private struct TimestampText {
    /// A sign, the twelve digits of the year of the latest time, and the rest to the nanosecond.
    static let maximumLength = 64

    private let buffer: UnsafeMutableBufferPointer<UInt8>
    private(set) var count = 0

    /// - Precondition: The buffer has room for ``maximumLength`` bytes.
    init(buffer: UnsafeMutableBufferPointer<UInt8>) { self.buffer = buffer }

    mutating func write(_ mark: Unicode.Scalar) { append(UInt8(ascii: mark)) }

    mutating func write(_ mark: Unicode.Scalar, _ number: Int) {
        write(mark)
        write(number, digits: 2)
    }

    /// At least that many digits.
    mutating func write(_ number: Int, digits: Int) {
        if number < 0 { write("-") }
        var weight = 1, width = 1
        while width < digits || number.magnitude / UInt(weight) >= 10 {
            weight *= 10
            width += 1
        }
        while weight > 0 {
            append(UInt8(number.magnitude / UInt(weight) % 10) + UInt8(ascii: "0"))
            weight /= 10
        }
    }

    /// A point and the digits that are needed; nothing for zero.
    mutating func write(fraction nanoseconds: UInt32) {
        guard nanoseconds > 0 else { return }
        write(".")
        var rest = nanoseconds, weight: UInt32 = 100_000_000
        while rest > 0 {
            append(UInt8(rest / weight) + UInt8(ascii: "0"))
            rest %= weight
            weight /= 10
        }
    }

    private mutating func append(_ byte: UInt8) {
        buffer[count] = byte
        count += 1
    }
}
