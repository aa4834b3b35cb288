import SMPCrypto
import SMPProtocol
import SMPRatchet
import SMPWire
import Testing
import VectorSupport

@testable import SMPAgent

extension VectorCase {
    func bytes(_ key: String) throws -> Bytes { try #require(self[key].hex) }
}

@Suite struct AgentMessageCodecTests {
    @Test(arguments: try Vectors.cases("agent_messages", kinds: "agent-message"))
    func `Every recorded agent message parses to what was recorded and prints the same bytes`(vector: VectorCase) throws {
        let binary = try vector.bytes("binary")
        let message = try AgentMessage(wireBytes: binary)
        #expect(message.wireBytes == binary)
        #expect(Hash.sha256(binary) == vector["sha256"].hex)
        #expect(message.kind.rawValue == vector["stored_type"].string)
        switch message {
        case .connectionInfo(let info), .ratchetInfo(let info): #expect(info == vector["info"].hex)
        case .connectionInfoReply(let queues, let info):
            #expect(info == vector["info"].hex)
            try check(queues, vector["queues"].array)
        case .message(let header, let content):
            #expect(header.id == vector["snd_msg_id"].int)
            #expect(header.previousHash == vector["prev_msg_hash"].hex)
            try check(content, vector)
        }
    }

    private func check(_ content: AgentMessageContent, _ vector: VectorCase) throws {
        switch content {
        case .hello: #expect(vector["type"].string == "HELLO")
        case .message(let body): #expect(body == vector["body"].hex)
        case .received(let receipts):
            let recorded = try #require(vector["receipts"].array)
            #expect(receipts.map(\.id) == recorded.compactMap { $0["agent_msg_id"].int })
            #expect(receipts.map(\.hash) == recorded.compactMap { $0["msg_hash"].hex })
            #expect(receipts.map(\.info) == recorded.compactMap { $0["info"].hex })
        case .queueContinue(let address): try check(address, vector["address"])
        case .queueAdd(let queues):
            let recorded = try #require(vector["queues"].array)
            try #require(queues.count == recorded.count)
            for (queue, record) in zip(queues, recorded) {
                #expect(queue.queue.address.senderID.bytes == record["queue"]["sender_id"].hex)
                #expect(queue.queue.address.server.wireString == record["queue"]["server"].string)
                #expect(Int64(queue.queue.clientVersions.max) == record["queue"]["client_versions"][1].int)
                #expect((queue.replaced == nil) == record["replaced"].isNull)
            }
        case .queueKey(let keys):
            let recorded = try #require(vector["queues"].array)
            try #require(keys.count == recorded.count)
            for (key, record) in zip(keys, recorded) {
                #expect(key.queue.address.senderID.bytes == record["queue"]["sender_id"].hex)
                #expect(key.senderKey.spki == record["sender_key_spki"].hex)
            }
        case .queueUse(let queues):
            let recorded = try #require(vector["queues"].array)
            try #require(queues.count == recorded.count)
            for (queue, record) in zip(queues, recorded) {
                try check(queue.queue, record["address"])
                #expect(queue.isPrimary == record["primary"].bool)
            }
        case .queueTest(let queues):
            let recorded = try #require(vector["addresses"].array)
            try #require(queues.count == recorded.count)
            for (queue, record) in zip(queues, recorded) { try check(queue, record) }
        case .ratchetReady(let id): #expect(id == vector["last_decrypted_msg_id"].int)
        }
    }

    private func check(_ address: QueueAddress, _ record: VectorValue) throws {
        #expect(address.senderID.bytes == record["sender_id"].hex)
        #expect(address.server.wireString == record["server"].string)
    }

    private func check(_ queues: [SMPQueueInfo], _ recorded: [VectorValue]?) throws {
        let recorded = try #require(recorded)
        try #require(queues.count == recorded.count)
        for (queue, record) in zip(queues, recorded) {
            #expect(Int64(queue.clientVersion) == record["client_version"].int)
            #expect(queue.address.senderID.bytes == record["sender_id"].hex)
            #expect(queue.address.server.wireString == record["server"].string)
            #expect(queue.address.encryptionKey.spki == record["dh_key_spki"].hex)
        }
    }

