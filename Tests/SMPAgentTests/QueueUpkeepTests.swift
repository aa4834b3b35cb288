import EncryptedSQLite
import SMPClient
import SMPProtocol
import SMPSimulation
import SMPWire
import Synchronization
import TestSupport
import Testing

@testable import SMPAgent

/// Queues that are added, removed, given up and left over.
@Suite struct QueueUpkeepTests {
    @Test func `The first queue is not removed before the peer is known to use another`() async throws {
        let stage = try await QueueStage()
        // Bob hears of the queue, and not that he may use it.
        stage.limitSending(to: 1)
        try await stage.add()
        try await eventually("the queue is secured") { try await stage.queues()[1].status == .secured }
        await #expect(throws: AgentError(.command(.prohibited, context: "removeQueue: the last queue"))) { try await stage.remove(0) }
        try await stage.bob.send("1", to: stage.bobID)
        stage.alice.network.setFault(nil)
        try await eventually("the queue is used") { try await stage.queues()[1].status == .active }
        try await stage.remove(0)
        try await stage.bob.send("2", to: stage.bobID)
        let aliceID = stage.aliceID
        await stage.alice.wait("both") { $0.order[aliceID]?.count == 2 }
        #expect(stage.alice.texts(aliceID) == ["1", "2"])
        await stage.close()
    }

