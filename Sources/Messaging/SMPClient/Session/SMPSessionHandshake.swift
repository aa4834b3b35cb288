import AsyncPrimitives
import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire
import Synchronization

/// Runs the handshake of a new connection, and gives its place to the ``SMPSession`` that comes of it.
final class SMPSessionHandshake: SMPConnectionDelegate {
    private let handshake: SMPClientHandshake
    private let claim: ServiceClaim?
    private let makeSession: @Sendable (SMPConnection, SMPSessionParameters, SessionService?) -> SMPSession
    /// The agreed parameters, while the router's answer about the service is awaited.
    private let agreed = Mutex<SMPSessionParameters?>(nil)
    private let outcome = Promise<Result<SMPSession, SMPClientError>>()

    /// - Parameter claim: the service credentials for routers that know services.
    init(
        _ handshake: SMPClientHandshake, claim: ServiceClaim? = nil,
        makeSession: @escaping @Sendable (SMPConnection, SMPSessionParameters, SessionService?) -> SMPSession
    ) {
        self.handshake = SMPClientHandshake(
            versions: handshake.versions, keyHash: handshake.keyHash, sessionKey: handshake.sessionKey, isProxy: handshake.isProxy,
            service: claim?.hello)
        self.claim = claim
        self.makeSession = makeSession
    }

    /// Waits for the router's hello and answers it.
    func run(on connection: SMPConnection, timeout: Duration, time: ClientTime) async throws(SMPClientError) -> SMPSession {
        do throws(ConnectionError) {
            try connection.start(self)
        } catch {
            throw SMPClientError(error)
        }
        let deadline = Task {
            guard (try? await time.sleep(timeout)) != nil else { return }
            outcome.resolve(.failure(SMPClientError(.network(.timeout), "the router did not begin its handshake in time")))
        }
        defer { deadline.cancel() }
        let result = await withTaskCancellationHandler {
            await outcome.value()
        } onCancel: {
            outcome.resolve(.failure(SMPClientError(.cancelled, "connecting was cancelled")))
        }
        if case .failure = result { connection.beginClosing() }
        return try result.get()
    }

    func connection(_ connection: SMPConnection, received block: Bytes) {
        guard outcome.current == nil else { return }
        do throws(SMPClientError) {
            let session =
                if let parameters = agreed.withLock({ $0 }) {
                    try readService(block, parameters, on: connection)
                } else {
                    try answer(block, on: connection)
                }
            if let session { outcome.resolve(.success(session)) }
        } catch {
            outcome.resolve(.failure(error))
        }
    }

    /// - Returns: nil if the router is to say something about the service first.
    private func answer(_ block: Bytes, on connection: SMPConnection) throws(SMPClientError) -> SMPSession? {
        let session: SMPSession?
        let reply: Bytes
        do throws(TransportError) {
            var cipher = BlockCipher()
            guard let leaf = connection.peerChain.first, let certificate = try? Certificate(der: leaf),
                let leafKey = try? PublicAuthKey(spki: certificate.publicKeySPKI())
            else { throw .handshake(.badAuth) }
            let (hello, parameters) = try handshake.respond(
                to: try cipher.open(block), sessionID: connection.sessionID, leafKey: leafKey)
            reply = try cipher.seal(hello.wireBytes)
            session = hello.service == nil ? makeSession(connection, parameters, nil) : nil
            if session == nil { agreed.withLock { $0 = parameters } }
        } catch {
            throw SMPClientError(.transport(error), "the handshake with the router failed: \(error)", cause: error)
        }
        do throws(ConnectionError) {
            try connection.write([reply])
            if let session { try connection.handOver(to: session) }
            return session
        } catch {
            throw SMPClientError(error)
        }
    }

    private func readService(
        _ block: Bytes, _ parameters: SMPSessionParameters, on connection: SMPConnection
    ) throws(SMPClientError) -> SMPSession {
        let response: SMPServiceResponse
        do {
            var cipher = BlockCipher()
            response = try SMPServiceResponse(wireBytes: try cipher.open(block))
        } catch {
            throw SMPClientError(.transport(.handshake(.badService)), "the router's word about the service cannot be read", cause: error)
        }
        switch (response, claim) {
        case (.service(let id), let claim?):
            let service = SessionService(id: id, key: claim.key, certificateHash: claim.certificateHash)
            let session = makeSession(connection, parameters, service)
            do throws(ConnectionError) {
                try connection.handOver(to: session)
            } catch {
                throw SMPClientError(error)
            }
            return session
        case (.error(let error), _): throw SMPClientError(.transport(error), "the router refuses the service: \(error)", cause: error)
        case (.service, nil): throw SMPClientError(.transport(.handshake(.badService)), "the router speaks of a service")
        }
    }

    func connectionReceivedAllForNow(_: SMPConnection) {}

    func connection(_: SMPConnection, isWritable _: Bool) {}

    func connection(_: SMPConnection, ended reason: ConnectionError) { outcome.resolve(.failure(SMPClientError(reason))) }
}
