import SMPClient
import SMPCrypto
import SMPProtocol
import SMPSimulation
import SMPWire
import Synchronization
import TestSupport
import Testing

@testable import SMPAgent

@Suite struct RotationTests {
    private func switched(_ event: AgentEvent, _ direction: QueueDirection, _ phase: AgentSwitchPhase) -> Bool {
        if case .queueSwitch(direction, phase, _) = event { true } else { false }
    }

    @Test func `A queue moves to another router while messages go on`() async throws {
        let pair = try await Pair()
        let (alice, bob) = try await pair.connect()
        let user = pair.alice.user.withLock { $0 }
        let third = pair.internet.addRouter("three.example")
        try await pair.alice.agent.setServers([SMPServerWithAuth(third.address)], user: user)
        for number in 1...5 { try await pair.bob.send("\(number)", to: bob) }
        let stats = try await pair.alice.agent.switchQueue(of: alice)
        // As the official agent answers and reports it.
        #expect(stats.receiveQueues.map(\.switchStatus) == [.started])
        #expect(stats.receiveQueues.map(\.subscription) == [.active])
        for number in 6...10 { try await pair.bob.send("\(number)", to: bob) }
        await pair.alice.wait("moved") { memory in
            memory.events.contains { self.switched($0.event, .receive, .completed) }
        }
        await pair.bob.wait("moved") { memory in memory.events.contains { self.switched($0.event, .send, .completed) } }
        for number in 11...15 { try await pair.bob.send("\(number)", to: bob) }
        try await pair.alice.send("still here", to: alice)
        await pair.alice.wait("all messages") { $0.order[alice]?.count == 15 }
        await pair.bob.wait("the message") { $0.order[bob]?.count == 1 }
        #expect(pair.alice.texts(alice) == (1...15).map(String.init))
        let steps = pair.alice.seen.events.compactMap { notification -> (AgentSwitchPhase, AgentConnectionStats)? in
            if case .queueSwitch(.receive, let phase, let stats) = notification.event { (phase, stats) } else { nil }
        }
        #expect(steps.map(\.0) == [.started, .confirmed, .secured, .completed])
        #expect(steps.map { $0.1.receiveQueues.count } == [2, 2, 2, 1])
        #expect(steps[0].1.receiveQueues.map(\.switchStatus) == [.sendingQADD, nil])
        #expect(steps.allSatisfy { $0.1.subscription == .active && $0.1.receiveQueues.allSatisfy { $0.subscription == .active } })
        let after = try await pair.alice.agent.stats(of: alice)
        #expect(after.receiveQueues.map(\.server) == [third.address])
        #expect(try await pair.bob.agent.stats(of: bob).sendQueues.map(\.server) == [third.address])
        #expect(pair.routers[0].queueCount == 0)
        #expect(pair.alice.seen.failures == [])
        #expect(pair.bob.seen.failures == [])
        await pair.close()
    }

    @Test func `A move that has begun can be given up, and another one be begun`() async throws {
        let pair = try await Pair()
        let (alice, bob) = try await pair.connect()
        let user = pair.alice.user.withLock { $0 }
        let third = pair.internet.addRouter("three.example")
        try await pair.alice.agent.setServers([SMPServerWithAuth(third.address)], user: user)
        for router in pair.routers { pair.bob.network.disconnect(router.address) }
        _ = try await pair.alice.agent.switchQueue(of: alice)
        await #expect(throws: AgentError.self) { try await pair.alice.agent.switchQueue(of: alice) }
        await pair.alice.wait("begun") { memory in memory.events.contains { self.switched($0.event, .receive, .started) } }
        #expect(third.queueCount == 1)
        let stats = try await pair.alice.agent.abortSwitch(of: alice)
        #expect(stats.receiveQueues.allSatisfy { $0.switchStatus == nil })
        await #expect(throws: AgentError.self) { try await pair.alice.agent.abortSwitch(of: alice) }
        for router in pair.routers { pair.bob.network.reconnect(router.address) }
        try await pair.bob.send("hello", to: bob)
        await pair.alice.wait("message") { $0.order[alice]?.count == 1 }
        _ = try await pair.alice.agent.switchQueue(of: alice)
        await pair.alice.wait("moved") { memory in memory.events.contains { self.switched($0.event, .receive, .completed) } }
        #expect(third.queueCount == 1)
        await pair.close()
    }

