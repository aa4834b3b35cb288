import EncryptedSQLite
import Foundation
import GRDB
import SMPClient
import SMPCrypto
import SMPProtocol
import SMPRatchet
import SMPWire
import Testing

@testable import SMPAgent

/// What every store of the agent must do, run on the kinds that there are.
@Suite struct AgentStoreTests {
    enum Kind: String, CaseIterable { case memory, file }

    private struct Fixture {
        let folder: TemporaryFolder
        let store: AgentStore
        let user: AgentUserID
        let record: ConnectionRecord
        let random = SeededRandomSource(seed: 7)
        let server = SMPServerAddress(host: .domain("one.example"), keyHash: KeyHash(Bytes(repeating: 1, count: 32)))

        init(_ kind: Kind) async throws {
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
    }

    private static func ratchet() throws -> Ratchet {
        let random = SeededRandomSource(seed: 9)
        let offer = AgreementKeys(proposingKEM: false, random: random).offer(version: 2)
        return try Ratchet.answer(offer, pqSupport: false, random: random).ratchet
    }

    @Test(arguments: Kind.allCases) func `A connection with queues and keys reads back as it was stored`(kind: Kind) async throws {
        let fixture = try await Fixture(kind)
        var receive = try fixture.receiveQueue()
        var send = try fixture.sendQueue()
        let keys = AgreementKeys(proposingKEM: true, random: fixture.random)
        let (ratchet, answer) = try Ratchet.answer(keys.offer(version: 3), pqSupport: true, random: fixture.random)
        try await fixture.store.apply([
            .insertReceiveQueue(receive, connection: fixture.record.row), .insertSendQueue(send, connection: fixture.record.row),
            .setAgreementKeys(fixture.record.row, keys), .setRatchet(fixture.record.row, ratchet),
            .setSentParameters(fixture.record.row, answer), .addProcessedRatchetKey(fixture.record.row, hash: [1, 2], at: 3),
        ])
        var state = try await fixture.state()
        #expect(state.record == fixture.record)
        #expect(state.receiveQueues == [receive])
        #expect(state.sendQueues == [send])
        #expect(state.agreementKeys == keys)
        #expect(state.ratchet == ratchet)
        #expect(state.sentParameters == answer)
        #expect(state.processedRatchetKeys == [[1, 2]: 3])
        #expect(state.kind == .duplex)

        receive.peerSecret = try fixture.secret()
        receive.status = .secured
        receive.switchStatus = .sendingQUSE
        receive.deleteAttempts = 3
        send.status = .active
        send.replaces = 12
        send.switchStatus = .sendingQTEST
        var record = fixture.record
        record.ratchetSync = .required
        record.deletion = .waitingForDelivery(since: 99)
        record.lastSentHash = [1]
        record.lastReceivedID = 44
        try await fixture.store.apply([.updateReceiveQueue(receive), .updateSendQueue(send), .updateConnection(record)])
        state = try await fixture.state()
        #expect(state.receiveQueues == [receive])
        #expect(state.sendQueues == [send])
        #expect(state.record == record)
        #expect(try await fixture.store.owner(of: receive.key) == fixture.record.id)
        #expect(try await fixture.store.deletedConnections() == [fixture.record.id])
        try await fixture.store.close()
    }

    @Test(arguments: Kind.allCases) func `Subscribing tells which queues the peer may send to, as the connection's state does`(kind: Kind) async throws {
        let fixture = try await Fixture(kind)
        var queues: [ReceiveQueue] = []
        for status in QueueStatus.allCases {
            for switching in [nil, .started, .sendingQADD, .sendingQUSE, .receivedMessage] as [ReceiveSwitchStatus?] {
                var old = try fixture.receiveQueue(), new = try fixture.receiveQueue()
                (old.status, old.switchStatus, old.isPrimary) = (status, switching, switching == .sendingQUSE)
                (new.status, new.replaces, new.isPrimary) = (status, old.row, false)
                queues += [old, new]
            }
        }
        try await fixture.store.apply(queues.map { .insertReceiveQueue($0, connection: fixture.record.row) })
        let state = try await fixture.state()
        let records = try await fixture.store.subscriptions(nil)
        let carries = try Dictionary(uniqueKeysWithValues: records.compactMap { try $0.queue?.get() }.map { ($0.row, $0.carries) })
        #expect(carries == Dictionary(uniqueKeysWithValues: queues.map { ($0.row, state.carries($0)) }))
        #expect(carries.values.count(where: \.self) == 5 + 5 + 2)
        try await fixture.store.close()
    }

