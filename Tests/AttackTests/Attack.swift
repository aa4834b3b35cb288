import ChatProtocol
import SMPClient
import SMPCrypto
import SMPProtocol
import SMPRatchet
import SMPWire
import TestSupport
import VectorSupport

@testable import SMPAgent

/// A kind of thing that a stranger does to a bot.
enum Attack: String, CaseIterable, Sendable {
    /// Asks to connect, with a profile and a message that were changed.
    case request
    /// Sends something else than a request to the address.
    case address
    /// Confirms the connection with something else than a profile.
    case confirmation
    /// Sends messages of the chat that were changed.
    case chatMessage
    /// Sends numbered messages, receipts and moves of queues that were changed, inside the ratchet.
    case agentMessage
    /// Sends new ratchet keys, invitations and confirmations where none belong.
    case envelope
    /// Sends bytes that are no envelope.
    case raw

    /// How often it is carried out among a hundred attacks.
    var share: Int {
        switch self {
        case .request: 8
        case .address: 12
        case .confirmation: 4
        case .chatMessage: 40
        case .agentMessage: 24
        case .envelope: 8
        case .raw: 4
        }
    }

    /// The kinds in their shares, in an order that follows from the seed.
    static func sequence(_ count: Int, seed: UInt64) -> [Attack] {
        var mutator = Mutator(seed: seed)
        let all = allCases.flatMap { [Attack](repeating: $0, count: $0.share) }
        return (0..<count).map { _ in mutator.pick(all) }
    }
}

/// Valid messages of the chat, as they were recorded.
enum RecordedMessages {
    static func load() throws -> [JSONValue] {
        try Vectors.cases("chat_messages").flatMap { texts(in: $0.value) }.compactMap { text in
            guard text.hasPrefix("{\"v\""), let value = try? JSONValue(parsing: text), value["event"] != nil else { return nil }
            return value
        }
    }

    private static func texts(in value: VectorValue) -> [String] {
        switch value {
        case .string(let text): [text]
        case .array(let list): list.flatMap(texts)
        case .object(let members): members.sorted { $0.key < $1.key }.flatMap { texts(in: $0.value) }
        default: []
        }
    }
}

extension Stranger {
    /// Carries out an attack. What cannot be sent is not: the error is the attacker's own.
    ///
    /// - Parameters:
    ///   - connection: one that stands.
    ///   - messages: valid ones to change.
    func carryOut(
        _ attack: Attack, _ mutator: inout Mutator, to link: ConnectionRequestURI, over connection: ConnectionID, messages: [JSONValue]
    ) async throws {
        switch attack {
        case .request:
            try await request(link, info: body(of: mutator.mutated(Self.profile(mutator.pick(Mutator.texts), event: "x.contact")), &mutator))
        case .confirmation:
            confirm(with: body(of: mutator.mutated(Self.profile("mallory", event: "x.info")), &mutator))
            try await request(link, info: Self.profile("mallory", event: "x.contact").textBytes)
        case .chatMessage:
            let message = mutator.chance(1, in: 4) ? Self.text("changed") : mutator.pick(messages)
            try await send(body(of: mutator.mutated(message), &mutator), over: connection)
        case .agentMessage: try await inject(agentMessage: agentMessage(&mutator, link), into: connection)
        case .envelope:
            try await inject(clientMessage: try envelope(&mutator, link), withKey: mutator.chance(1, in: 3), into: connection)
        case .raw: try await inject(raw: mutator.bytes(mutator.pick([0, 1, 50, 1_000, 16_000])), into: connection)
        case .address: try await sendToAddress(of: link, &mutator)
        }
    }

    /// Sometimes not even JSON, sometimes an array.
    private func body(of message: JSONValue, _ mutator: inout Mutator) -> Bytes {
        let text = message.textBytes
        return switch mutator.below(12) {
        case 0: mutator.mutated(text)
        case 1: JSONValue.array([message, message]).textBytes
        case 2: Bytes("X".utf8) + mutator.mutated(text)
        default: Bytes(text.prefix(13_000))
        }
    }

