import SMPCrypto
import SMPProtocol
import SMPRatchet
import SMPWire

/// The consequence of a received message, besides the changes in the transition.
enum ReceiveOutcome: Sendable {
    /// The router may delete it.
    case acknowledge
    /// The router may delete it once the user has acknowledged this message.
    case waitForUser(ReceivedMessageRecord)
    /// It could not be decrypted: it may have been received before, by this hash of its ciphertext.
    case undecryptable(encryptedHash: Bytes, AgentError)
    /// It holds receipts: what became of the messages that they name must be looked up.
    case receipts([AgentMessageReceipt], ReceivedMessageRecord)
    /// Somebody asks to connect: whether the same was asked before must be looked up.
    case request(ReceivedRequest)
    /// It is not the next one, and nothing was done with it: those before it may come through another queue. It has this number of the peer's.
    case early(Int64)
}

/// A message with what its layers outside the ratchet say.
private struct OpenedMessage {
    let queue: ReceiveQueue
    let brokerID: Bytes
    /// Milliseconds since 1970.
    let brokerTime: Int64
    let flags: MessageFlags
    /// True if messages before it may come through another queue.
    let mayBeEarly: Bool
}

extension Transition {
    /// Processes a message that a router delivered. Faults are reported, and the message is acknowledged, so that it cannot block the
    /// messages behind it.
    ///
    /// - Parameter mayBeEarly: whether messages before it may come through another queue.
    mutating func receive(
        _ message: ReceivedMessage, from queueRow: RowID, mayBeEarly: Bool = false, _ context: AgentContext
    ) -> ReceiveOutcome {
        guard let queue = state.receiveQueue(queueRow) else { return .acknowledge }
        let body: ReceivedMessageBody
        do {
            body = try ReceivedMessageBody(opening: message, secret: queue.routerSecret)
        } catch {
            emit(.failed(AgentError(receiving: error)))
            return .acknowledge
        }
        switch body {
        case .quotaExceeded:
            quotaExceeded(queue, context)
            return .acknowledge
        case .message(let time, let flags, let content):
            // Its decoder has brought the time into ``UnixTime/range``.
            let opened = OpenedMessage(
                queue: queue, brokerID: message.id.bytes, brokerTime: time * 1000, flags: flags, mayBeEarly: mayBeEarly)
            let before = self
            do {
                let outcome = try receive(content, opened, context)
                if case .early = outcome { self = before }
                return outcome
            } catch {
                // An unusable message leaves no trace but the report.
                self = before
                emit(.failed(error))
                return .acknowledge
            }
        }
    }

    /// The queue was full, its messages have been read now: the sender may continue.
    ///
    /// If the queue in the other direction is full as well, that word waits behind our messages for it, and the other side's word behind its own.
    /// The side that reads last finds the other side's queue empty by trying again.
    private mutating func quotaExceeded(_ queue: ReceiveQueue, _ context: AgentContext) {
        guard state.kind == .duplex else { return }
        for queue in state.sendQueues { resume(queue.row) }
        do {
            try enqueue(OutgoingContent(.queueContinue(queue.address)), flags: MessageFlags(), context)
        } catch {
            emit(.failed(error))
        }
    }

