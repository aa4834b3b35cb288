import SMPClient
import SMPCrypto
package import SMPProtocol
import SMPRatchet
import SMPWire
import Synchronization

extension SMPAgent {
    /// Makes a one-time invitation or a contact address: a queue on one of the user's routers, and links to it.
    ///
    /// The connection is stored when the router has the queue; an interrupted call leaves nothing.
    ///
    /// - Parameters:
    ///   - linkData: the data of the short link; nil for no short link.
    ///   - clientData: goes into the full link.
    package func createConnection(
        user: AgentUserID, mode: ConnectionMode, linkData: UserConnectionLinkData? = nil, clientData: String? = nil,
        pq: PQInitialKeys = .supported, subscription: SubscriptionMode = .subscribe
    ) async throws(AgentError) -> CreatedConnection {
        try core.checkActive()
        if let linkData, linkData.mode != mode { throw .prohibited("link data for another kind of connection") }
        try await core.knowUsers()
        let record = try core.newConnection(user: user, mode: mode, pq: pq)
        let request = CreateRequest(mode: mode, linkData: linkData, clientData: clientData, pq: pq, subscription: subscription)
        let made = try await core.makeQueue(request, for: record.owner)
        try await core.insert(record, made, subscription)
        return CreatedConnection(id: record.id, link: made.shown, shortLink: made.queue.link.map { made.queue.shortLink($0, mode) })
    }

    /// Makes a contact address whose short link has an identity of its own, as public groups and their relays have it.
    ///
    /// The link is known before the router is asked, so that what it shows can name it.
    ///
    /// - Parameters:
    ///   - identity: The key that signs the link's data, and the identifier in its fixed part.
    ///   - linkData: Makes the data of the link from the link; its type is `contact`.
    package func createAddress(
        user: AgentUserID, identity: LinkIdentity, clientData: String?, subscription: SubscriptionMode = .subscribe,
        linkData: @escaping @Sendable (ConnectionShortLink) throws(AgentError) -> UserContactData
    ) async throws(AgentError) -> CreatedConnection {
        try core.checkActive()
        try await core.knowUsers()
        let record = try core.newConnection(user: user, mode: .contact, pq: .off)
        var request = CreateRequest(mode: .contact, clientData: clientData, pq: .off, subscription: subscription)
        request.identity = identity
        request.makeLinkData = linkData
        let made = try await core.makeQueue(request, for: record.owner)
        try await core.insert(record, made, subscription)
        return CreatedConnection(id: record.id, link: made.shown, shortLink: made.queue.link.map { made.queue.shortLink($0, .contact) })
    }

    /// Makes an invitation or a contact address in the background: it is stored when the call returns, and `created` tells the link, also
    /// after a restart. A permanent failure is reported as `failed`; the connection stays until it is deleted.
    package func createConnectionInBackground(
        user: AgentUserID, mode: ConnectionMode, pq: PQInitialKeys = .supported, subscription: SubscriptionMode = .subscribe
    ) async throws(AgentError) -> ConnectionID {
        try core.checkActive()
        _ = try core.server(of: user)
        let core = core
        let record = try core.newConnection(user: user, mode: mode, pq: pq)
        try await core.insert(record) { $0.start(.create(pq, subscribe: subscription == .subscribe), core.context) }
        return record.id
    }
}

/// The parameters of a call that creates a connection.
struct CreateRequest: Sendable {
    let mode: ConnectionMode
    var linkData: UserConnectionLinkData?
    var clientData: String?
    let pq: PQInitialKeys
    let subscription: SubscriptionMode
    /// The identity of the short link; nil for a new key and no identifier.
    var identity: LinkIdentity?
    /// Makes the link data once the link is known; used with an identity.
    var makeLinkData: (@Sendable (ConnectionShortLink) throws(AgentError) -> UserContactData)?
}

/// A queue that the router has, with what goes with it.
struct MadeQueue: Sendable {
    let queue: ReceiveQueue
    /// Queues besides that one.
    let additions: [ReceiveQueue]
    let keys: AgreementKeys?
    /// The full link, as the user gets it.
    let shown: ConnectionRequestURI

    var queues: [ReceiveQueue] { [queue] + additions }
}

extension AgentCore {
    /// A full link to a queue and those besides it.
    func link(
        _ first: SMPQueueAddress, _ additions: [ReceiveQueue], _ parameters: RatchetParametersURI?, _ clientData: String?
    ) -> ConnectionRequestURI {
        let queues = ([first] + additions.map(\.senderAddress)).map { SMPQueueURI(clientVersions: configuration.clientVersions, address: $0) }
        let request = ConnectionRequest(agentVersions: configuration.agentVersions, queues: queues, clientData: clientData)
        return parameters.map { .invitation(request, $0) } ?? .contact(request)
    }

    /// New keys for the agreement that an invitation offers.
    func agreementOffer(proposingKEM: Bool) -> (keys: AgreementKeys, parameters: RatchetParametersURI) {
        let versions = configuration.ratchetVersions
        let keys = AgreementKeys(proposingKEM: proposingKEM, context)
        return (keys, keys.offer(versions))
    }

