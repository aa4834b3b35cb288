import Foundation
import RouterSupport
import SMPCrypto
import SMPProtocol
import SMPServer
import SMPTransport
import SMPWire
import Testing

/// A client of one session, for one test at a time: no pool, no retries, and nothing that stops it from misbehaving.
final class TestClient {
    /// Blocks that were read since the handshake.
    private(set) var blockCount = 0
    /// What the router sent on its own, in order.
    private(set) var events: [(entity: EntityID, message: SMPBrokerMessage)] = []
    let session: SMPSessionParameters
    let connection: SMPConnection
    private var cipher: BlockCipher
    private var blocks: BlockSequence.Iterator
    private var responses: [CorrelationID: (entity: EntityID, message: Result<SMPBrokerMessage, SMPErrorType>)] = [:]
    private let random = SystemRandomSource()
    private let service: TestService?
    /// What the router calls the service.
    private(set) var serviceID: EntityID?
    var signs = ServiceSigning.asAsked
    /// True if the end of what waited for a service is an event like others; otherwise it is only counted.
    var keepsAlls = false
    private(set) var allsCount = 0

    /// How the client of a service signs its commands.
    enum ServiceSigning {
        case asAsked, never, always
        case with(PrivateAuthKey)
        /// The queue's key does not sign the certificate.
        case withoutHash
    }

    convenience init(_ address: SMPServerAddress, versions: VersionRange = SMPVersion.offered, service: TestService) async throws {
        try await self.init(address, versions: versions, service: service, presenting: service.credential)
    }

    /// - Parameter presenting: the certificates shown in TLS.
    init(
        _ address: SMPServerAddress, versions: VersionRange = SMPVersion.offered, isProxy: Bool = false, service: TestService? = nil,
        presenting: ServerCredential? = nil
    ) async throws {
        self.service = service
        var configuration = SMPTransportClient.Configuration()
        configuration.serviceCredential = presenting
        connection = try await SMPTransportClient(configuration: configuration).connect(
            host: address.hosts[0].description, port: Int(address.port ?? 5223), keyHash: address.keyHash.bytes)
        var blocks = connection.blocks.makeAsyncIterator()
        var plain = BlockCipher()
        let hello = try plain.open(try #require(try await blocks.next()))
        var handshake = SMPClientHandshake(
            versions: versions, keyHash: address.keyHash, sessionKey: X25519.generateKeyPair(SystemRandomSource()).privateKey,
            isProxy: isProxy, service: service?.hello)
        // As clients did that know nothing of later versions.
        handshake.serviceVersion = SMPVersion.serviceCertificates
        let (reply, session) = try handshake.respond(to: hello, sessionID: connection.sessionID)
        try await connection.send(try plain.seal(reply.wireBytes))
        if reply.service != nil {
            switch try SMPServiceResponse(wireBytes: try plain.open(try #require(try await blocks.next()))) {
            case .service(let id): serviceID = id
            case .error(let error): throw TestClientError.refused(error)
            }
        }
        self.session = session
        self.blocks = blocks
        cipher = session.cipher
    }

    func close() async { await connection.close() }

    /// Sends commands in one batch.
    func send(_ commands: [Request]) async throws -> [CorrelationID] {
        var ids: [CorrelationID] = []
        var transmissions: [Bytes] = []
        for request in commands {
            let id = request.correlationID ?? .random(random)
            ids.append(id)
            transmissions.append(try transmission(request, id))
        }
        for batch in TransmissionBatcher.pack(transmissions).batches { try await sendContent(batch.content) }
        return ids
    }

    func transmission(_ request: Request, _ id: CorrelationID) throws -> Bytes {
        let encoded = session.context.encode(request.command, correlationID: id, entity: request.entity)
        var authorization = TransmissionAuthorization.none
        let signer = serviceSigner(request.command)
        if let key = request.key {
            var data = encoded.authorizedData
            if case .withoutHash = signs {} else if signer != nil, let service { data = service.certificateHash + data }
            authorization = try CommandAuthorizer(key, serverKey: session.peerKey).authorize(data, correlationID: id)
        }
        var signature: Bytes?
        if case .ed25519(let key)? = signer { signature = key.signature(for: encoded.authorizedData) }
        return session.context.authorized(encoded, authorization, serviceSignature: signature)
    }

    private func serviceSigner(_ command: SMPCommand) -> PrivateAuthKey? {
        switch signs {
        case .never: nil
        case .always: serviceKey
        case .with(let key): command.usesServiceSignature ? key : nil
        case .asAsked, .withoutHash: command.usesServiceSignature && serviceID != nil ? serviceKey : nil
        }
    }

    var serviceKey: PrivateAuthKey? { service.map { .ed25519($0.sessionKey) } }

    /// `SUBS` or `NSUBS`, by the role.
    func subscribeAll(_ expected: ServiceQueues = .unknown) -> Request {
        Request(service?.hello.role == .notifier ? .nsubs(expected) : .subs(expected), serviceID ?? .none, serviceKey)
    }

    /// These queues as a router of the session's version counts them.
    func counted(_ ids: some Sequence<EntityID>) -> ServiceQueues {
        let queues = ServiceQueues(ids)
        return session.version >= SMPVersion.serviceSubscriptions ? queues : ServiceQueues(count: queues.count)
    }

    func sendContent(_ content: Bytes) async throws { try await connection.send(try cipher.seal(content)) }

    /// Sends commands and waits for their responses.
    func request(_ commands: [Request]) async throws -> [SMPBrokerMessage] {
        let ids = try await send(commands)
        var answers: [SMPBrokerMessage] = []
        for id in ids { answers.append(try await response(to: id)) }
        return answers
    }

    func request(_ command: SMPCommand, _ entity: EntityID = .none, _ key: PrivateAuthKey? = nil) async throws -> SMPBrokerMessage {
        try await request([Request(command, entity, key)])[0]
    }

    func response(to id: CorrelationID) async throws -> SMPBrokerMessage {
        while true {
            if let response = responses.removeValue(forKey: id) {
                switch response.message {
                case .success(let message): return message
                case .failure(let error): throw error
                }
            }
            try await receive()
        }
    }

    /// The next message that answers nothing.
    func event() async throws -> (entity: EntityID, message: SMPBrokerMessage) {
        while events.isEmpty { try await receive() }
        return events.removeFirst()
    }

    /// Events that came before the answer to a `PING` sent now.
    func eventsSoFar() async throws -> [SMPBrokerMessage] {
        #expect(try await request(.ping) == .pong)
        defer { events = [] }
        return events.map(\.message)
    }

    private func receive() async throws {
        guard let block = try await blocks.next() else { throw TestClientError.closed }
        blockCount += 1
        for transmission in session.context.decode(block: try cipher.open(block), as: SMPBrokerMessage.self) {
            if transmission.correlationID.isNone, case .success(.alls) = transmission.message, !keepsAlls {
                allsCount += 1
            } else if transmission.correlationID.isNone, case .success(let message) = transmission.message {
                events.append((transmission.entity, message))
            } else {
                responses[transmission.correlationID] = (transmission.entity, transmission.message)
            }
        }
    }
}

enum TestClientError: Error {
    case closed, unexpected(SMPBrokerMessage), refused(TransportError)

    var refusal: TransportError? { if case .refused(let error) = self { error } else { nil } }
}

/// What a client shows that is a service.
struct TestService {
    let credential: ServerCredential
    let sessionKey: Ed25519.PrivateKey
    let hello: SMPClientService

    var certificateHash: Bytes { credential.fingerprint }

    init(_ credential: ServerCredential, _ role: SMPClientService.Role, signedBy signer: ServerCredential? = nil) throws {
        self.credential = credential
        let pair = Ed25519.generateKeyPair(SystemRandomSource())
        sessionKey = pair.privateKey
        let key = try #require(
            CertifiedKey(
                certificateChain: credential.chain, signing: pair.publicKey.spki, with: try (signer ?? credential).leafKey()))
        hello = SMPClientService(role: role, key: key)
    }
}

struct Request {
    var command: SMPCommand
    var entity: EntityID
    var key: PrivateAuthKey?
    var correlationID: CorrelationID?

