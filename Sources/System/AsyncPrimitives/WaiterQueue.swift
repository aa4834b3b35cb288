internal import DequeModule

/// Suspended tasks, in the order of their arrival. A value for use under a lock: continuations are removed under the lock and resumed after it.
struct WaiterQueue<Value: Sendable>: Sendable {
    /// The identifier of a waiter, for its removal.
    typealias Ticket = UInt64
    typealias Continuation = CheckedContinuation<Value, Never>

    private var waiters: Deque<(ticket: Ticket, continuation: Continuation)> = []
    private var lastTicket: Ticket = 0

    var isEmpty: Bool { waiters.isEmpty }
    var count: Int { waiters.count }

    /// Issues a ticket for ``append(_:ticket:)``. Tickets are ascending numbers.
    mutating func nextTicket() -> Ticket {
        lastTicket &+= 1
        return lastTicket
    }

    mutating func append(_ continuation: Continuation, ticket: Ticket) { waiters.append((ticket, continuation)) }

    mutating func append(_ continuation: Continuation) { append(continuation, ticket: nextTicket()) }

    /// Removes the waiter that waits longest.
    mutating func popFirst() -> Continuation? { waiters.popFirst()?.continuation }

    /// Removes one waiter; nil if it has been removed before.
    mutating func remove(_ ticket: Ticket) -> Continuation? {
        guard let index = waiters.firstIndex(where: { $0.ticket == ticket }) else { return nil }
        return waiters.remove(at: index).continuation
    }

    /// Removes all waiters, in the order of their arrival.
    mutating func removeAll() -> [Continuation] {
        defer { waiters = [] }
        return waiters.map(\.continuation)
    }
}