    private mutating func receive(
        _ content: Bytes, _ opened: OpenedMessage, _ context: AgentContext
    ) throws(AgentError) -> ReceiveOutcome {
        let queue = opened.queue
        let envelope = try ClientEnvelope(receiving: content)
        guard context.configuration.clientVersions.contains(envelope.clientVersion) || envelope.clientVersion <= queue.clientVersion else {
            throw .peer(.version)
        }
        switch (queue.peerSecret, envelope.encryptionKey) {
        case (nil, let key?):
            let secret: BoxSecret
            do {
                secret = try BoxSecret(queue.encryptionKey, with: key)
            } catch {
                throw AgentError(receiving: error)
            }
            let (clientMessage, agentEnvelope) = try Self.open(envelope, secret)
            switch (clientMessage.senderKey, agentEnvelope) {
            case (let senderKey, .confirmation(let version, let parameters, let encryptedInfo)):
                guard senderKey != nil || queue.mode == .messaging else {
                    throw .peer(.prohibited("handshake: missing sender key"))
                }
                let confirmation = ReceivedConfirmation(
                    queue: queue, secret: secret, clientVersion: envelope.clientVersion, agentVersion: version, senderKey: senderKey,
                    parameters: parameters, encryptedInfo: encryptedInfo)
                try receive(confirmation, context)
            case (nil, .invitation(_, let request, let info)):
                return .request(try checked(ReceivedRequest(request: request, info: info, brokerID: opened.brokerID)))
            default: throw .peer(.prohibited("handshake: incorrect state"))
            }
            return .acknowledge
        case (let secret?, nil):
            let (clientMessage, agentEnvelope) = try Self.open(envelope, secret)
            switch (clientMessage.senderKey, agentEnvelope) {
            case (nil, .ratchetKey(let version, let parameters, _)):
                updateVersion(version, context)
                try receive(parameters, context)
                return .acknowledge
            case (nil, .message(let version, let encrypted)):
                updateVersion(version, context)
                return try receive(encrypted: encrypted, opened, context)
            default: throw .peer(.prohibited("msg: bad client msg"))
            }
        case (let secret?, .some):
            // A confirmation that is delivered again because its acknowledgement was lost.
            guard case (_, .confirmation) = try Self.open(envelope, secret) else {
                throw .peer(.prohibited("msg: public header"))
            }
            return .acknowledge
        case (nil, nil): throw .peer(.prohibited("msg: no keys"))
        }
    }

    private static func open(_ envelope: ClientEnvelope, _ secret: BoxSecret) throws(AgentError) -> (ClientMessage, AgentEnvelope) {
        do {
            let message = try ClientMessage(wireBytes: secret.openPadded(envelope.encrypted, nonce: envelope.nonce))
            return (message, try AgentEnvelope(wireBytes: message.body))
        } catch {
            throw AgentError(receiving: error)
        }
    }

    /// Uses the higher version that the peer turned out to have.
    private mutating func updateVersion(_ version: UInt16, _ context: AgentContext) {
        let own = context.configuration.agentVersions
        guard let highest = own.intersection(VersionRange(own.min, version) ?? VersionRange(version))?.max,
            highest > record.agentVersion
        else { return }
        updateRecord { $0.agentVersion = highest }
    }

    private mutating func receive(
        encrypted: Bytes, _ opened: OpenedMessage, _ context: AgentContext
    ) throws(AgentError) -> ReceiveOutcome {
        let statusBefore = opened.queue.status
        activate(opened.queue, context)
        let encryptedHash = Hash.sha256(encrypted)
        guard let ratchetBefore = state.ratchet else { throw .peer(.prohibited("msg: no ratchet")) }
        let plaintext: Bytes
        let pqEncryption: Bool
        switch openRatchet(encrypted, context) {
        case .success(let opened): (plaintext, pqEncryption) = opened
        case .failure(let error): return .undecryptable(encryptedHash: encryptedHash, error)
        }
        // The ratchet has moved: from here on faults are reported and the rest is kept.
        let header: AgentMessageHeader
        let content: AgentMessageContent
        do throws(AgentError) {
            guard case .message(let itsHeader, let itsContent) = try AgentMessage(receiving: plaintext) else {
                throw AgentError.peer(.prohibited("msg: bad agent msg"))
            }
            (header, content) = (itsHeader, itsContent)
        } catch {
            emit(.failed(error))
            return .acknowledge
        }

        if opened.mayBeEarly, header.id > record.lastReceivedID + 1 { return .early(header.id) }
        let hash = Hash.sha256(plaintext)
        let integrity = MessageIntegrity.check(
            previousID: record.lastReceivedID, previousHash: record.lastReceivedHash, id: header.id,
            claimedPreviousHash: header.previousHash)
        let lastReceivedID = record.lastReceivedID
        let messageID = nextReceivedMessage(id: header.id, hash: hash)
        let metadata = MessageMetadata(
            integrity: integrity, messageID: messageID, receivedAt: context.now, brokerID: opened.brokerID,
            brokerTime: opened.brokerTime, senderMessageID: header.id, pqEncryption: pqEncryption)
        let waits = content.kind == .message || content.kind == .receipt
        let stored = ReceivedMessageRecord(
            messageID: messageID, queue: opened.queue.row, kind: content.kind, flags: opened.flags, metadata: metadata,
            body: waits ? plaintext : [], hash: hash, encryptedHash: encryptedHash, isAcknowledged: !waits)
        add(.insertReceivedMessage(stored, connection: connection))
        endRatchetSync(context)

        do throws(AgentError) {
            switch content {
            case .message(let body):
                emit(.message(metadata, opened.flags, body))
                return .waitForUser(stored)
            case .received(let receipts):
                guard state.kind == .duplex else { throw AgentError.peer(.queue("RCVD: message must be sent to duplex connection")) }
                return .receipts(receipts, stored)
            case .hello: try receiveHello(statusBefore, metadata, context)
            case .queueContinue(let address): try receiveContinue(address)
            case .queueAdd(let queues): try receiveQueueAdd(queues, context)
            case .queueKey(let keys): try receiveQueueKey(keys, context)
            case .queueUse(let queues): try receiveQueueUse(queues, context)
            case .queueTest: break
            case .ratchetReady: try receiveRatchetReady(ratchetBefore, lastReceivedID: lastReceivedID, context)
            }
        } catch {
            emit(.failed(error))
        }
        return .acknowledge
    }

