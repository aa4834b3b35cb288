import SMPCrypto
import SMPProtocol
import SMPRatchet
import SMPWire

/// A confirmation with what its outer layers say.
struct ReceivedConfirmation: Sendable {
    let queue: ReceiveQueue
    /// The secret with which the sender encrypts from here on.
    let secret: BoxSecret
    let clientVersion: UInt16
    let agentVersion: UInt16
    /// nil if the sender has secured the queue itself.
    let senderKey: PublicAuthKey?
    let parameters: RatchetParameters?
    let encryptedInfo: Bytes
}

/// A request to connect by our contact address.
struct ReceivedRequest: Sendable {
    let request: ConnectionRequestURI
    let info: Bytes
    /// The router's id of the message.
    let brokerID: Bytes
}

extension Transition {
    /// The peer confirms our queue: first the party that joins, with its ratchet keys and its reply queue; then the party that made the
    /// invitation, for that reply queue.
    mutating func receive(_ confirmation: ReceivedConfirmation, _ context: AgentContext) throws(AgentError) {
        let queue = confirmation.queue
        let configuration = context.configuration
        // A version that was agreed before stays usable when the configuration was narrowed since.
        guard configuration.agentVersions.contains(confirmation.agentVersion) || confirmation.agentVersion <= record.agentVersion,
            configuration.clientVersions.contains(confirmation.clientVersion) || confirmation.clientVersion <= queue.clientVersion
        else { throw .peer(.version) }
        guard queue.status == .new else { throw .peer(.prohibited("conf: status /= new")) }
        // For other queues keys come in QKEY.
        guard queue.isPrimary else { throw .peer(.prohibited("conf: not the primary queue")) }
        switch (state.kind, confirmation.parameters) {
        case (.receive, let parameters?): try joined(confirmation, parameters, context)
        case (.duplex, nil): try allowed(confirmation, context)
        default: throw .peer(.prohibited("conf: incorrect state"))
        }
    }

    /// Somebody joined our invitation. The ratchet is ready from here on, so that messages that come before the user has allowed the
    /// connection can be decrypted.
    private mutating func joined(
        _ confirmation: ReceivedConfirmation, _ parameters: RatchetParameters, _ context: AgentContext
    ) throws(AgentError) {
        guard context.configuration.ratchetVersions.contains(parameters.version) else { throw .peer(.version) }
        guard let keys = state.agreementKeys else { throw AgentError(.internal("conf: no keys for the agreement")) }
        let pqSupport =
            record.pqSupport
            && ConnectionState.supportsPQ(agentVersion: confirmation.agentVersion, ratchetVersion: parameters.version)
        do {
            setRatchet(
                try Ratchet(
                    receivingFrom: parameters, keys: keys, pqSupport: pqSupport,
                    maximumVersion: context.configuration.ratchetVersions.max))
        } catch {
            throw AgentError(error)
        }
        let plaintext: Bytes
        switch openRatchet(confirmation.encryptedInfo, context) {
        case .success(let opened): plaintext = opened.plaintext
        case .failure: throw .peer(.prohibited("conf: decrypt error"))
        }
        guard case .connectionInfoReply(let replyQueues, let info) = try AgentMessage(receiving: plaintext) else {
            throw .peer(.prohibited("conf: not AgentConnInfoReply"))
        }
        let version = confirmation.agentVersion
        updateRecord {
            $0.agentVersion = version
            $0.pqSupport = pqSupport
        }
        confirm(confirmation, hash: Hash.sha256(plaintext))
        let id = ConfirmationID(context.random.bytes(12))
        add(
            .insertConfirmation(
                ConfirmationRecord(
                    id: id, connection: connection, senderKey: confirmation.senderKey, senderInfo: info, replyQueues: replyQueues)))
        emit(.confirmation(id, pqSupport: pqSupport, servers: replyQueues.map(\.address.server), info: info))
    }

    /// The party whose invitation we joined allows the connection.
    private mutating func allowed(_ confirmation: ReceivedConfirmation, _ context: AgentContext) throws(AgentError) {
        let plaintext: Bytes
        let pqEncryption: Bool
        switch openRatchet(confirmation.encryptedInfo, context) {
        case .success(let opened): (plaintext, pqEncryption) = opened
        case .failure(let error): throw error
        }
        guard case .connectionInfo(let info) = try AgentMessage(receiving: plaintext) else {
            throw .peer(.prohibited("conf: not AgentConnInfo"))
        }
        emit(.information(pqSupport: record.pqSupport, info: info))
        confirm(confirmation, hash: Hash.sha256(plaintext))
        if let key = confirmation.senderKey {
            start(.secureReplyQueue(queue: confirmation.queue.row, key: key.wireBytes), context)
        } else {
            updateReceiveQueue(confirmation.queue.row) { $0.status = .active }
            connected(pqEncryption: pqEncryption, context)
        }
    }

    /// Stores the agreement of a confirmation, which counts as the first message of the peer.
    private mutating func confirm(_ confirmation: ReceivedConfirmation, hash: Bytes) {
        updateReceiveQueue(confirmation.queue.row) { queue in
            queue.peerSecret = confirmation.secret
            queue.clientVersion = min(queue.clientVersion, confirmation.clientVersion)
            queue.status = .confirmed
        }
        setReceived(id: 1, hash: hash)
    }

