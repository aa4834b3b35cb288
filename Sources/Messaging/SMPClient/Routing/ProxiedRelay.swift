import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire

/// A proxy's session with the router of a recipient, as the sender sees it: it encrypts commands so that only that router can read
/// them, and the proxy cannot read them. No I/O.
struct ProxiedRelay: Sendable {
    let server: SMPServerAddress
    private let session: EntityID
    private let version: UInt16
    private let key: X25519.PublicKey
    private let encoder: RequestEncoder

    /// Checks the certificates from the proxy: they must be those of the router, or the proxy could read everything.
    ///
    /// - Throws: ``SMPClientError`` as if the proxy had answered with it: no common version, or another router.
    init(_ session: RelaySession, server: SMPServerAddress, random: any RandomSource) throws(SMPClientError) {
        guard let version = session.versions.intersection(SMPVersion.proxied)?.max else {
            throw Self.refused(.version, "the router behind the proxy has no common version")
        }
        do {
            try CertificateChain(der: session.key.certificateChain).verify(identity: server.keyHash.bytes)
            key = try session.key.verifiedX25519Key()
        } catch {
            throw Self.refused(.handshake(.identity), "the proxy presents another router: \(error)")
        }
        self.server = server
        self.session = EntityID(session.sessionID)
        self.version = version
        encoder = RequestEncoder(
            TransmissionContext(version: version, sessionID: session.sessionID), serverKey: key, random: random)
    }

    private static func refused(_ error: TransportError, _ message: String) -> SMPClientError {
        SMPClientError(.protocol(.proxy(.broker(.transport(error)))), message)
    }

    /// A command on its way through the proxy.
    struct Forwarded: Sendable {
        /// The `PFWD` to send to the proxy.
        let request: SMPRequest
        fileprivate let inner: SMPRequest
        fileprivate let id: CorrelationID
        fileprivate let secret: BoxSecret
    }

    /// Encrypts a command with a key that is used once.
    func seal(_ request: SMPRequest, timeout: Duration?, _ random: any RandomSource) throws(SMPClientError) -> Forwarded {
        let id = CorrelationID.random(random)
        let transmission = try encoder.transmission(request, id)
        guard let batch = TransmissionBatcher.pack(one: transmission) else {
            throw SMPClientError(.transport(.largeMessage), "the command does not fit into a block")
        }
        let keys = X25519.generateKeyPair(random)
        do {
            let secret = try BoxSecret(keys.privateKey, with: key)
            let command = ForwardedCommand(
                version: version, key: keys.publicKey,
                encryptedTransmission: try ProxyEncryption.sealTransmission(batch, correlationID: id, secret: secret))
            return Forwarded(
                request: SMPRequest(entity: session, command: .pfwd(command), correlationID: id, timeout: timeout), inner: request,
                id: id, secret: secret)
        } catch {
            switch error.code {
            case .messageTooLong: throw SMPClientError(.transport(.largeMessage), "the command does not fit behind a proxy", cause: error)
            default: throw SMPClientError(.crypto, "the command cannot be encrypted for the router", cause: error)
            }
        }
    }

    /// Reads the router's answer.
    ///
    /// - Throws: the error of the router, or an error if its answer is invalid or does not belong to the command.
    func open(_ response: Bytes, to forwarded: Forwarded) throws(SMPClientError) -> SMPBrokerMessage {
        let content: Bytes
        do {
            content = try ProxyEncryption.openResponse(response, correlationID: forwarded.id, secret: forwarded.secret)
        } catch {
            throw SMPClientError(.crypto, "the router's answer cannot be decrypted", cause: error)
        }
        let answers = TransmissionContext(version: version, sessionID: session.bytes).decode(block: content, as: SMPBrokerMessage.self)
        guard answers.count == 1, let answer = answers.first, answer.correlationID == forwarded.id else {
            throw SMPClientError(.transport(.badBlock), "the router's answer does not belong to the command")
        }
        switch answer.message {
        case .failure(let error): throw SMPClientError(.response(error), "the router's answer cannot be read")
        case .success(.err(let error)): throw SMPClientError(.protocol(error), "the router answered ERR \(error)")
        case .success(let message) where answer.entity == forwarded.inner.entity && forwarded.inner.command.accepts(message):
            return message
        case .success(let message): throw SMPClientError(.unexpectedResponse(message.name), "the router answered \(message.name)")
        }
    }
}
