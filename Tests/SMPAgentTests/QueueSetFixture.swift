import SMPCrypto
import SMPProtocol
import SMPRatchet
import SMPWire
import TestSupport

@testable import SMPAgent

/// Makes the state of a connection that no store has, for decisions about its queues.
struct QueueSetFixture {
    let random: SeededRandomSource
    let server = SMPServerAddress(host: .domain("one.example"), keyHash: KeyHash(Bytes(repeating: 1, count: 32)))
    /// A ratchet that can send.
    private let ratchet: Ratchet

    init(seed: UInt64 = 3) throws {
        random = SeededRandomSource(seed: seed)
        ratchet = try AgentStoreFixture.ratchet()
    }

    var context: AgentContext {
        AgentContext(configuration: AgentConfiguration(), random: random, ratchetKeys: KEMKeyPairPool(capacity: 0, random: random), now: 5_000)
    }

    /// The address of a queue, by its number.
    func address(_ row: RowID) -> QueueAddress { QueueAddress(server: server, senderID: EntityID(Bytes(repeating: UInt8(row), count: 24))) }

    func sendQueue(
        _ row: RowID, _ status: QueueStatus = .active, primary: Bool = false, replaces: RowID? = nil, _ switchStatus: SendSwitchStatus? = nil,
        mode: QueueMode? = .messaging
    ) throws -> SendQueue {
        var queue = SendQueue(
            row: row, server: server, senderID: address(row).senderID, privateKey: .x25519(X25519.generateKeyPair(random).privateKey),
            peerSecret: try BoxSecret(random.secret(32)), encryptionKey: X25519.generateKeyPair(random).publicKey, mode: mode, clientVersion: 4)
        (queue.status, queue.isPrimary, queue.replaces, queue.switchStatus) = (status, primary, replaces, switchStatus)
        return queue
    }

    func receiveQueue(
        _ row: RowID, _ status: QueueStatus = .active, primary: Bool = false, replaces: RowID? = nil, _ switchStatus: ReceiveSwitchStatus? = nil
    ) throws -> ReceiveQueue {
        var queue = ReceiveQueue(
            row: row, server: server, recipientID: EntityID(random.bytes(24)), privateKey: .ed25519(Ed25519.generateKeyPair(random).privateKey),
            routerSecret: try BoxSecret(random.secret(32)), encryptionKey: X25519.generateKeyPair(random).privateKey,
            senderID: address(row).senderID, mode: .messaging, clientVersion: 4)
        (queue.status, queue.isPrimary, queue.replaces, queue.switchStatus) = (status, primary, replaces, switchStatus)
        return queue
    }

    func state(receive: [ReceiveQueue] = [], send: [SendQueue] = [], mode: ConnectionMode = .invitation) -> ConnectionState {
        var state = ConnectionState(
            ConnectionRecord(row: 1, id: ConnectionID([1]), user: 1, mode: mode, agentVersion: 7, pqSupport: false))
        (state.receiveQueues, state.sendQueues, state.ratchet) = (receive, send, ratchet)
        return state
    }

    func message(_ kind: AgentMessageKind, _ number: Int64 = 5) -> SentMessage {
        SentMessage(
            messageID: number, sentID: number, kind: kind, flags: MessageFlags(), content: .envelope([]), hash: [], previousHash: [],
            pqEncryption: false, createdAt: 0)
    }

    /// An offer of a queue, in the place of another unless that is nil.
    func offer(_ row: RowID, replacing replaced: QueueAddress?) -> QueueReplacement {
        let address = SMPQueueAddress(
            server: server, senderID: address(row).senderID, encryptionKey: X25519.generateKeyPair(random).publicKey, mode: .messaging)
        return QueueReplacement(queue: SMPQueueURI(clientVersions: AgentConfiguration().clientVersions, address: address), replaced: replaced)
    }
}
