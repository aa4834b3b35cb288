import SMPClient
import SMPCrypto
import SMPProtocol
import SMPWire

extension SMPAgent {
    /// Gives each queue that a connection receives from a notifier. A queue that has one keeps it.
    ///
    /// - Returns: the notifiers, for a notification server.
    package func enableNotifications(of connection: ConnectionID) async throws(AgentError) -> [QueueNotifier] {
        try await withLive(connection) { access, state throws(AgentError) in
            let known = try await core.stored { try await core.store.notifiers(of: state.record.row) }
            var notifiers: [QueueNotifier] = []
            for queue in state.receiveQueues {
                if let notifier = known[queue.row] {
                    notifiers.append(notifier)
                } else {
                    notifiers.append(try await core.makeNotifier(queue, state.record.owner))
                }
            }
            return notifiers
        }
    }

    /// Takes the notifiers of a connection's queues away.
    package func disableNotifications(of connection: ConnectionID) async throws(AgentError) {
        try await withLive(connection) { access, state throws(AgentError) in
            let known = try await core.stored { try await core.store.notifiers(of: state.record.row) }
            for queue in state.receiveQueues where known[queue.row] != nil {
                core.statistics.add(.ntfKeyDeleteAttempts, state.record.user, queue.server)
                try await core.send(
                    .ndel, name: "NDEL", entity: queue.recipientID, key: queue.privateKey, to: queue.server, for: state.record.owner)
                core.statistics.add(.ntfKeyDeleted, state.record.user, queue.server)
                try await core.stored { try await core.store.apply([.deleteNotifier(queue: queue.row)]) }
            }
        }
    }

    /// The notifiers of a connection's queues, in no order.
    package func notifiers(of connection: ConnectionID) async throws(AgentError) -> [QueueNotifier] {
        let core = core
        return try await core.withConnection(connection) { access throws(AgentError) in
            let row = try await access.state().record.row
            return try await core.stored { Array(try await core.store.notifiers(of: row).values) }
        }
    }
}

extension AgentCore {
    /// A repeated `NKEY` takes the place of the one before it, so that an interrupted call can be made again.
    fileprivate func makeNotifier(_ queue: ReceiveQueue, _ owner: SessionOwner) async throws(AgentError) -> QueueNotifier {
        let keys = NotifierKeys(configuration.queueKeys, random)
        statistics.add(.ntfKeyAttempts, owner.user, queue.server)
        let response = try await request(
            SMPRequest(entity: queue.recipientID, command: .nkey(keys.credentials), authKey: queue.privateKey), to: queue.server, for: owner)
        guard case .nid(let id, let routerKey) = response else { throw AgentError(unexpected: response, to: "NKEY", server: queue.server) }
        statistics.add(.ntfKey, owner.user, queue.server)
        let notifier = try keys.notifier(id, routerKey, on: queue.server)
        try await stored { try await store.apply([.setNotifier(notifier, queue: queue.row)]) }
        return notifier
    }
}

/// The keys that a router makes a notifier with.
struct NotifierKeys: Sendable {
    private let key: PrivateAuthKey
    private let encryption: X25519.KeyPair

    init(_ algorithm: QueueKeyAlgorithm, _ random: any RandomSource) {
        key = algorithm.generateKey(random)
        encryption = X25519.generateKeyPair(random)
    }

    /// The part of them that the router gets.
    var credentials: NotificationCredentials { NotificationCredentials(notifierKey: key.publicKey, encryptionKey: encryption.publicKey) }

    /// The notifier that the router has made.
    func notifier(
        _ id: NotifierID, _ routerKey: X25519.PublicKey, on server: SMPServerAddress
    ) throws(AgentError) -> QueueNotifier {
        do {
            return QueueNotifier(server: server, notifierID: id, privateKey: key, secret: try BoxSecret(encryption.privateKey, with: routerKey))
        } catch {
            throw AgentError(receiving: error)
        }
    }
}
