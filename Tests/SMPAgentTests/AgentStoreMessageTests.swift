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

/// The messages in the store of the agent: those that wait, those that came, and their retention.
@Suite struct AgentStoreMessageTests {
    @Test(arguments: AgentStoreKind.allCases) func `Messages wait in order until each queue has them`(kind: AgentStoreKind) async throws {
        let fixture = try await AgentStoreFixture(kind)
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

    @Test(arguments: AgentStoreKind.allCases) func `Messages are kept for a queue that is to take the place of another`(kind: AgentStoreKind) async throws {
        let fixture = try await AgentStoreFixture(kind)
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

    @Test(arguments: AgentStoreKind.allCases) func `A queue's messages that the user has not acknowledged are known`(kind: AgentStoreKind) async throws {
        let fixture = try await AgentStoreFixture(kind)
        let row = fixture.record.row
        let queue = fixture.received(1, hash: [1]).queue
        try await fixture.store.apply((1...3).map { .insertReceivedMessage(fixture.received($0, hash: [UInt8($0)]), connection: row) })
        try await fixture.store.apply([.acknowledge(connection: row, 2)])
        #expect(try await fixture.store.unacknowledgedMessages(connection: row, queue: queue).map(\.messageID) == [1, 3])
        #expect(try await fixture.store.unacknowledgedMessages(connection: row, queue: queue + 1).isEmpty)
        try await fixture.store.close()
    }

    @Test(arguments: AgentStoreKind.allCases) func `A shared body lasts until its last message is sent`(kind: AgentStoreKind) async throws {
        let fixture = try await AgentStoreFixture(kind)
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

    @Test(arguments: AgentStoreKind.allCases) func `Received messages are found by their ciphertext, and old records go`(kind: AgentStoreKind) async throws {
        let fixture = try await AgentStoreFixture(kind)
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

    @Test(arguments: AgentStoreKind.allCases) func `Old messages go, with what waits of them, and young ones of other connections stay`(
        kind: AgentStoreKind
    ) async throws {
        let fixture = try await AgentStoreFixture(kind)
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
        let fixture = try await AgentStoreFixture(.memory)
        let record = ConnectionRecord(row: 5, id: ConnectionID([1]), user: 1, mode: .invitation, agentVersion: 7, pqSupport: true)
        let queue = try fixture.sendQueue(), ratchet = try AgentStoreFixture.ratchet()
        let key = try {
            var ratchet = ratchet; return try ratchet.sealHeader()
        }()
        try await old.write { database in
            try database.execute(sql: "INSERT INTO users DEFAULT VALUES")
            try StoreChange.apply([.insertConnection(record)], to: database)
            try StoreChange.apply([.insertSendQueue(queue, connection: 5)], to: database)
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

    @Test(arguments: AgentStoreKind.allCases) func `A message with a number of the user's is remembered when a queue has it, its content is not`(
        kind: AgentStoreKind
    ) async throws {
        let fixture = try await AgentStoreFixture(kind)
        let (first, second, row) = (try fixture.sendQueue(), try fixture.sendQueue(), fixture.record.row)
        try await fixture.store.apply([
            .insertSendQueue(first, connection: row), .insertSendQueue(second, connection: row),
            .insertSentMessage(fixture.message(1, key: 500), connection: row, queues: [first.row, second.row]),
        ])
        try await fixture.store.apply([.deliverySent(queue: first.row, 1)])
        #expect(try await fixture.store.deliveries(queue: first.row, after: 0, limit: 10).isEmpty)
        #expect(try await fixture.store.deliveries(queue: second.row, after: 0, limit: 10).map(\.message.messageID) == [1])
        try await fixture.store.apply([.deliverySent(queue: second.row, 1), .deliverySent(queue: second.row, 1)])
        #expect(try await fixture.store.hasDeliveries(row) == false)
        #expect(try await fixture.store.sentMessage(connection: row, requestKey: 500)?.messageID == 1)
        try await fixture.store.close()
    }

    @Test func `Events about sent messages are not stored if they are confirmed before that`() {
        let row: RowID = 7
        let changes: [StoreChange] = [
            .insertSentEvent(connection: row, 1, proxy: nil), .insertSentEvent(connection: row, 2, proxy: nil),
            .insertSentEvent(connection: row + 1, 1, proxy: nil), .deleteSentEvent(connection: row, 1), .deleteSentEvent(connection: row, 3),
            .insertSentEvent(connection: row, 3, proxy: nil),
        ]
        let left = changes.withoutConfirmedEvents
        let stored = left.compactMap { if case .insertSentEvent(let connection, let message, _) = $0 { [connection, message] } else { nil } }
        #expect(stored == [[row, 2], [row + 1, 1], [row, 3]])
        // What an earlier transaction has stored is deleted all the same.
        let deleted = left.compactMap { if case .deleteSentEvent(_, let message) = $0 { message } else { nil } }
        #expect(deleted == [1, 3])
    }

    @Test(arguments: AgentStoreKind.allCases) func `The user's own numbers are remembered after the message is sent and confirmed`(
        kind: AgentStoreKind
    ) async throws {
        let fixture = try await AgentStoreFixture(kind)
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
        // A relay gives its jobs numbers before it knows in what order they come.
        try await fixture.store.apply([.insertSentMessage(fixture.message(2, key: 499), connection: row, queues: [queue.row])])
        #expect(try await fixture.state().lastRequestKey == 500)
        try await fixture.store.close()
    }
}
