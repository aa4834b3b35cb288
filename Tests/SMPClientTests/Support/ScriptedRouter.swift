import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire
import Synchronization

/// A router on a free port of the loopback interface that does what a test says.
final class ScriptedRouter: Sendable {
    typealias Command = ReceivedTransmission<SMPCommand>
    /// Answers a command; nil gives no answer.
    typealias Script = @Sendable (Command, Client) -> SMPBrokerMessage?

    let address: SMPServerAddress
    private let listener: SMPTransportListener
    private let shared: Shared

    /// What happens to new connections before the handshake.
    enum Greeting: Sendable {
        case handshake
        /// Closes at once.
        case hangUp
        /// Says nothing.
        case silence
        /// Sends this block.
        case block(Bytes)
    }

    fileprivate struct State {
        var clients: [Client] = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var commands: [Command] = []
        var commandWatchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var blockCount = 0
        var greeting = Greeting.handshake
        var script: Script
    }

    fileprivate final class Shared: Sendable {
        let state: Mutex<State>
        init(_ script: @escaping Script) { state = Mutex(State(script: script)) }

        func add(_ client: Client) {
            let woken = state.withLock { state in
                state.clients.append(client)
                let count = state.clients.count
                let woken = state.watchers.filter { $0.count <= count }
                state.watchers.removeAll { $0.count <= count }
                return woken
            }
            for watcher in woken { watcher.continuation.resume() }
        }

        func add(_ commands: [Command]) {
            let woken = state.withLock { state in
                state.blockCount += 1
                state.commands += commands
                let count = state.commands.count
                let woken = state.commandWatchers.filter { $0.count <= count }
                state.commandWatchers.removeAll { $0.count <= count }
                return woken
            }
            for watcher in woken { watcher.continuation.resume() }
        }
    }

    init(
        credential: ServerCredential? = nil, port: Int = 0, versions: VersionRange = SMPVersion.offered,
        _ script: @escaping Script = ScriptedRouter.obliging
    ) async throws {
        let credential = try credential ?? ServerCredential.generate(algorithm: .ed25519)
        var configuration = SMPTransportListener.Configuration(credential: credential)
        configuration.host = "127.0.0.1"
        configuration.port = port
        let shared = Shared(script)
        self.shared = shared
        listener = try await SMPTransportListener.start(configuration) { connection in
            let greeting = shared.state.withLock { $0.greeting }
            switch greeting {
            case .handshake: break
            case .hangUp: return connection.beginClosing()
            case .silence: return
            case .block(let block):
                try? connection.write([block])
                return
            }
            guard let client = try? Client(connection, credential, versions, shared) else { return connection.beginClosing() }
            try? connection.start(client)
        }
        guard let host = try? TransportHost(parsing: "127.0.0.1") else { throw CancellationError() }
        address = SMPServerAddress(host: host, port: UInt16(listener.port), keyHash: KeyHash(credential.fingerprint))
    }

    /// Clients that got through the handshake, in order, also those that are gone.
    var clients: [Client] { shared.state.withLock { $0.clients } }
    /// All commands, in order of arrival.
    var commands: [Command] { shared.state.withLock { $0.commands } }
    /// Blocks with commands.
    var blockCount: Int { shared.state.withLock { $0.blockCount } }
    var connectionCount: Int { listener.connectionCount }

    /// Ends all connections.
    func dropAll() { for client in clients { client.drop() } }

    func setGreeting(_ greeting: Greeting) { shared.state.withLock { $0.greeting = greeting } }
    func setScript(_ script: @escaping Script) { shared.state.withLock { $0.script = script } }