    @Test(arguments: Kind.allCases)
    func `A ratchet that moves on reads back as it is, and its keys are written again only at a step`(kind: Kind) async throws {
        let fixture = try await Fixture(kind)
        let row = fixture.record.row
        let random = fixture.random
        let (first, _) = try Ratchet.answer(
            AgreementKeys(proposingKEM: true, random: random).offer(version: 3), pqSupport: true, random: random)
        func write(_ change: (inout Ratchet) throws -> Void) async throws {
            var transition = Transition(try await fixture.state())
            var ratchet = try #require(transition.state.ratchet)
            try change(&ratchet)
            transition.setRatchet(ratchet)
            try await fixture.store.apply(transition.storeChanges)
            #expect(try await fixture.state().ratchet == ratchet)
        }
        func stored() async throws -> Data? { try await fixture.store.read { try $0.row("SELECT state FROM ratchets")?["state"] } }

        var beginning = Transition(try await fixture.state())
        beginning.setRatchet(first)
        try await fixture.store.apply(beginning.storeChanges)
        let keys = try await stored()
        for _ in 0..<3 { try await write { _ = try $0.sealHeader() } }
        #expect(try await stored() == keys)

        // Another agreement: nothing of the old chains is left.
        let (second, _) = try Ratchet.answer(
            AgreementKeys(proposingKEM: false, random: random).offer(version: 2), pqSupport: false, random: random)
        try await write { $0 = second }
        #expect(try await stored() == Data(second.encoded.bytes))
        try await write { _ = try $0.sealHeader() }
        try await fixture.store.apply([.deleteRatchet(row), .setRatchet(row, first)])
        #expect(try await fixture.state().ratchet == first)
        try await fixture.store.close()
    }

    @Test func `A ratchet is stored whole again when it was deleted before in the same transaction`() async throws {
        let fixture = try await Fixture(.memory)
        let ratchet = try Self.ratchet()
        try await fixture.store.apply([.setRatchet(fixture.record.row, ratchet)])
        var transition = Transition(try await fixture.state())
        transition.setRatchet(nil)
        var moved = ratchet
        _ = try moved.sealHeader()
        transition.setRatchet(moved)
        try await fixture.store.apply(transition.storeChanges)
        #expect(try await fixture.state().ratchet == moved)
        try await fixture.store.close()
    }

    @Test(arguments: Kind.allCases)
    func `The keys of missing messages read back in the order of their age, whatever their bytes`(kind: Kind) async throws {
        let fixture = try await Fixture(kind)
        let row = fixture.record.row
        try await fixture.store.apply([.setRatchet(row, try Self.ratchet())])
        // Neither the order of the header keys nor its reverse is that of their age.
        let chains: [UInt8] = [9, 3, 200, 1, 70]
        func key(_ chain: UInt8, _ number: UInt32) throws -> SkippedMessageKey {
            try SkippedMessageKey(
                headerKey: SecretBytes(Bytes(repeating: chain, count: 32)), number: number,
                key: SecretBytes(Bytes(repeating: chain &+ UInt8(number), count: 48)))
        }
        func order(_ keys: [SkippedMessageKey]) -> [UInt8] {
            keys.map { $0.headerKey.bytes[0] }.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
        }
        for chain in chains { try await fixture.store.apply([.addSkippedKeys(row, [try key(chain, 7), try key(chain, 2)])]) }
        var keys = try await fixture.state().skippedKeys.keys
        #expect(keys.count == 10)
        #expect(order(keys) == chains)
        #expect(try keys.contains(key(200, 2)))

        // A chain that lost its last key and got another one is as old as that.
        try await fixture.store.apply([
            .removeSkippedKeys(row, [try key(9, 7), try key(9, 2)]), .addSkippedKeys(row, [try key(9, 8)]),
        ])
        keys = try await fixture.state().skippedKeys.keys
        #expect(order(keys) == [3, 200, 1, 70, 9])
        try await fixture.store.close()
    }

