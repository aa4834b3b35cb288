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

/// The store of the agent: connections, ratchets, transactions and files.
@Suite struct AgentStoreTests {
    @Test(arguments: AgentStoreKind.allCases) func `A connection with queues and keys reads back as it was stored`(kind: AgentStoreKind) async throws {
        let fixture = try await AgentStoreFixture(kind)
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

    @Test(arguments: AgentStoreKind.allCases) func `Subscribing tells which queues the peer may send to, as the connection's state does`(kind: AgentStoreKind)
        async throws
    {
        let fixture = try await AgentStoreFixture(kind)
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

    @Test(arguments: AgentStoreKind.allCases)
    func `A ratchet that moves on reads back as it is, and its keys are written again only at a step`(kind: AgentStoreKind) async throws {
        let fixture = try await AgentStoreFixture(kind)
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
        let fixture = try await AgentStoreFixture(.memory)
        let ratchet = try AgentStoreFixture.ratchet()
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

    @Test(arguments: AgentStoreKind.allCases)
    func `The keys of missing messages read back in the order of their age, whatever their bytes`(kind: AgentStoreKind) async throws {
        let fixture = try await AgentStoreFixture(kind)
        let row = fixture.record.row
        try await fixture.store.apply([.setRatchet(row, try AgentStoreFixture.ratchet())])
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
            try StoreChange.apply([.insertConnection(record)], to: database)
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
        try await store.apply([.setRatchet(5, try AgentStoreFixture.ratchet()), .addSkippedKeys(5, [young])])
        let keys = try #require(try await store.connection(record.id)).skippedKeys.keys
        #expect(keys.map { $0.headerKey.bytes[0] } == [8, 8, 1])
        #expect(Set(keys.map(\.number)) == [0, 1, 2])
        try await store.close()
    }

    @Test(arguments: AgentStoreKind.allCases) func `Changes are all made or none`(kind: AgentStoreKind) async throws {
        let fixture = try await AgentStoreFixture(kind)
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

    @Test(arguments: AgentStoreKind.allCases) func `Changes that wait together succeed and fail alone`(kind: AgentStoreKind) async throws {
        let fixture = try await AgentStoreFixture(kind)
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

    @Test(arguments: AgentStoreKind.allCases) func `Deferred changes are there after a flush, and one that fails does not stop the others`(
        kind: AgentStoreKind
    ) async throws {
        let fixture = try await AgentStoreFixture(kind)
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

    @Test(arguments: AgentStoreKind.allCases) func `Work and events that are left come back in order, and go with their connection`(
        kind: AgentStoreKind
    ) async throws {
        let fixture = try await AgentStoreFixture(kind)
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
        let stats = AgentConnectionStats(try await fixture.state())
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

    @Test(arguments: AgentStoreKind.allCases) func `A request that was delivered twice is one request`(kind: AgentStoreKind) async throws {
        let fixture = try await AgentStoreFixture(kind)
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
        // One that offers the same queue has the words that came last.
        let row = fixture.record.row
        var again = InvitationRecord(id: InvitationID([1]), contactConnection: row, request: link, senderInfo: [2], brokerID: [5])
        try await fixture.store.apply([.deleteInvitation(InvitationID([3])), .replaceInvitation(again)])
        #expect(try await fixture.store.invitation(contact: row, offering: link) == again)
        #expect(try await fixture.store.invitation(contact: 99, offering: link) == nil)
        #expect(try await fixture.store.hasInvitation(contact: row, brokerID: [5]))
        again.request = .contact(ConnectionRequest(queues: []))
        #expect(try await fixture.store.invitation(contact: row, offering: again.request) == nil)
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
        let fixture = try await AgentStoreFixture(.memory)
        try await fixture.store.apply([.insertSendQueue(try fixture.sendQueue(), connection: fixture.record.row)])
        try await fixture.store.write { try $0.execute(sql: "UPDATE send_queues SET private_key = x'00'") }
        await #expect(throws: StorageError.self) { try await fixture.store.connection(fixture.record.id) }
        try await fixture.store.write { try $0.execute(sql: "UPDATE send_queues SET status = 'strange'") }
        await #expect(throws: StorageError.self) { try await fixture.store.connection(fixture.record.id) }
        try await fixture.store.close()
    }
}