    /// Returns when so many clients have come, in all.
    func waitForClients(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = shared.state.withLock { state in
                if state.clients.count >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Returns when so many commands have come, in all.
    func waitForCommands(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = shared.state.withLock { state in
                if state.commands.count >= count { return true }
                state.commandWatchers.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    func stop() async { await listener.close() }

    /// Says yes to everything.
    static let obliging: Script = { command, _ in
        guard case .success(let message) = command.message else { return .err(.block) }
        switch message {
        case .new:
            return .ids(
                QueueIDsAndKeys(
                    recipientID: EntityID(Bytes(repeating: 1, count: 24)), senderID: EntityID(Bytes(repeating: 2, count: 24)),
                    serverKey: X25519.generateKeyPair(SystemRandomSource()).publicKey, mode: .messaging))
        case .ping: return .pong
        case .que, .lget, .lkey, .prxy, .pfwd, .rfwd, .subs, .nsubs, .nkey, .rslv: return .err(.internal)
        default: return .ok
        }
    }
}

extension ScriptedRouter {
    /// A client as the router sees it.
    final class Client: SMPConnectionDelegate {
        let connection: SMPConnection
        private let handshake: SMPServerHandshake
        private let shared: Shared

        private struct Session {
            var parameters: SMPSessionParameters
            var cipher: BlockCipher
        }

        private let session = Mutex<Session?>(nil)

        fileprivate init(
            _ connection: SMPConnection, _ credential: ServerCredential, _ versions: VersionRange, _ shared: Shared
        ) throws {
            self.connection = connection
            self.shared = shared
            handshake = try SMPServerHandshake(
                versions: versions, sessionID: connection.sessionID, keyHash: KeyHash(credential.fingerprint),
                sessionKey: X25519.generateKeyPair(SystemRandomSource()).privateKey, certificateChain: credential.chain,
                leafKey: credential.leafKey())
            var cipher = BlockCipher()
            try connection.write([cipher.seal(handshake.hello.wireBytes)])
        }

        var version: UInt16? { session.withLock { $0?.parameters.version } }

        /// Sends messages in one block.
        func push(_ messages: [(EntityID, CorrelationID, SMPBrokerMessage)]) {
            session.withLock { session in
                guard let context = session?.parameters.context else { return }
                let packed = TransmissionBatcher.pack(
                    messages.map { context.unauthorized($0.2, correlationID: $0.1, entity: $0.0) })
                for batch in packed.batches {
                    guard let block = try? session?.cipher.seal(batch.content) else { continue }
                    try? connection.write([block])
                }
            }
        }

        func push(_ message: SMPBrokerMessage, to entity: EntityID, answering id: CorrelationID = .none) {
            push([(entity, id, message)])
        }

        /// Goes away without a word.
        func drop() { connection.beginClosing() }

        /// Checks who authorised a command.
        func isAuthorized(_ command: Command, by key: PublicAuthKey) -> Bool {
            CommandVerifier(key, sessionKey: handshake.sessionKey)
                .isValid(command.authorization, for: command.authorizedData, correlationID: command.correlationID)
        }

        func connection(_ connection: SMPConnection, received block: Bytes) {
            let commands = session.withLock { session -> [Command]? in
                guard session != nil else {
                    var cipher = BlockCipher()
                    guard let content = try? cipher.open(block), let (_, parameters) = try? handshake.accept(content) else {
                        return nil
                    }
                    session = Session(parameters: parameters, cipher: parameters.cipher)
                    return []
                }
                guard let content = try? session?.cipher.open(block) else { return nil }
                return session?.parameters.context.decode(block: content, as: SMPCommand.self)
            }
            guard let commands else { return connection.beginClosing() }
            guard !commands.isEmpty else { return shared.add(self) }
            let script = shared.state.withLock { $0.script }
            let answers = commands.compactMap { command in
                script(command, self).map { (command.entity, command.correlationID, $0) }
            }
            if !answers.isEmpty { push(answers) }
            shared.add(commands)
        }

        func connectionReceivedAllForNow(_: SMPConnection) {}
        func connection(_: SMPConnection, isWritable _: Bool) {}
        func connection(_: SMPConnection, ended _: ConnectionError) {}
    }
}
