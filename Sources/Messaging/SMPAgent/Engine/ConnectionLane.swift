import SMPProtocol
import Synchronization

/// A message that a router delivered and that waits for its turn.
struct IncomingMessage: Sendable {
    let queue: QueueKey
    let row: RowID
    let message: ReceivedMessage
}

/// Everything that happens in one connection happens here, one after another, with the connection's state in memory.
final class ConnectionLane: Sendable {
    private struct Inner {
        var isHeld = false
        var waiters: [CheckedContinuation<Void, Never>] = []
        var incoming: [IncomingMessage] = []
        var isDraining = false
        /// Calls that have the lane in hand; a lane without any can be forgotten.
        var users = 0
        var state: ConnectionState?
        var unacknowledged: [AgentMessageID: ReceivedMessageRecord] = [:]
    }

    let id: ConnectionID
    private let inner = Mutex(Inner())

    init(_ id: ConnectionID) { self.id = id }

    /// Waits for the lane; who waits first is first.
    func hold() async {
        await withCheckedContinuation { continuation in
            let isFree = inner.withLock { inner in
                if inner.isHeld {
                    inner.waiters.append(continuation)
                    return false
                }
                inner.isHeld = true
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    func release() {
        let next = inner.withLock { inner -> CheckedContinuation<Void, Never>? in
            guard !inner.waiters.isEmpty else {
                inner.isHeld = false
                return nil
            }
            return inner.waiters.removeFirst()
        }
        next?.resume()
    }

    func enter() { inner.withLock { $0.users += 1 } }
    func leave() { inner.withLock { $0.users -= 1 } }

    /// Whether nobody uses the lane and nothing waits in it.
    var isIdle: Bool { inner.withLock { $0.users == 0 && !$0.isHeld && $0.incoming.isEmpty } }

    /// The state in memory; nil if it is not loaded, or the connection is gone. Only for who holds the lane.
    var state: ConnectionState? {
        get { inner.withLock { $0.state } }
        set { inner.withLock { $0.state = newValue } }
    }

    /// Messages that were reported and wait for the user.
    func setUnacknowledged(_ record: ReceivedMessageRecord) { inner.withLock { $0.unacknowledged[record.messageID] = record } }

    func takeUnacknowledged(_ messageID: AgentMessageID) -> ReceivedMessageRecord? {
        inner.withLock { $0.unacknowledged.removeValue(forKey: messageID) }
    }

    /// Appends a message.
    ///
    /// - Returns: whether the caller must drain the lane.
    func append(_ message: IncomingMessage) -> Bool {
        inner.withLock { inner in
            inner.incoming.append(message)
            defer { inner.isDraining = true }
            return !inner.isDraining
        }
    }

    /// The next message; nil ends the draining.
    func nextIncoming() -> IncomingMessage? {
        inner.withLock { inner in
            guard !inner.incoming.isEmpty else {
                inner.isDraining = false
                return nil
            }
            return inner.incoming.removeFirst()
        }
    }
}

/// The lanes of the connections in use, and of some that were used lately.
final class LaneRegistry: Sendable {
    private struct Inner {
        var lanes: [ConnectionID: ConnectionLane] = [:]
        /// Lanes in the order of their use; may hold one more than once.
        var order: [ConnectionID] = []
    }

    private let capacity: Int
    private let inner = Mutex(Inner())

    /// - Parameter capacity: lanes that are kept when nothing happens in them.
    init(capacity: Int) { self.capacity = max(1, capacity) }

    /// The lane of a connection, in use until ``checkIn(_:)``.
    func checkOut(_ id: ConnectionID) -> ConnectionLane {
        inner.withLock { inner in
            let lane: ConnectionLane
            if let known = inner.lanes[id] {
                lane = known
            } else {
                lane = ConnectionLane(id)
                inner.lanes[id] = lane
                inner.order.append(id)
                Self.forgetIdle(&inner, capacity)
            }
            lane.enter()
            return lane
        }
    }

    func checkIn(_ lane: ConnectionLane) { lane.leave() }

    /// Forgets lanes beyond the capacity, the oldest first, unless they are in use.
    private static func forgetIdle(_ inner: inout Inner, _ capacity: Int) {
        guard inner.lanes.count > capacity else { return }
        var kept: [ConnectionID] = []
        for (index, id) in inner.order.enumerated() {
            if inner.lanes.count <= capacity {
                kept += inner.order[index...]
                break
            }
            if id != inner.order.last, let lane = inner.lanes[id], lane.isIdle {
                inner.lanes[id] = nil
            } else {
                kept.append(id)
            }
        }
        inner.order = kept
    }

    /// Lanes in memory, for tests.
    var count: Int { inner.withLock { $0.lanes.count } }
}
