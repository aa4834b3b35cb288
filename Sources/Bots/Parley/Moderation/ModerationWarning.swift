/// Points that were given to somebody.
package struct ModerationWarning: Codable, Sendable, Hashable {
    package var points: Int
    /// The time from which on they do not count any more, in seconds since 1970; nil for never.
    package var expires: Double?
    /// The number of the case.
    package var number: Int
    /// The time at which they were given, in seconds since 1970; nil for those of earlier versions.
    package var time: Double?
    /// The times before they were corrected, by a clock that may have been the right one.
    private(set) var uncorrected: TimerTimes.Original?

    /// Warnings of one person that are remembered at the most; the oldest are forgotten first.
    package static let maximumCount = 100

    package init(points: Int, expires: Double?, number: Int, time: Double? = nil) {
        self.time = time
        self.points = points
        self.expires = expires
        self.number = number
    }
}

extension [ModerationWarning] {
    /// The points that count at a time.
    package func points(at now: Double) -> Int { reduce(0) { $0 + ($1.expires.map { $0 > now } ?? true ? $1.points : 0) } }

    /// Adds a warning, and forgets those that have expired.
    package mutating func warn(_ warning: ModerationWarning, at now: Double) {
        removeAll { $0.expires.map { $0 <= now } ?? false }
        append(warning)
        if count > ModerationWarning.maximumCount { removeFirst() }
    }

    /// Takes warnings back. Others stay, also those that were given meanwhile.
    package mutating func forgive(_ known: [ModerationWarning]) { removeAll { known.contains($0) } }

    /// Takes the warning of a case back.
    package mutating func revoke(_ number: Int) { removeAll { $0.number == number } }
}

/// The warnings that a bot in Swift has given to a member.
struct WarningRecord: StoredState {
    static let stateName = "parley.warnings"
    var warnings: [ModerationWarning] = []
}
