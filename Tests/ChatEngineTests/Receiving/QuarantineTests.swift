import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB
import SMPAgent
import SMPProtocol
import SMPWire
import SystemSupport
import Testing

@testable import ChatEngine
@testable import ChatStore

@Suite("Received events that are set aside")
struct QuarantineTests {
    private static let metadata = MessageMetadata(
        integrity: .skipped(from: 3, to: 5), messageID: 7, receivedAt: 1, brokerID: [1, 2, 3], brokerTime: 1_000, senderMessageID: 6, pqEncryption: true)
    private static let connection = ConnectionID([9, 9, 9])
    private static let events: [AgentEvent] = [
        .message(metadata, MessageFlags(notification: true), [1, 2, 3]), .receipts(metadata, [MessageReceipt(messageID: 4, status: .badMessageHash)]),
        .confirmation(ConfirmationID([1]), pqSupport: true, servers: [], info: [4, 5]), .request(InvitationID([2]), pqSupport: false, servers: [], info: [6]),
        .information(pqSupport: true, info: [7]), .connected(pqEncryption: true), .joined(senderQueueSecured: true),
    ]

    @Test("are read from the store as they were", arguments: events)
    func stored(_ event: AgentEvent) throws {
        let notification = AgentNotification(connection: Self.connection, event: event)
        let kind = Incoming(unread: notification, key: nil).name
        let again = try #require(
            AgentNotification(
                connection: Self.connection.bytes, kind: kind, stored: try JSONValue(parsing: notification.stored.text), body: notification.body))
        #expect(again.event == event)
        #expect(again.connection == notification.connection)
    }

    @Test("have a name that is the same when they come again, and is no other's")
    func names() throws {
        let first = AgentNotification(connection: Self.connection, event: Self.events[0])
        #expect(first.key != nil && first.key == AgentNotification(connection: Self.connection, event: Self.events[0]).key)
        #expect(first.key != AgentNotification(connection: ConnectionID([9, 9]), event: Self.events[0]).key)
        let durable = AgentNotification(connection: Self.connection, event: Self.events[2], durableID: .event(7))
        #expect(durable.key != nil && durable.key != first.key)
        #expect(AgentNotification(connection: Self.connection, event: .subscriptionEnded).key == nil)
    }

    @Test("are listed, received on demand once, and dropped")
    func commands() async throws {
        let world = TestWorld()
        let alice = try await TestPerson("alice", world), bob = try await TestPerson("bob", world)
        let (atAlice, _) = try await TestPerson.connect(alice, bob)
        let engine = alice.core.native.engine
        let agentConnection = try #require(
            try await engine.store.read { db in
                try db.first("SELECT agent_connection_id FROM connections WHERE contact_id = ?", [atAlice]) { $0.bytes() }
            })
        for (number, text) in [(1_001 as Int64, "first"), (1_002, "second")] {
            let body = Bytes(#"{"v":"1","event":"x.msg.new","params":{"content":{"text":"\#(text)","type":"text"}}}"#.utf8)
            let metadata = MessageMetadata(
                integrity: .ok, messageID: number, receivedAt: 1, brokerID: [1], brokerTime: 1_000, senderMessageID: number, pqEncryption: true)
            let notification = AgentNotification(connection: ConnectionID(agentConnection), event: .message(metadata, MessageFlags(notification: true), body))
            let key = try #require(notification.key)
            let id = try await engine.transactions.transaction { try $0.quarantine.add(Incoming(unread: notification, key: key), as: key) }
            // A second time it is the same.
            #expect(try await engine.transactions.transaction { try $0.quarantine.add(Incoming(unread: notification, key: key), as: key) } == id)
        }
        guard case .quarantine(let events) = try await alice.core.run("/_quarantine") else { Issue.record("no list"); return }
        #expect(events.map(\.kind) == ["message", "message"] && events.map(\.contactName) == ["bob", "bob"])
        #expect(await alice.core.received(from: atAlice) == [])
        let (first, second) = (try #require(events.first).id, try #require(events.last).id)
        #expect(await alice.core.answer("/_quarantine retry \(first)")["type"] == "quarantineRetried")
        #expect(await alice.core.received(from: atAlice) == ["first"])
        #expect(await alice.core.answer("/_quarantine retry \(first)")["type"] == "chatCmdError")
        #expect(await alice.core.answer("/_quarantine drop \(second)")["type"] == "quarantineDropped")
        #expect(await alice.core.answer("/_quarantine")["events"] == [])
        #expect(await alice.core.received(from: atAlice) == ["first"])
        // What comes now is received as ever: the numbers of those that were set aside are past.
        let known = try await engine.store.read { try $0.connections.find(agentID: agentConnection)?.lastReceivedMessageID }
        #expect(known == 1_002)
        await alice.core.close()
        await bob.core.close()
    }

    @Test("commands are printed as they are read", arguments: ["/_quarantine", "/_quarantine retry 3", "/_quarantine drop 4"])
    func printing(_ text: String) throws {
        #expect(try ChatCommand(parsing: text).commandString == text)
    }

    @Test("are joined by work that the agent has set aside, which is listed once and dropped, also if its connection is gone")
    func work() async throws {
        let alice = try await TestPerson("alice", TestWorld())
        let engine = alice.core.native.engine, command = QuarantinedCommand(id: 5, kind: "allow")
        for _ in 1...2 { try await engine.transactions.transaction { try $0.quarantine.receive(command, of: ConnectionID([9])) } }
        guard case .quarantine(let events) = try await alice.core.run("/_quarantine") else { Issue.record("no list"); return }
        #expect(events.map(\.kind) == ["command.allow"])
        let id = try #require(events.first).id
        #expect(await alice.core.answer("/_quarantine retry \(id)")["type"] == "chatCmdError")
        #expect(await alice.core.answer("/_quarantine drop \(id)")["type"] == "quarantineDropped")
        #expect(await alice.core.answer("/_quarantine")["events"] == [])
        await alice.core.close()
    }
}