    /// Decrypts with the ratchet and keeps what it has become, also when a message key was used up without a result.
    mutating func openRatchet(
        _ encrypted: Bytes, _ context: AgentContext
    ) -> Result<(plaintext: Bytes, pqEncryption: Bool), AgentError> {
        guard var ratchet = state.ratchet else { return .failure(.peer(.prohibited("msg: no ratchet"))) }
        var keys = state.skippedKeys
        let opened = ratchet.open(encrypted, skipped: &keys, keySource: context.ratchetKeys, random: context.random)
        if opened.isChanged {
            setRatchet(ratchet)
            setSkippedKeys(
                keys, added: opened.addedKeys, removed: opened.droppedKeys + (opened.removedKey.map { [$0] } ?? []))
        }
        return opened.plaintext.map { ($0, ratchet.isReceivingPQ) }.mapError { AgentError($0) }
    }

    /// The first message in a queue shows that it works; in a new queue of a rotation it ends the use of the old one.
    private mutating func activate(_ queue: ReceiveQueue, _ context: AgentContext) {
        if queue.status != .active {
            updateReceiveQueue(queue.row) { $0.status = .active }
            if queue.isAddition { emit(.queuesChanged(.receive, AgentConnectionStats(state))) }
        }
        guard let replaced = queue.replaces else { return }
        receivedInNewQueue(queue, replaced: replaced, context)
    }

    private mutating func receiveContinue(_ address: QueueAddress) throws(AgentError) {
        guard state.kind == .duplex else { throw .peer(.queue("QCONT: message must be sent to duplex connection")) }
        // A queue that was full when it was left for another: nothing waits for it any more.
        guard let queue = state.sendQueue(at: address) else { return }
        resume(queue.row)
        emit(.sendingContinued)
    }

    /// Compares receipts with the messages that they name, and reports those that are new.
    ///
    /// - Parameter sent: what is left of the named messages, by the number that the peer knows them by.
    mutating func receive(
        _ receipts: [AgentMessageReceipt], in message: ReceivedMessageRecord, sent: [Int64: SentMessageReceiptRecord]
    ) -> ReceiveOutcome {
        var results: [MessageReceipt] = []
        for receipt in receipts {
            guard let record = sent[receipt.id] else { continue }
            guard record.kind == .message else {
                fail(.agent(.prohibited("receipt: not a msg")))
                continue
            }
            // Reported before.
            if record.receiptStatus == .ok { continue }
            let status: MessageReceipt.Status = receipt.hash == record.hash ? .ok : .badMessageHash
            add(.setReceipt(connection: connection, sentID: receipt.id, status))
            results.append(MessageReceipt(messageID: record.messageID, status: status))
        }
        guard !results.isEmpty else {
            add(.acknowledge(connection: connection, message.messageID))
            return .acknowledge
        }
        emit(.receipts(message.metadata, results))
        return .waitForUser(message)
    }
}
