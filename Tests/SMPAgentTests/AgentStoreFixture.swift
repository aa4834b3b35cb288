import EncryptedSQLite
import Foundation
import GRDB
import SMPClient
import SMPCrypto
import SMPProtocol
import SMPRatchet
import SMPWire
import TestSupport
import Testing

@testable import SMPAgent

/// The kinds of stores that there are.
enum AgentStoreKind: String, CaseIterable { case memory, file }

/// A store with one profile and one connection, and records for it.
struct AgentStoreFixture {
    let folder: TemporaryFolder
    let store: AgentStore
    let user: AgentUserID
    let record: ConnectionRecord
    let random = SeededRandomSource(seed: 7)
    let server = SMPServerAddress(host: .domain("one.example"), keyHash: KeyHash(Bytes(repeating: 1, count: 32)))

    init(_ kind: AgentStoreKind) async throws {
        folder = try TemporaryFolder()
        store = try AgentStore(path: kind == .file ? folder.path + "/a.db" : nil)
        user = try await store.createUser(servers: [AgentServer(SMPServerWithAuth(server))])
        record = ConnectionRecord(
            row: random.rowID(), id: ConnectionID(random.bytes(12)), user: user, mode: .invitation, agentVersion: 7, pqSupport: true)
        try await store.apply([.insertConnection(record)])
    }

    func secret() throws -> BoxSecret { try BoxSecret(random.secret(32)) }

    func receiveQueue() throws -> ReceiveQueue {
        ReceiveQueue(
            row: random.rowID(), server: server, recipientID: EntityID(random.bytes(24)),
            privateKey: .ed25519(Ed25519.generateKeyPair(random).privateKey), routerSecret: try secret(),
            encryptionKey: X25519.generateKeyPair(random).privateKey, senderID: EntityID(random.bytes(24)), mode: .messaging,
            clientVersion: 4,
            link: ShortLinkCredentials(
                linkID: EntityID(random.bytes(24)), linkKey: LinkKey(random.bytes(32)),
                privateKey: Ed25519.generateKeyPair(random).privateKey, rootKey: nil, encryptedFixedData: random.bytes(40)))
    }

    func sendQueue() throws -> SendQueue {
        SendQueue(
            row: random.rowID(), server: server, senderID: EntityID(random.bytes(24)),
            privateKey: .x25519(X25519.generateKeyPair(random).privateKey), peerSecret: try secret(),
            encryptionKey: X25519.generateKeyPair(random).publicKey, mode: nil, clientVersion: 2)
    }

    func state() async throws -> ConnectionState { try #require(try await store.connection(record.id)) }

    func message(_ number: Int64, key: Int64? = nil) -> SentMessage {
        SentMessage(
            messageID: number, sentID: number, kind: .message, flags: MessageFlags(notification: true), content: .envelope([1, 2, 3]),
            hash: [4], previousHash: [5], pqEncryption: true, createdAt: number * 1000, requestKey: key)
    }

    func received(_ number: Int64, hash: Bytes) -> ReceivedMessageRecord {
        let metadata = MessageMetadata(
            integrity: .skipped(from: 2, to: 3), messageID: number, receivedAt: number * 1000, brokerID: [1], brokerTime: 5,
            senderMessageID: 9, pqEncryption: true)
        return ReceivedMessageRecord(
            messageID: number, queue: 5, kind: .message, flags: MessageFlags(), metadata: metadata, body: [7], hash: [8],
            encryptedHash: hash)
    }

    /// A ratchet as it is after the first answer.
    static func ratchet() throws -> Ratchet {
        let random = SeededRandomSource(seed: 9)
        let offer = AgreementKeys(proposingKEM: false, random: random).offer(version: 2)
        return try Ratchet.answer(offer, pqSupport: false, random: random).ratchet
    }
}
