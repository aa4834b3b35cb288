import SMPClient
import SMPProtocol
import Synchronization

/// Which queues are subscribed to, and whose they are.
final class SubscriptionRegistry: Sendable {
    struct Entry: Sendable {
        let connection: ConnectionID
        let row: RowID
        let user: AgentUserID
        var status: AgentSubscriptionStatus
        /// True if the peer may send to it, so that messages can come through it.
        var carries: Bool
    }

    private struct Inner {
        var entries: [QueueKey: Entry] = [:]
        /// The queues by their rows.
        var keys: [RowID: QueueKey] = [:]
        /// The rows of each connection's queues.
        var rows: [ConnectionID: [RowID]] = [:]

        mutating func insert(_ key: QueueKey, _ entry: Entry) {
            if let old = entries[key], old.row != entry.row || old.connection != entry.connection { remove(key) }
            guard entries.updateValue(entry, forKey: key) == nil else { return }
            keys[entry.row] = key
            rows[entry.connection, default: []].append(entry.row)
        }

        mutating func remove(_ key: QueueKey) {
            guard let entry = entries.removeValue(forKey: key) else { return }
            keys[entry.row] = nil
            rows[entry.connection]?.removeAll { $0 == entry.row }
            if rows[entry.connection]?.isEmpty == true { rows[entry.connection] = nil }
        }

        func entry(_ row: RowID) -> Entry? { keys[row].flatMap { entries[$0] } }

        /// A queue that the connection's messages come through now, but for those.
        func path(of connection: ConnectionID, besides changed: Set<RowID> = []) -> RowID? {
            rows[connection]?.first { row in
                guard !changed.contains(row), let entry = entry(row) else { return false }
                return entry.carries && entry.status == .active
            }
        }

        /// Of the queues' connections those, each once, whose messages come through one of these queues and now through no other.
        func dependent(on changed: [QueueKey]) -> [ConnectionID] {
            var connections: [ConnectionID] = []
            var seen: Set<ConnectionID> = []
            var changedRows: Set<RowID>?
            for key in changed {
                guard let entry = entries[key], entry.carries, seen.insert(entry.connection).inserted else { continue }
                if rows[entry.connection, default: []].count > 1 {
                    let besides = changedRows ?? Set(changed.compactMap { entries[$0]?.row })
                    changedRows = besides
                    guard path(of: entry.connection, besides: besides) == nil else { continue }
                }
                connections.append(entry.connection)
            }
            return connections
        }
    }

    private let inner = Mutex(Inner())

    subscript(_ key: QueueKey) -> Entry? { inner.withLock { $0.entries[key] } }

    func set(_ key: QueueKey, _ entry: Entry) { inner.withLock { $0.insert(key, entry) } }

    func remove(_ key: QueueKey) { inner.withLock { $0.remove(key) } }

    /// Begins to subscribe to a queue.
    ///
    /// - Returns: true if it was subscribed to already; it stays so until something else is known.
    func begin(_ key: QueueKey, _ entry: Entry) -> Bool {
        inner.withLock { inner in
            if case .active? = inner.entries[key]?.status { return true }
            inner.insert(key, entry)
            return false
        }
    }

    /// Checks whether there is a queue of a user on a router.
    func hasQueue(of user: AgentUserID, on server: SMPServerAddress) -> Bool {
        inner.withLock { $0.entries.contains { $0.key.server == server && $0.value.user == user } }
    }

    /// The state of a queue's subscription; nil if it has none.
    func status(of row: RowID) -> AgentSubscriptionStatus? {
        inner.withLock { inner in inner.entry(row)?.status }
    }

    var all: [QueueSubscriptionStatus] {
        inner.withLock { inner in
            inner.entries.map { key, entry in
                QueueSubscriptionStatus(
                    connection: entry.connection, user: entry.user, server: key.server, queue: key.recipientID, status: entry.status)
            }
        }
    }

    /// The number of queues that are subscribed to.
    var activeCount: Int { inner.withLock { $0.entries.values.count { $0.status == .active } } }

    /// The connections of queues whose subscription has ended because another client subscribed.
    var endedConnections: Set<ConnectionID> {
        inner.withLock { Set($0.entries.values.lazy.filter { $0.status == .noSubscription }.map(\.connection)) }
    }

