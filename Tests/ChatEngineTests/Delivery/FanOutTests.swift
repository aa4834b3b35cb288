import AsyncPrimitives
import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import Logging
import SMPAgent
import SMPWire
import Synchronization
import TestSupport
import Testing

@testable import ChatEngine
@testable import ChatStore

@Suite("Messages to many")
struct FanOutTests {
    /// An agent that keeps the calls; connections can be refused for a time.
    final class RecordingAgent: MessageSender {
        private struct State {
            var calls: [[AgentSendRequest]] = []
            var accepted: [AgentSendRequest] = []
            var failing: Set<ConnectionID> = []
        }

        private let state = Mutex(State())
        var calls: [[AgentSendRequest]] { state.withLock(\.calls) }
        var accepted: [AgentSendRequest] { state.withLock(\.accepted) }

        func fail(_ connections: Set<ConnectionID>) { state.withLock { $0.failing = connections } }

        func send(_ requests: [AgentSendRequest]) async -> [Result<AcceptedMessage, AgentError>] {
            state.withLock { state in
                state.calls.append(requests)
                return requests.map { request in
                    if state.failing.contains(request.connection) { return .failure(AgentError(.critical(offerRestart: true, "disk"))) }
                    state.accepted.append(request)
                    return .success(AcceptedMessage(messageID: Int64(state.accepted.count), pqEncryption: false))
                }
            }
        }
    }

