import Logging
import SMPClient
import SMPCrypto
import SMPProtocol
import SMPWire
import Synchronization
import SystemSupport

/// The data of a new queue's short link, before the router has the queue.
struct PreparedLink: Sendable {
    let linkKey: LinkKey
    let privateKey: Ed25519.PrivateKey
    /// Set for contact links, whose id derives from their key.
    let linkID: LinkID?
    let data: QueueLinkData
}

/// The keys of a new queue and the ids that derive from them.
struct PreparedQueue: Sendable {
    let encryptionKeys: X25519.KeyPair
    /// Goes with the command; the sender's id derives from it if there is a link.
    let correlationID: CorrelationID
    let senderID: SenderID

    init(_ random: any RandomSource) {
        encryptionKeys = X25519.generateKeyPair(random)
        correlationID = .random(random)
        senderID = SenderID(QueueIDs.senderID(correlationID: correlationID.bytes))
    }
}

extension AgentCore {
    /// A router of the user for a new queue: a random one; see ``UserServers/next(avoiding:_:)``.
    func server(of user: AgentUserID, avoiding used: [SMPServerAddress] = []) throws(AgentError) -> SMPServerWithAuth {
        guard let servers = users.withLock({ $0[user] }) else { throw AgentError(.noUser) }
        guard let server = servers.next(avoiding: used, random) else { throw .prohibited("the user has no routers") }
        return server
    }

    /// Makes a queue on a router. Nothing of it is stored: a caller that cannot continue deletes it (``discard(_:for:)``), and a queue whose creation is
    /// interrupted is never used, and expires there.
    ///
    /// - Parameters:
    ///   - mode: what the queue is for; `invitation` for queues between two parties.
    ///   - clientVersions: below 3 the queue is one that its sender does not secure.
    func createQueue(
        _ prepared: PreparedQueue, on server: SMPServerWithAuth, for owner: SessionOwner, mode: ConnectionMode, link: PreparedLink? = nil,
        clientVersions: VersionRange, subscription: SubscriptionMode
    ) async throws(AgentError) -> ReceiveQueue {
        let recipientKey = configuration.queueKeys.generateKey(random)
        let routerKeys = X25519.generateKeyPair(random)
        let notifierKeys = configuration.newQueuesHaveNotifiers ? NotifierKeys(configuration.queueKeys, random) : nil
        let request = NewQueueRequest(
            recipientKey: recipientKey.publicKey, encryptionKey: routerKeys.publicKey, basicAuth: server.basicAuth,
            subscription: subscription, mode: Self.queueMode(prepared, mode, link, clientVersions), notifications: notifierKeys?.credentials)
        let response = try await self.request(
            SMPRequest(
                command: .new(request), authKey: recipientKey, correlationID: link == nil ? nil : prepared.correlationID),
            to: server.server, for: owner)
        guard case .ids(let ids) = response else { throw AgentError(unexpected: response, to: "NEW", server: server.server) }
        FailPoint.agentQueueMade.pass()
        statistics.add(.connCreated, owner.user, server.server)
        let routerSecret: BoxSecret
        do {
            routerSecret = try BoxSecret(routerKeys.privateKey, with: ids.serverKey)
        } catch {
            throw AgentError(receiving: error)
        }
        return ReceiveQueue(
            row: random.rowID(), server: server.server, recipientID: ids.recipientID, privateKey: recipientKey,
            routerSecret: routerSecret, encryptionKey: prepared.encryptionKeys.privateKey, senderID: ids.senderID, mode: ids.mode,
            clientVersion: clientVersions.max, link: try Self.credentials(ids, prepared, link, server.server),
            newNotifier: try notifier(of: ids, notifierKeys, owner.user, server.server))
    }

    /// Makes the queues that a new connection has besides its first one. It does without those that cannot be made.
    ///
    /// - Parameter first: the router of the first queue.
    func createAdditions(
        besides first: SMPServerAddress, for owner: SessionOwner, clientVersions: VersionRange, subscription: SubscriptionMode
    ) async -> [ReceiveQueue] {
        var additions: [ReceiveQueue] = []
        var used = [first]
        while additions.count + 1 < min(configuration.queuesPerConnection, AgentLimits.maximumQueues) {
            guard let server = users.withLock({ $0[owner.user] })?.another(than: used, random) else { break }
            used.append(server.server)
            do throws(AgentError) {
                additions.append(try await createAddition(on: server, for: owner, clientVersions: clientVersions, subscription: subscription))
            } catch {
                log.warning("a connection has a queue less than it should", metadata: ["error": "\(error)"])
                break
            }
        }
        return additions
    }

    /// Makes a queue that is there besides others.
    func createAddition(
        on server: SMPServerWithAuth, for owner: SessionOwner, clientVersions: VersionRange, subscription: SubscriptionMode
    ) async throws(AgentError) -> ReceiveQueue {
        var queue = try await createQueue(
            PreparedQueue(random), on: server, for: owner, mode: .invitation, clientVersions: clientVersions, subscription: subscription)
        queue.isPrimary = false
        return queue
    }