    /// The entries of all queues.
    var entries: [QueueKey: Entry] { inner.withLock { $0.entries } }

    /// The number of subscriptions in each state, by user and router.
    var counts: [AgentServerKey: SubscriptionCounts] {
        inner.withLock { inner in
            var counts: [AgentServerKey: SubscriptionCounts] = [:]
            for (key, entry) in inner.entries {
                let server = AgentServerKey(user: entry.user, server: key.server)
                switch entry.status {
                case .active: counts[server, default: SubscriptionCounts()].active += 1
                case .pending: counts[server, default: SubscriptionCounts()].pending += 1
                case .removed, .noSubscription: break
                }
            }
            return counts
        }
    }

    /// Changes the status of queues that are known.
    ///
    /// - Returns: their connections, each once.
    func setStatus(_ status: AgentSubscriptionStatus, of keys: [QueueKey]) -> [ConnectionID] {
        inner.withLock { inner in
            var connections: [ConnectionID] = []
            var seen: Set<ConnectionID> = []
            for key in keys {
                guard inner.entries[key] != nil else { continue }
                inner.entries[key]?.status = status
                if let connection = inner.entries[key]?.connection, seen.insert(connection).inserted { connections.append(connection) }
            }
            return connections
        }
    }

    /// Changes the status of known queues, and reports the connections that this makes reachable or unreachable: messages of the
    /// others come through other queues in any case.
    ///
    /// - Parameter tell: runs before the next change, so that what it says of a connection is in the order of the changes.
    func change(_ status: AgentSubscriptionStatus, of keys: [QueueKey], tell: ([ConnectionID]) -> Void) {
        inner.withLock { inner in
            for key in keys { inner.entries[key]?.status = status }
            let connections = inner.dependent(on: keys)
            if !connections.isEmpty { tell(connections) }
        }
    }

    /// Checks whether a queue's connection has no other that its messages come through now.
    func isDependent(on key: QueueKey) -> Bool { inner.withLock { !$0.dependent(on: [key]).isEmpty } }

    /// Notes which of a connection's queues the peer may send to.
    ///
    /// - Parameter tell: gets the router of one, if messages come through it and have come through none before.
    func update(_ state: ConnectionState, tell: (SMPServerAddress) -> Void) {
        inner.withLock { inner in
            let connection = state.record.id
            let wasReached = inner.path(of: connection) != nil
            for queue in state.receiveQueues { inner.entries[queue.key]?.carries = state.carries(queue) }
            if !wasReached, let row = inner.path(of: connection), let key = inner.keys[row] { tell(key.server) }
        }
    }

    /// The status of a connection's queues, by row.
    func statuses(of queues: [ReceiveQueue]) -> [RowID: AgentSubscriptionStatus] {
        inner.withLock { inner in
            var statuses: [RowID: AgentSubscriptionStatus] = [:]
            for queue in queues { statuses[queue.row] = inner.entries[queue.key]?.status }
            return statuses
        }
    }
}

extension AgentCore {
    /// Subscribes to queues, those of one session together. Those that the store cannot read are reported.
    ///
    /// - Returns: the outcome of each connection; with several queues, the best outcome counts.
    func subscribe(_ records: [SubscriptionRecord]) async -> [ConnectionID: Result<Void, AgentError>] {
        var sessions: [TransportSessionKey: [(connection: ConnectionID, queue: SubscriptionRecord.Queue)]] = [:]
        var order: [TransportSessionKey] = []
        var results: [ConnectionID: Result<Void, AgentError>] = [:]
        var wereActive: Set<QueueKey> = []
        for record in records {
            let queue: SubscriptionRecord.Queue
            switch record.queue {
            case nil:
                results[record.connection] = .success(())
                continue
            case .failure(let error):
                results[record.connection] = .failure(error)
                tell(error, record.connection)
                continue
            case .success(let known): queue = known
            }
            let entry = SubscriptionRegistry.Entry(
                connection: record.connection, row: queue.row, user: record.user, status: .pending, carries: queue.carries)
            if subscriptions.begin(queue.key, entry) { wereActive.insert(queue.key) }
            let owner = SessionOwner(user: record.user, entity: record.connection.bytes)
            let session = session(owner, queue.key.server)
            if sessions[session] == nil { order.append(session) }
            sessions[session, default: []].append((record.connection, queue))
        }
        let known = wereActive
        await withTaskGroup(of: [(ConnectionID, Result<Void, AgentError>)].self) { group in
            for session in order {
                let queues = sessions[session] ?? []
                group.addTask { [self] in
                    let requests = queues.map { QueueSubscription(queue: $0.queue.key.recipientID, authKey: $0.queue.privateKey, service: $0.queue.service) }
                    let responses = await network.subscribe(requests, over: session)
                    return subscribed(queues, responses, known, over: session)
                }
            }
            for await outcomes in group {
                for (connection, outcome) in outcomes {
                    if case .success? = results[connection] { continue }
                    results[connection] = outcome
                }
            }
        }
        return results
    }

