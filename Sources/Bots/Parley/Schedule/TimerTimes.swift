/// Times that no right clock shows.
package enum ImplausibleTime {
    /// Seconds from 1970 to the beginning of 2025: no version of Parley is older, and a clock that shows less is wrong.
    package static let end = 1_735_689_600.0

    /// Tells whether a time was taken from a clock that was behind, in seconds since 1970.
    ///
    /// - Parameter now: the time by the clock of now, which may be behind as well: then nothing is known.
    package static func wasBehind(_ time: Double, at now: Double) -> Bool { time < end && now >= end }

    /// Tells whether a deadline is over that has a timer of its own. One that was set by a clock that was behind is not: its timer, whose time is
    /// corrected, ends it.
    package static func isOver(_ deadline: Double, at now: Double) -> Bool { now > deadline && !wasBehind(deadline, at: now) }
}

/// When a timer was set, and when it is due, in seconds since 1970 by the clock of the time when it was set.
///
/// A process that starts while the clock is wrong believes it, and sets timers by it. When a later one finds that it was wrong, a timer gets the delay that was
/// left. The clock was wrong, then or now, if the timer was set in the future; it was wrong then if the timer was set before there was this program. What a
/// clock shows that is ahead of the right time cannot be distinguished from a long pause: timers that were set before that are due.
struct TimerTimes: Sendable, Hashable {
    /// Seconds by which a clock may be set back without being wrong.
    static let tolerance = 3_600.0

    /// Times of a timer.
    struct Original: Codable, Sendable, Hashable {
        var setAt: Double
        var due: Double
    }

    var setAt: Double
    var due: Double
    /// The times that it had before the clock went back. They hold again if it was the clock of now that was wrong.
    var original: Original?

    /// The times by the clock of now.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - seen: the last time that is known to have been shown before.
    /// - Returns: nil if the timer keeps its times.
    func corrected(at now: Double, seen: Double?) -> TimerTimes? {
        let isAhead = setAt > now + Self.tolerance
        guard isAhead || ImplausibleTime.wasBehind(setAt, at: now) else { return nil }
        if let original, original.setAt <= now + Self.tolerance, !ImplausibleTime.wasBehind(original.setAt, at: now) {
            return TimerTimes(setAt: original.setAt, due: original.due, original: nil)
        }
        // By the same clock as that by which it was set, some of the delay may have passed.
        var reference = setAt
        if let seen, seen > setAt, isAhead ? seen > now + Self.tolerance : ImplausibleTime.wasBehind(seen, at: now) { reference = min(seen, due) }
        let first = original ?? (setAt >= ImplausibleTime.end ? Original(setAt: setAt, due: due) : nil)
        return TimerTimes(setAt: now, due: now + max(0, due - reference), original: first)
    }
}