    init(_ command: SMPCommand, _ entity: EntityID = .none, _ key: PrivateAuthKey? = nil, correlationID: CorrelationID? = nil) {
        self.command = command
        self.entity = entity
        self.key = key
        self.correlationID = correlationID
    }
}

/// A queue as its recipient has it, and what its sender needs.
struct TestQueue {
    let ids: QueueIDsAndKeys
    let recipientKey: PrivateAuthKey
    let senderKey: PrivateAuthKey
    let secret: BoxSecret

    var recipient: EntityID { ids.recipientID }
    var sender: EntityID { ids.senderID }

    static func key() -> PrivateAuthKey { .x25519(X25519.generateKeyPair(SystemRandomSource()).privateKey) }

    /// Creates a queue.
    static func create(
        _ client: TestClient, mode: NewQueueMode? = .messaging(link: nil), subscription: SubscriptionMode = .subscribe,
        recipientKey: PrivateAuthKey = key(), basicAuth: BasicAuth? = nil, correlationID: CorrelationID? = nil,
        notifications: NotificationCredentials? = nil
    ) async throws -> TestQueue {
        let encryption = X25519.generateKeyPair(SystemRandomSource())
        let request = NewQueueRequest(
            recipientKey: recipientKey.publicKey, encryptionKey: encryption.publicKey, basicAuth: basicAuth,
            subscription: subscription, mode: mode, notifications: notifications)
        let response = try await client.request([
            Request(.new(request), .none, recipientKey, correlationID: correlationID)
        ])[0]
        guard case .ids(let ids) = response else { throw TestClientError.unexpected(response) }
        return TestQueue(
            ids: ids, recipientKey: recipientKey, senderKey: key(),
            secret: try BoxSecret(encryption.privateKey, with: ids.serverKey))
    }

    func send(_ body: Bytes, notification: Bool = false) -> Request {
        Request(.send(MessageFlags(notification: notification), body), sender, senderKey)
    }

    func sub() -> Request { Request(.sub, recipient, recipientKey) }
    func secure() -> Request { Request(.skey(senderKey.publicKey), sender, senderKey) }
    func acknowledge(_ message: ReceivedMessage) -> Request { Request(.ack(message.id), recipient, recipientKey) }

    func open(_ message: SMPBrokerMessage) throws -> (message: ReceivedMessage, body: ReceivedMessageBody) {
        guard case .msg(let received) = message else { throw TestClientError.unexpected(message) }
        return (received, try ReceivedMessageBody(opening: received, secret: secret))
    }

    func body(_ message: SMPBrokerMessage) throws -> Bytes {
        guard case .message(_, _, let body) = try open(message).body else { throw TestClientError.unexpected(message) }
        return body
    }
}

/// A router on a free port, stopped after the test.
func withRouter<Result>(
    _ storage: RouterStorage = .memory, _ change: (inout RouterConfiguration) -> Void = { _ in },
    now: @escaping @Sendable () -> Int64 = RouterClock.now, _ body: (SMPRouter) async throws -> Result
) async throws -> Result {
    var configuration = RouterConfiguration(storage: storage)
    configuration.port = 0
    change(&configuration)
    let router = try await SMPRouter.start(configuration, now: now)
    do {
        let result = try await body(router)
        await router.stop()
        return result
    } catch {
        await router.stop()
        throw error
    }
}
