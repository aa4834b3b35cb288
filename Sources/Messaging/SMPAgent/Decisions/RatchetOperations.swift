import SMPCrypto
import SMPProtocol
import SMPRatchet
import SMPWire

extension Ratchet {
    /// Encrypts the header of a new message. An agent whose versions have no post-quantum encryption does not ask for it either: the peer
    /// would raise the version to one that the agent is not to use.
    ///
    /// - Returns: the key for the body, and whether post-quantum encryption protects it.
    mutating func sealHeader(
        pqEncryption: Bool?, _ context: AgentContext
    ) throws(AgentError) -> (key: RatchetMessageKey, isPQ: Bool) {
        let maximum = context.configuration.ratchetVersions.max
        do {
            let key = try sealHeader(pqEncryption: maximum >= RatchetVersion.kem ? pqEncryption : false, maximumVersion: maximum)
            return (key, isSendingPQ)
        } catch {
            throw AgentError(error)
        }
    }
}

extension RatchetMessageKey {
    /// Encrypts the body.
    func sealBody(_ message: Bytes, paddedTo length: Int) throws(AgentError) -> Bytes {
        do {
            return try sealMessage(message, paddedTo: length)
        } catch {
            throw AgentError(error)
        }
    }
}

extension RatchetParameters {
    /// Creates the parameters of a link's offer, at one of its versions.
    init(_ offer: RatchetParametersURI, version: UInt16) {
        self.init(
            version: version, key1: offer.key1, key2: offer.key2,
            kem: version >= RatchetVersion.kem ? offer.kemKey.map { .proposed($0) } : nil)
    }
}

extension AgreementKeys {
    /// New keys for an agreement that we offer.
    init(proposingKEM: Bool, _ context: AgentContext) {
        self.init(
            proposingKEM: proposingKEM && context.configuration.ratchetVersions.max >= RatchetVersion.kem,
            keySource: context.ratchetKeys, random: context.random)
    }

    /// The public keys as an invitation offers them.
    func offer(_ versions: VersionRange) -> RatchetParametersURI {
        RatchetParametersURI(versions: versions, key1: key1.publicKey, key2: key2.publicKey, kemKey: kem?.publicKey)
    }
}

extension AgentError {
    /// The ratchet could not encrypt or decrypt.
    init(_ error: RatchetError) {
        switch error.code {
        case .malformedMessage, .invalidPadding, .invalidKey: self.init(.agent(.message))
        case .header: self.init(.agent(.crypto(.ratchetHeader)))
        case .duplicateMessage: self.init(.agent(.duplicate(dropped: nil)))
        case .earlierMessage(let count): self.init(.agent(.crypto(.ratchetEarlier(count))))
        case .tooManySkipped(let count): self.init(.agent(.crypto(.ratchetSkipped(count))))
        case .decryptionFailed: self.init(.agent(.crypto(.decryptAES)))
        case .messageTooLong: self.init(.command(.large, context: error.message))
        case .cannotSend, .kemState, .malformedState, .libraryFailure: self.init(.internal(error.description))
        }
    }
}
