import SMPProtocol
import SMPRatchet
import SMPSimulation
import SMPWire
import Synchronization
import TestSupport
import Testing

@testable import SMPAgent

/// New keys for a ratchet, in whatever order the messages about them and around them come.
@Suite struct RatchetSyncOrderTests {
    private func synced(_ memory: TestParty.Memory, _ state: AgentRatchetSyncState) -> Bool {
        memory.events.contains { if case .ratchetSync(state, _, _) = $0.event { true } else { false } }
    }

    /// Waits until both sides are in step, and sees that they understand each other.
    private func expectInStep(_ pair: Pair, _ alice: ConnectionID, _ bob: ConnectionID) async throws {
        try await eventually("both sides are in step") {
            let (one, other) = try await (pair.alice.agent.stats(of: alice), pair.bob.agent.stats(of: bob))
            return one.ratchetSyncState == .ok && other.ratchetSyncState == .ok
        }
        try await pair.alice.send("last of alice", to: alice)
        try await pair.bob.send("last of bob", to: bob)
        await pair.bob.wait("the last message") { $0.order[bob]?.last == Bytes("last of alice".utf8) }
        await pair.alice.wait("the last message") { $0.order[alice]?.last == Bytes("last of bob".utf8) }
        #expect(try await pair.alice.agent.ratchetHash(of: alice) == pair.bob.agent.ratchetHash(of: bob))
    }

    @Test func `A message whose receipt cannot be sent while keys are agreed does not keep back the peer's keys`() async throws {
        let pair = try await Pair(receipts: true)
        let (alice, bob) = try await pair.connect()
        pair.alice.acknowledges.withLock { $0 = false }
        try await pair.bob.send("hello", to: bob)
        await pair.alice.wait("the message") { $0.order[alice]?.count == 1 }
        let message = try #require(pair.alice.seen.metadata[alice]?.first?.messageID)
        // Bob's keys go behind the message, which the user takes only now.
        _ = try await pair.alice.agent.synchronizeRatchet(of: alice, pqSupport: true, force: true)
        await pair.bob.wait("Bob has answered") { self.synced($0, .agreed) }
        pair.alice.acknowledges.withLock { $0 = true }
        try await pair.alice.agent.acknowledge(alice, message: message, receipt: [])
        try await expectInStep(pair, alice, bob)
        await pair.close()
    }

    @Test func `Who begins again while the other side waits for the first keys to be used comes to an end too`() async throws {
        let pair = try await Pair()
        let (alice, bob) = try await pair.connect()
        for first in [true, false] {
            // Alice's keys are with Bob, and his answer is on its way when he begins anew.
            for router in pair.routers { pair.alice.network.disconnect(router.address) }
            _ = try await pair.bob.agent.synchronizeRatchet(of: bob, pqSupport: true, force: true)
            for router in pair.routers { pair.alice.network.reconnect(router.address) }
            await pair.bob.wait("agreed") { self.synced($0, .agreed) }
            if first { _ = try await pair.bob.agent.synchronizeRatchet(of: bob, pqSupport: true, force: true) }
        }
        try await expectInStep(pair, alice, bob)
        await pair.close()
    }

    /// Both sides send, acknowledge late, lose their connections and ask for keys in an order that follows from the seed.
    @Test(arguments: 1...24 as ClosedRange<UInt64>) func `Keys are agreed whatever else is on its way`(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let pair = try await Pair(receipts: true)
        let (alice, bob) = try await pair.connect()
        let sides = [(pair.alice, alice), (pair.bob, bob)]
        var held: [[ConnectionID: Set<AgentMessageID>]] = [[:], [:]]
        /// Acknowledges what was held back, as a user does that was slow.
        func release(_ side: Int) async throws {
            let (party, connection) = sides[side]
            party.acknowledges.withLock { $0 = true }
            for metadata in party.seen.metadata[connection, default: []] where held[side][connection, default: []].insert(metadata.messageID).inserted {
                // What was acknowledged before is not there any more.
                _ = try? await party.agent.acknowledge(connection, message: metadata.messageID, receipt: [])
            }
        }
        var begun = 0
        for step in 0..<40 {
            let side = Int(random.next() % 2)
            let (party, connection) = sides[side]
            switch random.next() % 8 {
            case 0, 1: _ = try? await party.send("\(seed).\(step)", to: connection)
            case 2: party.acknowledges.withLock { $0 = false }
            case 3: try await release(side)
            case 4: for router in pair.routers { party.network.disconnect(router.address) }
            case 5: for router in pair.routers { party.network.reconnect(router.address) }
            case 6 where begun < 6:
                _ = try await party.agent.synchronizeRatchet(of: connection, pqSupport: true, force: true)
                begun += 1
            default: for _ in 0..<random.next() % 200 { await Task.yield() }
            }
        }
        if begun == 0 { _ = try await pair.alice.agent.synchronizeRatchet(of: alice, pqSupport: true, force: true) }
        for (party, _) in sides { for router in pair.routers { party.network.reconnect(router.address) } }
        for side in 0..<2 { try await release(side) }
        try await expectInStep(pair, alice, bob)
        await pair.close()
    }
}
