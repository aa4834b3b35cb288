/// The delays between attempts: each is twice as long as the one before, up to the longest.
package struct DoublingDelay: Hashable, Sendable {
    private let first: Duration
    private let longest: Duration
    /// The delay before the next attempt.
    package private(set) var upcoming: Duration

    /// - Parameters:
    ///   - first: The delay after the first attempt.
    ///   - longest: Not shorter than the first.
    package init(from first: Duration, to longest: Duration) {
        self.first = first
        self.longest = longest
        upcoming = first
    }

    /// Takes the delay before the next attempt.
    package mutating func next() -> Duration {
        defer { upcoming = min(upcoming * 2, longest) }
        return upcoming
    }

    /// Begins with the first delay again, after an attempt that succeeded.
    package mutating func reset() { upcoming = first }
}