    @Test func `A move whose new queue is refused is given up and can be begun again, one whose router is away waits for it`() async throws {
        let pair = try await Pair()
        let (alice, _) = try await pair.connect()
        let user = pair.alice.user.withLock { $0 }
        let third = pair.internet.addRouter("three.example")
        try await pair.alice.agent.setServers([SMPServerWithAuth(third.address)], user: user)
        pair.alice.network.setFault { request, _ in
            if case .new = request.command { .refused(.auth) } else { nil }
        }
        _ = try await pair.alice.agent.switchQueue(of: alice)
        await pair.alice.wait("the fault") { $0.failures.contains { $0.code == "SMP" } }
        #expect(try await pair.alice.agent.stats(of: alice).receiveQueues.map(\.switchStatus) == [nil])
        pair.alice.network.setFault(nil)
        pair.alice.network.disconnect(third.address)
        _ = try await pair.alice.agent.switchQueue(of: alice)
        pair.alice.network.reconnect(third.address)
        await pair.alice.wait("moved") { memory in memory.events.contains { self.switched($0.event, .receive, .completed) } }
        await pair.close()
    }

    @Test(arguments: ["QADD", "QKEY", "QUSE"])
    func `Messages about queues that are not the connection's change nothing`(name: String) async throws {
        let pair = try await Pair()
        let (alice, bob) = try await pair.connect()
        let server = pair.routers[0].address
        let address = QueueAddress(server: server, senderID: EntityID(Bytes(repeating: 9, count: 24)))
        let queue = SMPQueueInfo(
            clientVersion: 4,
            address: SMPQueueAddress(
                server: server, senderID: address.senderID, encryptionKey: .init(pattern: 9), mode: .messaging))
        let content: AgentMessageContent =
            switch name {
            case "QADD": .queueAdd([QueueReplacement(queue: SMPQueueURI(address: queue.address), replaced: address)])
            case "QKEY": .queueKey([QueueSenderKey(queue: queue, senderKey: .x25519(.init(pattern: 7)))])
            default: .queueUse([QueueUse(queue: address, isPrimary: true)])
            }
        try await pair.alice.inject(content, into: alice)
        await pair.bob.wait("the fault") { memory in memory.failures.contains { $0.code == "AGENT.A_QUEUE" } }
        try await pair.alice.send("still works", to: alice)
        await pair.bob.wait("message") { $0.order[bob]?.count == 1 }
        #expect(try await pair.bob.agent.stats(of: bob).sendQueues.count == 1)
        await pair.close()
    }
}

@Suite struct RatchetSyncTests {
    private func synced(_ memory: TestParty.Memory, _ state: AgentRatchetSyncState) -> Bool {
        memory.events.contains { if case .ratchetSync(state, _, _) = $0.event { true } else { false } }
    }

