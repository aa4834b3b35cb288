import SMPCrypto
import SMPProtocol
import SMPWire
import Synchronization
import Testing

@testable import SMPAgent

/// What the simulation has in place of SQL and curves. That its rows are those of SQL is seen by `SimulationTests`.
@Suite struct MemoryStoreTests {
    private struct Fixture {
        let random = SimulatedRandom(seed: 3)
        let record: ConnectionRecord
        var tables = MemoryTables()

        init() {
            record = ConnectionRecord(
                row: random.rowID(), id: ConnectionID(random.bytes(12)), user: 1, mode: .invitation, agentVersion: 7, pqSupport: true)
            tables.users[1] = MemoryTables.User(servers: [])
        }

        func message(_ number: Int64, _ content: SentMessage.Content = .envelope([1])) -> SentMessage {
            SentMessage(
                messageID: number, sentID: number, kind: .message, flags: MessageFlags(), content: content, hash: [4], previousHash: [5],
                pqEncryption: false, createdAt: number, requestKey: number)
        }

        func queue() throws -> SendQueue {
            SendQueue(
                row: random.rowID(), server: SMPServerAddress(host: .domain("one.example"), keyHash: KeyHash(random.bytes(32))),
                senderID: EntityID(random.bytes(24)), privateKey: .x25519(X25519.generateKeyPair(random).privateKey),
                peerSecret: try BoxSecret(random.secret(32)), encryptionKey: X25519.generateKeyPair(random).publicKey, mode: nil,
                clientVersion: 4)
        }

        mutating func apply(_ changes: [StoreChange]) throws {
            try tables.transaction { tables in
                for change in changes { try tables.apply(change) }
            }
        }
    }

    @Test("A transaction whose last change does not fit leaves everything as it was") func rollback() throws {
        var fixture = Fixture()
        let queue = try fixture.queue()
        let row = fixture.record.row
        try fixture.apply([
            .insertConnection(fixture.record), .insertSendQueue(queue, connection: row),
            .insertSentMessage(fixture.message(1), connection: row, queues: [queue.row]),
        ])
        let before = fixture.tables.counts
        #expect(throws: MemoryTables.Violation.self) {
            try fixture.apply([
                .sentCounters(row, lastMessageID: 9, sentID: 9, hash: [9], moved: nil),
                .deliveryDone(queue: queue.row, connection: row, 1, keepRecord: true),
                .insertSentMessage(fixture.message(2), connection: row, queues: [queue.row]), .deleteConnection(row),
                .insertSentMessage(fixture.message(3), connection: row, queues: []),
            ])
        }
        #expect(fixture.tables.counts == before)
        #expect(fixture.tables.connections[row]?.lastSentID == 0)
        #expect(fixture.tables.deliveries(queue.row, after: 0, 9).map(\.message.messageID) == [1])
        #expect(fixture.tables.state(fixture.record.id)?.lastRequestKey == 1)
        #expect(throws: MemoryTables.Violation.self) { try fixture.apply([.insertSentMessage(fixture.message(1), connection: row, queues: [])]) }
    }

    @Test("What was not committed is lost with the process, what was committed is there for the next one") func crash() async throws {
        let waiting = Mutex<[@Sendable () -> Void]>([])
        let disk = MemoryDisk()
        let database = MemoryDatabase(disk) { body in waiting.withLock { $0.append(body) } }
        let outcomes = Mutex<[Bool]>([])
        let note: @Sendable (Result<Void, any Error>) -> Void = { result in outcomes.withLock { $0.append((try? result.get()) != nil) } }
        database.submit({ $0.set(\.lastUser, 1) }, completion: note)
        database.submit({ _ in throw MemoryTables.Violation(what: "a test") }, completion: note)
        // All that wait are written by one turn.
        #expect(waiting.withLock { $0.count } == 1)
        #expect(disk.read { $0.lastUser } == 0)
        waiting.withLock { $0.removeFirst() }()
        #expect(outcomes.withLock { $0 } == [true, false])
        database.submit({ $0.set(\.lastUser, 2) }, completion: note)
        #expect(disk.read { $0.lastUser } == 1)

        let next = MemoryDatabase(disk) { $0() }
        #expect(try await next.read { $0.lastUser } == 1)
        next.close()
        await #expect(throws: (any Error).self) { try await next.write { $0.set(\.lastUser, 3) } }
        await #expect(throws: (any Error).self) { try await next.read { $0.lastUser } }
    }

    @Test("Cheap keys agree in pairs, and no others do") func keys() throws {
        let random = SimulatedRandom(seed: 5)
        let keys = (0..<40).map { _ in CheapRatchetKeys(random: random).agreementKey(random) }
        var secrets: Set<Bytes> = []
        for (index, one) in keys.enumerated() {
            for other in keys[..<index] {
                let secret = try one.sharedSecret(with: other.publicKey)
                #expect(try other.sharedSecret(with: one.publicKey) == secret)
                secrets.insert(secret.bytes)
            }
        }
        #expect(secrets.count == 40 * 39 / 2)
        // As on the curve, some keys would make the secret known to all.
        for first in [0, 1] as [UInt8] {
            let weak = try X448.PublicKey(raw: [first] + Bytes(repeating: 0, count: X448.publicSize - 1))
            #expect(throws: CryptoError.self) { try keys[0].sharedSecret(with: weak) }
        }
    }
}
