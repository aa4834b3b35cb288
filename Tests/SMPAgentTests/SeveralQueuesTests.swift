import RouterSupport
import SMPClient
import SMPCrypto
import SMPProtocol
import SMPServer
import SMPSimulation
import SMPWire
import Synchronization
import TestSupport
import Testing

@testable import SMPAgent

/// Connections that receive through several queues.
@Suite struct SeveralQueuesTests {
    private static func switched(_ memory: TestParty.Memory, _ direction: QueueDirection, _ phase: AgentSwitchPhase) -> Bool {
        memory.events.contains { if case .queueSwitch(direction, phase, _) = $0.event { true } else { false } }
    }

    /// Whether a connection can be reached, as it was told.
    private static func reachability(_ memory: TestParty.Memory) -> [String] {
        memory.events.compactMap {
            switch $0.event {
            case .down: "down"
            case .up: "up"
            default: nil
            }
        }
    }

    private static func sentEvents(_ memory: TestParty.Memory) -> [AgentMessageID] {
        memory.events.compactMap { if case .sent(let id, _) = $0.event { id } else { nil } }
    }

    @Test func `Every message goes to each queue, is told as sent once, and is reported once and in order`() async throws {
        let stage = try await QueueStage.withTwoQueues()
        let (aliceID, bobID) = (stage.aliceID, stage.bobID)
        try await stage.send(1...20)
        await stage.received(20)
        await stage.bob.wait("sent") { $0.sent[bobID]?.count == 20 }
        try await stage.alice.send("hello", to: aliceID)
        await stage.bob.wait("hello") { $0.order[bobID]?.count == 1 }
        // Each router had all of them, and has none left.
        try await stage.empty()
        for router in [stage.first, stage.third] { #expect(stage.bob.network.sentCommands(to: router.address).count { $0 == "SEND" } >= 20) }
        #expect(SeveralQueuesTests.sentEvents(stage.bob.seen).count == 20)
        #expect(try await stage.bob.agent.stats(of: bobID).sendQueues.map(\.status) == [.confirmed, .active])
        #expect(try await stage.alice.agent.stats(of: aliceID).receiveQueues.map(\.status) == [.active, .active])
        for party in [stage.alice, stage.bob] {
            #expect(party.seen.failures == [])
            #expect(!party.seen.events.contains { if case .queueSwitch = $0.event { true } else { false } })
        }
        await stage.close()
    }

    @Test(arguments: [false, true]) func `A router that is away stops nobody, and what it has kept changes nothing when it is back`(isFirst: Bool) async throws
    {
        let stage = try await QueueStage.withTwoQueues()
        let bobID = stage.bobID
        let away = isFirst ? stage.first.address : stage.third.address
        stage.bob.network.disconnect(away)
        stage.alice.network.disconnect(away)
        try await stage.send(1...5)
        await stage.received(5)
        await stage.bob.wait("sent") { $0.sent[bobID]?.count == 5 }
        // Who has told that they are sent must not tell so again after a restart.
        let told = SeveralQueuesTests.sentEvents(stage.bob.seen)
        #expect(told.count == 5)
        #expect(!stage.alice.seen.events.contains { if case .down = $0.event { true } else { false } })
        stage.bob.network.reconnect(away)
        stage.alice.network.reconnect(away)
        try await stage.empty()
        try await stage.send(6...8)
        await stage.received(8)
        await stage.bob.wait("sent") { $0.sent[bobID]?.count == 8 }
        #expect(SeveralQueuesTests.sentEvents(stage.bob.seen).count == 8)
        #expect(stage.alice.seen.failures == [])
        #expect(stage.bob.seen.failures == [])
        await stage.close()
    }

    @Test func `A connection is down when the last router of its queues is lost, and up with the first`() async throws {
        let stage = try await QueueStage.withTwoQueues()
        let alice = stage.alice
        alice.network.disconnect(stage.first.address)
        alice.network.disconnect(stage.third.address)
        alice.network.reconnect(stage.third.address)
        alice.network.reconnect(stage.first.address)
        await alice.wait("connected again") { memory in
            memory.events.contains { if case .serverConnected(stage.first.address) = $0.event { true } else { false } }
        }
        try await eventually("both queues are subscribed to") {
            alice.agent.core.subscriptions.all.allSatisfy { $0.status == .active }
        }
        #expect(Self.reachability(alice.seen) == ["down", "up"])
        await stage.close()
    }

    @Test(arguments: [0, 1]) func `At a start with one router away a connection is up, and that router changes nothing when it is back`(
        away: Int
    ) async throws {
        var several = AgentConfiguration.quick
        several.queuesPerConnection = 2
        let internet = SimulatedInternet()
        let folder = try TemporaryFolder()
        let servers = ["a", "b"].map { internet.addRouter("\($0).example").address }
        let alice = try await TestParty("alice", internet, on: servers, path: folder.path + "/a.db", configuration: several)
        let bob = try await TestParty("bob", internet, on: servers)
        let created = try await alice.invite()
        let (id, bobID) = (created.id, try await bob.join(created.link))
        await alice.wait("used") { $0.queueChanges(.receive) == 1 }
        await alice.kill()
        alice.crash.recover()
        try await alice.start()
        alice.network.disconnect(servers[away])
        let outcomes = await alice.agent.subscribeAll()
        #expect(throws: Never.self) { try outcomes[id]?.get() }
        await alice.wait("up") { Self.reachability($0).last == "up" }
        alice.network.reconnect(servers[away])
        try await eventually("both queues are subscribed to") {
            alice.agent.core.subscriptions.all.allSatisfy { $0.status == .active }
        }
        try await bob.send("hello", to: bobID)
        await alice.wait("the message") { $0.order[id]?.count == 1 }
        // The answer of the router that is away may have come first.
        #expect([["up"], ["down", "up"]].contains(Self.reachability(alice.seen)))
        await alice.close()
        await bob.close()
    }

    @Test func `A connection is down when its only router that the peer uses is lost`() async throws {
        let pair = try await Pair()
        let (aliceID, bobID) = try await pair.connect()
        let third = pair.internet.addRouter("three.example")
        // The offer does not reach Bob, as it means nothing to an official agent.
        pair.alice.network.setFault { request, _ in if case .send = request.command { .lostRequest } else { nil } }
        _ = try await pair.alice.agent.addQueue(to: aliceID, on: SMPServerWithAuth(third.address))
        pair.alice.network.disconnect(pair.routers[0].address)
        await pair.alice.wait("down") { Self.reachability($0) == ["down"] }
        pair.alice.network.reconnect(pair.routers[0].address)
        await pair.alice.wait("up") { Self.reachability($0) == ["down", "up"] }
        // Now he hears of it and uses it: the first one is not the only one any more.
        pair.alice.network.setFault(nil)
        await pair.alice.wait("used") { $0.queueChanges(.receive) == 1 }
        pair.alice.network.disconnect(pair.routers[0].address)
        try await pair.bob.send("by the other", to: bobID)
        await pair.alice.wait("the message") { $0.order[aliceID]?.count == 1 }
        #expect(Self.reachability(pair.alice.seen) == ["down", "up"])
        await pair.close()
    }

    @Test func `A queue that is gone is left for the others, and can be replaced by its recipient`() async throws {
        let stage = try await QueueStage.withTwoQueues()
        let (aliceID, bobID) = (stage.aliceID, stage.bobID)
        let first = stage.first.address
        stage.bob.network.setFault { request, server in
            if case .send = request.command, server == first { .refused(.auth) } else { nil }
        }
        try await stage.send(1...5)
        await stage.received(5)
        await stage.bob.wait("sent") { $0.sent[bobID]?.count == 5 }
        await stage.bob.wait("left") { $0.queueChanges(.send) == 2 }
        #expect(stage.bob.seen.failures.map(\.code) == ["SMP"])
        let left = try await stage.bob.agent.stats(of: bobID).sendQueues
        #expect(left.map(\.server) == [stage.third.address, first])
        #expect(left.map(\.status) == [.active, .disabled])
        let fourth = stage.pair.internet.addRouter("four.example")
        try await stage.alice.agent.setServers([SMPServerWithAuth(fourth.address)], user: stage.alice.user.withLock { $0 })
        _ = try await stage.alice.agent.switchQueue(of: aliceID)
        await stage.alice.wait("moved") { SeveralQueuesTests.switched($0, .receive, .completed) }
        try await stage.send(6...9)
        await stage.received(9)
        await stage.bob.wait("sent") { $0.sent[bobID]?.count == 9 }
        #expect(Set(try await stage.bob.agent.stats(of: bobID).sendQueues.map(\.server)) == [stage.third.address, fourth.address])
        #expect(Set(try await stage.alice.agent.stats(of: aliceID).receiveQueues.map(\.server)) == [stage.third.address, fourth.address])
        #expect(stage.bob.seen.failures.count == 1)
        await stage.close()
    }

    @Test func `What a queue does not have comes from another, and in its place`() async throws {
        var patient = AgentConfiguration.quick
        patient.drainTimeout = .seconds(600)
        let stage = try await QueueStage.withTwoQueues(patient)
        let bobID = stage.bobID
        let third = stage.third.address
        let sent = Mutex(0)
        stage.bob.network.setFault { request, server in
            guard case .send = request.command, server == third else { return nil }
            return sent.withLock { count in
                count += 1
                return count == 2 ? .refused(.largeMessage) : nil
            }
        }
        stage.alice.network.disconnect(stage.first.address)
        try await stage.send(1...3)
        await stage.bob.wait("sent") { $0.sent[bobID]?.count == 3 }
        await stage.received(1)
        stage.alice.network.reconnect(stage.first.address)
        await stage.received(3)
        #expect(stage.bob.seen.failures == [])
        #expect(!stage.bob.seen.events.contains { if case .messageFailed = $0.event { true } else { false } })
        await stage.close()
    }

    @Test func `A message that no queue takes is reported as failed once`() async throws {
        let stage = try await QueueStage.withTwoQueues()
        stage.bob.network.setFault { request, _ in if case .send = request.command { .refused(.largeMessage) } else { nil } }
        try await stage.send(1...1)
        @Sendable func failures(_ memory: TestParty.Memory) -> Int {
            memory.events.count { if case .messageFailed = $0.event { true } else { false } }
        }
        await stage.bob.wait("failed") { failures($0) == 1 }
        stage.bob.network.setFault(nil)
        try await stage.send(2...2)
        let aliceID = stage.aliceID
        await stage.alice.wait("the next") { $0.order[aliceID]?.count == 1 }
        #expect(failures(stage.bob.seen) == 1)
        await stage.close()
    }

    @Test func `A queue that its recipient removes is used no longer`() async throws {
        let stage = try await QueueStage.withTwoQueues()
        let (aliceID, bobID) = (stage.aliceID, stage.bobID)
        let queues = try await stage.alice.agent.stats(of: aliceID).receiveQueues
        let stats = try await stage.alice.agent.removeQueue(queues[0], of: aliceID)
        #expect(stats.receiveQueues.map(\.server) == [stage.third.address])
        try await stage.send(1...3)
        await stage.received(3)
        await stage.bob.wait("left") { $0.queueChanges(.send) == 2 }
        await stage.bob.wait("sent") { $0.sent[bobID]?.count == 3 }
        #expect(stage.first.queueCount == 0)
        await #expect(throws: AgentError.self) { try await stage.alice.agent.removeQueue(stats.receiveQueues[0], of: aliceID) }
        await stage.close()
    }

    @Test func `Several queues are announced in invitations and in replies, and used once the connection works`() async throws {
        var several = AgentConfiguration.quick
        several.queuesPerConnection = 3
        let internet = SimulatedInternet()
        let routers = ["a", "b", "c", "d"].map { internet.addRouter("\($0).example") }
        let servers = routers.map(\.address)
        let alice = try await TestParty("alice", internet, on: Array(servers.prefix(3)), configuration: several)
        let bob = try await TestParty("bob", internet, on: Array(servers.suffix(2)), configuration: several)
        let created = try await alice.invite()
        #expect(created.link.request.queues.count == 3)
        let joined = try await bob.join(created.link)
        await bob.wait("used") { $0.queueChanges(.send) == 2 && $0.queueChanges(.receive) == 1 }
        await alice.wait("used") { $0.queueChanges(.send) == 1 && $0.queueChanges(.receive) == 2 }
        for number in 1...10 {
            try await alice.send("\(number)", to: created.id)
            try await bob.send("\(number)", to: joined)
        }
        await alice.wait("messages") { $0.order[created.id]?.count == 10 }
        await bob.wait("messages") { $0.order[joined]?.count == 10 }
        for (party, id) in [(alice, created.id), (bob, joined)] {
            #expect(party.texts(id) == (1...10).map(String.init))
            #expect(party.seen.metadata[id]?.allSatisfy { $0.integrity == .ok } == true)
            #expect(party.seen.failures == [])
        }
        await alice.close()
        await bob.close()
    }

    @Test func `By a contact address, too, and after restarts of both sides`() async throws {
        var several = AgentConfiguration.quick
        several.queuesPerConnection = 2
        let internet = SimulatedInternet()
        let folder = try TemporaryFolder()
        let servers = ["a", "b", "c"].map { internet.addRouter("\($0).example").address }
        let alice = try await TestParty("alice", internet, on: servers, path: folder.path + "/a.db", configuration: several)
        let bob = try await TestParty("bob", internet, on: servers, path: folder.path + "/b.db", configuration: several)
        let address = try await alice.address()
        #expect(address.link.request.queues.count == 1)
        let bobID = try await bob.join(address.link)
        await bob.wait("used") { $0.queueChanges(.send) == 1 && $0.queueChanges(.receive) == 1 }
        await alice.wait("used") { $0.queueChanges(.send) == 1 && $0.queueChanges(.receive) == 1 }
        let aliceID = try #require(alice.seen.requestConnections.values.first)
        // One of Bob's routers is away, and he ends while it is.
        let away = try await bob.agent.stats(of: bobID).sendQueues[1].server
        bob.network.disconnect(away)
        for number in 1...5 { try await bob.send("\(number)", to: bobID) }
        await alice.wait("messages") { $0.order[aliceID]?.count == 5 }
        await bob.wait("sent") { $0.sent[bobID]?.count == 5 }
        // What he has seen is not told again.
        try await eventually("all is confirmed") {
            try await bob.agent.core.store.flush()
            return try await bob.agent.core.store.events().isEmpty
        }
        await bob.kill()
        await alice.kill()
        try await bob.restart()
        try await alice.restart()
        try await bob.send("6", to: bobID)
        await alice.wait("messages") { $0.order[aliceID]?.count == 6 }
        await bob.wait("sent") { $0.sent[bobID]?.count == 6 }
        #expect(alice.texts(aliceID) == (1...6).map(String.init))
        #expect(bob.network.sentCommands(to: away).count { $0 == "SEND" } >= 6)
        for message in 1...5 { #expect(SeveralQueuesTests.sentEvents(bob.seen).count { $0 == bob.seen.sent[bobID]?.sorted()[message - 1] } == 1) }
        await alice.close()
        await bob.close()
    }

    // MARK: What peers send

    @Test func `Offers that cannot be taken are reported, and the others are taken`() async throws {
        let pair = try await Pair()
        let (alice, bob) = try await pair.connect()
        let router = pair.internet.addRouter("three.example")
        func offer(_ number: UInt8, replaced: QueueAddress? = nil, versions: VersionRange = VersionRange(1...4)) -> QueueReplacement {
            QueueReplacement(
                queue: SMPQueueURI(
                    clientVersions: versions,
                    address: SMPQueueAddress(
                        server: router.address, senderID: EntityID(Bytes(repeating: number, count: 24)), encryptionKey: .init(pattern: number),
                        mode: .messaging)), replaced: replaced)
        }
        let offers = [
            offer(1), offer(1), offer(2, versions: VersionRange(7...9)), offer(3), offer(4),
            offer(5), offer(6, replaced: QueueAddress(server: router.address, senderID: EntityID([9]))),
        ]
        try await pair.alice.inject(.queueAdd(offers), into: alice)
        await pair.bob.wait("the faults") { $0.failures.count == 4 }
        #expect(pair.bob.seen.failures.map(\.code) == ["AGENT.A_QUEUE", "AGENT.A_VERSION", "AGENT.A_QUEUE", "AGENT.A_QUEUE"])
        #expect(try await pair.bob.agent.stats(of: bob).sendQueues.map(\.status) == [.confirmed, .confirmed, .confirmed, .confirmed])
        // Alice knows nothing of such queues.
        await pair.alice.wait("the answer") { $0.failures.count == 3 }
        try await pair.bob.send("still works", to: bob)
        await pair.alice.wait("message") { $0.order[alice]?.count == 1 }
        await pair.close()
    }

    @Test func `A queue that the peer did not offer, or that is in use already, is not used because of QUSE`() async throws {
        let stage = try await QueueStage.withTwoQueues()
        let state = try #require(try await stage.bob.agent.core.store.connection(stage.bobID))
        try await stage.alice.inject(
            .queueUse(state.sendQueues.map { QueueUse(queue: $0.address, isPrimary: true) }), into: stage.aliceID)
        await stage.bob.wait("the faults") { $0.failures.count == 2 }
        #expect(stage.bob.seen.failures.allSatisfy { $0.code == "AGENT.A_QUEUE" })
        try await stage.send(1...2)
        await stage.received(2)
        await stage.close()
    }

    @Test func `A confirmation is taken from the first queue of an invitation only`() async throws {
        var several = AgentConfiguration.quick
        several.queuesPerConnection = 2
        let internet = SimulatedInternet()
        let servers = ["a", "b"].map { internet.addRouter("\($0).example").address }
        let alice = try await TestParty("alice", internet, on: servers, configuration: several)
        let mallory = try await TestParty("mallory", internet, on: servers)
        let created = try await alice.invite()
        guard case .invitation(var request, let parameters) = created.link else {
            Issue.record("not an invitation")
            return
        }
        request.queues.reverse()
        _ = try await mallory.join(.invitation(request, parameters))
        await alice.wait("the fault") { $0.failures.contains { $0.code == "AGENT.A_PROHIBITED" } }
        #expect(alice.seen.confirmations.isEmpty)
        await alice.close()
        await mallory.close()
    }

    @Test func `A queue that is given up is not agreed on later`() async throws {
        let pair = try await Pair()
        let (alice, bob) = try await pair.connect()
        let third = pair.internet.addRouter("three.example")
        try await pair.alice.agent.setServers([SMPServerWithAuth(third.address)], user: pair.alice.user.withLock { $0 })
        pair.alice.network.setFault { request, server in
            if case .del = request.command, server == third.address { .lostRequest } else { nil }
        }
        for router in pair.routers { pair.bob.network.disconnect(router.address) }
        _ = try await pair.alice.agent.switchQueue(of: alice)
        await pair.alice.wait("begun") { SeveralQueuesTests.switched($0, .receive, .started) }
        _ = try await pair.alice.agent.abortSwitch(of: alice)
        for router in pair.routers { pair.bob.network.reconnect(router.address) }
        await pair.alice.wait("the keys") { $0.failures.contains { $0.code == "AGENT.A_QUEUE" } }
        #expect(try await pair.alice.agent.stats(of: alice).receiveQueues.map(\.status) == [.active, .disabled])
        pair.alice.network.setFault(nil)
        try await pair.bob.send("still works", to: bob)
        await pair.alice.wait("message") { $0.order[alice]?.count == 1 }
        await pair.close()
    }

    // MARK: Real routers

    @Test(.timeLimit(.minutes(10))) func `A conversation over two real routers survives the end of either`() async throws {
        func router() async throws -> SMPRouter {
            var configuration = RouterConfiguration(storage: .memory)
            configuration.port = 0
            return try await SMPRouter.start(configuration)
        }
        for dies in 0...1 {
            let routers = [try await router(), try await router()]
            let meeting = try await RealMeeting(on: routers[0].address, and: routers[1].address)
            for number in 1...3 { try await meeting.send("\(number)") }
            await meeting.expect(3)
            await routers[dies].stop()
            for number in 4...6 { try await meeting.send("\(number)") }
            await meeting.expect(6)
            await meeting.close()
            await routers[1 - dies].stop()
        }
    }
}

/// Two agents over real connections: Alice receives through two routers, and Bob through the second.
private final class RealMeeting: Sendable {
    private let alice: SMPAgent, bob: SMPAgent
    private let pools: [SMPClientPool]
    private let aliceID: ConnectionID, bobID: ConnectionID
    private let folders: [TemporaryFolder]

    init(on first: SMPServerAddress, and second: SMPServerAddress) async throws {
        folders = [try TemporaryFolder(), try TemporaryFolder()]
        pools = [try SMPClientPool(), try SMPClientPool()]
        var configuration = AgentConfiguration.quick
        configuration.queuesPerConnection = 2
        alice = SMPAgent(configuration: configuration, store: try AgentStore(path: folders[0].path + "/a.db"), network: pools[0])
        bob = SMPAgent(configuration: .quick, store: try AgentStore(path: folders[1].path + "/b.db"), network: pools[1])
        try await alice.start()
        try await bob.start()
        let aliceUser = try await alice.createUser(servers: [first, second].map { SMPServerWithAuth($0) })
        let bobUser = try await bob.createUser(servers: [SMPServerWithAuth(second)])
        let created = try await alice.createConnection(user: aliceUser, mode: .invitation)
        aliceID = created.id
        bobID = try await bob.prepareToJoin(user: bobUser, link: created.link, pqSupport: true)
        _ = try await bob.join(user: bobUser, connection: bobID, link: created.link, info: [], pqSupport: true)
        for await notification in alice.events {
            if case .confirmation(let id, _, _, _) = notification.event { try await alice.allowConnection(aliceID, confirmation: id, info: []) }
            if case .queuesChanged(.receive, _) = notification.event { break }
        }
        for await notification in bob.events { if case .queuesChanged(.send, _) = notification.event { break } }
    }

    func send(_ text: String) async throws { _ = try await bob.send([AgentSendRequest(connection: bobID, body: Bytes(text.utf8))])[0].get() }

    /// Reads up to the message of that number.
    func expect(_ last: Int) async {
        for await notification in alice.events {
            guard case .message(let metadata, _, let body) = notification.event else { continue }
            #expect(metadata.integrity == .ok)
            texts.withLock { $0.append(String(decoding: body, as: UTF8.self)) }
            await #expect(throws: Never.self) { try await alice.acknowledge(aliceID, message: metadata.messageID) }
            if texts.withLock({ $0.count }) == last { break }
        }
        #expect(texts.withLock { $0 } == (1...last).map(String.init))
    }

    private let texts = Mutex<[String]>([])

    func close() async {
        await alice.close()
        await bob.close()
        for pool in pools { await pool.close() }
    }
}
