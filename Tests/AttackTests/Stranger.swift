import ChatProtocol
import ProcessSupport
import SMPClient
import SMPCrypto
import SMPProtocol
import SMPRatchet
import SMPWire
import Synchronization
import TestSupport

@testable import SMPAgent

/// Somebody with a SimpleX client of his own, who connects to a bot and then sends it what no client sends.
final class Stranger: Sendable {
    private struct Seen {
        var connected: Set<ConnectionID> = []
        var messages: [Bytes] = []
        /// What he confirms connections with.
        var ownInfo: Bytes
    }

    private final class Memory: Sendable {
        let seen: Mutex<Seen>
        init(ownInfo: Bytes) { seen = Mutex(Seen(ownInfo: ownInfo)) }
    }

    let agent: SMPAgent
    let pool: SMPClientPool
    let user: AgentUserID
    private let memory: Memory
    private let reading: Task<Void, Never>

    /// - Parameters:
    ///   - server: the router of his own queues.
    ///   - name: the name in the profile that he confirms connections with, unless ``confirm(with:)`` says otherwise.
    init(on server: SMPServerAddress, name: String) async throws {
        pool = try SMPClientPool()
        var configuration = AgentConfiguration()
        configuration.keyPairPoolSize = 0
        // His own router is the bot's: what he sends need not be hidden from it.
        configuration.network.privateRouting = .never
        let agent = SMPAgent(configuration: configuration, store: try AgentStore(path: nil), network: pool)
        self.agent = agent
        try await agent.start()
        user = try await agent.createUser(servers: [SMPServerWithAuth(server)])
        let memory = Memory(ownInfo: Self.profile(name, event: "x.info").textBytes)
        self.memory = memory
        reading = Task {
            for await notification in agent.events { await Self.handle(notification, agent, memory) }
        }
    }

    func close() async {
        await agent.close()
        await pool.close()
        reading.cancel()
    }

    /// What he confirms connections with from now on.
    func confirm(with info: Bytes) { memory.seen.withLock { $0.ownInfo = info } }

    static func profile(_ name: String, event: String) -> JSONValue {
        [
            "v": "1-17", "event": .string(event),
            "params": [
                "profile": [
                    "displayName": .string(name), "fullName": "", "shortDescr": "somebody",
                    "preferences": ["timedMessages": ["allow": "yes", "ttl": 86_400], "voice": ["allow": "yes"], "files": ["allow": "always"]],
                ]
            ],
        ]
    }

    static func text(_ text: String) -> JSONValue {
        [
            "v": "1-17", "msgId": .string(Base64URL.encode(SystemRandomSource().bytes(12))), "event": "x.msg.new",
            "params": ["content": ["type": "text", "text": .string(text)]],
        ]
    }

    private static func handle(_ notification: AgentNotification, _ agent: SMPAgent, _ memory: Memory) async {
        let connection = notification.connection ?? ConnectionID([0])
        switch notification.event {
        case .confirmation(let confirmation, _, _, _):
            // What he says may be more than fits: then there is no connection.
            try? await agent.allowConnection(connection, confirmation: confirmation, info: memory.seen.withLock { $0.ownInfo })
        case .connected: memory.seen.withLock { _ = $0.connected.insert(connection) }
        case .message(let metadata, _, let body):
            memory.seen.withLock { $0.messages.append(body) }
            try? await agent.acknowledge(connection, message: metadata.messageID)
        case .receipts(let metadata, _): try? await agent.acknowledge(connection, message: metadata.messageID)
        default: break
        }
        if let id = notification.durableID { agent.confirm(id) }
    }

    // MARK: As any client

    /// Asks to connect.
    @discardableResult
    func request(_ link: ConnectionRequestURI, info: Bytes) async throws -> ConnectionID {
        let id = try await agent.prepareToJoin(user: user, link: link, pqSupport: true)
        _ = try await agent.join(user: user, connection: id, link: link, info: info, pqSupport: true)
        return id
    }

    /// Connects as an honest client does, and waits until it is done.
    func connect(_ link: ConnectionRequestURI, name: String) async throws -> ConnectionID {
        let id = try await request(link, info: Self.profile(name, event: "x.contact").textBytes)
        try await eventually("\(name) is connected") { memory.seen.withLock { $0.connected.contains(id) } }
        return id
    }

