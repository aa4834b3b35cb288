import SMPCrypto
import SMPProtocol
import SMPRatchet
import SMPWire

// Agreeing on new ratchet keys when messages cannot be decrypted any more (agent-protocol.md, "Ratchet re-synchronization"). Either side
// sends new keys, the other answers with its own, and the hashes of the keys decide which of them sends first.

extension Transition {
    private mutating func emitSync(_ state: AgentRatchetSyncState, _ error: AgentError.Crypto?) {
        updateRecord { $0.ratchetSync = state }
        emit(.ratchetSync(state, error, AgentConnectionStats(self.state)))
    }

    /// A message was decrypted: the ratchets are in step, unless ours may be older than what the peer has seen.
    mutating func endRatchetSync(_ context: AgentContext) {
        if record.ratchetSync == .required, context.outdated.contains(record.id) { return }
        if record.ratchetSync != .ok, record.ratchetSync != .started { emitSync(.ok, nil) }
    }

    /// A message that was not received before cannot be decrypted.
    mutating func undecryptable(_ error: AgentError.Crypto) {
        guard state.kind == .duplex else { return fail(.agent(.queue("AGENT A_CRYPTO error: message must be sent to duplex connection"))) }
        switch record.ratchetSync {
        case .ok, .allowed, .required: emitSync(error.syncState, error)
        case .started, .agreed: break
        }
    }

    /// The user asks for new keys.
    mutating func startRatchetSync(pqSupport: Bool, force: Bool, _ context: AgentContext) throws(AgentError) {
        guard state.kind == .duplex else { throw .prohibited("synchronizeRatchet: not duplex") }
        let isAllowed = record.agentVersion >= AgentVersion.ratchetSync && record.ratchetSync.isAllowed
        guard isAllowed || force else { throw .prohibited("synchronizeRatchet: not allowed") }
        let keys = AgreementKeys(proposingKEM: pqSupport, context)
        enqueueRatchetKey(keys.offer(version: context.configuration.ratchetVersions.max), context)
        setAgreementKeys(keys)
        updateRecord {
            $0.ratchetSync = .started
            $0.pqSupport = pqSupport
        }
    }

    /// The peer's new keys.
    mutating func receive(_ parameters: RatchetParameters, _ context: AgentContext) throws(AgentError) {
        guard state.kind == .duplex else { throw .peer(.queue("AgentRatchetKey: message must be sent to duplex connection")) }
        let peerHash = RatchetSyncRole.hash(parameters.key1, parameters.key2)
        guard isNew(peerHash) || answersAgain(peerHash) else { return }
        guard context.configuration.ratchetVersions.contains(parameters.version) else { throw .peer(.version) }
        guard state.processedRatchetKeys.count < AgentLimits.maximumAgreements else {
            throw .peer(.prohibited("AgentRatchetKey: too many agreements"))
        }
        addProcessedRatchetKey(peerHash, at: context.now)
        let keys: AgreementKeys
        switch record.ratchetSync {
        case .ok, .allowed, .required:
            keys = AgreementKeys(proposingKEM: record.pqSupport, context)
            enqueueRatchetKey(keys.offer(version: parameters.version), context)
            setAgreementKeys(keys)
        case .started: keys = try ownAgreementKeys()
        case .agreed:
            // The peer has not used what was agreed, or it could not send new keys: it answered ours once more. An official client does
            // that when a message that it cannot decrypt comes just as it begins to agree on keys. Our keys go again for a peer that has
            // gone back to a backup once more; a peer that has seen them ignores them.
            keys = try ownAgreementKeys()
            enqueueRatchetKey(keys.offer(version: parameters.version), context)
        }
        let ownHash = RatchetSyncRole.hash(keys.key1.publicKey, keys.key2.publicKey)
        let role = RatchetSyncRole(own: ownHash, peer: peerHash)
        let maximumVersion = context.configuration.ratchetVersions.max
        let ratchet: Ratchet
        do {
            ratchet =
                switch role {
                case .receiving:
                    try Ratchet(
                        receivingFrom: parameters, keys: keys, pqSupport: record.pqSupport, maximumVersion: maximumVersion)
                case .sending:
                    try Ratchet(
                        sendingTo: parameters, keys: keys, maximumVersion: maximumVersion, keySource: context.ratchetKeys,
                        random: context.random)
                }
        } catch {
            throw AgentError(error)
        }
        setRatchet(nil)
        setRatchet(ratchet)
        emitSync(.agreed, nil)
        if role == .sending { try enqueueRatchetReady(lastReceivedID: record.lastReceivedID, context) }
    }

    private func isNew(_ hash: Bytes) -> Bool { state.processedRatchetKeys[hash] == nil }

    /// Checks whether we have begun anew, and the peer answers with its newest keys, which we know already: it does while it waits for us to use what
    /// was agreed before. Passing over them both sides would wait for ever. If the peer has not seen our new keys yet, and these come only
    /// because they were delivered twice, it comes to the same agreement when it sees ours, or answers with other keys, which count then.
    private func answersAgain(_ hash: Bytes) -> Bool {
        record.ratchetSync == .started && state.processedRatchetKeys[hash] == state.processedRatchetKeys.values.max()
    }

    private func ownAgreementKeys() throws(AgentError) -> AgreementKeys {
        guard let keys = state.agreementKeys else { throw AgentError(.internal("AgentRatchetKey: no keys for the agreement")) }
        return keys
    }

    private mutating func enqueueRatchetReady(lastReceivedID: Int64, _ context: AgentContext) throws(AgentError) {
        try enqueue(
            OutgoingContent(.ratchetReady(lastReceivedID: lastReceivedID)), flags: MessageFlags(notification: true),
            isRatchetMessage: true, context)
    }

    /// `EREADY`: the peer can use the new ratchet. The side that waited to receive first answers.
    mutating func receiveRatchetReady(_ before: Ratchet, lastReceivedID: Int64, _ context: AgentContext) throws(AgentError) {
        guard state.kind == .duplex else { throw .peer(.queue("EREADY: message must be sent to duplex connection")) }
        if !before.canSend { try enqueueRatchetReady(lastReceivedID: lastReceivedID, context) }
    }
}

/// Which side of a new agreement sends first.
enum RatchetSyncRole: Sendable, Equatable {
    /// Waits for the first message.
    case receiving
    /// Sends the first message.
    case sending

    /// SHA-256 of both keys.
    static func hash(_ key1: X448.PublicKey, _ key2: X448.PublicKey) -> Bytes { Hash.sha256(key1.raw + key2.raw) }

    init(own: Bytes, peer: Bytes) { self = peer.lexicographicallyPrecedes(own) ? .sending : .receiving }
}

extension AgentError.Crypto {
    /// The ratchet state that follows from a message that cannot be decrypted.
    var syncState: AgentRatchetSyncState {
        switch self {
        case .decryptAES, .decryptCB, .ratchetEarlier: .allowed
        case .ratchetHeader, .ratchetSkipped, .ratchetSync: .required
        }
    }
}
