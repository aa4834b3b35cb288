/// Times as seconds since 1970-01-01T00:00:00Z.
public enum UnixTime {
    /// The range of a time: the years 0 to 9999. All sums and differences of such times, in milliseconds too, fit 64 bits.
    public static let range: ClosedRange<Int64> = -62_167_219_200...253_402_300_799

    /// The time, or the nearest end of ``range``.
    public static func bounded(_ seconds: Int64) -> Int64 { min(max(seconds, range.lowerBound), range.upperBound) }
}
