import Synchronization

/// A time of day that stands still until it is advanced.
final class TestClock: Sendable {
    private let seconds: Atomic<Int64>

    init(_ seconds: Int64) { self.seconds = Atomic(seconds) }

    var now: Int64 { seconds.load(ordering: .relaxed) }

    func advance(_ seconds: Int64) { self.seconds.add(seconds, ordering: .relaxed) }
}
