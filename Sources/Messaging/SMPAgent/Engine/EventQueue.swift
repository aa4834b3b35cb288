import Synchronization

/// Events on their way to the agent's user, and their number.
///
/// The stream itself takes any number. ``AgentCore`` takes no more messages from routers while ``count`` is above
/// ``AgentConfiguration/maximumPendingEvents``: routers keep them.
final class EventQueue: Sendable {
    /// The events, for one reader.
    let events: AsyncStream<AgentNotification>
    private let continuation: AsyncStream<AgentNotification>.Continuation
    private let pending: PendingCount

    private final class PendingCount: Sendable {
        let value = Atomic(0)
    }

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: AgentNotification.self)
        self.continuation = continuation
        let pending = PendingCount()
        self.pending = pending
        events = AsyncStream {
            var iterator = stream.makeAsyncIterator()
            guard let next = await iterator.next() else { return nil }
            pending.value.subtract(1, ordering: .relaxed)
            return next
        }
    }

    /// The number of events that the user has not taken.
    var count: Int { pending.value.load(ordering: .relaxed) }

    func yield(_ event: AgentNotification) {
        pending.value.add(1, ordering: .relaxed)
        continuation.yield(event)
    }

    func finish() { continuation.finish() }
}
