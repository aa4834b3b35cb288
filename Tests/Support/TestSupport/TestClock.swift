import Synchronization

/// A time of day that stands still until it is advanced.
public final class TestClock: Sendable {
    private let seconds: Atomic<Int64>

    /// - Parameter seconds: since 1970.
    public init(_ seconds: Int64) { self.seconds = Atomic(seconds) }

    /// Seconds since 1970.
    public var now: Int64 { seconds.load(ordering: .relaxed) }

    public func advance(_ seconds: Int64) { self.seconds.add(seconds, ordering: .relaxed) }
}
