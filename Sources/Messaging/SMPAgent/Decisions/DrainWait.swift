/// The knowledge of the messages that are left in a queue.
enum QueueBacklog: Sendable, Equatable {
    /// Everything was read and acknowledged.
    case empty
    case messages
    /// The router does not know the queue, or does not say.
    case none
    /// The router cannot be reached.
    case unknown

    /// Combines the knowledge of several queues.
    init(_ backlogs: [QueueBacklog]) {
        self = [.messages, .unknown, .empty].first { backlogs.contains($0) } ?? .none
    }
}

/// Decides how long messages that are not the next ones wait for those before them, which another queue may hold.
struct DrainWait: Sendable {
    private let grace: Duration
    private let timeout: Duration
    private var emptyFor = Duration.zero
    private var unknownFor = Duration.zero

    init(_ configuration: AgentConfiguration) {
        grace = configuration.drainGrace
        timeout = configuration.drainTimeout
    }

    /// - Parameter pause: since the last query.
    /// - Returns: true if nothing is waited for any longer.
    mutating func isOver(_ backlog: QueueBacklog, after pause: Duration) -> Bool {
        switch backlog {
        case .none: return true
        case .messages: (emptyFor, unknownFor) = (.zero, .zero)
        case .empty: (emptyFor, unknownFor) = (emptyFor + pause, .zero)
        case .unknown: (emptyFor, unknownFor) = (.zero, unknownFor + pause)
        }
        return emptyFor >= grace || unknownFor >= timeout
    }
}

/// Decides when the peer is notified that it can use the new queue of a connection that moves (`QUSE`).
///
/// Official agents forget then what waits for the old queue alone. Much may wait while that one is full, or is being read: so it is waited for until
/// the old queue stays empty. One that is empty at the first query, or that cannot be asked, delays nothing.
struct MoveWait: Sendable {
    private let grace: Duration
    private let timeout: Duration
    private var hadMessages = false
    private var emptyFor = Duration.zero
    private var elapsed = Duration.zero

    init(_ configuration: AgentConfiguration) {
        grace = configuration.moveGrace
        timeout = configuration.moveTimeout
    }

    /// - Parameters:
    ///   - backlog: what is left in the old queue.
    ///   - count: how many messages that are.
    ///   - pause: since the last query.
    /// - Returns: true if nothing is waited for any longer.
    mutating func isOver(_ backlog: QueueBacklog, _ count: Int, after pause: Duration) -> Bool {
        elapsed += pause
        switch backlog {
        case .none, .unknown: return true
        // One may be the message that began this (`QKEY`), which is just being acknowledged.
        case .messages where hadMessages || count > 1: (hadMessages, emptyFor) = (true, .zero)
        case .messages: return true
        case .empty: emptyFor += pause
        }
        return !hadMessages || emptyFor >= grace || elapsed >= timeout
    }
}
