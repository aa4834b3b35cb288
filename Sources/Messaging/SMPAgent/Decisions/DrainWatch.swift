/// What is known of the messages that are left in a queue.
enum QueueRest: Sendable, Equatable {
    /// Everything was read and acknowledged.
    case empty
    case messages
    /// The router does not know the queue, or does not say.
    case none
    /// The router cannot be reached.
    case unknown

    /// What is left in several queues.
    init(_ rests: [QueueRest]) {
        self = [.messages, .unknown, .empty].first { rests.contains($0) } ?? .none
    }
}

/// Decides how long messages that are not the next ones wait for those before them, which another queue may hold.
struct DrainWatch: Sendable {
    private let grace: Duration
    private let timeout: Duration
    private var emptyFor = Duration.zero
    private var unknownFor = Duration.zero

    init(_ configuration: AgentConfiguration) {
        grace = configuration.drainGrace
        timeout = configuration.drainTimeout
    }

    /// - Parameter pause: since the last look.
    /// - Returns: whether nothing is waited for any longer.
    mutating func isOver(_ rest: QueueRest, after pause: Duration) -> Bool {
        switch rest {
        case .none: return true
        case .messages: (emptyFor, unknownFor) = (.zero, .zero)
        case .empty: (emptyFor, unknownFor) = (emptyFor + pause, .zero)
        case .unknown: (emptyFor, unknownFor) = (.zero, unknownFor + pause)
        }
        return emptyFor >= grace || unknownFor >= timeout
    }
}
