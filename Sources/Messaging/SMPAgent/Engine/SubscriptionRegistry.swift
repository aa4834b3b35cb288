import SMPClient
import SMPProtocol
import Synchronization

/// Which queues are subscribed to, and whose they are.
final class SubscriptionRegistry: Sendable {
    struct Entry: Sendable {
        let connection: ConnectionID
        let row: RowID
        let user: AgentUserID
        var status: SubscriptionStatus
    }

    private struct Inner {
        var entries: [QueueKey: Entry] = [:]
        /// The queues by their rows.
        var keys: [RowID: QueueKey] = [:]
    }

    private let inner = Mutex(Inner())

    subscript(_ key: QueueKey) -> Entry? { inner.withLock { $0.entries[key] } }

    func set(_ key: QueueKey, _ entry: Entry) {
        inner.withLock { inner in
            inner.entries[key] = entry
            inner.keys[entry.row] = key
        }
    }

    func remove(_ key: QueueKey) {
        inner.withLock { inner in
            guard let entry = inner.entries.removeValue(forKey: key) else { return }
            inner.keys[entry.row] = nil
        }
    }

    /// Begins to subscribe to a queue.
    ///
    /// - Returns: whether it was subscribed to already; it stays so until something else is known.
    func begin(_ key: QueueKey, _ entry: Entry) -> Bool {
        inner.withLock { inner in
            if case .active? = inner.entries[key]?.status { return true }
            inner.entries[key] = entry
            inner.keys[entry.row] = key
            return false
        }
    }

    /// Whether there is a queue of a user on a router.
    func hasQueue(of user: AgentUserID, on server: SMPServerAddress) -> Bool {
        inner.withLock { $0.entries.contains { $0.key.server == server && $0.value.user == user } }
    }

    /// How a queue's subscription stands; nil if it has none.
    func status(of row: RowID) -> SubscriptionStatus? {
        inner.withLock { inner in inner.keys[row].flatMap { inner.entries[$0]?.status } }
    }

    var all: [QueueSubscriptionStatus] {
        inner.withLock { inner in
            inner.entries.map { key, entry in
                QueueSubscriptionStatus(
                    connection: entry.connection, user: entry.user, server: key.server, queue: key.recipientID, status: entry.status)
            }
        }
    }

    /// The entries of all queues.
    var entries: [QueueKey: Entry] { inner.withLock { $0.entries } }

    /// How many subscriptions stand how, by user and router.
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
    func setStatus(_ status: SubscriptionStatus, of keys: [QueueKey]) -> [ConnectionID] {
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

    /// Of connections those that have no other active queue than these: the others receive messages in any case.
    func dependent(_ connections: [ConnectionID], on keys: [QueueKey]) -> [ConnectionID] {
        inner.withLock { inner in
            let keys = Set(keys)
            let asked = Set(connections)
            var others: Set<ConnectionID> = []
            for (key, entry) in inner.entries where entry.status == .active && asked.contains(entry.connection) && !keys.contains(key) {
                others.insert(entry.connection)
            }
            return others.isEmpty ? connections : connections.filter { !others.contains($0) }
        }
    }

    /// The status of a connection's queues, by row.
    func statuses(of queues: [ReceiveQueue]) -> [RowID: SubscriptionStatus] {
        inner.withLock { inner in
            var statuses: [RowID: SubscriptionStatus] = [:]
            for queue in queues { statuses[queue.row] = inner.entries[queue.key]?.status }
            return statuses
        }
    }
}

extension AgentCore {
    /// Subscribes to queues, those of one session together.
    ///
    /// - Returns: the outcome of each connection; of several queues the best counts.
    func subscribe(_ records: [SubscriptionRecord]) async -> [ConnectionID: Result<Void, AgentError>] {
        var sessions: [TransportSessionKey: [(connection: ConnectionID, queue: SubscriptionRecord.Queue)]] = [:]
        var order: [TransportSessionKey] = []
        var results: [ConnectionID: Result<Void, AgentError>] = [:]
        var wereActive: Set<QueueKey> = []
        for record in records {
            guard let queue = record.queue else {
                results[record.connection] = .success(())
                continue
            }
            let entry = SubscriptionRegistry.Entry(
                connection: record.connection, row: queue.row, user: record.user, status: .pending)
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
                    let outcomes = zip(queues, responses).map { queue, response in
                        (queue.connection, subscribed(queue.queue.key, response, over: session))
                    }
                    report(zip(queues, outcomes).filter { !known.contains($0.0.queue.key) }.map { $0.1 }, session.server)
                    return outcomes
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

    private func subscribed(
        _ key: QueueKey, _ response: Result<SMPBrokerMessage, SMPClientError>, over session: TransportSessionKey
    ) -> Result<Void, AgentError> {
        statistics.add(.connSubAttempts, session.userID, session.server)
        switch response {
        case .success(.ok), .success(.sok):
            statistics.add(.connSubscribed, session.userID, session.server)
            _ = subscriptions.setStatus(.active, of: [key])
            return .success(())
        case .success(let other): return .failure(AgentError(unexpected: other, to: "SUB", server: key.server))
        case .failure(let error):
            // A temporary error is repaired by the network.
            if error.isTemporary {
                _ = subscriptions.setStatus(.pending, of: [key])
            } else {
                statistics.add(.connSubErrs, session.userID, session.server)
                _ = subscriptions.setStatus(.removed(error: "\(error)"), of: [key])
            }
            return .failure(AgentError(error, server: key.server))
        }
    }

    /// Reports what came of subscriptions that were not there before.
    private func report(_ outcomes: [(connection: ConnectionID, result: Result<Void, AgentError>)], _ server: SMPServerAddress) {
        var up: [ConnectionID] = []
        var down: [ConnectionID] = []
        var failures: [ConnectionFailure] = []
        for (connection, result) in outcomes {
            switch result {
            case .success: up.append(connection)
            case .failure(let error) where error.isTemporary: down.append(connection)
            case .failure(let error): failures.append(ConnectionFailure(connection: connection, error: error))
            }
        }
        if !up.isEmpty { notify(.up(server, up)) }
        if !down.isEmpty { notify(.down(server, down)) }
        if !failures.isEmpty { notify(.connectionsFailed(failures)) }
    }

    /// Lets the sessions forget all subscriptions.
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