    static func outbox(_ agent: RecordingAgent, _ memory: MemoryStore, delays: any Clock<Duration> = ContinuousClock()) -> OutboxDispatcher {
        OutboxDispatcher(
            agent: agent, store: memory.store, clock: EngineClock(delays: delays) { MemoryStore.now },
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
    }

    /// Connections of contacts, and a message sent over all of them in one transaction.
    static func post(_ texts: [String], to count: Int, in memory: MemoryStore, versions: [ChatVersion] = [16]) async throws -> [Delivery] {
        for index in 0..<count {
            _ = try await memory.addContact("c\(index)", UInt8(index), version: versions[index % versions.count])
        }
        return try await memory.run { transaction in
            let connections = try (0..<count).map { try #require(try transaction.db.connections.find(agentID: [UInt8($0)])) }
            let messages = try texts.map {
                try OutgoingMessage(.newMessage(MessageContainer(content: .text($0))), id: transaction.newSharedMessageID())
            }
            try transaction.outbox.send(messages, over: connections)
        }.1.deliveries
    }

    private static func bodies(_ memory: MemoryStore) async throws -> Int64? {
        try await memory.store.read { try $0.number("SELECT count(*) FROM delivery_bodies") }
    }

    @Test("are stored once for peers of one version and encryption")
    func oneBody() async throws {
        let memory = try await MemoryStore()
        let deliveries = try await Self.post(["hello"], to: 20, in: memory)
        #expect(deliveries.count == 20)
        #expect(Set(deliveries.map(\.bodyID)).count == 1)
        #expect(try await Self.bodies(memory) == 1)
        try await memory.close()
    }

    @Test("are stored once more for each version that reads another encoding, and batched only where peers read batches")
    func versions() async throws {
        let memory = try await MemoryStore()
        let deliveries = try await Self.post(["one", "two"], to: 6, in: memory, versions: [16, 14, 1])
        // One batch for both new versions and, for the oldest version, two single messages.
        #expect(Set(deliveries.map(\.bodyID)).count == 3)
        #expect(deliveries.count == 2 + 2 + 4)
        try await memory.close()
    }

    @Test("are given to the agent in one call, and their body is deleted with the last delivery")
    func oneCall() async throws {
        let memory = try await MemoryStore(), agent = RecordingAgent()
        let outbox = Self.outbox(agent, memory)
        outbox.start()
        let deliveries = try await Self.post(["hello"], to: 100, in: memory)
        outbox.enqueue(deliveries)
        try await eventually("the agent has taken them") { agent.accepted.count == 100 }
        #expect(agent.calls.map(\.count).max() == 100)
        #expect(Set(agent.accepted.map(\.connection)).count == 100)
        _ = try await memory.run { transaction in
            for delivery in deliveries.dropLast() { try transaction.db.deliveries.mark(delivery.id, agentMessageID: delivery.id) }
            try transaction.db.deliveries.deleteUnusedBodies(Set(deliveries.map(\.bodyID)))
        }
        #expect(try await Self.bodies(memory) == 1)
        _ = try await memory.run { transaction in
            try transaction.db.deliveries.mark(deliveries[99].id, agentMessageID: 100)
            try transaction.db.deliveries.deleteUnusedBodies(Set(deliveries.map(\.bodyID)))
        }
        #expect(try await Self.bodies(memory) == 0)
        outbox.stop()
        try await memory.close()
    }

    @Test("wait for a connection whose messages cannot be taken, without holding up the others or changing the order")
    func oneFails() async throws {
        let memory = try await MemoryStore(), agent = RecordingAgent(), clock = ManualClock()
        let outbox = Self.outbox(agent, memory, delays: clock)
        outbox.start()
        let failing = ConnectionID([3])
        agent.fail([failing])
        let first = try await Self.post(["hello"], to: 10, in: memory)
        outbox.enqueue(first)
        try await eventually("the agent has taken them") { agent.accepted.count == 9 }
        let more = try await memory.run { transaction in
            let connection = try #require(try transaction.db.connections.find(agentID: [3]))
            for text in ["second", "third"] {
                let message = try OutgoingMessage(.newMessage(MessageContainer(content: .text(text))), id: transaction.newSharedMessageID())
                try transaction.outbox.send([message], over: [connection])
            }
        }.1.deliveries
        outbox.enqueue(more)
        agent.fail([])
        try await eventually("the agent has taken them") {
            clock.advance(by: OutboxDispatcher.longestDelay)
            return agent.accepted.count == 12
        }
        #expect(agent.accepted.filter { $0.connection == failing }.map(\.key) == [first[3].id, more[0].id, more[1].id])
        outbox.stop()
        try await memory.close()
    }

    @Test("that are more than fit in memory are read from the store, all of them and in order")
    func overflow() async throws {
        let memory = try await MemoryStore(), agent = RecordingAgent()
        let outbox = Self.outbox(agent, memory)
        outbox.start()
        _ = try await memory.addContact("bob", 0)
        let count = OutboxDispatcher.memoryLimit + 10
        let deliveries = try await memory.run { transaction in
            let connection = try #require(try transaction.db.connections.find(agentID: [0]))
            let message = try OutgoingMessage(.newMessage(MessageContainer(content: .text("x"))), id: transaction.newSharedMessageID())
            for _ in 0..<count { try transaction.outbox.send([message], over: [connection]) }
        }.1.deliveries
        outbox.enqueue(deliveries)
        try await eventually("the agent has taken them") { agent.accepted.count == count }
        #expect(agent.accepted.map(\.key) == deliveries.map(\.id))
        #expect(agent.calls.allSatisfy { $0.count <= OutboxDispatcher.largestBatch })
        outbox.stop()
        try await memory.close()
    }

    /// An agent whose first call is answered when the test says so.
    private final class SuspendedAgent: MessageSender {
        let first = Promise<Result<AcceptedMessage, AgentError>>()
        private let bodies = Mutex<[Bytes]>([])
        var accepted: [Bytes] { bodies.withLock(\.self) }
        var calls: Int { count.withLock(\.self) }
        private let count = Mutex(0)

        func send(_ requests: [AgentSendRequest]) async -> [Result<AcceptedMessage, AgentError>] {
            let call = count.withLock { count in
                count += 1
                return count
            }
            if call == 1 {
                let result = await first.value()
                return requests.map { _ in result }
            }
            bodies.withLock { $0 += requests.map(\.body) }
            return requests.map { _ in .success(AcceptedMessage(messageID: 1, pqEncryption: false)) }
        }
    }

    @Test("are sent after a restart, also if the agent's refusal of an earlier run comes late")
    func lateRefusal() async throws {
        let memory = try await MemoryStore()
        let agent = SuspendedAgent()
        let outbox = OutboxDispatcher(
            agent: agent, store: memory.store, clock: EngineClock(delays: ContinuousClock()) { MemoryStore.now },
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
        _ = try await Self.post(["one"], to: 1, in: memory)
        outbox.start()
        try await eventually("the first call") { agent.calls == 1 }
        outbox.stop()
        outbox.start()
        try await eventually("the message is sent") { agent.accepted.count == 1 }
        let handOvers = outbox.handOvers
        agent.first.resolve(.failure(AgentError(.inactive)))
        try await eventually("the first call is over") { outbox.handOvers > handOvers }
        let next = try await memory.run { transaction in
            let message = try OutgoingMessage(.newMessage(MessageContainer(content: .text("two"))), id: transaction.newSharedMessageID())
            try transaction.outbox.send([message], over: [try #require(try transaction.db.connections.find(agentID: [0]))])
        }.1.deliveries
        outbox.enqueue(next)
        try await eventually("the next message is sent") { agent.accepted.count == 2 }
        outbox.close()
        try await memory.close()
    }
}