    /// Reads the users for a call that comes before the start, as that of a program whose last start ended behind the making of its user.
    fileprivate func knowUsers() async throws(AgentError) {
        guard life.withLock({ $0 == .stopped }), users.withLock({ $0.isEmpty }) else { return }
        know(try await stored { try await store.users() })
    }

    /// Takes up users that were read. What was made of them meanwhile is newer.
    func know(_ read: [AgentUserID: UserServers]) { users.withLock { $0.merge(read) { made, _ in made } } }

    /// A connection without queues.
    fileprivate func newConnection(
        user: AgentUserID, mode: ConnectionMode, pq: PQInitialKeys
    ) throws(AgentError) -> ConnectionRecord {
        if mode == .contact, pq == .usePQ { throw .prohibited("a contact address has no keys for post-quantum encryption") }
        return ConnectionRecord(
            row: random.rowID(), id: ConnectionID(random.bytes(12)), user: user, mode: mode,
            agentVersion: configuration.agentVersions.max, pqSupport: pq.support)
    }

    /// Makes a queue with the keys and links of a connection.
    fileprivate func makeQueue(_ request: CreateRequest, for owner: SessionOwner) async throws(AgentError) -> MadeQueue {
        let server = try server(of: owner.user)
        let prepared = PreparedQueue(random)
        var agreement: (keys: AgreementKeys, parameters: RatchetParametersURI)?
        if request.mode == .invitation {
            agreement = agreementOffer(proposingKEM: request.pq.proposesKEM(shortLink: request.linkData != nil))
        }
        var additions: [ReceiveQueue] = []
        if request.mode == .invitation {
            additions = await createAdditions(
                besides: server.server, for: owner, clientVersions: configuration.clientVersions, subscription: request.subscription)
        }
        let queueMode: QueueMode = request.mode == .invitation ? .messaging : .contact
        let address = SMPQueueAddress(
            server: server.server, senderID: prepared.senderID, encryptionKey: prepared.encryptionKeys.publicKey, mode: queueMode)
        let full = link(address, additions, agreement?.parameters, request.clientData)
        let queue: ReceiveQueue
        do throws(AgentError) {
            let preparedLink = try prepareLink(to: full, request, on: server.server)
            queue = try await createQueue(
                prepared, on: server, for: owner, mode: request.mode, link: preparedLink, clientVersions: configuration.clientVersions,
                subscription: request.subscription)
        } catch {
            await discard(additions, for: owner)
            throw error
        }
        // The router may have chosen the sender's id, and old ones know no mode.
        var shown = link(queue.senderAddress, additions, agreement?.parameters, request.clientData)
        if request.pq != .usePQ, queue.link != nil { shown = shown.withoutKEM }
        return MadeQueue(queue: queue, additions: additions, keys: agreement?.keys, shown: shown)
    }

    /// The data of the short link that a connection is to have; nil for none.
    private func prepareLink(
        to full: ConnectionRequestURI, _ request: CreateRequest, on server: SMPServerAddress
    ) throws(AgentError) -> PreparedLink? {
        if let identity = request.identity, let make = request.makeLinkData {
            return try prepareLink(to: full, identity: identity) { key throws(AgentError) in
                .contact(try make(.contact(scheme: .server, type: .contact, server: server, key: key)))
            }
        }
        guard let data = request.linkData else { return nil }
        return try prepareLink(to: full, data: data)
    }

    /// Stores a new connection and what `add` adds to it.
    fileprivate func insert(_ record: ConnectionRecord, _ add: (inout Transition) -> Void) async throws(AgentError) {
        try await withConnection(record.id) { access throws(AgentError) in
            var transition = Transition(ConnectionState(record))
            transition.add(.insertConnection(record))
            add(&transition)
            try await access.commit(transition)
        }
    }

    /// Stores a new connection with its queue.
    fileprivate func insert(
        _ record: ConnectionRecord, _ made: MadeQueue, _ subscription: SubscriptionMode
    ) async throws(AgentError) {
        try await storing(made.queues, of: record, subscription) { () throws(AgentError) in
            try await insert(record) { $0.add(made) }
        }
    }

    /// Makes the queue of a connection that is to be made in the background.
    func create(
        _ pq: PQInitialKeys, _ subscription: SubscriptionMode, _ command: CommandRecord, _ access: ConnectionAccess
    ) async throws(AgentError) {
        let state = try await access.liveState()
        guard state.kind == .new else { throw .prohibited("create: the connection is \(state.kind.rawValue)") }
        let made = try await makeQueue(
            CreateRequest(mode: state.record.mode, pq: pq, subscription: subscription), for: state.record.owner)
        var transition = Transition(state)
        transition.add(made)
        transition.add(.deleteCommand(command.row))
        transition.emit(.created(made.shown))
        let created = transition
        try await storing(made.queues, of: state.record, subscription) { () throws(AgentError) in try await access.commit(created) }
    }
}

extension Transition {
    fileprivate mutating func add(_ made: MadeQueue) {
        for queue in made.queues { add(queue) }
        if let keys = made.keys { setAgreementKeys(keys) }
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
