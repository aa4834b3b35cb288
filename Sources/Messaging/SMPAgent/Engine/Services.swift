import Logging
import SMPClient
import SMPProtocol
import SMPTransport
import Synchronization

/// Makes and keeps the certificates by which routers know users of the agent as services.
struct AgentServices: ServiceCredentialSource {
    let core: AgentCore

    func serviceCredential(user: Int64, server: SMPServerAddress) async throws -> ServerCredential? {
        // Routers that only peers have queues on need not know anything of us.
        let isOwn = core.users.withLock { $0[user]?.known.contains { $0.server == server } ?? false }
        guard isOwn || core.subscriptions.hasQueue(of: user, on: server) else { return nil }
        return try await core.store.serviceCredential(user: user, server: server) { try ServerCredential.generate(algorithm: .ed25519) }
    }
}

extension AgentCore {
    /// The router takes queues for the service's, or for none's. If this is lost, they are subscribed to one by one next time.
    func associated(_ queues: [RecipientID], on session: TransportSessionKey, with service: ServiceID?) {
        store.applyLater([.setServices(session.server, queues, service)])
    }

    /// Something became of subscribing to all queues of a service.
    func serviceSubscription(_ subscription: ServiceSubscription, on session: TransportSessionKey) {
        let server = session.server
        switch subscription {
        case .complete(let count): notify(.serviceSubscription(server, .complete(queues: count)))
        case .incomplete(let counted, let expected):
            log.info("a router counts other queues of the service", metadata: ["counted": "\(counted)", "expected": "\(expected)"])
            notify(.serviceSubscription(server, .incomplete(counted: counted, expected: expected)))
        case .allDelivered: notify(.serviceSubscription(server, .allDelivered))
        case .unavailable(let error): notify(.serviceSubscription(server, .unavailable(AgentError(error, server: server))))
        case .ended(let queues):
            notify(.serviceSubscription(server, .ended(queues: queues.count)))
            let keys = queues.map { QueueKey(server: server, recipientID: $0) }
            let connections = subscriptions.setStatus(.noSubscription, of: keys)
            for connection in connections { notify(.subscriptionEnded, connection) }
            ended(keys)
        }
    }

    /// Takes up a queue whose message came before anything was known of it: a service gets the messages of all its queues.
    func entry(of key: QueueKey) async -> SubscriptionRegistry.Entry? {
        if let entry = subscriptions[key] { return entry }
        guard settings.withLock({ $0.usesServices }) else { return nil }
        do throws(AgentError) {
            let known = try await untilStored { () throws(AgentError) in
                try await stored { () -> SubscriptionRegistry.Entry? in
                    guard let connection = try await store.owner(of: key), let state = try await store.connection(connection),
                        state.record.deletion == .none, let queue = state.receiveQueues.first(where: { $0.key == key })
                    else { return nil }
                    return SubscriptionRegistry.Entry(
                        connection: connection, row: queue.row, user: state.record.user, status: .active, carries: state.carries(queue))
                }
            }
            guard let entry = known else { return nil }
            return subscriptions.begin(key, entry) ? subscriptions[key] : entry
        } catch {
            // An agent that stops gets the message again at its next start.
            tell(error, nil)
            return nil
        }
    }
}
