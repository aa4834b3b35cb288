import SMPCrypto

extension Ratchet {
    /// Advances the receiving chain to a message and stores the keys of skipped messages. Nothing changes if it throws.
    mutating func skip(to number: UInt32, _ added: inout [SkippedMessageKey]) throws(RatchetError) {
        guard var chain = receiving else { return }
        let ahead = Int64(number) - Int64(receivedCount)
        guard ahead >= 0 else {
            throw ahead == -1
                ? RatchetError(.duplicateMessage, "the message was received before")
                : RatchetError(.earlierMessage(UInt32(-ahead - 1)), "the message, before the last one, was received before")
        }
        guard ahead <= Int64(Ratchet.maximumSkipped), number < .max else {
            throw RatchetError(
                .tooManySkipped(UInt32(clamping: ahead + 1)), "more than \(Ratchet.maximumSkipped) messages are missing")
        }
        added.reserveCapacity(added.count + Int(ahead))
        for skipped in receivedCount..<number {
            let link = KeyDerivation.chain(chain.chainKey)
            added.append(SkippedMessageKey(headerKey: chain.headerKey, number: skipped, messageKey: link.messageKey))
            chain.chainKey = link.chainKey
        }
        receiving = chain
        receivedCount = number
    }

    /// Takes the next key of the receiving chain.
    mutating func takeReceivingKey() throws(RatchetError) -> MessageKey {
        guard let chain = receiving else { throw RatchetError(.header, "nothing can be received yet") }
        let link = KeyDerivation.chain(chain.chainKey)
        receiving?.chainKey = link.chainKey
        receivedCount += 1
        return link.messageKey
    }

    /// Takes up the peer's new keys: begins a new receiving chain, and with new keys of our own a new sending chain.
    mutating func step(_ header: MessageHeader, _ material: some RatchetMaterial) throws(RatchetError) {
        let kemStep = try kemStep(header.kem, material)
        let newKey = material.agreementKey()
        let (received, sent) = try mapping { () throws(CryptoError) in
            let received = KeyDerivation.root(
                rootKey, agreement: try key.sharedSecret(with: header.key), kem: kemStep.receivedSecret)
            let sent = KeyDerivation.root(
                received.rootKey, agreement: try newKey.sharedSecret(with: header.key), kem: kemStep.sentSecret)
            return (received, sent)
        }
        isReceivingPQ = kemStep.receivedSecret != nil
        isSendingPQ = kemStep.sentSecret != nil
        enablesPQ = isReceivingPQ || isSendingPQ || kemStep.kem != nil
        supportsPQ = supportsPQ || (enablesPQ && versions.current >= RatchetVersion.kem)
        key = newKey
        kem = kemStep.kem
        rootKey = sent.rootKey
        receiving = ReceivingChain(chainKey: received.chainKey, headerKey: nextReceivingHeaderKey)
        sending = SendingChain(chainKey: sent.chainKey, headerKey: nextSendingHeaderKey)
        previousSentCount = sentCount
        sentCount = 0
        receivedCount = 0
        nextReceivingHeaderKey = received.nextHeaderKey
        nextSendingHeaderKey = sent.nextHeaderKey
    }

    private struct KEMStep {
        var kem: KEM?
        /// The secret that the peer encapsulated to our key.
        var receivedSecret: SNTRUP761.SharedSecret?
        /// The secret that we encapsulate to the peer's key.
        var sentSecret: SNTRUP761.SharedSecret?
    }

    private func kemStep(
        _ announced: RatchetParameters.KEM?, _ material: some RatchetMaterial
    ) throws(RatchetError) -> KEMStep {
        let usesKEM = enablesPQ && versions.current >= RatchetVersion.kem
        var step = KEMStep()
        let peerKey: SNTRUP761.PublicKey
        switch announced {
        case nil:
            // A KEM of ours that the peer does not take up is dropped; without one, wanting it proposes it.
            if usesKEM, kem == nil { step.kem = KEM(keyPair: material.kemKeyPair()) }
            return step
        case .proposed(let key):
            peerKey = key
        case .accepted(let ciphertext, let key):
            guard let kem else { throw RatchetError(.kemState, "the peer accepts a KEM that was not proposed") }
            step.receivedSecret = SNTRUP761.decapsulate(ciphertext, with: kem.keyPair.secretKey)
            peerKey = key
        }
        guard usesKEM else { return step }
        let encapsulation = material.encapsulation(to: peerKey)
        step.sentSecret = encapsulation.sharedSecret
        step.kem = KEM(keyPair: material.kemKeyPair(), ciphertext: encapsulation.ciphertext)
        return step
    }
}
