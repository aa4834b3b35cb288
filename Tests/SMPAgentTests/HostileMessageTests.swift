import SMPClient
import SMPCrypto
import SMPProtocol
import SMPSimulation
import SMPWire
import Synchronization
import Testing

@testable import SMPAgent

extension TestParty {
    /// Sends a message that the agent itself would not send now.
    func inject(_ content: AgentMessageContent, into connection: ConnectionID) async throws {
        let core = agent.core
        try await core.withConnection(connection) { access throws(AgentError) in
            var transition = Transition(try await access.state())
            try transition.enqueue(OutgoingContent(content), flags: MessageFlags(), core.context)
            try await access.commit(transition)
        }
    }

    /// Sends bytes in place of a client envelope.
    func inject(raw bytes: Bytes, into connection: ConnectionID) async throws {
        let state = try #require(try await agent.core.store.connection(connection))
        let queue = state.sendQueues[0]
        let request = SMPRequest(
            entity: queue.senderID, command: .send(MessageFlags(), bytes), authKey: queue.status == .new ? nil : queue.privateKey)
        _ = try await network.send(request, over: TransportSessionKey(userID: 1, server: queue.server))
    }

    /// Sends a client message in the queue's own encryption.
    func inject(_ body: Bytes, senderKey: PublicAuthKey? = nil, withKey: Bool = false, into connection: ConnectionID) async throws {
        let state = try #require(try await agent.core.store.connection(connection))
        let queue = state.sendQueues[0]
        let envelope = try ClientEnvelope(
            sealing: ClientMessage(senderKey: senderKey, body: body), secret: queue.peerSecret, clientVersion: queue.clientVersion,
            encryptionKey: withKey ? queue.encryptionKey : nil, nonce: .random(SystemRandomSource()))
        try await inject(raw: envelope.wireBytes, into: connection)
    }
}

extension AlgorithmPublicKey<X25519> {
    init(pattern: UInt8) { self = X25519.generateKeyPair(SeededRandomSource(seed: UInt64(pattern))).publicKey }
}

@Suite struct HostileMessageTests {
    /// Sends something bad and sees that it is reported, that the queue goes on and that the connection still works.
    private func attack(_ name: Comment, _ attack: (Pair, ConnectionID) async throws -> Void) async throws {
        let pair = try await Pair()
        let (alice, bob) = try await pair.connect()
        try await attack(pair, alice)
        await pair.bob.wait("a fault") { !$0.failures.isEmpty || $0.events.contains { if case .ratchetSync = $0.event { true } else { false } } }
        // A message that cannot be decrypted may stop sending until the ratchets are agreed anew, but never receiving.
        try await pair.alice.send("after", to: alice)
        await pair.bob.wait(name) { $0.order[bob]?.count == 1 }
        await pair.close()
    }

    @Test func `Bytes that are no envelope`() async throws {
        for bytes in [Bytes(), [0], [0, 4, 0x30], Bytes(repeating: 0xFF, count: 16_000)] {
            try await attack("\(bytes.count) bytes") { try await $0.alice.inject(raw: bytes, into: $1) }
        }
    }

    @Test func `An envelope that was changed`() async throws {
        try await attack("changed") { pair, alice in
            let state = try #require(try await pair.alice.agent.core.store.connection(alice))
            let queue = state.sendQueues[0]
            var envelope = try ClientEnvelope(
                sealing: ClientMessage(body: [1]), secret: queue.peerSecret, clientVersion: 4, encryptionKey: nil,
                nonce: .random(SystemRandomSource()))
            envelope.encrypted[100] ^= 1
            try await pair.alice.inject(raw: envelope.wireBytes, into: alice)
        }
    }

    @Test func `Client messages that are no agent envelopes`() async throws {
        for body in [Bytes(), [0, 7], [0, 7, 0x58], [0, 7, 0x43, 0x32], [0, 7, 0x49, 0xFF, 0xFF]] {
            try await attack("\(body)") { try await $0.alice.inject(body, into: $1) }
        }
    }

    @Test func `A message for the ratchet that it cannot decrypt`() async throws {
        for encrypted in [Bytes(), Bytes(repeating: 7, count: 10), Bytes(repeating: 7, count: 15_900)] {
            try await attack("\(encrypted.count) bytes") {
                try await $0.alice.inject(AgentEnvelope.message(version: 7, encrypted: encrypted).wireBytes, into: $1)
            }
        }
    }

