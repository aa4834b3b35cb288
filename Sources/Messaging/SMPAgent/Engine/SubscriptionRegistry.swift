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

    private let entries = Mutex<[QueueKey: Entry]>([:])

    subscript(_ key: QueueKey) -> Entry? { entries.withLock { $0[key] } }

    func set(_ key: QueueKey, _ entry: Entry) { entries.withLock { $0[key] = entry } }

    func remove(_ key: QueueKey) { entries.withLock { $0[key] = nil } }

    /// Changes the status of queues that are known.
    ///
    /// - Returns: their connections, each once.
    func setStatus(_ status: SubscriptionStatus, of keys: [QueueKey]) -> [ConnectionID] {
        entries.withLock { entries in
            var connections: [ConnectionID] = []
            var seen: Set<ConnectionID> = []
            for key in keys {
                guard entries[key] != nil else { continue }
                entries[key]?.status = status
                if let connection = entries[key]?.connection, seen.insert(connection).inserted { connections.append(connection) }
            }
            return connections
        }
    }

    /// The status of a connection's queues, by row.
    func statuses(of queues: [ReceiveQueue]) -> [RowID: SubscriptionStatus] {
        entries.withLock { entries in
            var statuses: [RowID: SubscriptionStatus] = [:]
            for queue in queues { statuses[queue.row] = entries[queue.key]?.status }
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
        for record in records {
            guard let queue = record.queue else {
                results[record.connection] = .success(())
                continue
            }
            subscriptions.set(
                queue.key, .init(connection: record.connection, row: queue.row, user: record.user, status: .pending))
            let owner = SessionOwner(user: record.user, entity: record.connection.bytes)
            let session = session(owner, queue.key.server)
            if sessions[session] == nil { order.append(session) }
            sessions[session, default: []].append((record.connection, queue))
        }
        await withTaskGroup(of: [(ConnectionID, Result<Void, AgentError>)].self) { group in
            for session in order {
                let queues = sessions[session] ?? []
                group.addTask { [self] in
                    let requests = queues.map { QueueSubscription(queue: $0.queue.key.recipientID, authKey: $0.queue.privateKey) }
                    let responses = await network.subscribe(requests, over: session)
                    return zip(queues, responses).map { queue, response in
                        (queue.connection, subscribed(queue.queue.key, response))
                    }
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
        _ key: QueueKey, _ response: Result<SMPBrokerMessage, SMPClientError>
    ) -> Result<Void, AgentError> {
        switch response {
        case .success(.ok), .success(.sok):
            _ = subscriptions.setStatus(.active, of: [key])
            return .success(())
        case .success(let other): return .failure(AgentError(unexpected: other, to: "SUB", server: key.server))
        case .failure(let error):
            // A temporary error is repaired by the network.
            if !error.isTemporary { _ = subscriptions.setStatus(.removed(error: error.label), of: [key]) }
            return .failure(AgentError(error, server: key.server))
        }
    }

    /// Forgets the subscriptions of queues.
    func unsubscribe(_ queues: [ReceiveQueue], for owner: SessionOwner) async {
        for queue in queues {
            subscriptions.remove(queue.key)
            await network.unsubscribe([queue.recipientID], over: session(owner, queue.server))
        }
    }
}