    /// The notifier of a new queue, if one was asked for and the router knows of that.
    private func notifier(
        of ids: QueueIDsAndKeys, _ keys: NotifierKeys?, _ user: AgentUserID, _ server: SMPServerAddress
    ) throws(AgentError) -> QueueNotifier? {
        guard let keys, let made = ids.notifications else { return nil }
        statistics.add(.ntfKeyAttempts, user, server)
        statistics.add(.ntfKey, user, server)
        return try keys.notifier(made.notifierID, made.serverKey, on: server)
    }

    private static func queueMode(
        _ prepared: PreparedQueue, _ mode: ConnectionMode, _ link: PreparedLink?, _ clientVersions: VersionRange
    ) -> NewQueueMode? {
        switch mode {
        case .invitation:
            guard clientVersions.max >= ClientVersion.senderSecuresQueue else { return nil }
            return .messaging(link: link.map { .init(senderID: prepared.senderID, data: $0.data) })
        case .contact:
            return .contact(
                link: link.flatMap { link in
                    link.linkID.map { .init(linkID: $0, senderID: prepared.senderID, data: link.data) }
                })
        }
    }

    /// The credentials of a link, if the router keeps it.
    private static func credentials(
        _ ids: QueueIDsAndKeys, _ prepared: PreparedQueue, _ link: PreparedLink?, _ server: SMPServerAddress
    ) throws(AgentError) -> ShortLinkCredentials? {
        guard let link, let linkID = ids.linkID else { return nil }
        guard ids.senderID == prepared.senderID, link.linkID == nil || link.linkID == linkID else {
            throw AgentError(.broker(address: server.wireString, .unexpected("Create queue: different sender or link IDs")))
        }
        return ShortLinkCredentials(
            linkID: linkID, linkKey: link.linkKey, privateKey: link.privateKey, rootKey: nil,
            encryptedFixedData: link.data.fixedData)
    }

    /// Does what stores queues that their routers have. Their messages are expected from here on; if it fails they are deleted again, unless the
    /// disk refuses it: what has reached it all the same, and is found by the next process, is not known then.
    func storing(
        _ queues: [ReceiveQueue], of record: ConnectionRecord, _ subscription: SubscriptionMode,
        _ body: () async throws(AgentError) -> Void
    ) async throws(AgentError) {
        if subscription == .subscribe {
            for queue in queues {
                subscriptions.set(
                    queue.key,
                    .init(connection: record.id, row: queue.row, user: record.user, status: .active, carries: queue.isPrimary))
            }
        }
        do throws(AgentError) {
            try await body()
        } catch {
            if error.isOfBusyStore { await unsubscribe(queues, for: record.owner) } else { await discard(queues, for: record.owner) }
            throw error
        }
    }

    /// Deletes queues that came to nothing: their routers would keep them until they expire, and the sessions subscribe to them.
    func discard(_ queues: [ReceiveQueue], for owner: SessionOwner) async {
        await unsubscribe(queues, for: owner)
        // Nobody need wait for a router that may be out of reach.
        for queue in queues {
            tasks.run { [self] in
                do throws(AgentError) {
                    try await send(
                        .del, name: "DEL", entity: queue.recipientID, key: queue.privateKey, to: queue.server, for: owner)
                    statistics.add(.connDeleted, owner.user, queue.server)
                } catch {
                    log.debug("a queue that came to nothing stays on its router", metadata: ["error": "\(error.code)"])
                }
            }
        }
    }

    /// Makes the data of a new short link.
    func prepareLink(to request: ConnectionRequestURI, data: UserConnectionLinkData) throws(AgentError) -> PreparedLink {
        try prepareLink(to: request, identity: LinkIdentity(key: Ed25519.generateKeyPair(random).privateKey, entityID: nil)) { _ in data }
    }

    /// Makes the data of a new short link that has an identity.
    ///
    /// - Parameter makeData: Makes what the link shows, given its key.
    func prepareLink(
        to request: ConnectionRequestURI, identity: LinkIdentity, makeData: (LinkKey) throws(AgentError) -> UserConnectionLinkData
    ) throws(AgentError) -> PreparedLink {
        let versions = configuration.agentVersions
        let fixed = SignedLinkData(
            FixedLinkData(
                agentVersions: versions, rootKey: identity.key.publicKey, connectionRequest: request, linkEntityID: identity.entityID),
            signedBy: identity.key)
        let linkKey = fixed.linkKey
        let data = try makeData(linkKey)
        let user = SignedLinkData(ConnectionLinkData(agentVersions: versions, content: data), signedBy: identity.key)
        let secrets = try linkSecrets(linkKey, data.mode)
        do {
            return PreparedLink(
                linkKey: linkKey, privateKey: identity.key, linkID: secrets.linkID,
                data: try QueueLinkData.seal(fixed: fixed, user: user, key: secrets.dataKey, random: random))
        } catch {
            throw AgentError(error)
        }
    }
}