    @Test func `A second invitation or confirmation, and one with a key where none belongs`() async throws {
        let link = ConnectionRequestURI.contact(
            ConnectionRequest(queues: [
                SMPQueueURI(
                    address: SMPQueueAddress(
                        server: SMPServerAddress(host: .domain("x.example"), keyHash: KeyHash(Bytes(repeating: 1, count: 32))),
                        senderID: EntityID([1]), encryptionKey: .init(pattern: 1), mode: .contact))
            ]))
        try await attack("invitation") {
            try await $0.alice.inject(AgentEnvelope.invitation(version: 7, request: link, info: []).wireBytes, into: $1)
        }
        try await attack("confirmation") {
            try await $0.alice.inject(
                AgentEnvelope.confirmation(version: 7, parameters: nil, encryptedInfo: [1]).wireBytes, into: $1)
        }
        try await attack("key") {
            try await $0.alice.inject(
                AgentEnvelope.message(version: 7, encrypted: [1]).wireBytes, senderKey: .x25519(.init(pattern: 2)), into: $1)
        }
        try await attack("public header") {
            try await $0.alice.inject(AgentEnvelope.message(version: 7, encrypted: [1]).wireBytes, withKey: true, into: $1)
        }
    }

    @Test func `Versions that are not spoken yet`() async throws {
        try await attack("client version") { pair, alice in
            let state = try #require(try await pair.alice.agent.core.store.connection(alice))
            let envelope = try ClientEnvelope(
                sealing: ClientMessage(body: [1]), secret: state.sendQueues[0].peerSecret, clientVersion: 99, encryptionKey: nil,
                nonce: .random(SystemRandomSource()))
            try await pair.alice.inject(raw: envelope.wireBytes, into: alice)
        }
    }

    @Test func `HELLO in a connection that is active, and receipts for what was never sent`() async throws {
        try await attack("hello") { try await $0.alice.inject(.hello, into: $1) }
        let pair = try await Pair()
        let (alice, bob) = try await pair.connect()
        try await pair.alice.inject(.received([AgentMessageReceipt(id: 99, hash: [1], info: [])]), into: alice)
        try await pair.alice.send("after", to: alice)
        await pair.bob.wait("message") { $0.order[bob]?.count == 1 }
        #expect(pair.bob.seen.receipts[bob] == nil)
        await pair.close()
    }

    @Test func `A receipt with another hash is told apart from a good one`() async throws {
        let pair = try await Pair()
        let (alice, bob) = try await pair.connect()
        try await pair.alice.send("hello", to: alice)
        await pair.bob.wait("message") { $0.order[bob]?.count == 1 }
        let id = try #require(pair.bob.seen.metadata[bob]?.first?.senderMessageID)
        try await pair.bob.inject(.received([AgentMessageReceipt(id: id, hash: Bytes(repeating: 0, count: 32), info: [])]), into: bob)
        await pair.alice.wait("receipt") { $0.receipts[alice]?.first?.status == .badMessageHash }
        await pair.close()
    }

    @Test func `A garbled confirmation does not use the invitation up`() async throws {
        let pair = try await Pair()
        let created = try await pair.alice.invite()
        guard case .invitation(let request, _) = created.link, let address = request.queues.first?.address else { return }
        let keys = X25519.generateKeyPair(SystemRandomSource())
        for envelope in [
            AgentEnvelope.confirmation(version: 7, parameters: nil, encryptedInfo: Bytes(repeating: 1, count: 500)).wireBytes, [1, 2, 3],
        ] {
            let client = try ClientEnvelope(
                sealing: ClientMessage(body: envelope), secret: try BoxSecret(keys.privateKey, with: address.encryptionKey),
                clientVersion: 4, encryptionKey: keys.publicKey, nonce: .random(SystemRandomSource()))
            _ = try await pair.bob.network.send(
                SMPRequest(entity: address.senderID, command: .send(MessageFlags(), client.wireBytes)),
                over: TransportSessionKey(userID: 1, server: address.server))
        }
        await pair.alice.wait("faults") { $0.failures.count == 2 }
        let bob = try await pair.bob.join(created.link)
        await pair.bob.wait("connected") { $0.connected[bob] != nil }
        await pair.close()
    }
}
