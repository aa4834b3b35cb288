import Foundation
import GRDB
import SMPClient
import SMPCrypto
import SMPProtocol
import SMPRatchet
import SMPSimulation
import SMPWire
import Synchronization
import TestSupport
import Testing

@testable import SMPAgent

/// Numbers at the ends of what integers hold, and around the bounds of what is believed.
private let ends: [Int64] = [
    .min, .min + 1, -(1 << 53), -(1 << 32), -(1 << 31), -2, -1, 0, 1, 2, 1 << 31, (1 << 31) - 1, 1 << 32, (1 << 32) - 1, 1 << 53,
    253_402_300_799, 253_402_300_800, 9_223_372_036_854_775, 9_223_372_036_854_776, (1 << 62) - 1, 1 << 62, (1 << 62) + 1, .max - 1, .max,
]

@Suite struct NumberBoundsTests {
    @Test(arguments: ends) func `A message's number is read from 0 to 2^62, wherever a peer says one`(number: Int64) throws {
        let isSane = number >= 0 && number <= 1 << 62
        let header = AgentMessageHeader(id: number, previousHash: [1])
        let messages: [AgentMessage] = [
            .message(header, .hello), .message(header, .message([1])),
            .message(AgentMessageHeader(id: 1, previousHash: []), .ratchetReady(lastReceivedID: number)),
            .message(AgentMessageHeader(id: 1, previousHash: []), .received([AgentMessageReceipt(id: number, hash: [2], info: [])])),
        ]
        for message in messages {
            if isSane {
                #expect(try AgentMessage(wireBytes: message.wireBytes) == message)
            } else {
                #expect(throws: WireError.self) { try AgentMessage(wireBytes: message.wireBytes) }
            }
        }
    }

    @Test func `A number is compared with any other without overflow`() {
        for previous in ends {
            for id in ends {
                let integrity = MessageIntegrity.check(previousID: previous, previousHash: [], id: id, claimedPreviousHash: [])
                #expect(MessageIntegrity(integrity.description) == integrity)
            }
        }
    }

    @Test(arguments: ends) func `A message is read whatever time its router gives it`(seconds: Int64) async throws {
        let pair = try await Pair()
        let (alice, _) = try await pair.connect()
        let state = try #require(try await pair.alice.agent.core.store.connection(alice))
        let queue = state.receiveQueues[0]
        let id = MessageID(Bytes(repeating: 5, count: 24))
        for body in [ReceivedMessageBody.message(timestamp: seconds, flags: MessageFlags(), body: [1]), .quotaExceeded(timestamp: seconds)] {
            let message = ReceivedMessage(id: id, encryptedBody: try body.seal(id: id, secret: queue.routerSecret))
            var transition = Transition(state)
            guard case .acknowledge = transition.receive(message, from: queue.row, pair.alice.agent.core.context) else {
                Issue.record("not acknowledged")
                continue
            }
            let faults = transition.notifications.compactMap { if case .failed(let error) = $0.event { error.code } else { nil } }
            switch body {
            // Bytes that are no message, which is all that is wrong with it.
            case .message: #expect(faults == ["AGENT.A_MESSAGE"])
            case .quotaExceeded: #expect(faults == [])
            }
        }
        await pair.close()
    }

    /// Sends a message with a number of its own.
    private func send(number: Int64, from party: TestParty, into connection: ConnectionID) async throws {
        let core = party.agent.core
        let encrypted = try await core.withConnection(connection) { access throws(AgentError) in
            let state = try await access.state()
            guard var ratchet = state.ratchet else { throw AgentError(.noUser) }
            let key = try ratchet.sealHeader(pqEncryption: nil, core.context).key
            var transition = Transition(state)
            transition.setRatchet(ratchet)
            try await access.commit(transition)
            let message = SentMessage.encode(
                AgentMessageHeader(id: number, previousHash: []), content: AgentMessageContent.message([7]).wireBytes)
            return try key.sealBody(message, paddedTo: AgentLimits.messageLength(agentVersion: 7, pqSupport: true))
        }
        try await party.inject(AgentEnvelope.message(version: 7, encrypted: encrypted).wireBytes, into: connection)
    }

    @Test(arguments: ends) func `A message with any number is taken or reported, and the next one is read`(number: Int64) async throws {
        let pair = try await Pair()
        let (alice, bob) = try await pair.connect()
        try await send(number: number, from: pair.alice, into: alice)
        let isSane = AgentLimits.messageIDs.contains(number)
        if isSane {
            await pair.bob.wait("the message") { $0.order[bob]?.count == 1 }
        } else {
            await pair.bob.wait("its fault") { $0.failures.map(\.code) == ["AGENT.A_MESSAGE"] }
        }
        try await pair.alice.send("after", to: alice)
        await pair.bob.wait("after") { $0.order[bob]?.last == Bytes("after".utf8) }
        let state = try #require(try await pair.bob.agent.core.store.connection(bob))
        #expect(AgentLimits.messageIDs.contains(state.record.lastReceivedID))
        await pair.close()
    }

    @Test(arguments: [
        ("connections", "last_message_id"), ("connections", "last_sent_id"), ("connections", "last_received_id"),
        ("connections", "agent_version"), ("receive_queues", "client_version"), ("receive_queues", "delete_attempts"),
        ("send_queues", "client_version"), ("received_messages", "broker_time"), ("received_messages", "received_at"),
        ("received_messages", "attempts"), ("received_messages", "sender_message_id"), ("sent_messages", "created_at"),
    ])
    func `A store with any number in a row is read or refused`(table: String, column: String) async throws {
        let folder = try TemporaryFolder()
        let internet = SimulatedInternet()
        let router = internet.addRouter("one.example").address
        let alice = try await TestParty("alice", internet, on: [router], path: folder.path + "/a.db", receipts: true)
        let bob = try await TestParty("bob", internet, on: [router], receipts: true)
        let created = try await alice.invite()
        let joined = try await bob.join(created.link)
        await alice.wait("connected") { $0.connected[created.id] != nil }
        await bob.wait("connected") { $0.connected[joined] != nil }
        alice.acknowledges.withLock { $0 = false }
        try await bob.send("hello", to: joined)
        await alice.wait("the message") { $0.order[created.id]?.count == 1 }
        await alice.kill()
        for number in ends {
            let store = try AgentStore(path: folder.path + "/a.db")
            try await store.write { try $0.execute(sql: "UPDATE \(table) SET \(column) = ?", arguments: [number]) }
            // Each of these reads what was changed, and calculates with it; which of them refuse it is not the point.
            if let state = try? await store.connection(created.id) {
                for queue in state.receiveQueues {
                    _ = try? await store.unacknowledgedMessages(connection: state.record.row, queue: queue.row)
                }
                for queue in state.sendQueues { _ = try? await store.deliveries(queue: queue.row, after: 0, limit: 10) }
            } else {
                #expect(number < 0 || number > Int64(UInt16.max), "\(number) in \(column)")
            }
            try await store.close()
            try await alice.restart()
            _ = await alice.agent.send([AgentSendRequest(connection: created.id, body: [1], pqEncryption: true)])
            await alice.kill()
        }
        await alice.close()
        await bob.close()
    }
}