    @Test func `Keys of missing messages that an older version stored are kept and are the oldest`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.db"
        let old = try DatabaseQueue(path: path)
        try AgentSchema.migrator.migrate(old, upTo: "1: connections, queues, messages")
        let record = ConnectionRecord(row: 5, id: ConnectionID([1]), user: 1, mode: .invitation, agentVersion: 7, pqSupport: true)
        try await old.write { database in
            try database.execute(sql: "INSERT INTO users DEFAULT VALUES")
            try StoreChange.insertConnection(record).apply(to: database)
            try database.execute(
                sql: """
                    INSERT INTO skipped_message_keys (connection_id, header_key, message_number, message_key)
                    VALUES (5, ?, 1, ?), (5, ?, 2, ?)
                    """,
                arguments: [
                    Data(repeating: 8, count: 32), Data(repeating: 1, count: 48), Data(repeating: 8, count: 32), Data(repeating: 2, count: 48),
                ])
        }
        try old.close()
        let store = try AgentStore(path: path)
        let young = try SkippedMessageKey(
            headerKey: SecretBytes(Bytes(repeating: 1, count: 32)), number: 0, key: SecretBytes(Bytes(repeating: 3, count: 48)))
        try await store.apply([.setRatchet(5, try Self.ratchet()), .addSkippedKeys(5, [young])])
        let keys = try #require(try await store.connection(record.id)).skippedKeys.keys
        #expect(keys.map { $0.headerKey.bytes[0] } == [8, 8, 1])
        #expect(Set(keys.map(\.number)) == [0, 1, 2])
        try await store.close()
    }