    @Test func `A queue is not removed while the user has not acknowledged what it has delivered`() async throws {
        let stage = try await QueueStage()
        try await stage.add()
        try await eventually("the queue is used") { try await stage.queues()[1].status == .active }
        stage.alice.acknowledges.withLock { $0 = false }
        stage.bob.network.disconnect(stage.third.address)
        try await stage.bob.send("1", to: stage.bobID)
        let aliceID = stage.aliceID
        await stage.alice.wait("the message") { $0.order[aliceID]?.count == 1 }
        await #expect(throws: AgentError(.command(.prohibited, context: "removeQueue: a message is not acknowledged"))) { try await stage.remove(0) }
        try await stage.alice.agent.acknowledge(aliceID, message: try #require(stage.alice.seen.metadata[aliceID]?.last).messageID)
        try await stage.remove(0)
        await stage.close()
    }

    @Test func `A queue that is removed before its sender's key is there is removed without a fault`() async throws {
        let stage = try await QueueStage()
        let tries = Mutex(0)
        stage.alice.network.setFault { request, _ in
            guard case .key = request.command else { return nil }
            tries.withLock { $0 += 1 }
            return .lostRequest
        }
        try await stage.add()
        try await eventually("the key has come") { tries.withLock { $0 > 0 } }
        try await stage.remove(1)
        let tried = tries.withLock { $0 }
        stage.alice.network.setFault(nil)
        try await eventually("nothing is left to do") { try await stage.alice.agent.core.store.commands().isEmpty }
        #expect(tried > 0)
        #expect(stage.alice.seen.failures == [])
        await stage.close()
    }

    @Test(arguments: [false, true]) func `Queues can be added and removed again any number of times`(areUsed: Bool) async throws {
        let stage = try await QueueStage()
        for round in 1...6 {
            // Without a key for the queue Bob never hears that he may use it.
            if !areUsed { stage.alice.network.setFault { request, _ in if case .key = request.command { .lostRequest } else { nil } } }
            try await stage.add()
            try await eventually("the queue is ready") { try await stage.queues()[1].status == (areUsed ? .active : .confirmed) }
            try await stage.remove(1)
            stage.alice.network.setFault(nil)
            try await stage.bob.send("\(round)", to: stage.bobID)
            let aliceID = stage.aliceID
            await stage.alice.wait("the message") { $0.order[aliceID]?.count == round }
            if areUsed { try await eventually("the queue is left") { stage.bob.seen.queueChanges(.send) == 2 * round } }
        }
        #expect(!stage.bob.seen.failures.contains { if case .agent = $0.reason { true } else { false } })
        #expect(try await stage.bob.agent.stats(of: stage.bobID).sendQueues.count <= AgentLimits.maximumQueues)
        try await stage.add()
        try await eventually("the last is used") { try await stage.queues()[1].status == .active }
        await stage.close()
    }

    @Test func `A queue that the peer uses makes no room for another`() async throws {
        let stage = try await QueueStage()
        for number in 2...4 {
            try await stage.add()
            try await eventually("the queue is used") { try await stage.queues().count { $0.status == .active } == number }
        }
        await #expect(throws: AgentError(.command(.prohibited, context: "addQueue: too many queues"))) { try await stage.add() }
        let offer = QueueReplacement(
            queue: SMPQueueURI(
                clientVersions: VersionRange(1...4),
                address: SMPQueueAddress(
                    server: stage.third.address, senderID: EntityID(Bytes(repeating: 5, count: 24)), encryptionKey: .init(pattern: 5),
                    mode: .messaging)), replaced: nil)
        try await stage.alice.inject(.queueAdd([offer]), into: stage.aliceID)
        await stage.bob.wait("the fault") { $0.failures == [.peer(.queue("QADD: too many queues"))] }
        await stage.close()
    }

    // MARK: What is left on routers

    @Test func `A connection that cannot be made leaves no queue`() async throws {
        var several = AgentConfiguration.quick
        several.queuesPerConnection = 3
        let internet = SimulatedInternet()
        let routers = ["a", "b", "c"].map { internet.addRouter("\($0).example") }
        let alice = try await TestParty("alice", internet, on: routers.map(\.address), configuration: several)
        let made = Mutex(0)
        alice.network.setFault { request, _ in
            guard case .new = request.command else { return nil }
            return made.withLock { made in
                made += 1
                return made == 3
            } ? .refused(.auth) : nil
        }
        await #expect(throws: AgentError.self) { try await alice.invite() }
        #expect(made.withLock { $0 } == 3)
        try await eventually("the routers have no queue") { routers.allSatisfy { $0.queueCount == 0 } }
        #expect(await alice.network.sessionStates().isEmpty)
        await alice.close()
    }

    @Test(arguments: [ConnectionMode.invitation, .contact])
    func `Of queues that a large profile leaves no room to announce there are fewer`(mode: ConnectionMode) async throws {
        var several = AgentConfiguration.quick
        several.queuesPerConnection = 3
        let internet = SimulatedInternet()
        let routers = ["a", "b", "c"].map { internet.addRouter("\($0).example") }
        let alice = try await TestParty("alice", internet, on: [routers[0].address])
        let bob = try await TestParty("bob", internet, on: routers.map(\.address), configuration: several)
        let link = try await mode == .contact ? alice.address().link : alice.invite().link
        let user = bob.user.withLock { $0 }
        let bobID = try await bob.agent.prepareToJoin(user: user, link: link, pqSupport: true)
        // The largest that can be sent with one queue, to within what another takes.
        var size = mode == .invitation ? AgentLimits.confirmationLength(agentVersion: 7, pqSupport: true) : 14_500
        var hasJoined = false
        while !hasJoined {
            do throws(AgentError) {
                _ = try await bob.agent.join(
                    user: user, connection: bobID, link: link, info: Bytes(repeating: 1, count: size), pqSupport: true)
                hasJoined = true
            } catch {
                try #require(error.code == "CMD.LARGE" && size > 50)
                size -= 50
            }
        }
        await bob.wait("connected") { $0.connected[bobID] != nil }
        #expect(try await bob.agent.stats(of: bobID).receiveQueues.count < 3)
        await alice.close()
        await bob.close()
    }

    @Test func `A queue that the disk refuses stays on its router, as the next process may find it`() async throws {
        let internet = SimulatedInternet()
        let router = internet.addRouter("one.example"), network = internet.makeClient(), disk = RefusingDisk()
        let agent = SMPAgent(configuration: .quick, store: try AgentStore(path: nil, interceptor: disk), network: network)
        try await agent.start()
        let user = try await agent.createUser(servers: [SMPServerWithAuth(router.address)])
        disk.refuse()
        await #expect(throws: AgentError.self) { try await agent.createConnection(user: user, mode: .contact) }
        disk.heal()
        #expect(agent.core.subscriptions.all == [])
        // Waits for what was begun in the background.
        await agent.close()
        #expect(network.sentCommands == ["NEW"])
        #expect(router.queueCount == 1)
    }

    @Test func `Queues that cannot be stored are deleted again`() async throws {
        let stage = try await QueueStage()
        let core = stage.alice.agent.core
        // What follows needs nothing that is not in memory but the store that is closed.
        try await stage.alice.agent.core.store.close()
        await #expect(throws: AgentError.self) { try await stage.add() }
        await #expect(throws: AgentError.self) { try await stage.alice.invite() }
        #expect(core.subscriptions.all.map(\.server) == [stage.first.address])
        try await eventually("the routers have no other queue") { stage.third.queueCount == 0 && stage.first.queueCount == 1 }
        await stage.close()
    }
}

extension QueueStage {
    fileprivate func queues() async throws -> [ReceiveQueueStats] { try await alice.agent.stats(of: aliceID).receiveQueues }

    fileprivate func remove(_ index: Int) async throws { _ = try await alice.agent.removeQueue(try await queues()[index], of: aliceID) }

    /// Only so many of Alice's messages from now on reach a router.
    fileprivate func limitSending(to limit: Int) {
        let sent = Mutex(0)
        alice.network.setFault { request, _ in
            guard case .send = request.command else { return nil }
            return sent.withLock { sent in
                sent += 1
                return sent > limit
            } ? .lostRequest : nil
        }
    }
}
