import ChatRules
import SMPAgent

extension AsyncStream<AgentNotification> {
    /// How many later events come before an event comes again.
    private static var delay: Int { 4 }

    /// The events, and again everything that agents may report again: at once, and once more after some later events.
    func repeated() -> AsyncStream<AgentNotification> {
        let (stream, continuation) = AsyncStream.makeStream()
        Task {
            var late: [AgentNotification] = []
            for await notification in self {
                continuation.yield(notification)
                guard notification.comesAgain else { continue }
                continuation.yield(notification)
                late.append(notification)
                if late.count > Self.delay { continuation.yield(late.removeFirst()) }
            }
            continuation.finish()
        }
        return stream
    }
}

extension AgentNotification {
    /// Whether the event comes again if the process ends before it was confirmed or acknowledged.
    fileprivate var comesAgain: Bool {
        if durableID != nil { return true }
        switch event {
        case .message, .receipts, .sent: return true
        default: return false
        }
    }
}