    private func agentMessage(_ mutator: inout Mutator, _ link: ConnectionRequestURI) -> Bytes {
        let id = mutator.chance(1, in: 2) ? Int64(bitPattern: mutator.pick(Mutator.integers)) : Int64(mutator.below(50))
        let header = AgentMessageHeader(id: id, previousHash: mutator.bytes(mutator.pick([0, 32, 255])))
        let queue = link.request.queues[0]
        let address = QueueAddress(server: queue.address.server, senderID: EntityID(mutator.bytes(24)))
        let number = Int64(bitPattern: mutator.pick(Mutator.integers))
        let content: AgentMessageContent =
            switch mutator.below(9) {
            case 0: .hello
            case 1: .message(Self.text("inside").textBytes)
            case 2:
                .received(
                    (0...mutator.below(30)).map { _ in AgentMessageReceipt(id: number, hash: mutator.bytes(32), info: mutator.bytes(mutator.below(300))) })
            case 3: .queueContinue(address)
            case 4: .queueAdd([QueueReplacement(queue: queue, replaced: mutator.chance(1, in: 2) ? address : nil)])
            case 5:
                .queueKey([
                    QueueSenderKey(
                        queue: SMPQueueInfo(clientVersion: 4, address: queue.address),
                        senderKey: .x25519(X25519.generateKeyPair(SystemRandomSource()).publicKey))
                ])
            case 6: .queueUse([QueueUse(queue: address, isPrimary: mutator.chance(1, in: 2))])
            case 7: .queueTest([address])
            default: .ratchetReady(lastReceivedID: number)
            }
        let bytes = AgentMessage.message(header, content).wireBytes
        return mutator.chance(1, in: 2) ? mutator.mutated(bytes) : bytes
    }

    private func envelope(_ mutator: inout Mutator, _ link: ConnectionRequestURI) throws -> Bytes {
        let version = UInt16(truncatingIfNeeded: mutator.chance(1, in: 3) ? mutator.pick(Mutator.integers) : 7)
        let parameters = AgreementKeys(proposingKEM: mutator.chance(1, in: 2), agent.core.context).offer(version: 3)
        let envelope: AgentEnvelope =
            switch mutator.below(4) {
            case 0: .confirmation(version: version, parameters: parameters, encryptedInfo: mutator.bytes(500))
            case 1: .message(version: version, encrypted: mutator.bytes(mutator.pick([10, 2_000, 15_000])))
            case 2: .invitation(version: version, request: link, info: Self.profile("x", event: "x.contact").textBytes)
            default: .ratchetKey(version: version, parameters: parameters, info: mutator.bytes(10))
            }
        let bytes = envelope.wireBytes
        return Bytes((mutator.chance(1, in: 2) ? mutator.mutated(bytes) : bytes).prefix(15_800))
    }

    /// Sends to the address what is not quite a request.
    private func sendToAddress(of link: ConnectionRequestURI, _ mutator: inout Mutator) async throws {
        let address = link.request.queues[0].address
        let created = try await agent.createConnection(user: user, mode: .invitation)
        let info = body(of: mutator.mutated(Self.profile("mallory", event: mutator.pick(["x.contact", "x.info", "x.msg.new"]))), &mutator)
        var envelope = AgentEnvelope.invitation(version: 7, request: created.link, info: info).wireBytes
        if mutator.chance(1, in: 2) { envelope = mutator.mutated(envelope) }
        let keys = X25519.generateKeyPair(SystemRandomSource())
        var client = try ClientEnvelope(
            sealing: ClientMessage(body: Bytes(envelope.prefix(15_800))), secret: try BoxSecret(keys.privateKey, with: address.encryptionKey), clientVersion: 4,
            encryptionKey: keys.publicKey, nonce: .random(SystemRandomSource())
        ).wireBytes
        if mutator.chance(1, in: 6) { client = mutator.mutated(client) }
        try await send(raw: Bytes(client.prefix(16_060)), to: address.senderID, on: address.server)
    }
}
