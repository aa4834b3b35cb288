import SMPCrypto
import SMPProtocol

/// The queues that one connection, and every connection after it, is to be subscribed to. Decides; does no I/O.
struct SubscriptionTable: Sendable {
    private enum State: Sendable, Equatable {
        /// To be subscribed to.
        case wanted
        /// A task is subscribing to it now, and will report the outcome.
        case inProgress
        /// Subscribed to in the connection of this number.
        case active(Int)
    }

    private struct Entry: Sendable {
        let subscription: QueueSubscription
        var state: State
    }

    private var entries: [RecipientID: Entry] = [:]
    private var wantedCount = 0

    /// True if there are queues that nobody is subscribing to.
    var hasWanted: Bool { wantedCount > 0 }
    /// All queues that are remembered.
    var count: Int { entries.count }

    private mutating func set(_ state: State, _ subscription: QueueSubscription) {
        let old = entries.updateValue(Entry(subscription: subscription, state: state), forKey: subscription.queue)
        wantedCount += (state == .wanted ? 1 : 0) - (old?.state == .wanted ? 1 : 0)
    }

    /// Remembers queues that the caller is about to subscribe to.
    mutating func begin(_ subscriptions: [QueueSubscription]) {
        for subscription in subscriptions { set(.inProgress, subscription) }
    }

    /// Hands out queues that nobody is subscribing to, for the caller to do it.
    mutating func takeWanted(atMost limit: Int) -> [QueueSubscription] {
        guard wantedCount > 0 else { return [] }
        var taken: [QueueSubscription] = []
        for entry in entries.values where entry.state == .wanted {
            taken.append(entry.subscription)
            if taken.count == limit { break }
        }
        begin(taken)
        return taken
    }

    /// Remembers a queue that was subscribed to when it was created.
    mutating func add(_ subscription: QueueSubscription, in connection: Int) { set(.active(connection), subscription) }

    /// Remembers a queue that somebody is to subscribe to.
    mutating func want(_ subscription: QueueSubscription) { set(.wanted, subscription) }

    enum Outcome: Sendable, Equatable {
        case active
        /// To be tried again.
        case wanted
        /// Failed permanently, or forgotten in the meantime.
        case forgotten
    }

    /// Records the outcome of subscribing to a queue.
    ///
    /// - Parameters:
    ///   - error: nil when the router accepted.
    ///   - connection: the number of the connection on which it was asked.
    ///   - current: the number of the present connection. An answer of an earlier one means nothing to it.
    mutating func finish(
        _ queue: RecipientID, _ error: SMPClientError?, in connection: Int, current: Int?
    ) -> Outcome {
        guard let entry = entries[queue] else { return .forgotten }
        // A later caller may have begun, and even succeeded, in the meantime: then it is the one that decides.
        if let current, entry.state == .active(current) { return .active }
        guard entry.state == .inProgress else { return .wanted }
        if let error, !error.isTemporary, error.isAboutQueue {
            forget(queue)
            return .forgotten
        }
        guard error == nil, connection == current else {
            set(.wanted, entry.subscription)
            return .wanted
        }
        set(.active(connection), entry.subscription)
        return .active
    }

    /// The queues that are subscribed to in a connection.
    func active(in connection: Int) -> [RecipientID] {
        entries.values.filter { $0.state == .active(connection) }.map(\.subscription.queue)
    }

    /// A subscription that was given up has succeeded after all.
    ///
    /// - Returns: true if that is news.
    mutating func confirm(_ queue: RecipientID, in connection: Int) -> Bool {
        guard let entry = entries[queue], entry.state != .active(connection) else { return false }
        set(.active(connection), entry.subscription)
        return true
    }

    /// The connection of this number is gone.
    ///
    /// - Returns: the queues that were subscribed to in it; they are wanted from now on.
    mutating func disconnect(_ connection: Int) -> [RecipientID] {
        let lost = entries.values.filter { $0.state == .active(connection) }
        for entry in lost { set(.wanted, entry.subscription) }
        return lost.map(\.subscription.queue)
    }

    /// - Returns: true if the queue was remembered.
    @discardableResult
    mutating func forget(_ queue: RecipientID) -> Bool {
        guard let entry = entries.removeValue(forKey: queue) else { return false }
        if entry.state == .wanted { wantedCount -= 1 }
        return true
    }
}

extension SMPClientError {
    /// True if the router said something about this queue, which will not change by asking again.
    var isAboutQueue: Bool {
        switch code {
        case .protocol, .response, .unexpectedResponse, .invalidRequest, .crypto: true
        case .transport(.noServerAuth), .transport(.largeMessage): true
        case .timeout, .network, .transport, .incompatibleHost, .overloaded, .cancelled, .closed: false
        }
    }
}
