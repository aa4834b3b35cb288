import ChatProtocol

/// A moment as it is shown, and as it is reckoned with.
struct Moment: Sendable {
    /// What the clock of the day says.
    let now: UTCTimestamp
    /// The same for the age of things and for times of deletion, which a clock that jumps must not end.
    let steady: UTCTimestamp
}
