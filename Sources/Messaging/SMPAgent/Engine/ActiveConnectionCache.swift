import DequeModule
import Synchronization

/// A cache of the connections in use, and of some that are idle.
///
/// Each call takes the same short time, however many connections are in use at once: a relay uses a thousand at a time.
final class ActiveConnectionCache: Sendable {
    private struct Inner {
        var connections: [ConnectionID: ActiveConnection] = [:]
        /// The connections in the order in which they came, each once. One that was found in use is at the end again.
        var order: Deque<ActiveConnection> = []
    }

    /// Connections that a call looks at in order to evict them: more than the one that it may add, so that what was in use at once is evicted in time.
    private static let evictionsPerCall = 2

    private let capacity: Int
    private let inner = Mutex(Inner())

    /// - Parameter capacity: the number of connections beyond which idle ones are evicted.
    init(capacity: Int) { self.capacity = max(1, capacity) }

    /// A connection, in use until ``checkIn(_:)``.
    func checkOut(_ id: ConnectionID) -> ActiveConnection {
        inner.withLock { inner in
            if let known = inner.connections[id] {
                known.enter()
                return known
            }
            let active = ActiveConnection(id)
            active.enter()
            inner.connections[id] = active
            inner.order.append(active)
            evictIdle(&inner)
            return active
        }
    }

    func checkIn(_ active: ActiveConnection) {
        active.leave()
        inner.withLock { evictIdle(&$0) }
    }

    /// Evicts connections beyond the capacity, the oldest first, unless they are in use.
    private func evictIdle(_ inner: inout Inner) {
        for _ in 0..<Self.evictionsPerCall {
            guard inner.connections.count > capacity, let oldest = inner.order.popFirst() else { return }
            if oldest.isIdle { inner.connections[oldest.id] = nil } else { inner.order.append(oldest) }
        }
    }

    /// The number of connections in memory, for tests.
    var count: Int { inner.withLock { $0.connections.count } }
}
