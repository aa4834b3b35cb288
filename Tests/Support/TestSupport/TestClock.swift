import Synchronization

/// A time of day that stands still until it is advanced.
package final class TestClock: Sendable {
    private let seconds: Atomic<Int64>

    /// - Parameter seconds: since 1970.
    package init(_ seconds: Int64) { self.seconds = Atomic(seconds) }

    /// Seconds since 1970.
    package var now: Int64 { seconds.load(ordering: .relaxed) }

    package func advance(_ seconds: Int64) { self.seconds.add(seconds, ordering: .relaxed) }
}
