import SMPProtocol

/// The queues that a router has for a service besides those that are known here, as a value.
///
/// The counts of both sides alone do not tell whether the router has all of ours: it may lack one and have another. Therefore what is too much counts
/// only after each of our queues has been subscribed to by itself in the connection in which it was counted. That the router has all of them then.
struct ServiceSurplus: Sendable {
    private struct Pending {
        let connection: Int
        let queues: ServiceQueues
        /// Our queues that have not been subscribed to by themselves yet.
        var unconfirmed: Set<RecipientID>
    }

    private(set) var known = ServiceQueues.none
    private var pending: Pending?

    init() {}

    /// Takes the router's count for a subscription to all queues at once.
    ///
    /// - Parameters:
    ///   - associated: our queues.
    ///   - connection: the number of the connection; nil if it has ended.
    /// - Returns: true if the router has subscribed all of our queues.
    mutating func isComplete(_ counted: ServiceQueues, for associated: some Sequence<RecipientID>, in connection: Int?) -> Bool {
        pending = nil
        let expected = ServiceQueues(associated)
        // If those that are too much were not all ours and the same others, the hash would differ.
        if counted == expected || counted == expected.including(known) { return true }
        known = .none
        if let connection, counted.count > expected.count {
            pending = Pending(connection: connection, queues: counted.excluding(expected), unconfirmed: Set(associated))
        }
        return false
    }

    /// Notes queues that have been subscribed to by themselves and are the service's.
    mutating func confirm(_ queues: some Sequence<RecipientID>, in connection: Int) {
        guard pending?.connection == connection else { return }
        pending?.unconfirmed.subtract(queues)
        settle()
    }

    /// Notes queues that are not the service's any more, on either side.
    mutating func forget(_ queues: some Sequence<RecipientID>) {
        pending?.unconfirmed.subtract(queues)
        settle()
    }

    private mutating func settle() {
        guard let pending, pending.unconfirmed.isEmpty else { return }
        known = pending.queues
        self.pending = nil
    }
}