    @Test func `New keys are agreed when one side asks for them`() async throws {
        let pair = try await Pair()
        let (alice, bob) = try await pair.connect()
        try await pair.alice.send("before", to: alice)
        await pair.bob.wait("before") { $0.order[bob]?.count == 1 }
        await #expect(throws: AgentError.self) {
            try await pair.alice.agent.synchronizeRatchet(of: alice, pqSupport: true)
        }
        let stats = try await pair.alice.agent.synchronizeRatchet(of: alice, pqSupport: true, force: true)
        #expect(stats.ratchetSyncState == .started)
        await pair.alice.wait("agreed") { self.synced($0, .agreed) }
        await pair.bob.wait("agreed") { self.synced($0, .agreed) }
        await pair.alice.wait("in step") { self.synced($0, .ok) }
        await pair.bob.wait("in step") { self.synced($0, .ok) }
        try await pair.alice.send("after", to: alice)
        try await pair.bob.send("after", to: bob)
        await pair.bob.wait("after") { $0.order[bob]?.count == 2 }
        await pair.alice.wait("after") { $0.order[alice]?.count == 1 }
        #expect(try await pair.alice.agent.ratchetHash(of: alice) == pair.bob.agent.ratchetHash(of: bob))
        await pair.close()
    }

    @Test func `New keys are agreed when both sides ask at once`() async throws {
        let pair = try await Pair()
        let (alice, bob) = try await pair.connect()
        for router in pair.routers {
            pair.alice.network.disconnect(router.address)
            pair.bob.network.disconnect(router.address)
        }
        _ = try await pair.alice.agent.synchronizeRatchet(of: alice, pqSupport: true, force: true)
        _ = try await pair.bob.agent.synchronizeRatchet(of: bob, pqSupport: true, force: true)
        for router in pair.routers {
            pair.alice.network.reconnect(router.address)
            pair.bob.network.reconnect(router.address)
        }
        await pair.alice.wait("in step") { self.synced($0, .ok) }
        await pair.bob.wait("in step") { self.synced($0, .ok) }
        try await pair.alice.send("after", to: alice)
        await pair.bob.wait("after") { $0.order[bob]?.count == 1 }
        await pair.close()
    }

    /// The official client does that when a message that it cannot decrypt comes just as it begins. The keys decide who sends first, so
    /// several runs see both.
    @Test(arguments: 1...5) func `Keys are agreed although the peer forgets that it has asked for them and answers with others`(run: Int) async throws {
        let pair = try await Pair()
        let (alice, bob) = try await pair.connect()
        for router in pair.routers { pair.bob.network.disconnect(router.address) }
        _ = try await pair.alice.agent.synchronizeRatchet(of: alice, pqSupport: run > 1, force: true)
        try await pair.alice.agent.core.withConnection(alice) { access throws(AgentError) in
            var transition = Transition(try await access.state())
            transition.updateRecord { $0.ratchetSync = .required }
            try await access.commit(transition)
        }
        for router in pair.routers { pair.bob.network.reconnect(router.address) }
        await pair.alice.wait("in step") { self.synced($0, .ok) }
        await pair.bob.wait("in step") { self.synced($0, .ok) }
        try await pair.alice.send("after", to: alice)
        try await pair.bob.send("after", to: bob)
        await pair.bob.wait("after") { $0.order[bob]?.count == 1 }
        await pair.alice.wait("after") { $0.order[alice]?.count == 1 }
        #expect(try await pair.alice.agent.ratchetHash(of: alice) == pair.bob.agent.ratchetHash(of: bob))
        #expect(pair.alice.seen.failures == [])
        #expect(pair.bob.seen.failures == [])
        await pair.close()
    }

    @Test func `A ratchet that went back is noticed, and put right with new keys`() async throws {
        let folder = try TemporaryFolder()
        let internet = SimulatedInternet()
        let router = internet.addRouter("one.example")
        let alice = try await TestParty("alice", internet, on: [router.address], path: folder.path + "/a.db")
        let bob = try await TestParty("bob", internet, on: [router.address])
        let created = try await alice.invite()
        let joined = try await bob.join(created.link)
        await alice.wait("connected") { $0.connected[created.id] != nil }
        await bob.wait("connected") { $0.connected[joined] != nil }
        let old = try #require(try await alice.agent.core.store.connection(created.id)).ratchet
        for number in 1...3 {
            try await alice.send("a\(number)", to: created.id)
            try await bob.send("b\(number)", to: joined)
            await alice.wait("message") { $0.order[created.id]?.count == number }
            await bob.wait("message") { $0.order[joined]?.count == number }
        }
        // As if a backup had been restored.
        await alice.kill()
        let store = try AgentStore(path: folder.path + "/a.db")
        let row = try #require(try await store.connection(created.id)).record.row
        try await store.apply([.deleteRatchet(row), .setRatchet(row, try #require(old))])
        try await store.close()
        try await alice.restart()
        try await bob.send("lost", to: joined)
        await alice.wait("out of step") { memory in
            memory.events.contains { if case .ratchetSync(.required, .ratchetHeader?, _) = $0.event { true } else { false } }
        }
        await #expect(throws: AgentError.self) { try await alice.send("not now", to: created.id) }
        _ = try await alice.agent.synchronizeRatchet(of: created.id, pqSupport: true)
        await alice.wait("in step") { self.synced($0, .ok) }
        try await alice.send("again", to: created.id)
        await bob.wait("again") { $0.order[joined]?.last == Bytes("again".utf8) }
        try await bob.send("hello", to: joined)
        await alice.wait("hello") { $0.order[created.id]?.last == Bytes("hello".utf8) }
        await alice.close()
        await bob.close()
    }
}
