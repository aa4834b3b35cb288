package import SMPCrypto
package import SMPWire

/// The proof of a transmission's sender: nothing, an Ed25519 or Ed448 signature, or an X25519 authenticator (simplex-messaging.md,
/// "Authenticating commands").
package enum TransmissionAuthorization: Hashable, Sendable {
    case none
    /// 64 bytes of Ed25519 or 114 of Ed448.
    case signature(Bytes)
    /// 80 bytes.
    case authenticator(Bytes)

    package var isNone: Bool { self == .none }

    var bytes: Bytes {
        switch self {
        case .none: []
        case .signature(let bytes), .authenticator(let bytes): bytes
        }
    }

    /// The size tells what the bytes are; nil for a size that nothing has.
    init?(_ bytes: Bytes) {
        switch bytes.count {
        case 0: self = .none
        case CommandAuthenticator.size: self = .authenticator(bytes)
        case Ed25519.signatureSize, Ed448.signatureSize: self = .signature(bytes)
        default: return nil
        }
    }
}

/// Makes the authorisations of one key in one session. Keep it for as long as both are in use: an agreement with the router's
/// key costs more than an authenticator.
package enum CommandAuthorizer: Sendable {
    case signing(PrivateAuthKey)
    case authenticating(BoxSecret)

    /// - Parameter serverKey: the session key of the router's hello.
    /// - Throws: ``TransportError`` `noServerAuth` if the key needs a key of the router, and the router has none of a suitable type.
    package init(_ key: PrivateAuthKey, serverKey: X25519.PublicKey?) throws(TransportError) {
        guard case .x25519(let privateKey) = key else {
            self = .signing(key)
            return
        }
        guard let serverKey, let secret = try? BoxSecret(privateKey, with: serverKey) else { throw .noServerAuth }
        self = .authenticating(secret)
    }

    /// - Parameter data: ``EncodedTransmission/authorizedData``, behind the certificate's hash if a service signs too.
    /// - Throws: ``TransportError`` `badBlock` if the correlation id of an authenticator is not a nonce of 24 bytes.
    package func authorize(_ data: Bytes, correlationID: CorrelationID) throws(TransportError) -> TransmissionAuthorization {
        switch self {
        case .signing(.ed25519(let key)): return .signature(key.signature(for: data))
        case .signing(.ed448(let key)): return .signature(key.signature(for: data))
        case .signing(.x25519): throw .noServerAuth
        case .authenticating(let secret):
            guard let nonce = correlationID.nonce else { throw .badBlock }
            return .authenticator(CommandAuthenticator.make(for: data, nonce: nonce, secret: secret))
        }
    }
}

/// Checks the authorisations of one key in one session. Keep it, as ``CommandAuthorizer``.
package enum CommandVerifier: Sendable {
    case signature(PublicAuthKey)
    case authenticator(BoxSecret)
    /// The key can make no authorisation.
    case never

    /// - Parameter sessionKey: the private key of the router's hello.
    package init(_ key: PublicAuthKey, sessionKey: X25519.PrivateKey) {
        guard case .x25519(let publicKey) = key else {
            self = .signature(key)
            return
        }
        self = (try? BoxSecret(sessionKey, with: publicKey)).map { .authenticator($0) } ?? .never
    }

    /// Checks whether the holder of the key has authorised the data.
    package func isValid(_ authorization: TransmissionAuthorization, for data: Bytes, correlationID: CorrelationID) -> Bool {
        switch (self, authorization) {
        case (.signature(let key), .signature(let signature)): key.isValidSignature(signature, for: data)
        case (.authenticator(let secret), .authenticator(let bytes)):
            correlationID.nonce.map { CommandAuthenticator.verify(bytes, for: data, nonce: $0, secret: secret) } ?? false
        default: false
        }
    }
}
