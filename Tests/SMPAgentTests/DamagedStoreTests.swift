import FoundationEssentials
import GRDB
import SMPSimulation
import SMPWire
import TestSupport
import Testing

@testable import SMPAgent

/// What a store holds that cannot be read, and never will.
@Suite struct DamagedStoreTests {
    /// Alice, who has not started again since a column of the queue of her first connection was damaged, and Bob.
    private struct Stage {
        let folder: TemporaryFolder
        let alice: TestParty, bob: TestParty
        let damaged: (alice: ConnectionID, bob: ConnectionID)
        let whole: (alice: ConnectionID, bob: ConnectionID)

        init(_ column: String) async throws {
            folder = try TemporaryFolder()
            let internet = SimulatedInternet()
            let router = internet.addRouter("one.example").address
            let (alice, bob) = (
                try await TestParty("alice", internet, on: [router], path: folder.path + "/a.db"), try await TestParty("bob", internet, on: [router])
            )
            func connect() async throws -> (alice: ConnectionID, bob: ConnectionID) {
                let id = try await alice.invite()
                let bobID = try await bob.join(id.link)
                await alice.wait("connected") { $0.connected[id.id] != nil }
                await bob.wait("connected") { $0.connected[bobID] != nil }
                return (id.id, bobID)
            }
            (damaged, whole) = (try await connect(), try await connect())
            (self.alice, self.bob) = (alice, bob)
            await alice.kill()
            let store = try AgentStore(path: folder.path + "/a.db")
            let id = Data(damaged.alice.bytes)
            try await store.write {
                try $0.execute(
                    sql: "UPDATE receive_queues SET \(column) = x'00' WHERE connection_id = (SELECT connection_id FROM connections WHERE public_id = ?)",
                    arguments: [id])
            }
            try await store.close()
        }

        func close() async {
            await alice.close()
            await bob.close()
        }
    }

    private static func faults(_ memory: TestParty.Memory) -> [AgentError] {
        memory.failures.filter { if case .critical = $0.reason { true } else { false } }
    }

    @Test func `A message for a connection that cannot be read fails for good, and one that comes for it is reported`() async throws {
        let stage = try await Stage("router_secret")
        try await stage.alice.restart()
        let results = await stage.alice.agent.send(
            [stage.damaged, stage.whole].map { AgentSendRequest(connection: $0.alice, body: Bytes("hello".utf8), pqEncryption: true) })
        let fault = #expect(throws: AgentError.self) { try results[0].get() }
        #expect(fault?.code == "CRITICAL")
        #expect(fault?.isTemporary == false)
        #expect(throws: Never.self) { try results[1].get() }
        let whole = stage.whole.bob
        await stage.bob.wait("the other message") { $0.order[whole]?.count == 1 }
        try await stage.bob.send("hello", to: stage.damaged.bob)
        await stage.alice.wait("the fault") { !Self.faults($0).isEmpty }
        #expect(Self.faults(stage.alice.seen).allSatisfy { !$0.isTemporary })
        await stage.close()
    }

    @Test func `A queue that cannot be read is not subscribed to, and reported, and the others are`() async throws {
        let stage = try await Stage("private_key")
        try await stage.alice.restart()
        await stage.alice.wait("the fault") { !Self.faults($0).isEmpty }
        #expect(Self.faults(stage.alice.seen).allSatisfy { !$0.isTemporary })
        try await stage.bob.send("hello", to: stage.whole.bob)
        let whole = stage.whole.alice
        await stage.alice.wait("the message") { $0.order[whole]?.count == 1 }
        let results = await stage.alice.agent.subscribeAll()
        #expect(throws: AgentError.self) { try results[stage.damaged.alice]?.get() }
        #expect(throws: Never.self) { try results[whole]?.get() }
        await stage.close()
    }

    @Test func `Messages that cannot be read are reported once for each that is sent, and not looked for on and on`() async throws {
        let pair = try await Pair()
        let (alice, _) = try await pair.connect()
        pair.alice.network.disconnect(pair.routers[1].address)
        try await pair.alice.send("1", to: alice)
        let store = try #require(pair.alice.agent.core.store as? AgentStore)
        try await store.write { try $0.execute(sql: "UPDATE sent_messages SET kind = 'strange'") }
        let state = try #require(try await store.connection(alice))
        let queue = state.sendQueues[0]
        let worker = DeliveryWorker(core: pair.alice.agent.core, queue: queue, record: state.record)
        worker.wake()
        await pair.alice.wait("the fault") { Self.faults($0).count == 1 }
        worker.wake()
        await pair.alice.wait("the next") { Self.faults($0).count == 2 }
        await pair.close()
    }
}
