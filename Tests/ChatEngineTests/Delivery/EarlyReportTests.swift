import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import Logging
import SMPAgent
import SMPCrypto
import SMPWire
import Synchronization
import TestSupport
import Testing

@testable import ChatEngine
@testable import ChatStore

/// The process has ended when the agent had a message and the store did not know. The agent reports it as sent before the next process has read from its
/// store that the message waits.
@Suite("A report of a message that waits in the store")
struct EarlyReportTests {
    /// The parts that a tracker needs, over a store in memory.
    private struct Scene {
        let memory: MemoryStore
        let agent = FanOutTests.RecordingAgent()
        let outbox: OutboxDispatcher
        let tracker: DeliveryTracker
        /// The confirmations, by message.
        let confirmed = Recorder<String>()
        let connection = ConnectionID([0])

        init() async throws {
            memory = try await MemoryStore()
            outbox = FanOutTests.outbox(agent, memory)
            let clock = EngineClock(delays: ContinuousClock()) { MemoryStore.now }
            let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
            let effects = EffectDispatcher(
                hub: ChatEventHub(), outbox: outbox, jobs: JobQueue(store: memory.store, clock: clock, logger: logger), expiry: ExpirySignal(),
                relay: RelaySignal(), relayTests: RelayTests())
            let transactions = TransactionRunner(
                store: memory.store, clock: clock, random: SystemRandomSource(), folders: FileFolders(files: nil, temporary: nil), effects: effects)
            tracker = DeliveryTracker(transactions: transactions, outbox: outbox, lifecycle: EngineLifecycle(), logger: logger)
            outbox.attach(tracker)
        }

        /// Reports a message as sent, and returns when the store was asked for it.
        func report(_ message: AgentMessageID) async throws {
            tracker.record(SentDelivery(message: message, viaProxy: false) { [confirmed] in confirmed.append("\(message) \($0)") }, of: connection)
            try await memory.store.write { _ in }
        }

        /// The number of messages that the agent has, by the store.
        func known() async throws -> Int64? {
            try await memory.store.read { try $0.number("SELECT count(*) FROM deliveries WHERE agent_msg_id IS NOT NULL") }
        }
    }

    @Test("is confirmed only when the agent's number of the message is stored")
    func waits() async throws {
        let scene = try await Scene()
        _ = try await FanOutTests.post(["hello"], to: 1, in: scene.memory)
        try await scene.report(1)
        #expect(scene.confirmed.elements.isEmpty)
        scene.outbox.start()
        try await eventually("the report is confirmed") { scene.confirmed.elements == ["1 true"] }
        #expect(try await scene.known() == 1)
        scene.outbox.close()
        try await scene.memory.close()
    }

    @Test("is confirmed once all is read if it is of no message")
    func unknown() async throws {
        let scene = try await Scene()
        _ = try await scene.memory.addContact("bob", 0)
        try await scene.report(7)
        #expect(scene.confirmed.elements.isEmpty)
        scene.outbox.start()
        try await eventually("the report is confirmed") { scene.confirmed.elements == ["7 true"] }
        scene.outbox.close()
        try await scene.memory.close()
    }

    @Test("is left to the next process if this one ends before")
    func closed() async throws {
        let scene = try await Scene()
        _ = try await FanOutTests.post(["hello"], to: 1, in: scene.memory)
        try await scene.report(1)
        scene.outbox.close()
        try await eventually("the report is given back") { scene.confirmed.elements == ["1 false"] }
        try await scene.report(2)
        try await eventually("so is a later one") { scene.confirmed.elements == ["1 false", "2 false"] }
        #expect(try await scene.known() == 0)
        try await scene.memory.close()
    }
}
