import SMPCrypto
import SMPProtocol
import SMPWire

/// The authorisation checks for the commands of a session.
///
/// The time of a refusal depends on the authorisation only, not on whether the queue exists: if there is no key, a key without an
/// owner is checked. Key agreements are cached only for keys that have authorised a command.
struct SessionAuthorizer {
    /// The maximum number of cached keys; beyond it, the cache is cleared.
    static let cacheLimit = 512

    let sessionKey: X25519.PrivateKey
    /// The service of the client, if its handshake named one.
    var service: SessionService?
    private var proven: [X25519.PublicKey: CommandVerifier] = [:]
    /// Keys with a valid signature before: if a queue has several keys, these are tried first.
    private var signers: Set<PublicAuthKey> = []
    /// Failed key checks since this was last set to 0: the work that a stranger can cause. Forwarded commands are not counted,
    /// because they come from many clients, one in a block.
    var failures = 0

    init(sessionKey: X25519.PrivateKey) { self.sessionKey = sessionKey }

    /// - Parameter isForwarded: whether the command comes from a client behind the session's client.
    /// - Returns: the key that authorised the command, nil if it needs none.
    /// - Throws: the error to answer with.
    mutating func authorize(
        _ transmission: ReceivedTransmission<SMPCommand>, _ requirement: AuthorizationRequirement, isForwarded: Bool = false
    ) throws(SMPErrorType) -> PublicAuthKey? {
        let command = try transmission.message.get()
        let service = isForwarded ? nil : service
        if let service, let role = command.serviceRole, role != service.role { throw .command(.prohibited) }
        try checkService(service, command, transmission)
        switch requirement {
        case .service:
            guard let service, transmission.entity == service.id.entity, case .signature(let signature) = transmission.authorization,
                service.key.isValidSignature(signature, for: transmission.authorizedData)
            else { throw .service }
            return nil
        case .none:
            guard transmission.authorization.isNone else { throw .auth }
            return nil
        case .refused(let error):
            throw error
        case .keys(let keys):
            let candidates = candidates(keys, for: transmission.authorization)
            for (tried, key) in candidates.enumerated() where isAuthorized(transmission, by: key) {
                if !isForwarded { failures += tried }
                return key
            }
            if candidates.isEmpty { _ = isAuthorized(transmission, by: nil) }
            if !isForwarded { failures += max(1, candidates.count) }
            throw .auth
        }
    }

    /// Selects the keys that can have made an authorisation: keys of another kind are not checked.
    private func candidates(_ keys: [PublicAuthKey], for authorization: TransmissionAuthorization) -> [PublicAuthKey] {
        let possible = keys.filter { key in
            switch (key, authorization) {
            case (.ed25519, .signature(let signature)): signature.count != Ed448.signatureSize
            case (.ed448, .signature(let signature)): signature.count == Ed448.signatureSize
            case (.x25519, .authenticator): true
            default: false
            }
        }
        guard possible.count > 1 else { return possible }
        return possible.filter(isProven) + possible.filter { !isProven($0) }
    }

    private func isProven(_ key: PublicAuthKey) -> Bool {
        if case .x25519(let key) = key { proven[key] != nil } else { signers.contains(key) }
    }

    /// Checks the signature of a service, which signs only commands that assign queues to it; the holder of the queue's key signs them, too.
    private func checkService(
        _ service: SessionService?, _ command: SMPCommand, _ transmission: ReceivedTransmission<SMPCommand>
    ) throws(SMPErrorType) {
        guard command.usesServiceSignature, let service else {
            guard transmission.serviceSignature == nil else { throw .service }
            return
        }
        guard let signature = transmission.serviceSignature, service.key.isValidSignature(signature, for: transmission.authorizedData)
        else { throw .service }
    }

    /// Returns the bytes that the key of a queue signs.
    private func authorizedData(_ transmission: ReceivedTransmission<SMPCommand>) -> Bytes {
        guard let service, transmission.serviceSignature != nil else { return transmission.authorizedData }
        return service.certificateHash + transmission.authorizedData
    }

    /// - Parameter key: nil means a missing key.
    private mutating func isAuthorized(_ transmission: ReceivedTransmission<SMPCommand>, by key: PublicAuthKey?) -> Bool {
        switch transmission.authorization {
        case .none: return false
        case .signature(let signature):
            let isEd448 = signature.count == Ed448.signatureSize
            var signer = isEd448 ? DummyKeys.ed448 : DummyKeys.ed25519
            var isOwn = false
            if let key {
                switch (key, isEd448) {
                case (.ed25519, false), (.ed448, true): (signer, isOwn) = (key, true)
                default: break
                }
            }
            guard signer.isValidSignature(signature, for: authorizedData(transmission)), isOwn else { return false }
            if signers.count >= Self.cacheLimit { signers.removeAll(keepingCapacity: true) }
            signers.insert(signer)
            return true
        case .authenticator:
            guard case .x25519(let publicKey)? = key else {
                _ = check(transmission, CommandVerifier(DummyKeys.x25519, sessionKey: sessionKey))
                return false
            }
            if let verifier = proven[publicKey] { return check(transmission, verifier) }
            let verifier = CommandVerifier(.x25519(publicKey), sessionKey: sessionKey)
            guard check(transmission, verifier) else { return false }
            if proven.count >= Self.cacheLimit { proven.removeAll(keepingCapacity: true) }
            proven[publicKey] = verifier
            return true
        }
    }

    private func check(_ transmission: ReceivedTransmission<SMPCommand>, _ verifier: CommandVerifier) -> Bool {
        verifier.isValid(
            transmission.authorization, for: authorizedData(transmission), correlationID: transmission.correlationID)
    }
}

/// Public keys without an owner: their private keys are discarded.
private enum DummyKeys {
    static let random = SystemRandomSource()
    static let x25519 = PublicAuthKey.x25519(X25519.generateKeyPair(random).publicKey)
    static let ed25519 = PublicAuthKey.ed25519(Ed25519.generateKeyPair(random).publicKey)
    static let ed448 = PublicAuthKey.ed448(Ed448.generateKeyPair(random).publicKey)
}