    @Test(arguments: try Vectors.cases("agent_messages", kinds: "agent-message"))
    func `An agent message cut short anywhere is refused or is another message, never a trap`(vector: VectorCase) throws {
        let binary = try vector.bytes("binary")
        for count in 0..<binary.count {
            let cut = Bytes(binary.prefix(count))
            if let message = try? AgentMessage(wireBytes: cut) { #expect(message.wireBytes == cut) }
        }
    }

    @Test func `Lists that must have an element are refused without one`() {
        let header = AgentMessageHeader(id: 1, previousHash: []).wireBytes
        for tag in ["V", "QA", "QK", "QU", "QT"] {
            #expect(throws: WireError.self) { try AgentMessage(wireBytes: [UInt8(ascii: "M")] + header + Bytes(tag.utf8) + [0]) }
        }
        #expect(throws: WireError.self) { try AgentMessage(wireBytes: [UInt8(ascii: "D"), 0]) }
    }

    @Test(arguments: ["", "X", "M", "MM", "I"])
    func `Tags that are not known are refused`(text: String) {
        if text == "I" {
            #expect(throws: Never.self) { try AgentMessage(wireBytes: Bytes(text.utf8)) }
        } else {
            #expect(throws: WireError.self) { try AgentMessage(wireBytes: Bytes(text.utf8)) }
        }
    }
}

@Suite struct ClientMessageCodecTests {
    @Test(arguments: try Vectors.cases("agent_messages", kinds: "client-message"))
    func `Every recorded client message parses and prints as recorded`(vector: VectorCase) throws {
        let binary = try vector.bytes("binary")
        let message = try ClientMessage(wireBytes: binary)
        #expect(message.wireBytes == binary)
        #expect(message.body == vector["body"].hex)
        #expect(message.senderKey?.spki == vector["sender_key_spki"].hex)
    }

    @Test(arguments: try Vectors.cases("agent_messages", kinds: "client-envelope"))
    func `Every recorded client envelope parses and prints as recorded`(vector: VectorCase) throws {
        let binary = try vector.bytes("binary")
        let envelope = try ClientEnvelope(wireBytes: binary)
        #expect(envelope.wireBytes == binary)
        #expect(Int64(envelope.clientVersion) == vector["client_version"].int)
        #expect(envelope.encryptionKey?.spki == vector["dh_key_spki"].hex)
        #expect(envelope.nonce.bytes == vector["nonce"].hex)
        #expect(envelope.encrypted == vector["encrypted"].hex)
    }

    @Test(arguments: try Vectors.cases("agent_messages", kinds: "padded-lengths"))
    func `Messages are padded to the recorded lengths`(vector: VectorCase) throws {
        let version = UInt16(try #require(vector["agent_version"].int))
        let pqSupport = try #require(vector["pq_support"].bool as Bool?)
        #expect(Int64(AgentLimits.confirmationLength(agentVersion: version, pqSupport: pqSupport)) == vector["conn_info_len"].int)
        #expect(Int64(AgentLimits.messageLength(agentVersion: version, pqSupport: pqSupport)) == vector["message_len"].int)
    }

    @Test func `Client messages are padded to the recorded lengths`() throws {
        let vector = try #require(try Vectors.cases("agent_messages", kinds: "constants").first)
        #expect(Int64(AgentLimits.clientMessageLength) == vector["e2e_message_len"].int)
        #expect(Int64(AgentLimits.clientConfirmationLength) == vector["e2e_confirmation_len"].int)
    }

    @Test func `The recorded request to a contact address opens, and seals to the same bytes`() throws {
        let vector = try #require(try Vectors.cases("agent_messages", kinds: "invitation-layers").first)
        let envelope = try ClientEnvelope(wireBytes: vector.bytes("client_envelope"))
        let queueKey = try X25519.PrivateKey(raw: vector.bytes("queue_private_raw"))
        let senderKey = try X25519.PrivateKey(raw: vector.bytes("sender_private_raw"))
        #expect(envelope.encryptionKey == senderKey.publicKey)
        let secret = try BoxSecret(queueKey, with: try #require(envelope.encryptionKey))
        #expect(secret.secret.bytes == vector["e2e_dh_secret"].hex)
        let message = try ClientMessage(wireBytes: secret.openPadded(envelope.encrypted, nonce: envelope.nonce))
        #expect(message.wireBytes == vector["client_message"].hex)
        #expect(message.body == vector["agent_envelope"].hex)
        guard case .invitation(_, let request, _) = try AgentEnvelope(wireBytes: message.body) else {
            Issue.record("not an invitation")
            return
        }
        #expect(request.mode == .invitation)
        let sealed = try ClientEnvelope(
            sealing: message, secret: secret, clientVersion: envelope.clientVersion, encryptionKey: envelope.encryptionKey,
            nonce: envelope.nonce)
        #expect(sealed.wireBytes == vector["client_envelope"].hex)
    }

    @Test(arguments: try Vectors.cases("agent_messages", kinds: "ratchet-sync-role"))
    func `Roles in a new agreement are those recorded`(vector: VectorCase) throws {
        func hash(_ side: String) throws -> Bytes {
            let key1 = try X448.PublicKey(raw: try #require(vector[side]["key1_raw"].hex))
            let key2 = try X448.PublicKey(raw: try #require(vector[side]["key2_raw"].hex))
            let hash = RatchetSyncRole.hash(key1, key2)
            #expect(hash == vector[side]["hash"].hex)
            return hash
        }
        let role = RatchetSyncRole(own: try hash("own"), peer: try hash("other"))
        let recorded = try #require(vector["own_role"].string)
        #expect(role == (recorded.hasPrefix("receiving") ? .receiving : .sending))
    }
}