    @Test(arguments: Kind.allCases) func `Changes are all made or none`(kind: Kind) async throws {
        let fixture = try await Fixture(kind)
        let queue = try fixture.sendQueue()
        await #expect(throws: (any Error).self) {
            try await fixture.store.apply([
                .insertSendQueue(queue, connection: fixture.record.row), .insertSendQueue(queue, connection: fixture.record.row),
            ])
        }
        #expect(try await fixture.state().sendQueues.isEmpty)
        await #expect(throws: (any Error).self) {
            try await fixture.store.apply([.insertSendQueue(queue, connection: 12_345)])
        }
        try await fixture.store.close()
    }

    @Test(arguments: Kind.allCases) func `Changes that wait together succeed and fail alone`(kind: Kind) async throws {
        let fixture = try await Fixture(kind)
        let queues = try (0..<40).map { _ in try fixture.sendQueue() }
        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for (index, queue) in queues.enumerated() {
                let owner = index.isMultiple(of: 2) ? fixture.record.row : 12_345
                group.addTask {
                    do {
                        try await fixture.store.apply([.insertSendQueue(queue, connection: owner)])
                        return true
                    } catch {
                        return false
                    }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(outcomes == 20)
        #expect(try await fixture.state().sendQueues.count == 20)
        try await fixture.store.close()
    }

    @Test(arguments: Kind.allCases) func `Deferred changes are there after a flush, and one that fails does not stop the others`(
        kind: Kind
    ) async throws {
        let fixture = try await Fixture(kind)
        let good = try fixture.sendQueue()
        let later = try fixture.sendQueue()
        fixture.store.applyLater([.insertSendQueue(good, connection: fixture.record.row)])
        fixture.store.applyLater([
            .insertSendQueue(good, connection: fixture.record.row), .insertSendQueue(later, connection: fixture.record.row),
        ])
        try await fixture.store.flush()
        #expect(Set(try await fixture.state().sendQueues.map(\.row)) == [good.row, later.row])
        try await fixture.store.close()
    }

    @Test(arguments: Kind.allCases) func `Messages wait in order until each queue has them`(kind: Kind) async throws {
        let fixture = try await Fixture(kind)
        let (first, second) = (try fixture.sendQueue(), try fixture.sendQueue())
        let row = fixture.record.row
        try await fixture.store.apply([
            .insertSendQueue(first, connection: row), .insertSendQueue(second, connection: row), .insertBody(77, [9, 9]),
            .insertSentMessage(fixture.message(3), connection: row, queues: [first.row]),
            .insertSentMessage(fixture.message(2), connection: row, queues: [first.row, second.row]),
        ])
        #expect(try await fixture.store.deliveries(queue: first.row, after: 0, limit: 10).map(\.message.messageID) == [2, 3])
        #expect(try await fixture.store.deliveries(queue: first.row, after: 2, limit: 10).map(\.message.messageID) == [3])
        #expect(try await fixture.store.deliveries(queue: first.row, after: 0, limit: 1).map(\.message.messageID) == [2])
        #expect(try await fixture.store.connectionsWithDeliveries() == [fixture.record.id])
        let retry = DeliveryRetryState(slow: .seconds(450), fast: .seconds(3))
        try await fixture.store.apply([
            .setRetry(queue: second.row, 2, retry), .deliveryDone(queue: first.row, connection: row, 2, keepRecord: true),
        ])
        let left = try await fixture.store.deliveries(queue: second.row, after: 0, limit: 10)
        #expect(left.map(\.retry) == [retry])
        if case .envelope(let bytes)? = left.first?.message.content { #expect(bytes == [1, 2, 3]) } else { Issue.record("no content") }
        try await fixture.store.apply([.deliveryDone(queue: second.row, connection: row, 2, keepRecord: true)])
        #expect(try await fixture.store.sentMessage(connection: row, sentID: 2)?.hash == [4])
        #expect(try await fixture.store.expiredDeliveries(queue: first.row, before: 3001) == [3])
        // What one of several queues has is not waited for, though it goes to the others.
        #expect(try await fixture.store.hasDeliveries(row))
        try await fixture.store.apply([.setSent(connection: row, sentID: 3)])
        #expect(try await fixture.store.hasDeliveries(row) == false)
        #expect(try await fixture.store.deliveries(queue: first.row, after: 0, limit: 10).map(\.isCopy) == [true])
        try await fixture.store.apply([.deliveryDone(queue: first.row, connection: row, 3, keepRecord: false)])
        #expect(try await fixture.store.sentMessage(connection: row, sentID: 3) == nil)
        #expect(try await fixture.store.hasDeliveries(row) == false)
        try await fixture.store.close()
    }

    @Test(arguments: Kind.allCases) func `Messages are kept for a queue that is to take the place of another`(kind: Kind) async throws {
        let fixture = try await Fixture(kind)
        let (old, row) = (try fixture.sendQueue(), fixture.record.row)
        var new = try fixture.sendQueue()
        (new.replaces, new.isPrimary) = (old.row, false)
        try await fixture.store.apply(
            [.insertSendQueue(old, connection: row), .insertSendQueue(new, connection: row)]
                + (1...9).map { .insertSentMessage(fixture.message($0), connection: row, queues: [old.row, new.row]) })
        func copies() async throws -> [Int64] {
            try await fixture.store.deliveries(queue: new.row, after: 0, limit: 20).filter(\.isCopy).map(\.message.messageID)
        }
        #expect(try await copies() == [])
        try await fixture.store.apply((1...6).map { .deliveryDone(queue: old.row, connection: row, $0, keepRecord: true) })
        #expect(try await copies() == [1, 2, 3, 4, 5, 6])
        // Copies are late for nobody.
        #expect(try await fixture.store.expiredDeliveries(queue: new.row, before: 100_000) == [7, 8, 9])
        // Of the six that the old queue has, the last four can be unread, and what waits for it can.
        try await fixture.store.apply([.forgetCopies(queue: new.row, of: old.row, keeping: 4)])
        #expect(try await fixture.store.deliveries(queue: new.row, after: 0, limit: 20).map(\.message.messageID) == [3, 4, 5, 6, 7, 8, 9])
        try await fixture.store.apply((7...9).map { .deliveryDone(queue: old.row, connection: row, $0, keepRecord: true) })
        try await fixture.store.apply([.forgetCopies(queue: new.row, of: old.row, keeping: 4)])
        #expect(try await copies() == [6, 7, 8, 9])
        // What is only offered keeps nobody from deleting the connection.
        #expect(try await !fixture.store.hasDeliveries(row))
        new.status = .secured
        try await fixture.store.apply([.updateSendQueue(new)])
        #expect(try await fixture.store.hasDeliveries(row))
        new.replaces = nil
        try await fixture.store.apply([.updateSendQueue(new), .deleteSendQueue(old.row)])
        #expect(try await copies() == [])
        try await fixture.store.close()
    }

    @Test(arguments: Kind.allCases) func `A queue's messages that the user has not acknowledged are known`(kind: Kind) async throws {
        let fixture = try await Fixture(kind)
        let row = fixture.record.row
        let queue = fixture.received(1, hash: [1]).queue
        try await fixture.store.apply((1...3).map { .insertReceivedMessage(fixture.received($0, hash: [UInt8($0)]), connection: row) })
        try await fixture.store.apply([.acknowledge(connection: row, 2)])
        #expect(try await fixture.store.unacknowledgedMessages(connection: row, queue: queue).map(\.messageID) == [1, 3])
        #expect(try await fixture.store.unacknowledgedMessages(connection: row, queue: queue + 1).isEmpty)
        try await fixture.store.close()
    }

    @Test(arguments: Kind.allCases) func `A shared body lasts until its last message is sent`(kind: Kind) async throws {
        let fixture = try await Fixture(kind)
        let queue = try fixture.sendQueue()
        let row = fixture.record.row
        var (ratchet, _) = try Ratchet.answer(
            AgreementKeys(proposingKEM: false, random: fixture.random).offer(version: 3), pqSupport: false, random: fixture.random)
        func message(_ number: Int64) throws -> SentMessage {
            SentMessage(
                messageID: number, sentID: number, kind: .message, flags: MessageFlags(),
                content: .sealed(.shared(77, [9, 9]), key: try ratchet.sealHeader(), paddedLength: 100), hash: [], previousHash: [],
                pqEncryption: false, createdAt: 1)
        }
        try await fixture.store.apply([
            .insertSendQueue(queue, connection: row), .insertBody(77, [9, 9]),
            .insertSentMessage(try message(1), connection: row, queues: [queue.row]),
            .insertSentMessage(try message(2), connection: row, queues: [queue.row]),
        ])
        let before = try await fixture.store.deliveries(queue: queue.row, after: 0, limit: 10)
        #expect(before.count == 2)
        let envelope = try before[1].message.envelope(agentVersion: 7)
        try await fixture.store.apply([.deliveryDone(queue: queue.row, connection: row, 1, keepRecord: true)])
        let after = try await fixture.store.deliveries(queue: queue.row, after: 0, limit: 10)
        #expect(try after.map { try $0.message.envelope(agentVersion: 7) } == [envelope])
        try await fixture.store.apply([.deliveryDone(queue: queue.row, connection: row, 2, keepRecord: true)])
        #expect(try await fixture.store.read { try $0.row("SELECT COUNT(*) AS n FROM message_bodies")?["n"] as Int? } == 0)
        try await fixture.store.close()
    }

    @Test(arguments: Kind.allCases) func `Received messages are found by their ciphertext, and old records go`(kind: Kind) async throws {
        let fixture = try await Fixture(kind)
        let row = fixture.record.row
        try await fixture.store.apply([
            .insertReceivedMessage(fixture.received(1, hash: [1]), connection: row),
            .insertReceivedMessage(fixture.received(2, hash: [2]), connection: row),
        ])
        let found = try #require(try await fixture.store.receivedMessage(connection: row, encryptedHash: [2]))
        #expect(found.messageID == 2)
        #expect(found.metadata == fixture.received(2, hash: [2]).metadata)
        #expect(found.body == [7])
        try await fixture.store.apply([.countAttempt(connection: row, 2), .acknowledge(connection: row, 2)])
        let acknowledged = try #require(try await fixture.store.receivedMessage(connection: row, messageID: 2))
        #expect(acknowledged.isAcknowledged)
        #expect(acknowledged.attempts == 1)
        #expect(acknowledged.body == [])
        try await fixture.store.deleteMessageRecords(before: 2500, limit: 1)
        #expect(try await fixture.store.receivedMessage(connection: row, encryptedHash: [1]) == nil)
        #expect(try await fixture.store.receivedMessage(connection: row, encryptedHash: [2]) != nil)
        try await fixture.store.close()
    }

    @Test(arguments: Kind.allCases) func `Old messages go, with what waits of them, and young ones of other connections stay`(
        kind: Kind
    ) async throws {
        let fixture = try await Fixture(kind)
        let row = fixture.record.row
        let queue = try fixture.sendQueue()
        let other = ConnectionRecord(
            row: 2, id: ConnectionID([2]), user: fixture.user, mode: .invitation, agentVersion: 7, pqSupport: true)
        let otherQueue = try fixture.sendQueue()
        try await fixture.store.apply([
            .insertSendQueue(queue, connection: row), .insertConnection(other), .insertSendQueue(otherQueue, connection: other.row),
        ])
        for number in 1...4 as ClosedRange<Int64> {
            try await fixture.store.apply([
                .insertSentMessage(fixture.message(number), connection: row, queues: [queue.row]),
                .insertSentMessage(fixture.message(number), connection: other.row, queues: [otherQueue.row]),
                .insertReceivedMessage(fixture.received(number, hash: [UInt8(number)]), connection: row),
            ])
        }
        func left() async throws -> (waiting: [AgentMessageID], others: [AgentMessageID]) {
            let store = fixture.store
            return (
                try await store.deliveries(queue: queue.row, after: 0, limit: 9).map(\.message.messageID),
                try await store.deliveries(queue: otherQueue.row, after: 0, limit: 9).map(\.message.messageID)
            )
        }
        // At most three in all: whose connection is looked at first is not said.
        try await fixture.store.deleteMessageRecords(before: 3000, limit: 3)
        var (waiting, others) = try await left()
        #expect([waiting, others].sorted { $0.count < $1.count } == [[3, 4], [2, 3, 4]])
        try await fixture.store.deleteMessageRecords(before: 3000, limit: 3)
        (waiting, others) = try await left()
        #expect(waiting == [3, 4] && others == [3, 4])
        #expect(try await fixture.store.sentMessage(connection: row, sentID: 2) == nil)
        #expect(try await fixture.store.sentMessage(connection: row, sentID: 3) != nil)
        #expect(try await fixture.store.receivedMessage(connection: row, messageID: 2) == nil)
        #expect(try await fixture.store.receivedMessage(connection: row, messageID: 3) != nil)
        try await fixture.store.close()
    }

    @Test func `Messages that an older version stored are sent and remembered`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.db"
        let old = try DatabaseQueue(path: path)
        try AgentSchema.migrator.migrate(old, upTo: "3: operators and uses of routers, statistics")
        let fixture = try await Fixture(.memory)
        let record = ConnectionRecord(row: 5, id: ConnectionID([1]), user: 1, mode: .invitation, agentVersion: 7, pqSupport: true)
        let queue = try fixture.sendQueue(), ratchet = try Self.ratchet()
        let key = try {
            var ratchet = ratchet; return try ratchet.sealHeader()
        }()
        try await old.write { database in
            try database.execute(sql: "INSERT INTO users DEFAULT VALUES")
            try StoreChange.insertConnection(record).apply(to: database)
            try StoreChange.insertSendQueue(queue, connection: 5).apply(to: database)
            try database.execute(sql: "INSERT INTO ratchets (connection_id, state) VALUES (5, ?)", arguments: [Data(ratchet.encoded.bytes)])
            try database.execute(sql: "INSERT INTO message_bodies (body_id, content) VALUES (77, x'0909'), (78, x'08')")
            let sent = """
                INSERT INTO sent_messages (
                    connection_id, message_id, sent_id, kind, flags, body, body_id, message_key, padded_length, hash, previous_hash,
                    pq_encryption, created_at, retry_slow, retry_fast, receipt_status, request_key
                ) VALUES (5, ?, ?, 'M', ?, ?, ?, ?, ?, ?, x'02', 1, ?, ?, ?, ?, ?)
                """
            let flags = Data(MessageFlags(notification: true).wireBytes)
            // Sent and confirmed; waiting with a body of its own, after tries; waiting with a shared body.
            try database.execute(sql: sent, arguments: [3, 2, flags, nil, nil, nil, nil, Data([1]), 1000, nil, nil, "ok", 40])
            try database.execute(
                sql: sent, arguments: [4, 3, flags, Data([7]), nil, Data(key.encoded.bytes), 100, Data([2]), 2000, 60_000, 2000, nil, 41])
            try database.execute(
                sql: sent, arguments: [6, 4, flags, nil, 77, Data(key.encoded.bytes), 100, Data([3]), 3000, nil, nil, nil, nil])
            try database.execute(
                sql: "INSERT INTO deliveries (queue_id, message_id, connection_id) VALUES (?, 6, 5), (?, 4, 5)",
                arguments: [queue.row, queue.row])
            try database.execute(
                sql: """
                    INSERT INTO received_messages VALUES (5, 5, 9, 'M', ?, 'OK', 8, x'01', 7, 6, 1, x'05', x'04', x'03', 0, 2)
                    """, arguments: [flags])
        }
        try old.close()

        let store = try AgentStore(path: path)
        let state = try #require(try await store.connection(record.id))
        #expect(state.ratchet == ratchet)
        #expect(state.lastRequestKey == 41)
        let waiting = try await store.deliveries(queue: queue.row, after: 0, limit: 9)
        #expect(waiting.map(\.message.messageID) == [4, 6])
        #expect(waiting.map(\.message.sentID) == [3, 4])
        #expect(waiting.map(\.retry) == [DeliveryRetryState(slow: .seconds(60), fast: .seconds(2)), nil])
        #expect(waiting.map(\.message.hash) == [[2], [3]] && waiting.map(\.message.previousHash) == [[2], [2]])
        for (delivery, body) in zip(waiting, [[7], [9, 9]] as [Bytes]) {
            let header = AgentMessageHeader(id: delivery.message.sentID, previousHash: [2])
            let sealed = try key.sealMessage(SentMessage.encode(header, content: body), paddedTo: 100)
            #expect(try delivery.message.envelope(agentVersion: 7) == AgentEnvelope.message(version: 7, encrypted: sealed).wireBytes)
        }
        #expect(try await store.sentMessage(connection: 5, requestKey: 40)?.messageID == 3)
        #expect(try await store.sentMessage(connection: 5, sentID: 2)?.receiptStatus == .ok)
        let received = try #require(try await store.receivedMessage(connection: 5, encryptedHash: [3]))
        #expect(received.messageID == 5 && received.body == [5] && received.attempts == 2 && !received.isAcknowledged)
        // A body that nothing waits for went with the change.
        #expect(try await store.read { try $0.rows("SELECT body_id FROM message_bodies").map { $0["body_id"] as Int64 } } == [77])
        try await store.apply([.deleteConnection(5)])
        let tables = ["connections", "ratchets", "sent_messages", "deliveries", "received_messages"]
        for table in tables { #expect(try await store.read { try $0.row("SELECT count(*) FROM \(table)")?[0] as Int? } == 0) }
        try await store.close()
        try await fixture.store.close()
    }

    @Test(arguments: Kind.allCases) func `The user's own numbers are remembered after the message is sent and confirmed`(
        kind: Kind
    ) async throws {
        let fixture = try await Fixture(kind)
        let queue = try fixture.sendQueue()
        let row = fixture.record.row
        try await fixture.store.apply([
            .insertSendQueue(queue, connection: row),
            .insertSentMessage(fixture.message(1, key: 500), connection: row, queues: [queue.row]),
            .deliveryDone(queue: queue.row, connection: row, 1, keepRecord: true), .setReceipt(connection: row, sentID: 1, .ok),
            .deleteReceipted(connection: row, sentID: 1),
        ])
        #expect(try await fixture.state().lastRequestKey == 500)
        #expect(try await fixture.store.sentMessage(connection: row, requestKey: 500)?.messageID == 1)
        #expect(try await fixture.store.sentMessage(connection: row, requestKey: 501) == nil)
        try await fixture.store.close()
    }

    @Test(arguments: Kind.allCases) func `Work and events that are left come back in order, and go with their connection`(
        kind: Kind
    ) async throws {
        let fixture = try await Fixture(kind)
        let row = fixture.record.row
        let link = ConnectionRequestURI.contact(
            ConnectionRequest(queues: [
                SMPQueueURI(
                    address: SMPQueueAddress(
                        server: fixture.server, senderID: EntityID([1]), encryptionKey: .init(pattern: 1), mode: .contact))
            ]))
        let kinds: [CommandRecord.Kind] = [
            .join(link, info: [1], pqSupport: true, subscribe: false), .allow(ConfirmationID([5])),
            .secureReplyQueue(queue: 4, key: [1, 2]), .secureNewQueue(queue: 4, key: [3]), .deleteReplacedQueue(queue: 6),
            .deleteQueue(queue: 7), .switchQueue(queue: 8),
        ]
        // What is told of the connection is how it stands when it is told.
        let stats = ConnectionStats(try await fixture.state())
        let events: [AgentEvent] = [
            .confirmation(ConfirmationID([1]), pqSupport: true, servers: [fixture.server], info: [1]),
            .request(InvitationID([2]), pqSupport: false, servers: [], info: []), .information(pqSupport: true, info: [3]),
            .connected(pqEncryption: true), .joined(senderQueueSecured: false), .created(link),
            .messageFailed(7, AgentError(.smp(server: "smp://one", .blocked(BlockingInfo(reason: .spam))))),
            .messagesFailed([8, 9], AgentError(.proxy(server: "a", relay: "b", .protocol(.proxy(.broker(.network(.timeout))))))),
            .sendingContinued, .failed(.peer(.duplicate(dropped: .init(brokerTime: 5, attempts: 6)))),
            .failed(AgentError(.broker(address: "c", .transport(.version)))),
            .queueSwitch(.receive, .completed, stats), .ratchetSync(.required, .ratchetSkipped(7), stats),
            .ratchetSync(.agreed, nil, stats),
        ]
        try await fixture.store.apply(
            kinds.map { .insertCommand(CommandRecord(row: fixture.random.rowID(), connection: row, kind: $0)) }
                + events.enumerated().map { .insertEvent(EventRecord(number: 100 - RowID($0.offset), connection: row, event: $0.element)) })
        #expect(try await fixture.store.commands().map { "\($0.1.kind)" } == kinds.map { "\($0)" })
        #expect(try await fixture.store.events().map(\.event) == events)
        #expect(events.allSatisfy { $0.isDurable })
        for event in [AgentEvent.suspended, .up(fixture.server, []), .sent(1, proxy: nil)] {
            #expect(!event.isDurable)
            await #expect(throws: (any Error).self) {
                try await fixture.store.apply([.insertEvent(EventRecord(number: 1, connection: row, event: event))])
            }
        }
        try await fixture.store.apply([
            .insertSentEvent(connection: row, 11, proxy: nil), .insertSentEvent(connection: row, 10, proxy: fixture.server),
            .insertSentEvent(connection: row, 11, proxy: nil),
        ])
        #expect(try await fixture.store.events().suffix(2).map(\.event) == [.sent(10, proxy: fixture.server), .sent(11, proxy: nil)])
        try await fixture.store.apply([.deleteSentEvent(connection: row, 11)])
        try await fixture.store.apply([.deleteEvent(100), .deleteJoinCommands(row)])
        #expect(try await fixture.store.events().count == events.count)
        #expect(try await fixture.store.commands().count == 6)
        try await fixture.store.apply([.deleteConnection(row)])
        #expect(try await fixture.store.events().isEmpty)
        #expect(try await fixture.store.commands().isEmpty)
        try await fixture.store.close()
    }

    @Test(arguments: Kind.allCases) func `A request that was delivered twice is one request`(kind: Kind) async throws {
        let fixture = try await Fixture(kind)
        let link = ConnectionRequestURI.contact(
            ConnectionRequest(queues: [
                SMPQueueURI(
                    address: SMPQueueAddress(
                        server: fixture.server, senderID: EntityID([1]), encryptionKey: .init(pattern: 1), mode: .contact))
            ]))
        func invitation(_ id: UInt8, broker: UInt8) -> InvitationRecord {
            InvitationRecord(
                id: InvitationID([id]), contactConnection: fixture.record.row, request: link, senderInfo: [1], brokerID: [broker])
        }
        try await fixture.store.apply([
            .insertInvitation(invitation(1, broker: 1), at: 1), .insertInvitation(invitation(2, broker: 1), at: 2),
            .insertInvitation(invitation(3, broker: 2), at: 3),
        ])
        #expect(try await fixture.store.invitation(InvitationID([1]))?.request == link)
        #expect(try await fixture.store.invitation(InvitationID([2])) == nil)
        #expect(try await fixture.store.invitation(InvitationID([3])) != nil)
        #expect(try await fixture.store.hasInvitation(contact: fixture.record.row, brokerID: [1]))
        #expect(try await fixture.store.unansweredInvitations(contact: fixture.record.row) == 2)
        #expect(try await fixture.store.unansweredInvitations(contact: 99) == 0)
        try await fixture.store.apply([.deleteInvitation(InvitationID([3]))])
        #expect(try await fixture.store.invitation(InvitationID([3])) == nil)
        #expect(try await fixture.store.unansweredInvitations(contact: fixture.record.row) == 1)
        // Accepted ones are remembered for as long as a router may deliver them again; those that wait for an answer stay.
        try await fixture.store.apply([.insertInvitation(invitation(4, broker: 4), at: 4), .acceptInvitation(InvitationID([4]))])
        #expect(try await fixture.store.unansweredInvitations(contact: fixture.record.row) == 1)
        try await fixture.store.deleteMessageRecords(before: 4, limit: 9)
        #expect(try await fixture.store.hasInvitation(contact: fixture.record.row, brokerID: [4]))
        try await fixture.store.deleteMessageRecords(before: 5, limit: 9)
        #expect(try await !fixture.store.hasInvitation(contact: fixture.record.row, brokerID: [4]))
        #expect(try await fixture.store.invitation(InvitationID([1])) != nil)
        try await fixture.store.close()
    }

    @Test func `A database of a newer version is refused`() async throws {
        let folder = try TemporaryFolder()
        let store = try AgentStore(path: folder.path + "/a.db")
        try await store.write { try $0.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('99: from the future')") }
        try await store.close()
        let error = #expect(throws: StorageError.self) { try AgentStore(path: folder.path + "/a.db") }
        #expect(error?.code == .newerDatabase)
    }

    @Test func `The file is for its owner only, and durable against a power loss`() async throws {
        let folder = try TemporaryFolder()
        let store = try AgentStore(path: folder.path + "/a.db")
        let mode = try FileManager.default.attributesOfItem(atPath: folder.path + "/a.db")[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try await store.write { try $0.row("PRAGMA synchronous")?[0] as Int? } == 2)
        #expect(try await store.write { try $0.row("PRAGMA foreign_keys")?[0] as Int? } == 1)
        try await store.close()
    }

    @Test func `A stored value that was damaged is reported, not trapped on`() async throws {
        let fixture = try await Fixture(.memory)
        try await fixture.store.apply([.insertSendQueue(try fixture.sendQueue(), connection: fixture.record.row)])
        try await fixture.store.write { try $0.execute(sql: "UPDATE send_queues SET private_key = x'00'") }
        await #expect(throws: StorageError.self) { try await fixture.store.connection(fixture.record.id) }
        try await fixture.store.write { try $0.execute(sql: "UPDATE send_queues SET status = 'strange'") }
        await #expect(throws: StorageError.self) { try await fixture.store.connection(fixture.record.id) }
        try await fixture.store.close()
    }
}