    /// Sends a message as an honest client does, and waits until an answer holds a text.
    func ask(_ question: String, answer: String, over connection: ConnectionID) async throws {
        try await send(Self.text(question).textBytes, over: connection)
        try await eventually("the answer to \(question)") { memory.seen.withLock { $0.messages.contains { $0.holds(answer) } } }
    }

    /// Sends any bytes as a message of the chat.
    func send(_ body: Bytes, over connection: ConnectionID) async throws {
        _ = try await agent.send([AgentSendRequest(connection: connection, body: body)])[0].get()
    }

    /// The bodies of messages that came.
    var seenMessages: [Bytes] { memory.seen.withLock { $0.messages } }

    // MARK: As no client does

    /// Sends bytes in place of an agent message, inside the ratchet.
    func inject(agentMessage bytes: Bytes, into connection: ConnectionID) async throws {
        let core = agent.core
        let envelope = try await core.withConnection(connection) { access throws(AgentError) in
            let state = try await access.state()
            guard var ratchet = state.ratchet else { throw AgentError(.internal("no ratchet")) }
            let (key, _) = try ratchet.sealHeader(pqEncryption: nil, core.context)
            let length = AgentLimits.messageLength(agentVersion: state.record.agentVersion, pqSupport: state.record.pqSupport)
            let sealed = try key.sealBody(Bytes(bytes.prefix(length - 4)), paddedTo: length)
            var transition = Transition(state)
            transition.setRatchet(ratchet)
            try await access.commit(transition)
            return AgentEnvelope.message(version: state.record.agentVersion, encrypted: sealed)
        }
        try await inject(clientMessage: envelope.wireBytes, into: connection)
    }

    /// Sends bytes in place of an agent envelope, in the queue's own encryption.
    func inject(clientMessage body: Bytes, withKey: Bool = false, into connection: ConnectionID) async throws {
        guard let queue = try await agent.core.store.connection(connection)?.sendQueues.first else { return }
        let envelope = try ClientEnvelope(
            sealing: ClientMessage(body: body), secret: queue.peerSecret, clientVersion: queue.clientVersion,
            encryptionKey: withKey ? queue.encryptionKey : nil, nonce: .random(SystemRandomSource()))
        try await inject(raw: envelope.wireBytes, into: connection)
    }

    /// Sends bytes in place of a client envelope.
    func inject(raw bytes: Bytes, into connection: ConnectionID) async throws {
        guard let queue = try await agent.core.store.connection(connection)?.sendQueues.first else { return }
        try await send(raw: bytes, to: queue.senderID, on: queue.server, key: queue.privateKey)
    }

    /// Sends bytes into any queue.
    func send(raw bytes: Bytes, to queue: SenderID, on server: SMPServerAddress, key: PrivateAuthKey? = nil) async throws {
        let request = SMPRequest(entity: queue, command: .send(MessageFlags(notification: true), bytes), authKey: key)
        _ = try await pool.send(request, over: TransportSessionKey(userID: user, server: server))
    }
}

extension JSONValue {
    var textBytes: Bytes { Bytes(text.utf8) }
}

extension Bytes {
    func holds(_ text: String) -> Bool {
        let wanted = Bytes(text.utf8)
        guard count >= wanted.count else { return false }
        return (0...(count - wanted.count)).contains { self[$0..<$0 + wanted.count].elementsEqual(wanted) }
    }
}

extension Stranger {
    func hasSeen(_ text: String) -> Bool { seenMessages.contains { $0.holds(text) } }

    /// A short and a full link to a queue on a router, with link data that was changed.
    func link(on relay: SMPServerAddress, _ mutator: inout Mutator) async throws -> (short: String, full: String) {
        // On his own router the data is what he makes it; on the hostile one the answer is.
        let profile = mutator.mutated([
            "profile": ["displayName": "mallory", "fullName": "", "preferences": ["timedMessages": ["allow": "yes", "ttl": 1]]],
            "message": ["type": "text", "text": "hi"], "business": false,
        ])
        let created = try await agent.createConnection(
            user: user, mode: .invitation, linkData: .invitation(UserLinkData(Bytes(profile.textBytes.prefix(9_000)))))
        guard let short = created.shortLink else { throw PeerError(.refused, "there is no short link") }
        guard mutator.chance(1, in: 2) else { return (short.wireString, created.link.wireString) }
        return (short.with(server: relay).wireString, created.link.with(server: relay).wireString)
    }
}
