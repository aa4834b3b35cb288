import SMPProtocol

/// The queues that a router may tell about on one connection, and whether each may have a message delivered now.
///
/// A router delivers a queue's next message only after the one before it was acknowledged. What keeps to that is bounded by the queues that
/// were asked for here; the rest is dropped before it can wait for anybody.
struct SessionDeliveries: Sendable {
    /// A decision about an unsolicited response of the router.
    enum Verdict: Sendable, Equatable {
        case take
        /// It is about nothing of ours, or was said before.
        case drop
        /// The router does not keep to the protocol: the connection must end.
        case violation(String)
    }

    private enum Delivery: Sendable, Equatable {
        /// A message may come.
        case open
        /// This message waits for its acknowledgement.
        case delivered(MessageID)
    }

    private var queues: [RecipientID: Delivery] = [:]
    private var notifiers: Set<NotifierID> = []
    /// True if the router may deliver messages of queues that it takes for the service's, and that were not subscribed to one by one.
    private var hasService = false
    /// True if the router takes any of the queues for the service's, so that another connection of the service may take them over.
    private var hasServiceQueues = false
    /// True if the router is still to say that all that waited in the service's queues has been delivered.
    private var awaitsEndOfBacklog = false
    /// Queues that ended and were not known: a service's that no message had come from.
    private var unknownEnds = 0

    /// Queues that are known.
    var count: Int { queues.count }

    /// A command is about to be sent: records the messages that it allows the router to send.
    mutating func sending(_ command: SMPCommand, to entity: EntityID) {
        switch command {
        case .sub, .get, .ack: queues[entity] = .open
        case .subs: (hasService, hasServiceQueues, awaitsEndOfBacklog) = (true, true, true)
        case .nsub: notifiers.insert(entity)
        default: break
        }
    }

    /// The router has answered a command.
    mutating func answered(_ command: SMPCommand, to entity: EntityID, with message: SMPBrokerMessage) {
        switch (command, message) {
        case (_, .msg(let message)): queues[entity] = .delivered(message.id)
        case (.new, .ids(let ids)):
            queues[ids.recipientID] = .open
            if ids.serviceID != nil { hasServiceQueues = true }
        case (.sub, .sok(.some)): hasServiceQueues = true
        case (.del, .ok), (.off, .ok): queues[entity] = nil
        default: break
        }
    }

    /// The router delivers a message of its own accord.
    ///
    /// - Parameter limit: queues of a service that may be learned of so.
    mutating func delivered(_ message: ReceivedMessage, in queue: RecipientID, limit: Int) -> Verdict {
        switch queues[queue] {
        case .open: break
        case .delivered(message.id): return .drop
        case .delivered: return .violation("a message before the one before it was acknowledged")
        case nil:
            guard hasService, queues.count < limit else { return .drop }
        }
        queues[queue] = .delivered(message.id)
        return .take
    }

    /// The router says that a subscription has ended, or that the queue is gone.
    ///
    /// - Parameter limit: queues of a service that this may be said of.
    mutating func ended(_ queue: RecipientID, limit: Int) -> Verdict {
        if queues.removeValue(forKey: queue) != nil { return .take }
        guard hasService, unknownEnds < limit else { return .drop }
        unknownEnds += 1
        return .take
    }

    /// The router says that another connection has taken the service's queues.
    mutating func serviceEnded() -> Verdict {
        defer { (hasService, hasServiceQueues, awaitsEndOfBacklog) = (false, false, false) }
        return hasServiceQueues ? .take : .drop
    }

    /// The router says that all that waited in the service's queues has been delivered.
    mutating func serviceDelivered() -> Verdict {
        defer { awaitsEndOfBacklog = false }
        return awaitsEndOfBacklog ? .take : .drop
    }

    func notified(_ notifier: NotifierID) -> Verdict { notifiers.contains(notifier) ? .take : .drop }
}
