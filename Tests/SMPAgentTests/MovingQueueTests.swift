import SMPClient
import SMPCrypto
import SMPProtocol
import SMPSimulation
import SMPWire
import Synchronization
import TestSupport
import Testing

@testable import SMPAgent

/// Messages that are on their way while a queue takes the place of another.
@Suite struct MovingQueueTests {
    /// Says once that something has happened, to one who may come later.
    private final class Signal: Sendable {
        private let stream: AsyncStream<Void>
        private let continuation: AsyncStream<Void>.Continuation

        init() { (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1)) }
        func give() { continuation.yield() }
        func wait() async { for await _ in stream { return } }
    }

    /// Bob has sent "0" and then, unread but for the first of them, "1" to "5" to the old queue; Alice has made the new one, and Bob does not
    /// know yet that he may use it.
    private final class Stage: Sendable {
        let internet = SimulatedInternet()
        let old: SimulatedRouter
        let new: SimulatedRouter
        let folder: TemporaryFolder
        let alice: TestParty
        let bob: TestParty
        let aliceID: ConnectionID
        let bobID: ConnectionID
        /// Alice asks the old queue's router what is left in it.
        let asked = Signal()
        private let mayUse = Mutex(false)

        /// The move is begun by a sender that keeps no copies, and nobody waits long for a router that is gone.
        static func withoutCopies() async throws -> Stage {
            var configuration = AgentConfiguration.patient
            configuration.drainTimeout = .milliseconds(50)
            let stage = try await Stage(configuration)
            try await stage.begin()
            try await stage.forgetCopies()
            return stage
        }

        init(_ configuration: AgentConfiguration = .patient) async throws {
            folder = try TemporaryFolder()
            old = internet.addRouter("one.example")
            new = internet.addRouter("three.example")
            let second = internet.addRouter("two.example")
            alice = try await TestParty("alice", internet, on: [old.address], path: folder.path + "/a.db", configuration: configuration)
            bob = try await TestParty("bob", internet, on: [second.address])
            let created = try await alice.invite()
            (aliceID, bobID) = (created.id, try await bob.join(created.link))
            let (alice, bob, aliceID, bobID) = (alice, bob, aliceID, bobID)
            await alice.wait("connected") { $0.connected[aliceID] != nil }
            await bob.wait("connected") { $0.connected[bobID] != nil }
            try await bob.send("0", to: bobID)
            await alice.wait("0") { $0.order[aliceID]?.count == 1 }
            try await alice.agent.setServers([SMPServerWithAuth(new.address)], user: alice.user.withLock { $0 })
        }

        /// Up to the moment at which Bob waits for QUSE.
        func begin() async throws {
            let (alice, bob) = (alice, bob)
            let sent = Mutex(0)
            let (oldAddress, asked) = (old.address, asked)
            alice.network.setFault { [self] request, server in
                switch request.command {
                // The first is QADD, the second QUSE.
                case .send:
                    let number = sent.withLock { sent in
                        sent += 1
                        return sent
                    }
                    return number == 1 || mayUse.withLock { $0 } ? nil : .lostRequest
                case .que where server == oldAddress:
                    asked.give()
                    return nil
                default: return nil
                }
            }
            _ = try await alice.agent.switchQueue(of: aliceID)
            await alice.wait("secured") { Self.switched($0, .receive, .secured) }
            alice.acknowledges.withLock { $0 = false }
            for number in 1...5 { try await bob.send("\(number)", to: bobID) }
            let (aliceID, bobID) = (aliceID, bobID)
            await alice.wait("1") { $0.order[aliceID]?.count == 2 }
            await bob.wait("sent") { $0.sent[bobID]?.count == 6 }
        }

        /// Bob's agent is one that keeps nothing for the new queue, as the official one.
        func forgetCopies() async throws {
            let state = try #require(try await bob.agent.core.store.connection(bobID))
            let queue = try #require(state.sendQueues.first { $0.replaces != nil })
            #expect(try await bob.agent.core.store.deliveries(queue: queue.row, after: 0, limit: 10).count == 5)
            try await bob.agent.core.store.apply([.deleteDeliveries(queue: queue.row)])
        }

        /// Bob hears QUSE.
        func allow() { mayUse.withLock { $0 = true } }

        /// Bob hears QUSE, follows, and sends "6" and "7", which the old queue does not get.
        func follow() async throws {
            let bobID = bobID
            allow()
            await bob.wait("followed") { Self.switched($0, .send, .completed) }
            for number in 6...7 { try await bob.send("\(number)", to: bobID) }
            await bob.wait("sent") { $0.sent[bobID]?.count == 8 }
        }

        /// Alice's user takes the message that he has left.
        func acknowledge() async throws {
            alice.acknowledges.withLock { $0 = true }
            let last = try #require(alice.seen.metadata[aliceID]?.last)
            try await alice.agent.acknowledge(aliceID, message: last.messageID)
        }

        func moved() async {
            await alice.wait("moved") { Self.switched($0, .receive, .completed) }
            #expect(old.queueCount == 0)
        }

        static func switched(_ memory: TestParty.Memory, _ direction: QueueDirection, _ phase: AgentSwitchPhase) -> Bool {
            memory.events.contains { if case .queueSwitch(direction, phase, _) = $0.event { true } else { false } }
        }

        /// - Parameter isGone: whether the old queue was deleted by somebody else, which Alice's agent tells.
        func expectOrder(isGone: Bool = false) async {
            let aliceID = aliceID
            await alice.wait("all messages") { $0.order[aliceID]?.count == 8 }
            #expect(alice.texts(aliceID) == (0...7).map(String.init))
            #expect(alice.seen.metadata[aliceID]?.map(\.integrity) == Array(repeating: .ok, count: 8))
            await moved()
            #expect(alice.seen.failures.map(\.code) == (isGone ? ["SMP"] : []))
            #expect(bob.seen.failures == [])
            for party in [alice, bob] {
                for notification in party.seen.events {
                    switch notification.event {
                    case .messageFailed, .messagesFailed: Issue.record("\(notification.event)")
                    default: break
                    }
                }
            }
        }

        func close() async {
            await alice.close()
            await bob.close()
        }
    }

    @Test(arguments: [true, false], [true, false])
    func `Messages in the old queue come before those of the new one`(sendsCopies: Bool, isKilled: Bool) async throws {
        let stage = try await Stage()
        try await stage.begin()
        if !sendsCopies { try await stage.forgetCopies() }
        try await stage.follow()
        await stage.asked.wait()
        #expect(stage.alice.texts(stage.aliceID) == ["0", "1"])
        if isKilled {
            await stage.alice.kill()
            stage.alice.acknowledges.withLock { $0 = true }
            try await stage.alice.restart()
        } else {
            try await stage.acknowledge()
        }
        await stage.expectOrder()
        let reports = stage.alice.seen.events.count { if case .message(_, _, Bytes("1".utf8)) = $0.event { true } else { false } }
        if !isKilled { #expect(reports == 1) }
        await stage.close()
    }

    @Test func `What a recipient has not read when it deletes the old queue comes through the new one`() async throws {
        let stage = try await Stage()
        try await stage.begin()
        let core = stage.alice.agent.core
        let state = try #require(try await core.store.connection(stage.aliceID))
        let queue = state.receiveQueues[0]
        try await core.send(.del, name: "DEL", entity: queue.recipientID, key: queue.privateKey, to: queue.server, for: state.record.owner)
        try await stage.follow()
        try await stage.acknowledge()
        await stage.expectOrder(isGone: true)
        await stage.close()
    }

    @Test func `A router that is gone does not keep the messages of the new queue back for ever`() async throws {
        let stage = try await Stage.withoutCopies()
        stage.alice.network.disconnect(stage.old.address)
        try await stage.follow()
        try await stage.acknowledge()
        let aliceID = stage.aliceID
        await stage.alice.wait("those of the new queue") { $0.order[aliceID]?.count == 4 }
        #expect(stage.alice.texts(aliceID) == ["0", "1", "6", "7"])
        // What was in the old queue is not lost if its router comes back.
        stage.alice.network.reconnect(stage.old.address)
        await stage.alice.wait("those of the old queue") { $0.order[aliceID]?.count == 8 }
        #expect(stage.alice.texts(aliceID) == ["0", "1", "6", "7", "2", "3", "4", "5"])
        await stage.moved()
        await stage.close()
    }

    @Test func `A message that was reported from a router that is gone is reported again after a restart`() async throws {
        let stage = try await Stage.withoutCopies()
        try await stage.follow()
        await stage.alice.kill()
        stage.alice.acknowledges.withLock { $0 = true }
        stage.alice.crash.recover()
        try await stage.alice.start()
        stage.alice.network.disconnect(stage.old.address)
        _ = await stage.alice.agent.subscribeAll()
        let aliceID = stage.aliceID
        await stage.alice.wait("those of the new queue") { $0.order[aliceID]?.count == 4 }
        let reports = stage.alice.seen.events.compactMap { if case .message(_, _, let body) = $0.event { String(decoding: body, as: UTF8.self) } else { nil } }
        #expect(reports == ["0", "1", "1", "6", "7"])
        await stage.close()
    }

    @Test func `Queues move time after time, on both sides at once, while messages go both ways`() async throws {
        let pair = try await Pair(quota: 8)
        let (alice, bob) = try await pair.connect()
        let third = pair.internet.addRouter("three.example")
        for party in [pair.alice, pair.bob] {
            try await party.agent.setServers([SMPServerWithAuth(third.address), SMPServerWithAuth(party.servers[0])], user: party.user.withLock { $0 })
        }
        for round in 1...4 {
            for (party, connection) in [(pair.alice, alice), (pair.bob, bob)] { _ = try await party.agent.switchQueue(of: connection) }
            for number in 1...20 {
                try await pair.alice.send("\(round): \(number)", to: alice)
                try await pair.bob.send("\(round): \(number)", to: bob)
            }
            for party in [pair.alice, pair.bob] {
                await party.wait("moved") { memory in
                    memory.events.count { if case .queueSwitch(.receive, .completed, _) = $0.event { true } else { false } } == round
                }
            }
        }
        await pair.alice.wait("all messages") { $0.order[alice]?.count == 80 }
        await pair.bob.wait("all messages") { $0.order[bob]?.count == 80 }
        let expected = (1...4).flatMap { round in (1...20).map { "\(round): \($0)" } }
        #expect(pair.alice.texts(alice) == expected)
        #expect(pair.bob.texts(bob) == expected)
        #expect(pair.alice.seen.failures == [])
        #expect(pair.bob.seen.failures == [])
        await pair.close()
    }

    @Test func `A move that the recipient gives up leaves nothing that anybody waits for`() async throws {
        let pair = try await Pair()
        let (alice, bob) = try await pair.connect()
        let third = pair.internet.addRouter("three.example")
        try await pair.alice.agent.setServers([SMPServerWithAuth(third.address)], user: pair.alice.user.withLock { $0 })
        // Bob answers the offer, and Alice cannot read that before she gives up.
        pair.alice.network.setFault { request, server in
            if case .send = request.command { pair.alice.network.disconnect(pair.routers[0].address) }
            return nil
        }
        _ = try await pair.alice.agent.switchQueue(of: alice)
        await pair.bob.wait("answered") { Stage.switched($0, .send, .confirmed) }
        pair.alice.network.setFault(nil)
        _ = try await pair.alice.agent.abortSwitch(of: alice)
        for number in 1...40 { try await pair.bob.send("\(number)", to: bob) }
        pair.alice.network.reconnect(pair.routers[0].address)
        await pair.alice.wait("messages") { $0.order[alice]?.count == 40 }
        #expect(pair.alice.texts(alice) == (1...40).map(String.init))
        // What is kept for the queue that never comes to be is no reason to wait.
        try await pair.bob.agent.delete([bob], waitDelivery: true)
        await pair.bob.wait("deleted") { memory in
            memory.events.contains { if case .connectionsDeleted([bob]) = $0.event { true } else { false } }
        }
        #expect(pair.bob.seen.failures == [])
        await pair.close()
    }

    @Test func `Word that a queue is read which was left for another meanwhile is no fault`() async throws {
        let pair = try await Pair()
        let (alice, bob) = try await pair.connect()
        let left = QueueAddress(server: pair.routers[0].address, senderID: EntityID(Bytes(repeating: 9, count: 24)))
        try await pair.alice.inject(.queueContinue(left), into: alice)
        try await pair.alice.send("a message", to: alice)
        await pair.bob.wait("message") { $0.order[bob]?.count == 1 }
        #expect(pair.bob.seen.failures == [])
        await pair.close()
    }

    @Test func `A sender says that the new queue refuses its test, and goes on in the old one`() async throws {
        let stage = try await Stage()
        try await stage.begin()
        let new = stage.new.address
        stage.bob.network.setFault { request, server in
            if case .send = request.command, server == new { .refused(.auth) } else { nil }
        }
        stage.allow()
        await stage.bob.wait("the refusal") { !$0.failures.isEmpty }
        try await stage.acknowledge()
        for number in 6...7 { try await stage.bob.send("\(number)", to: stage.bobID) }
        let (aliceID, bobID) = (stage.aliceID, stage.bobID)
        await stage.alice.wait("all messages") { $0.order[aliceID]?.count == 8 }
        await stage.bob.wait("sent") { $0.sent[bobID]?.count == 8 }
        #expect(stage.bob.seen.failures == [.peer(.queue("QTEST: AUTH"))])
        await stage.close()
    }

    @Test func `Messages that wait while a queue moves are told as sent once`() async throws {
        let stage = try await Stage()
        try await stage.begin()
        let bobID = stage.bobID
        stage.bob.network.disconnect(stage.old.address)
        for number in 6...8 { try await stage.bob.send("\(number)", to: bobID) }
        // The new queue gets what the old one does not, and its test, the ninth, last.
        let new = stage.new.address
        let sent = Mutex(0), isHeldBack = Mutex(true)
        stage.bob.network.setFault { request, server in
            guard case .send = request.command, server == new else { return nil }
            let number = sent.withLock { sent in
                sent += 1
                return sent
            }
            return number > 8 && isHeldBack.withLock { $0 } ? .lostRequest : nil
        }
        stage.allow()
        await stage.bob.wait("all are sent") { $0.sent[bobID]?.count == 9 }
        stage.bob.network.reconnect(stage.old.address)
        // Five that Alice has not read, the three that waited, and the test.
        try await eventually("the old queue has them as well") { stage.old.messageCount == 9 }
        isHeldBack.withLock { $0 = false }
        await stage.bob.wait("followed") { Stage.switched($0, .send, .completed) }
        try await stage.acknowledge()
        let aliceID = stage.aliceID
        await stage.alice.wait("all messages") { $0.order[aliceID]?.count == 9 }
        let told = stage.bob.seen.events.compactMap { if case .sent(let id, _) = $0.event { id } else { nil } }
        #expect(told.count == Set(told).count)
        await stage.close()
    }

    @Test func `The new queue may be used when what waits in the old one has been read`() async throws {
        let stage = try await Stage()
        try await stage.begin()
        let (alice, aliceID) = (stage.alice, stage.aliceID)
        let core = alice.agent.core
        let row = try await core.withConnection(aliceID) { access throws(AgentError) in
            try await access.state().receiveQueues.first { $0.replaces != nil }?.row
        }
        let new = try #require(row)
        async let read = { () async throws -> Int? in
            try await core.waitUntilUsable(new, of: aliceID)
            return alice.seen.order[aliceID]?.count
        }()
        await stage.asked.wait()
        try await stage.acknowledge()
        #expect(try await read == 6)
        stage.allow()
        await stage.moved()
        await stage.close()
    }

    // MARK: Decisions

    @Test func `The wait for another queue ends when nothing has been in it for a while, or its router is out of reach for long`() {
        func decisions(_ queries: [(QueueBacklog, Int)]) -> [Bool] {
            var wait = DrainWait(AgentConfiguration())
            return queries.map { wait.isOver($0.0, after: .seconds($0.1)) }
        }
        #expect(decisions([(.empty, 0), (.empty, 29), (.messages, 9), (.empty, 29), (.empty, 1)]) == [false, false, false, false, true])
        #expect(decisions([(.unknown, 119), (.empty, 4), (.unknown, 119), (.unknown, 1)]) == [false, false, false, true])
        #expect(decisions([(.none, 0)]) == [true])
        #expect(QueueBacklog([.empty, .messages, .unknown]) == .messages)
        #expect(QueueBacklog([.empty, .unknown, .none]) == .unknown)
        #expect(QueueBacklog([.none, .empty]) == .empty)
        #expect(QueueBacklog([]) == .none)
    }

    /// An official sender forgets then what waits for the old queue alone: much of it if that queue was full.
    @Test func `The peer is told to use the new queue when the old one stays empty, at once if it is, and some time if it never is`() {
        func decisions(_ queries: [(QueueBacklog, Int, Int)]) -> [Bool] {
            var wait = MoveWait(AgentConfiguration())
            return queries.map { wait.isOver($0.0, $0.1, after: .seconds($0.2)) }
        }
        #expect(decisions([(.empty, 0, 0)]) == [true])
        #expect(decisions([(.messages, 1, 0)]) == [true], "the message that began it is just being acknowledged")
        #expect(decisions([(.none, 0, 0)]) == [true])
        #expect(decisions([(.unknown, 0, 0)]) == [true], "a router that is out of reach is what one moves away from")
        #expect(decisions([(.messages, 129, 0), (.empty, 0, 1), (.messages, 1, 1), (.empty, 0, 4), (.empty, 0, 1)]) == [false, false, false, false, true])
        #expect(decisions([(.messages, 2, 0), (.messages, 128, 60), (.messages, 1, 59), (.messages, 128, 1)]) == [false, false, false, true])
        #expect(decisions([(.messages, 2, 0), (.unknown, 0, 1)]) == [false, true])
    }

    @Test func `A queue is not taken for empty because the agent stops asking`() async throws {
        let pair = try await Pair()
        let (alice, _) = try await pair.connect()
        let core = pair.alice.agent.core
        let row = try await core.withConnection(alice) { access throws(AgentError) in try await access.state().receiveQueues[0].row }
        await pair.alice.agent.suspend(timeout: .zero)
        await #expect(throws: AgentError(.inactive)) { try await core.waitUntilEmpty(row, of: alice) }
        await pair.close()
    }
}

extension AgentConfiguration {
    /// Quick, but in no hurry to give up waiting for another queue.
    fileprivate static var patient: AgentConfiguration {
        var configuration = quick
        configuration.drainGrace = .seconds(60)
        return configuration
    }
}
