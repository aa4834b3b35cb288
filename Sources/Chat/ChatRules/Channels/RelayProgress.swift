package import ChatProtocol

/// The outcome of an attempt to make the next body of a channel.
package enum RelayProgress: Sendable, Hashable {
    /// A body is made, or messages were passed over that fit in none.
    case made
    /// Nothing waits.
    case none
    /// Quotas hold up what waits.
    case waits(until: UTCTimestamp)
}
