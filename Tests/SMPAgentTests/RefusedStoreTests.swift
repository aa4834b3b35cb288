import EncryptedSQLite
import SMPClient
import SMPProtocol
import SMPSimulation
import SMPWire
import Synchronization
import TestSupport
import Testing

@testable import SMPAgent

/// Messages of which the store refuses something: they are not taken for handled.
@Suite struct RefusedStoreTests {
    /// Does something with the receiver's connection as it is in memory.
    private func withActive<Value>(_ stage: QueueStage, _ body: (ActiveConnection) throws -> Value) rethrows -> Value {
        let connections = stage.alice.agent.core.connections, active = connections.checkOut(stage.aliceID)
        defer { connections.checkIn(active) }
        return try body(active)
    }

    /// The store takes receipts together with what they acknowledge.
    @Test func `An acknowledgement that is repeated after the store refused it reaches all routers that have delivered the message`() async throws {
        let stage = try await QueueStage.withTwoQueues()
        stage.alice.acknowledges.withLock { $0 = false }
        try await stage.send(1...1)
        await stage.received(1)
        let message = try #require(stage.alice.seen.metadata[stage.aliceID]?.first?.messageID)
        try await eventually("both queues have delivered it") { withActive(stage) { $0.unacknowledged(message).count == 2 } }
        stage.alice.disk.refuse()
        for _ in 0..<2 {
            let error = await #expect(throws: AgentError.self) { try await stage.alice.agent.acknowledge(stage.aliceID, message: message, receipt: []) }
            #expect(error?.isOfBusyStore == true)
            #expect(withActive(stage) { $0.unacknowledged(message).count } == 2)
        }
        #expect(stage.first.messageCount == 1 && stage.third.messageCount == 1)
        stage.alice.disk.heal()
        try await stage.alice.agent.acknowledge(stage.aliceID, message: message, receipt: [])
        try await stage.empty()
        #expect(withActive(stage) { $0.unacknowledged(message).isEmpty })
        stage.alice.acknowledges.withLock { $0 = true }
        try await stage.send(2...3)
        await stage.received(3)
        try await stage.empty()
        await stage.close()
    }

    /// The third queue has not got the second message, and its third one waits for the first queue, which is away.
    @Test func `A message before its turn that the store refuses still waits for it`() async throws {
        var patient = AgentConfiguration.quick
        patient.drainTimeout = .seconds(600)
        let stage = try await QueueStage.withTwoQueues(patient)
        let (bobID, third, core, sent) = (stage.bobID, stage.third.address, stage.alice.agent.core, Counter())
        stage.bob.network.setFault { request, server in
            guard case .send = request.command, server == third else { return nil }
            return sent.next() == 2 ? .refused(.largeMessage) : nil
        }
        stage.alice.network.disconnect(stage.first.address)
        try await stage.send(1...3)
        await stage.bob.wait("sent") { $0.sent[bobID]?.count == 3 }
        await stage.received(1)
        try await eventually("the third waits") { withActive(stage) { $0.early.count == 1 } }
        // At each transaction that it takes.
        for number in 0..<3 {
            try await core.store.flush()
            stage.alice.disk.refuse(after: number)
            try await core.withConnection(stage.aliceID) { access throws(AgentError) in
                await core.processEarlyMessages(isOver: true, access)
                let wasTaken = access.active.early.isEmpty
                // The first makes sure of what was deferred, and the second stores the message.
                #expect(wasTaken == (number == 2))
            }
            stage.alice.disk.heal()
        }
        await stage.alice.wait("the third") { $0.order[stage.aliceID]?.count == 2 }
        #expect(stage.alice.texts(stage.aliceID) == ["1", "3"])
        #expect(stage.alice.seen.failures.count == 2 && stage.alice.seen.failures.allSatisfy(\.isOfBusyStore))
        // Its router has the acknowledgement.
        try await eventually("the queue is empty") { stage.third.messageCount == 0 }
        await stage.close()
    }

    @Test func `A message that was not stored does not wait for the user`() async throws {
        let stage = try await QueueStage()
        let (aliceID, first) = (stage.aliceID, stage.first)
        try await stage.alice.agent.core.store.flush()
        stage.alice.disk.refuse(.corrupt)
        try await stage.send(1...1)
        await stage.alice.wait("the fault") { $0.failures.count == 1 }
        let next = try #require(withActive(stage) { $0.state?.record.lastMessageID }) + 1
        #expect(withActive(stage) { active in (0...next).allSatisfy { active.unacknowledged($0).isEmpty } })
        stage.alice.disk.heal()
        // The next subscription brings it.
        stage.alice.network.disconnect(first.address)
        stage.alice.network.reconnect(first.address)
        await stage.received(1)
        #expect(stage.alice.seen.metadata[aliceID]?.first?.messageID == next)
        try await stage.empty()
        await stage.close()
    }
}

/// A number that grows, for whoever comes.
private final class Counter: Sendable {
    private let count = Atomic(0)

    func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}
