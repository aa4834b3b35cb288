/// Time of day for the age of things, which does not follow a clock that is set far off.
///
/// Data with a lifetime is deleted when the clock says that the lifetime is over. A clock that jumps by more than an hour, to 1970
/// or to 2100, is more often wrong than right; so it is believed only when it has stood by that for a day. Until then time continues from where
/// it was, as fast as it passes. What runs slow or fast, and is set right now and then, is followed.
///
/// A value without a clock of its own: its caller passes the times of the clocks.
package struct SteadyTime: Sendable {
    /// A clock that is off by no more than this is followed at once.
    package static let tolerance = Duration.seconds(3_600)
    /// For how long a clock must be off before it is followed.
    package static let probation = Duration.seconds(86_400)

    /// When time of day and elapsed time were last seen together.
    private var known: (time: Duration, elapsed: Duration)?
    /// The difference from the time that is believed, as it was last seen, and the elapsed time since which the clock agrees with it.
    private var off: (difference: Duration, since: Duration)?

    package init() {}

    /// The time of day to believe.
    ///
    /// - Parameters:
    ///   - time: what the clock says, since 1970.
    ///   - elapsed: time that passes whatever the clock is set to. Machines that sleep count it, too.
    package mutating func believed(_ time: Duration, at elapsed: Duration) -> Duration {
        guard let known else { return follow(time, elapsed) }
        let expected = known.time + (elapsed - known.elapsed)
        let difference = time - expected
        guard Self.isFar(difference) else { return follow(time, elapsed) }
        // A clock that is off in another way than before has stood by that for no time.
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
