import ChatProtocol

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Foundation
#endif

extension UTCTimestamp {
    /// The moment that the system's clock shows.
    static func current() -> UTCTimestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UTCTimestamp(seconds: Int64(time.tv_sec), nanoseconds: UInt32(time.tv_nsec))
    }
}

extension UTCTimestamp {
    /// The moment that many milliseconds after 1970-01-01T00:00:00Z.
    init(milliseconds: Int64) {
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
        self.init(seconds: rest < 0 ? seconds - 1 : seconds, nanoseconds: UInt32((rest < 0 ? rest + 1_000 : rest) * 1_000_000))
    }
}
