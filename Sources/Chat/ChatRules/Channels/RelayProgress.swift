package import ChatProtocol

/// The outcome of an attempt to make the next body of a channel.
package enum RelayProgress: Sendable, Hashable {
    /// A body is made, or messages that are too long were skipped.
    case made
    /// Nothing waits.
    case none
    /// Quotas delay the waiting messages.
    case waits(until: UTCTimestamp)
}
