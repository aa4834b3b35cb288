import SMPClient
import SMPCrypto
public import SMPProtocol
import SMPRatchet
import SMPWire

extension SMPAgent {
    /// Makes a one-time invitation or a contact address: a queue on one of the user's routers, and links to it.
    ///
    /// The connection is stored when the router has the queue; an interrupted call leaves nothing.
    ///
    /// - Parameters:
    ///   - linkData: what the short link shows; nil to have no short link.
    ///   - clientData: goes into the full link.
    public func createConnection(
        user: AgentUserID, mode: ConnectionMode, linkData: UserConnectionLinkData? = nil, clientData: String? = nil,
        pq: PQInitialKeys = .supported, subscription: SubscriptionMode = .subscribe
    ) async throws(AgentError) -> CreatedConnection {
        try core.checkActive()
        if mode == .contact, pq == .usePQ { throw .prohibited("a contact address has no keys for post-quantum encryption") }
        if let linkData, linkData.mode != mode { throw .prohibited("link data for another kind of connection") }
        let server = try core.server(of: user)
        let versions = core.configuration.clientVersions
        let prepared = PreparedQueue(core.random)
        var agreement: (keys: AgreementKeys, parameters: RatchetParametersURI)?
        if mode == .invitation { agreement = core.agreementOffer(proposingKEM: pq.proposesKEM(shortLink: linkData != nil)) }

        let queueMode: QueueMode = mode == .invitation ? .messaging : .contact
        let link = core.link(
            server.server, prepared.senderID, prepared.encryptionKeys.publicKey, queueMode, agreement?.parameters, clientData)
        let preparedLink: PreparedLink? =
            if let linkData { try core.prepareLink(to: link, data: linkData) } else { nil }
        let queue = try await core.createQueue(
            prepared, on: server, user: user, mode: mode, link: preparedLink, clientVersions: versions, subscription: subscription)

        let record = ConnectionRecord(
            row: core.random.rowID(), id: ConnectionID(core.random.bytes(12)), user: user, mode: mode,
            agentVersion: core.configuration.agentVersions.max, pqSupport: pq.support)
        try await core.insert(record, queue, agreement?.keys, subscription)
        // The router may have chosen the sender's id, and old ones know no mode.
        var shown = core.link(server.server, queue.senderID, prepared.encryptionKeys.publicKey, queue.mode, agreement?.parameters, clientData)
        if pq != .usePQ, queue.link != nil { shown = shown.withoutKEM }
        return CreatedConnection(id: record.id, link: shown, shortLink: queue.link.map { queue.shortLink($0, mode) })
    }
}

extension AgentCore {
    /// A full link to a queue.
    func link(
        _ server: SMPServerAddress, _ senderID: SenderID, _ key: X25519.PublicKey, _ mode: QueueMode?,
        _ parameters: RatchetParametersURI?, _ clientData: String?
    ) -> ConnectionRequestURI {
        let queue = SMPQueueURI(
            clientVersions: configuration.clientVersions,
            address: SMPQueueAddress(server: server, senderID: senderID, encryptionKey: key, mode: mode))
        let request = ConnectionRequest(agentVersions: configuration.agentVersions, queues: [queue], clientData: clientData)
        return parameters.map { .invitation(request, $0) } ?? .contact(request)
    }

    /// New keys for the agreement that an invitation offers.
    func agreementOffer(proposingKEM: Bool) -> (keys: AgreementKeys, parameters: RatchetParametersURI) {
        let versions = configuration.ratchetVersions
        let keys = AgreementKeys(proposingKEM: proposingKEM, context)
        return (keys, keys.offer(versions))
    }

    /// Stores a new connection with its queue.
    fileprivate func insert(
        _ record: ConnectionRecord, _ queue: ReceiveQueue, _ keys: AgreementKeys?, _ subscription: SubscriptionMode
    ) async throws(AgentError) {
        try await withLane(record.id) { access throws(AgentError) in
            var transition = Transition(ConnectionState(record))
            transition.add(.insertConnection(record))
            transition.add(queue)
            if let keys { transition.setAgreementKeys(keys) }
            // Registered first: the queue is subscribed to.
            created(queue, record, subscription)
            do throws(AgentError) {
                try await access.commit(transition)
            } catch {
                subscriptions.remove(queue.key)
                throw error
            }
        }
    }
}

extension ReceiveQueue {
    /// The short link of the queue.
    func shortLink(_ credentials: ShortLinkCredentials, _ mode: ConnectionMode) -> ConnectionShortLink {
        switch mode {
        case .invitation: .invitation(scheme: .server, server: server, linkID: credentials.linkID, key: credentials.linkKey)
        case .contact: .contact(scheme: .server, type: .contact, server: server, key: credentials.linkKey)
        }
    }
}

extension ConnectionRequestURI {
    /// The same link without the large KEM key, which the short link's data has.
    var withoutKEM: ConnectionRequestURI {
        guard case .invitation(let request, var parameters) = self else { return self }
        parameters.kemKey = nil
        return .invitation(request, parameters)
    }
}
