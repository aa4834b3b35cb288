import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire
import Synchronization
import TestSupport

/// A router that shakes hands as it should and then answers with whatever a mutator makes of valid answers.
final class HostileRouter: Sendable {
    let address: SMPServerAddress
    private let listener: SMPTransportListener
    private let shared: Shared

    final class Shared: Sendable {
        struct State {
            var mutator: Mutator
            var answers = 0
        }

        let state: Mutex<State>
        init(seed: UInt64) { state = Mutex(State(mutator: Mutator(seed: seed))) }
    }

    init(seed: UInt64) async throws {
        let credential = try ServerCredential.generate(algorithm: .ed25519)
        var configuration = SMPTransportListener.Configuration(credential: credential)
        configuration.host = "127.0.0.1"
        configuration.port = 0
        let shared = Shared(seed: seed)
        self.shared = shared
        listener = try await SMPTransportListener.start(configuration) { connection in
            guard let client = try? HostileSession(connection, credential, shared) else { return connection.beginClosing() }
            try? connection.start(client)
        }
        address = SMPServerAddress(host: try TransportHost(parsing: "127.0.0.1"), port: UInt16(listener.port), keyHash: KeyHash(credential.fingerprint))
    }

    /// Answers that were given.
    var answers: Int { shared.state.withLock { $0.answers } }

    func stop() async { await listener.close() }
}

/// One connection to a ``HostileRouter``.
private final class HostileSession: SMPConnectionDelegate {
    private struct Session {
        var parameters: SMPSessionParameters
        var cipher: BlockCipher
    }

    private let connection: SMPConnection
    private let handshake: SMPServerHandshake
    private let shared: HostileRouter.Shared
    private let session = Mutex<Session?>(nil)

    init(_ connection: SMPConnection, _ credential: ServerCredential, _ shared: HostileRouter.Shared) throws {
        self.connection = connection
        self.shared = shared
        handshake = try SMPServerHandshake(
            sessionID: connection.sessionID, keyHash: KeyHash(credential.fingerprint),
            sessionKey: X25519.generateKeyPair(SystemRandomSource()).privateKey, certificateChain: credential.chain, leafKey: credential.leafKey())
        var cipher = BlockCipher()
        let hello = shared.state.withLock { state in
            // Some clients get a hello that is none.
            state.mutator.chance(1, in: 12) ? state.mutator.mutated(handshake.hello.wireBytes) : handshake.hello.wireBytes
        }
        try connection.write([try cipher.seal(Bytes(hello.prefix(16_000)))])
    }

    func connection(_ connection: SMPConnection, received block: Bytes) {
        session.withLock { session in
            guard session != nil else {
                var cipher = BlockCipher()
                guard let content = try? cipher.open(block), let (_, parameters) = try? handshake.accept(content) else { return connection.beginClosing() }
                session = Session(parameters: parameters, cipher: parameters.cipher)
                return
            }
            guard let content = try? session?.cipher.open(block), let context = session?.parameters.context else { return connection.beginClosing() }
            for command in context.decode(block: content, as: SMPCommand.self) {
                let contents = shared.state.withLock { state in
                    state.answers += 1
                    return state.mutator.answers(to: command, context)
                }
                for content in contents {
                    guard let block = try? session?.cipher.seal(Bytes(content.prefix(16_300))) else { continue }
                    try? connection.write([block])
                }
            }
        }
    }

    func connectionReceivedAllForNow(_: SMPConnection) {}
    func connection(_: SMPConnection, isWritable _: Bool) {}
    func connection(_: SMPConnection, ended _: ConnectionError) {}
}

extension Mutator {
    /// Contents of blocks in answer to a command.
    fileprivate mutating func answers(to command: ReceivedTransmission<SMPCommand>, _ context: TransmissionContext) -> [Bytes] {
        (0...below(2)).map { _ in
            // Mostly what fits the command, so that the client goes on to the next step.
            let message = chance(3, in: 4) ? fitting(command) : anything()
            let id = chance(7, in: 8) ? command.correlationID : pick([CorrelationID.none, CorrelationID(Bytes(repeating: 0xFF, count: 24))])
            let entity = chance(7, in: 8) ? command.entity : EntityID(Bytes(repeating: UInt8(below(256)), count: below(40)))
            var transmission = context.unauthorized(message, correlationID: id, entity: entity)
            if chance(1, in: 2) { transmission = mutated(transmission) }
            let copies = chance(1, in: 10) ? below(200) : 1
            var content = TransmissionBatcher.pack([Bytes](repeating: transmission, count: copies)).batches.first?.content ?? transmission
            if chance(1, in: 8) { content = mutated(content) }
            return content
        }
    }

    private mutating func fitting(_ command: ReceivedTransmission<SMPCommand>) -> SMPBrokerMessage {
        guard case .success(let message) = command.message else { return .err(.block) }
        switch message {
        case .new:
            return .ids(
                QueueIDsAndKeys(
                    recipientID: EntityID(SystemRandomSource().bytes(24)), senderID: EntityID(SystemRandomSource().bytes(24)),
                    serverKey: X25519.generateKeyPair(SystemRandomSource()).publicKey, mode: pick([.messaging, .contact, nil])))
        case .ping: return .pong
        case .lget, .lkey: return .lnk(EntityID(SystemRandomSource().bytes(24)), QueueLinkData(fixedData: bytes(400), userData: bytes(600)))
        case .que: return .info(QueueState(isSecured: true, hasNotifier: false, size: Int(truncatingIfNeeded: pick(Self.integers))))
        case .sub: return chance(1, in: 2) ? .sok(nil) : .msg(received())
        case .send where chance(1, in: 4): return .err(pick([.quota, .auth, .largeMessage, .internal]))
        default: return .ok
        }
    }

    private mutating func anything() -> SMPBrokerMessage {
        switch below(10) {
        case 0: .msg(received())
        case 1: .soks(ServiceQueues(count: Int64(bitPattern: pick(Self.integers))))
        case 2: .ends(ServiceQueues(count: Int64(bitPattern: pick(Self.integers))))
        case 3: pick([.end, .alls])
        case 4: .deld
        case 5: .err(pick([.auth, .quota, .noMessage, .block, .internal, .crypto, .proxy(.noSession), .duplicate]))
        case 6: .nmsg(.random(SystemRandomSource()), bytes(200))
        case 7: .rres(bytes(500))
        case 8: .pres(bytes(16_000))
        default: .nid(EntityID(bytes(24)), X25519.generateKeyPair(SystemRandomSource()).publicKey)
        }
    }

    private mutating func received() -> ReceivedMessage { ReceivedMessage(id: MessageID(bytes(24)), encryptedBody: bytes(pick([0, 1, 16, 100, 16_082]))) }

    mutating func bytes(_ count: Int) -> Bytes { random.bytes(count) }
}
