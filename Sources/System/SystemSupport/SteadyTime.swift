/// A time of day for the age of data, which does not follow a clock with a large error.
///
/// Data with a lifetime is deleted when the clock says that the lifetime is over. A clock that jumps by more than an hour, to 1970 or to
/// 2100, is more often wrong than right; so it is followed only after it has kept the new time for a day. Until then, time continues from
/// its old value at normal speed. A clock that runs slow or fast, and is corrected now and then, is followed.
///
/// A value without a clock: its caller passes the times of the clocks.
package struct SteadyTime: Sendable {
    /// The largest error of a clock that is followed at once.
    package static let tolerance = Duration.seconds(3_600)
    /// The time for which a clock must keep a larger error before it is followed.
    package static let probation = Duration.seconds(86_400)

    /// The last accepted time of day, with the elapsed time then.
    private var known: (time: Duration, elapsed: Duration)?
    /// The last difference of the clock from the accepted time, and the elapsed time since which the clock has kept it.
    private var off: (difference: Duration, since: Duration)?

    package init() {}

    /// Returns the accepted time of day.
    ///
    /// - Parameters:
    ///   - time: the time of the clock, since 1970.
    ///   - elapsed: a time that setting the clock does not affect. It includes the sleep of the machine.
    package mutating func believed(_ time: Duration, at elapsed: Duration) -> Duration {
        guard let known else { return follow(time, elapsed) }
        let expected = known.time + (elapsed - known.elapsed)
        let difference = time - expected
        guard Self.isFar(difference) else { return follow(time, elapsed) }
        // A clock with another error than before starts a new period.
        let since = if let off, !Self.isFar(difference - off.difference) { off.since } else { elapsed }
        off = (difference, since)
        return elapsed - since >= Self.probation ? follow(time, elapsed) : expected
    }

    private mutating func follow(_ time: Duration, _ elapsed: Duration) -> Duration {
        known = (time, elapsed)
        off = nil
        return time
    }

    private static func isFar(_ difference: Duration) -> Bool { difference > tolerance || difference < .zero - tolerance }
}
