import SMPCrypto
import SMPProtocol
import SMPRatchet
import SMPWire

/// A message's content, encoded once, that may be stored once for many connections.
struct OutgoingContent: Sendable {
    let kind: AgentMessageKind
    let bytes: Bytes
    /// The row of a shared copy.
    var sharedRow: RowID?

    init(_ content: AgentMessageContent, sharedRow: RowID? = nil) {
        kind = content.kind
        bytes = content.wireBytes
        self.sharedRow = sharedRow
    }
}

extension SentMessage {
    /// The agent message that the ratchet encrypts: the header goes before the content.
    static func encode(_ header: AgentMessageHeader, content: Bytes) -> Bytes {
        var writer = WireWriter(reservingCapacity: content.count + 48)
        writer.write(byte: UInt8(ascii: "M"))
        writer.write(header)
        writer.write(raw: content)
        return writer.bytes
    }

    /// The agent envelope to send: the same bytes each time.
    func envelope(agentVersion: UInt16) throws(AgentError) -> Bytes {
        switch content {
        case .envelope(let bytes): return bytes
        case .sealed(let body, let key, let length):
            let message = Self.encode(AgentMessageHeader(id: sentID, previousHash: previousHash), content: body.bytes)
            let encrypted = try key.sealBody(message, paddedTo: length)
            return AgentEnvelope.message(version: agentVersion, encrypted: encrypted).wireBytes
        }
    }
}

extension Transition {
    /// Adds a numbered message to the connection's queues.
    ///
    /// The header is encrypted at once, which moves the ratchet; the key for the body is stored with the message.
    ///
    /// - Parameters:
    ///   - pqEncryption: nil to leave post-quantum encryption as it is.
    ///   - queues: nil for all queues that messages go to.
    /// - Throws: `CMD PROHIBITED` while the ratchet is out of step (unless `isRatchetMessage`), `CMD LARGE` if the message does not fit.
    @discardableResult
    mutating func enqueue(
        _ content: OutgoingContent, flags: MessageFlags, pqEncryption: Bool? = nil, queues: [RowID]? = nil,
        requestKey: Int64? = nil, isRatchetMessage: Bool = false, _ context: AgentContext
    ) throws(AgentError) -> AcceptedMessage {
        guard isRatchetMessage || !record.ratchetSync.prohibitsSending else {
            throw AgentError.outOfStep
        }
        guard var ratchet = state.ratchet else { throw AgentError(.connection(.simplex, context: "sending: no ratchet yet")) }
        let targets = queues ?? state.deliveryQueues
        guard !targets.isEmpty else { throw AgentError(.connection(.simplex, context: "sending: no queue to send to")) }
        // Agents before that version could not make room for the larger headers.
        let isPossible = record.agentVersion >= AgentVersion.pqRatchet
        let wanted = pqEncryption.map { $0 && isPossible }
        // Either side may turn it on: the ratchet's headers are large from then on.
        if wanted == true || ratchet.supportsPQ, !record.pqSupport { updateRecord { $0.pqSupport = true } }
        let length =
            AgentLimits.messageLength(agentVersion: record.agentVersion, pqSupport: record.pqSupport)
            - context.configuration.paddingReduction
        let headerLength = 1 + 8 + 1 + record.lastSentHash.count
        guard MessagePadding.fits(headerLength + content.bytes.count, in: length) else {
            throw AgentError(.command(.large, context: "a message of \(content.bytes.count) bytes"))
        }
        let (key, isPQ) = try ratchet.sealHeader(pqEncryption: wanted, context)
        setRatchet(ratchet)

        let (messageID, header) = nextSentMessage()
        let hash = Hash.sha256(SentMessage.encode(header, content: content.bytes))
        setLastSent(hash: hash)
        let body: AgentMessageBody = content.sharedRow.map { .shared($0, content.bytes) } ?? .own(content.bytes)
        let message = SentMessage(
            messageID: messageID, sentID: header.id, kind: content.kind, flags: flags,
            content: .sealed(body, key: key, paddedLength: length), hash: hash, previousHash: header.previousHash,
            pqEncryption: isPQ, createdAt: context.now, requestKey: requestKey)
        add(message, to: targets)
        return AcceptedMessage(messageID: messageID, pqEncryption: isPQ)
    }

    /// Adds a confirmation of a queue. It is encrypted at once: it is sent once and its parameters are at hand now.
    ///
    /// - Parameter parameters: our ratchet parameters, from the party that joins.
    mutating func enqueueConfirmation(
        _ message: AgentMessage, parameters: RatchetParameters?, queue: RowID, _ context: AgentContext
    ) throws(AgentError) {
        guard var ratchet = state.ratchet else { throw AgentError(.internal("a confirmation without a ratchet")) }
        let length =
            AgentLimits.confirmationLength(agentVersion: record.agentVersion, pqSupport: record.pqSupport)
            - context.configuration.paddingReduction
        let (key, isPQ) = try ratchet.sealHeader(pqEncryption: record.pqSupport, context)
        let bytes = message.wireBytes
        let encrypted = try key.sealBody(bytes, paddedTo: length)
        setRatchet(ratchet)
        let envelope = AgentEnvelope.confirmation(version: record.agentVersion, parameters: parameters, encryptedInfo: encrypted)
        addEnvelope(envelope, of: message, bytes: bytes, pqEncryption: isPQ, queues: [queue], context)
    }

    /// Adds new ratchet keys for the peer.
    mutating func enqueueRatchetKey(_ parameters: RatchetParameters, _ context: AgentContext) {
        let message = AgentMessage.ratchetInfo([])
        let bytes = message.wireBytes
        let envelope = AgentEnvelope.ratchetKey(
            version: context.configuration.agentVersions.max, parameters: parameters, info: bytes)
        addEnvelope(envelope, of: message, bytes: bytes, pqEncryption: false, queues: state.deliveryQueues, context)
    }

    private mutating func addEnvelope(
        _ envelope: AgentEnvelope, of message: AgentMessage, bytes: Bytes, pqEncryption: Bool, queues: [RowID], _ context: AgentContext
    ) {
        let (messageID, header) = nextSentMessage()
        let hash = Hash.sha256(bytes)
        setLastSent(hash: hash)
        add(
            SentMessage(
                messageID: messageID, sentID: header.id, kind: message.kind, flags: MessageFlags(notification: true),
                content: .envelope(envelope.wireBytes), hash: hash, previousHash: header.previousHash, pqEncryption: pqEncryption,
                createdAt: context.now),
            to: queues)
    }
}
