/// Time of day for the age of things, which does not follow a clock that is set far off.
///
/// Data with a lifetime is deleted when the clock says that the lifetime is over. A clock that jumps by more than an hour, to 1970
/// or to 2100, is more often wrong than right; so it is believed only when it has stood by that for a day. Until then time goes on from where
/// it was, as fast as it passes. What runs slow or fast, and is set right now and then, is followed.
///
/// A value without a clock of its own: it is told what the clocks show.
package struct SteadyTime: Sendable {
    /// A clock that is off by no more than this is followed at once.
    package static let tolerance = Duration.seconds(3_600)
    /// For how long a clock must be off before it is followed.
    package static let probation = Duration.seconds(86_400)

    /// When time of day and elapsed time were last seen together.
    private var known: (time: Duration, elapsed: Duration)?
    /// When the clock was first seen to be off, in elapsed time.
    private var offSince: Duration?

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
        guard difference > Self.tolerance || difference < .zero - Self.tolerance else { return follow(time, elapsed) }
        let since = offSince ?? elapsed
        offSince = since
        return elapsed - since >= Self.probation ? follow(time, elapsed) : expected
    }

    private mutating func follow(_ time: Duration, _ elapsed: Duration) -> Duration {
        known = (time, elapsed)
        offSince = nil
        return time
    }
}
