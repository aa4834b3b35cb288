package import SMPCrypto

extension Ratchet {
    /// Joins: answers an offer. This side sends first.
    ///
    /// - Parameters:
    ///   - offer: the peer's parameters, at the version that both sides support.
    ///   - pqSupport: whether to accept the proposed KEM, or to propose it if it is not.
    ///   - maximumVersion: the highest version to announce to the peer.
    ///   - keySource: where the keys come from; nil to make them at once.
    /// - Returns: the ratchet, and the parameters to send to the peer with the first message.
    /// - Throws: ``RatchetError`` `kemState` if what is offered accepts a KEM; `invalidKey`.
    package static func answer(
        _ offer: RatchetParameters, pqSupport: Bool, maximumVersion: UInt16 = RatchetVersion.current,
        keySource: (any RatchetKeySource)? = nil, random: any RandomSource
    ) throws(RatchetError) -> (ratchet: Ratchet, answer: RatchetParameters) {
        guard offer.isOffer else { throw RatchetError(.kemState, "an offer cannot accept a KEM") }
        let material = RandomMaterial(random: random, source: keySource)
        let keys = AgreementKeys(
            proposingKEM: pqSupport && offer.version >= RatchetVersion.kem, keySource: keySource, random: random)
        var answer = keys.offer(version: offer.version)
        var encapsulation: SNTRUP761.Encapsulation?
        if let pair = keys.kem, case .proposed(let key)? = offer.kem {
            let made = material.encapsulation(to: key)
            answer.kem = .accepted(made.ciphertext, pair.publicKey)
            encapsulation = made
        }
        let ratchet = try Ratchet(
            sendingTo: offer, keys: keys, encapsulation: encapsulation, ratchetKey: material.agreementKey(),
            maximumVersion: maximumVersion)
        return (ratchet, answer)
    }

    /// Starts a new ratchet, for which both sides have offered keys; this side sends first.
    ///
    /// - Parameters:
    ///   - offer: the peer's parameters.
    ///   - keys: our keys, whose offer was sent to the peer. A KEM in them is proposed by the first messages.
    ///   - maximumVersion: the highest version to announce to the peer.
    ///   - keySource: where the key of the first step comes from; nil to make it at once.
    /// - Throws: ``RatchetError`` `kemState` if what is offered accepts a KEM; `invalidKey`.
    package init(
        sendingTo offer: RatchetParameters, keys: AgreementKeys, maximumVersion: UInt16 = RatchetVersion.current,
        keySource: (any RatchetKeySource)? = nil, random: any RandomSource
    ) throws(RatchetError) {
        guard offer.isOffer else { throw RatchetError(.kemState, "an offer cannot accept a KEM") }
        try self.init(
            sendingTo: offer, keys: keys, encapsulation: nil, ratchetKey: RandomMaterial(random: random, source: keySource).agreementKey(),
            maximumVersion: maximumVersion)
    }

    /// Starts a ratchet that receives first: with the answer to our offer, or with an offer of the peer if it is the one to send first.
    ///
    /// - Parameters:
    ///   - parameters: the peer's parameters.
    ///   - keys: our keys, whose offer the peer has.
    ///   - pqSupport: whether this side uses post-quantum encryption.
    ///   - maximumVersion: the highest version to announce to the peer.
    /// - Throws: ``RatchetError`` `kemState` if the peer accepts a KEM that we did not propose; `invalidKey`.
    package init(
        receivingFrom parameters: RatchetParameters, keys: AgreementKeys, pqSupport: Bool,
        maximumVersion: UInt16 = RatchetVersion.current
    ) throws(RatchetError) {
        var kem: KEM?
        var shared: SNTRUP761.SharedSecret?
        if parameters.version >= RatchetVersion.kem, case .accepted(let ciphertext, _)? = parameters.kem {
            guard let own = keys.kem else { throw RatchetError(.kemState, "the peer accepts a KEM that was not proposed") }
            shared = SNTRUP761.decapsulate(ciphertext, with: own.secretKey)
            kem = KEM(keyPair: own, ciphertext: ciphertext)
        }
        let secrets = try PQX3DH.respond(key1: keys.key1, key2: keys.key2, answer: parameters, kem: shared)
        self.init(
            versions: RatchetVersions(current: parameters.version, maximum: maximumVersion),
            associatedData: secrets.associatedData, key: keys.key2, kem: kem, supportsPQ: pqSupport, enablesPQ: pqSupport,
            isSendingPQ: false, isReceivingPQ: false, rootKey: secrets.rootKey, sending: nil, receiving: nil, sentCount: 0,
            receivedCount: 0, previousSentCount: 0, nextSendingHeaderKey: secrets.nextHeaderKey,
            nextReceivingHeaderKey: secrets.headerKey)
    }

    /// - Parameters:
    ///   - encapsulation: the secret for the offered KEM key, if it is accepted.
    ///   - ratchetKey: our key of the first step.
    init(
        sendingTo offer: RatchetParameters, keys: AgreementKeys, encapsulation: SNTRUP761.Encapsulation?,
        ratchetKey: X448.PrivateKey, maximumVersion: UInt16
    ) throws(RatchetError) {
        let kem = offer.version >= RatchetVersion.kem ? keys.kem.map { KEM(keyPair: $0, ciphertext: encapsulation?.ciphertext) } : nil
        let shared = encapsulation?.sharedSecret
        let secrets = try PQX3DH.initiate(key1: keys.key1, key2: keys.key2, offer: offer, kem: shared)
        let root = KeyDerivation.root(
            secrets.rootKey, agreement: try mapping { () throws(CryptoError) in try ratchetKey.sharedSecret(with: offer.key2) },
            kem: shared)
        self.init(
            versions: RatchetVersions(current: offer.version, maximum: maximumVersion),
            associatedData: secrets.associatedData, key: ratchetKey, kem: kem, supportsPQ: kem != nil, enablesPQ: kem != nil,
            isSendingPQ: shared != nil, isReceivingPQ: false, rootKey: root.rootKey,
            sending: SendingChain(chainKey: root.chainKey, headerKey: secrets.headerKey), receiving: nil, sentCount: 0,
            receivedCount: 0, previousSentCount: 0, nextSendingHeaderKey: root.nextHeaderKey,
            nextReceivingHeaderKey: secrets.nextHeaderKey)
    }
}