    /// Notes what came of subscriptions, and reports it of those that were not there before.
    private func subscribed(
        _ queues: [(connection: ConnectionID, queue: SubscriptionRecord.Queue)], _ responses: [Result<SMPBrokerMessage, SMPClientError>],
        _ known: Set<QueueKey>, over session: TransportSessionKey
    ) -> [(ConnectionID, Result<Void, AgentError>)] {
        var outcomes: [(ConnectionID, Result<Void, AgentError>)] = []
        var up: [QueueKey] = [], down: [QueueKey] = []
        var failures: [ConnectionFailure] = []
        for ((connection, queue), response) in zip(queues, responses) {
            let isNew = !known.contains(queue.key)
            let (status, error) = outcome(response, over: session)
            if let error {
                outcomes.append((connection, .failure(error)))
            } else {
                outcomes.append((connection, .success(())))
            }
            switch status {
            case .active where isNew: up.append(queue.key)
            case .pending where isNew && error?.isTemporary == true: down.append(queue.key)
            default: _ = subscriptions.setStatus(status, of: [queue.key])
            }
            guard isNew, let error, !error.isTemporary else { continue }
            // Of several queues the others may do.
            if subscriptions.isDependent(on: queue.key) {
                failures.append(ConnectionFailure(connection: connection, error: error))
            } else {
                notify(.failed(error), connection)
            }
        }
        subscriptions.change(.active, of: up) { notify(.up(session.server, $0)) }
        if !up.isEmpty { subscribedAgain() }
        subscriptions.change(.pending, of: down) { notify(.down(session.server, $0)) }
        if !failures.isEmpty { notify(.connectionsFailed(failures)) }
        return outcomes
    }

    private func outcome(
        _ response: Result<SMPBrokerMessage, SMPClientError>, over session: TransportSessionKey
    ) -> (AgentSubscriptionStatus, AgentError?) {
        statistics.add(.connSubAttempts, session.userID, session.server)
        switch response {
        case .success(.ok), .success(.sok):
            statistics.add(.connSubscribed, session.userID, session.server)
            return (.active, nil)
        case .success(let other): return (.pending, AgentError(unexpected: other, to: "SUB", server: session.server))
        case .failure(let error):
            // A temporary error is repaired by the network.
            if error.isTemporary { return (.pending, AgentError(error, server: session.server)) }
            statistics.add(.connSubErrs, session.userID, session.server)
            return (.removed(error: "\(error)"), AgentError(error, server: session.server))
        }
    }

    /// Makes the sessions forget all subscriptions.
    ///
    /// - Returns: the connections, which must be subscribed to again.
    func releaseSubscriptions() async -> [ConnectionID] {
        let entries = subscriptions.entries
        for (key, entry) in entries {
            let owner = SessionOwner(user: entry.user, entity: entry.connection.bytes)
            _ = subscriptions.setStatus(.pending, of: [key])
            await network.unsubscribe([key.recipientID], over: session(owner, key.server))
        }
        return Array(Set(entries.values.map(\.connection)))
    }

    /// Forgets the subscriptions of queues.
    func unsubscribe(_ queues: [ReceiveQueue], for owner: SessionOwner) async {
        for queue in queues {
            subscriptions.remove(queue.key)
            await network.unsubscribe([queue.recipientID], over: session(owner, queue.server))
        }
    }
}
