import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire

/// A client of a router and nothing above it: what it measures is the router.
actor RouterClient {
    private let connection: SMPConnection
    private let session: SMPSessionParameters
    private var cipher: BlockCipher
    private var authorizers: [EntityID: CommandAuthorizer] = [:]
    private var waiting: [CorrelationID: CheckedContinuation<SMPBrokerMessage, any Error>] = [:]
    private var end: (any Error)?
    private let random = SystemRandomSource()
    nonisolated let events: AsyncStream<(EntityID, SMPBrokerMessage)>
    private let eventSink: AsyncStream<(EntityID, SMPBrokerMessage)>.Continuation

    /// A queue and the keys of its two sides.
    struct Queue: Sendable {
        let recipient: EntityID
        let sender: EntityID
        let recipientKey: PrivateAuthKey
        let senderKey: PrivateAuthKey
    }

    struct Command: Sendable {
        let command: SMPCommand
        let entity: EntityID
        let key: PrivateAuthKey?
    }

    init(_ address: SMPServerAddress, over transport: SMPTransportClient) async throws {
        connection = try await transport.connect(
            host: address.hosts[0].description, port: Int(address.port ?? 5223), keyHash: address.keyHash.bytes)
        var blocks = connection.blocks.makeAsyncIterator()
        var plain = BlockCipher()
        guard let hello = try await blocks.next() else { throw BenchFault("the router closed the connection") }
        let handshake = SMPClientHandshake(
            keyHash: address.keyHash, sessionKey: X25519.generateKeyPair(SystemRandomSource()).privateKey)
        let (reply, session) = try handshake.respond(to: try plain.open(hello), sessionID: connection.sessionID)
        try await connection.send(try plain.seal(reply.wireBytes))
        self.session = session
        cipher = session.cipher
        (events, eventSink) = AsyncStream.makeStream()
        let rest = blocks
        Task { await run(rest) }
    }

    private func run(_ rest: BlockSequence.Iterator) async {
        var blocks = rest
        do {
            while let block = try await blocks.next() { try receive(block) }
            finish(BenchFault("the router closed the connection"))
        } catch {
            finish(error)
        }
    }

    func close() async { await connection.close() }

    private func receive(_ block: Bytes) throws {
        for transmission in session.context.decode(block: try cipher.open(block), as: SMPBrokerMessage.self) {
            let message = try transmission.message.get()
            if let waiter = waiting.removeValue(forKey: transmission.correlationID) {
                waiter.resume(returning: message)
            } else {
                eventSink.yield((transmission.entity, message))
            }
        }
    }

    private func finish(_ error: any Error) {
        end = error
        for waiter in waiting.values { waiter.resume(throwing: error) }
        waiting = [:]
        eventSink.finish()
    }

    /// Sends commands in as few blocks as fit, and returns their answers.
    func request(_ commands: [Command]) async throws -> [SMPBrokerMessage] {
        var ids: [CorrelationID] = []
        var transmissions: [Bytes] = []
        for command in commands {
            let id = CorrelationID.random(random)
            let encoded = session.context.encode(command.command, correlationID: id, entity: command.entity)
            var authorization = TransmissionAuthorization.none
            if let key = command.key {
                let authorizer = try authorizers[command.entity] ?? CommandAuthorizer(key, serverKey: session.peerKey)
                if !command.entity.isNone { authorizers[command.entity] = authorizer }
                authorization = try authorizer.authorize(encoded.authorizedData, correlationID: id)
            }
            ids.append(id)
            transmissions.append(session.context.authorized(encoded, authorization))
        }
        if let end { throw end }
        return try await withThrowingTaskGroup(of: (Int, SMPBrokerMessage).self) { group in
            for (index, id) in ids.enumerated() { group.addTask { (index, try await self.answer(to: id)) } }
            // Those tasks have registered by the time the first answer can be read: both run on this actor, and nothing has been sent.
            await Task.yield()
            while !ids.allSatisfy({ waiting[$0] != nil }), end == nil { await Task.yield() }
            // In the order in which they are encrypted: nobody else may come between.
            try connection.write(try TransmissionBatcher.pack(transmissions).batches.map { try cipher.seal($0.content) })
            await connection.waitUntilWritable()
            var answers = [SMPBrokerMessage?](repeating: nil, count: ids.count)
            for try await (index, message) in group { answers[index] = message }
            return answers.compactMap(\.self)
        }
    }

    private func answer(to id: CorrelationID) async throws -> SMPBrokerMessage {
        if let end { throw end }
        return try await withCheckedThrowingContinuation { waiting[id] = $0 }
    }

    /// Creates queues and secures them.
    func createQueues(_ count: Int, subscription: SubscriptionMode) async throws -> [Queue] {
        var queues: [Queue] = []
        while queues.count < count {
            let keys = (0..<min(100, count - queues.count)).map { _ in (key(), key()) }
            let answers = try await request(
                keys.map { recipient, _ in
                    Command(
                        command: .new(
                            NewQueueRequest(
                                recipientKey: recipient.publicKey, encryptionKey: X25519.generateKeyPair(random).publicKey,
                                subscription: subscription, mode: .messaging(link: nil))),
                        entity: .none, key: recipient)
                })
            let made = try zip(keys, answers).map { keys, answer in
                guard case .ids(let ids) = answer else { throw BenchFault("no queue: \(answer)") }
                return Queue(recipient: ids.recipientID, sender: ids.senderID, recipientKey: keys.0, senderKey: keys.1)
            }
            _ = try await request(made.map { Command(command: .skey($0.senderKey.publicKey), entity: $0.sender, key: $0.senderKey) })
            queues += made
        }
        return queues
    }

    private func key() -> PrivateAuthKey { .x25519(X25519.generateKeyPair(random).privateKey) }
}

extension RouterClient.Queue {
    func send(_ body: Bytes) -> RouterClient.Command { .init(command: .send(MessageFlags(), body), entity: sender, key: senderKey) }
    var subscribe: RouterClient.Command { .init(command: .sub, entity: recipient, key: recipientKey) }
    func acknowledge(_ id: MessageID) -> RouterClient.Command { .init(command: .ack(id), entity: recipient, key: recipientKey) }
}