    /// Checks that a request may come where it came.
    func checked(_ request: ReceivedRequest) throws(AgentError) -> ReceivedRequest {
        guard state.kind == .contact else { throw .peer(.prohibited("inv: sent to message conn")) }
        guard request.request.mode == .invitation else { throw .peer(.message) }
        return request
    }

    /// Somebody asks to connect by our contact address.
    ///
    /// A client that does not know whether its router has a request sends it again. It is one request then: what it says now is what is
    /// answered, unless it has been accepted already.
    ///
    /// - Parameter earlier: the request that offered the same queue.
    mutating func receive(_ received: ReceivedRequest, earlier: InvitationRecord?, _ context: AgentContext) {
        let request = received.request, info = received.info
        let id: InvitationID
        if var earlier {
            guard !earlier.isAccepted, earlier.senderInfo != info || earlier.request != request else { return }
            (earlier.request, earlier.senderInfo, earlier.brokerID) = (request, info, received.brokerID)
            add(.replaceInvitation(earlier))
            id = earlier.id
        } else {
            id = InvitationID(context.random.bytes(12))
            add(
                .insertInvitation(
                    InvitationRecord(
                        id: id, contactConnection: connection, request: request, senderInfo: info, brokerID: received.brokerID),
                    at: context.now))
        }
        // A request that is not compatible is shown too: the user learns of it when accepting it.
        let compatibility = LinkCompatibility(request, pqSupport: true, context.configuration)
        emit(
            .request(
                id, pqSupport: compatibility?.pqSupport ?? false, servers: request.request.queues.map(\.address.server), info: info))
    }

    /// `HELLO`: the peer's direction works. The party that joined sends it first, and the other answers.
    mutating func receiveHello(
        _ statusBefore: QueueStatus, _ metadata: MessageMetadata, _ context: AgentContext
    ) throws(AgentError) {
        guard statusBefore != .active else { throw .peer(.prohibited("hello: active")) }
        guard state.kind == .duplex, let queue = state.sendQueues.first else { return }
        if queue.status == .active {
            connected(pqEncryption: metadata.pqEncryption, context)
        } else if state.sentParameters == nil {
            try enqueueHello(queue, context)
        }
        // Else this answers our HELLO, which the router has, although we do not know it yet: the rest follows when we do.
    }

    mutating func enqueueHello(_ queue: SendQueue, _ context: AgentContext) throws(AgentError) {
        try enqueue(OutgoingContent(.hello), flags: MessageFlags(notification: true), queues: [queue.row], context)
    }

    // MARK: Steps of our own

    /// The user allows a connection: the rest is done as work that goes on after a restart.
    mutating func allow(_ confirmation: ConfirmationRecord, info: Bytes, _ context: AgentContext) {
        add(.acceptConfirmation(confirmation.id, ownInfo: info))
        start(.allow(confirmation.id), context)
    }

    /// Adds the peer's reply queues, which makes the connection duplex. It works with the first one.
    mutating func connectReplyQueues(_ queues: [SMPQueueInfo], _ context: AgentContext) throws(AgentError) {
        guard let first = queues.first else { throw .peer(.message) }
        let versions = context.configuration.clientVersions
        guard versions.contains(first.clientVersion) else { throw .peer(.version) }
        add(try SendQueue(first, privateKey: nil, context))
        try announced(queues.dropFirst().filter { versions.contains($0.clientVersion) }, context)
    }

    /// Begins to join an invitation: keys, ratchet and queue are stored before anything is sent, so that a repeated attempt uses the
    /// same.
    mutating func startJoining(
        _ link: CompatibleInvitation, pqSupport requested: Bool, linkKey: PrivateAuthKey?, _ context: AgentContext
    ) throws(AgentError) {
        let pqSupport =
            requested
            && ConnectionState.supportsPQ(agentVersion: link.agentVersion, ratchetVersion: link.parameters.version)
        updateRecord {
            $0.agentVersion = link.agentVersion
            $0.pqSupport = pqSupport
        }
        do {
            let (ratchet, answer) = try Ratchet.answer(
                link.parameters, pqSupport: pqSupport, maximumVersion: context.configuration.ratchetVersions.max,
                keySource: context.ratchetKeys, random: context.random)
            setRatchet(ratchet)
            setSentParameters(answer)
        } catch {
            throw AgentError(error)
        }
        var queue = try SendQueue(link.queue, privateKey: linkKey, context)
        // Opening the link has secured the queue with that key.
        if linkKey != nil { queue.status = .secured }
        add(queue)
        try announced(link.otherQueues, context)
    }
}

extension SendQueue {
    /// A queue of the peer, with new keys of ours.
    ///
    /// - Parameter privateKey: the key that the queue is secured with already, if any.
    init(_ info: SMPQueueInfo, privateKey: PrivateAuthKey?, _ context: AgentContext) throws(AgentError) {
        let keys = X25519.generateKeyPair(context.random)
        let secret: BoxSecret
        do {
            secret = try BoxSecret(keys.privateKey, with: info.address.encryptionKey)
        } catch {
            throw AgentError(receiving: error)
        }
        self.init(
            row: context.random.rowID(), server: info.address.server, senderID: info.address.senderID,
            privateKey: privateKey ?? context.configuration.queueKeys.generateKey(context.random), peerSecret: secret,
            encryptionKey: keys.publicKey, mode: info.address.mode, clientVersion: info.clientVersion)
    }
}
