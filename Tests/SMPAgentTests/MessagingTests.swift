import SMPClient
import SMPProtocol
import SMPSimulation
import SMPWire
import Synchronization
import Testing

@testable import SMPAgent

@Suite struct MessagingTests {
    @Test func `Many messages both ways arrive in order, whole and once`() async throws {
        let pair = try await Pair(receipts: true)
        let (alice, bob) = try await pair.connect()
        for number in 1...40 {
            try await pair.alice.send("a\(number)", to: alice)
            try await pair.bob.send("b\(number)", to: bob)
        }
        await pair.bob.wait("all messages") { $0.order[bob]?.count == 40 }
        await pair.alice.wait("all messages") { $0.order[alice]?.count == 40 }
        #expect(pair.bob.texts(bob) == (1...40).map { "a\($0)" })
        #expect(pair.alice.texts(alice) == (1...40).map { "b\($0)" })
        #expect(pair.bob.seen.metadata[bob]?.allSatisfy { $0.integrity == .ok } == true)
        await pair.alice.wait("receipts") { $0.receipts[alice]?.count == 40 }
        #expect(pair.alice.seen.receipts[alice]?.allSatisfy { $0.status == .ok } == true)
        #expect(Set(pair.alice.seen.receipts[alice]?.map(\.messageID) ?? []) == pair.alice.seen.sent[alice])
        await pair.close()
    }

    @Test(arguments: 1...3) func `Two sides whose queues are both full do not wait for each other`(run: Int) async throws {
        let pair = try await Pair(quota: 4)
        let (alice, bob) = try await pair.connect()
        for party in [pair.alice, pair.bob] { party.acknowledges.withLock { $0 = false } }
        for number in 1...20 {
            try await pair.alice.send("a\(number)", to: alice)
            try await pair.bob.send("b\(number)", to: bob)
        }
        for (party, connection) in [(pair.alice, alice), (pair.bob, bob)] {
            await party.wait("a full queue") { memory in memory.events.contains { if case .messageDelayed = $0.event { true } else { false } } }
            await party.wait("a message") { $0.order[connection]?.count == 1 }
        }
        for (party, connection) in [(pair.alice, alice), (pair.bob, bob)] {
            party.acknowledges.withLock { $0 = true }
            try await party.agent.acknowledge(connection, message: try #require(party.seen.metadata[connection]?.last?.messageID))
        }
        await pair.bob.wait("all messages") { $0.order[bob]?.count == 20 }
        await pair.alice.wait("all messages") { $0.order[alice]?.count == 20 }
        #expect(pair.bob.texts(bob) == (1...20).map { "a\($0)" })
        #expect(pair.alice.texts(alice) == (1...20).map { "b\($0)" })
        await pair.close()
    }

    @Test func `A queue that takes nothing more holds up no other, even if one message is on its way to a router at a time`() async throws {
        var configuration = AgentConfiguration.quick
        configuration.concurrentDeliveries = 1
        let pair = try await Pair(configuration, quota: 2)
        let full = try await pair.connect(), other = try await pair.connect()
        pair.bob.acknowledges.withLock { $0 = false }
        for number in 1...5 { try await pair.alice.send("\(number)", to: full.alice) }
        await pair.alice.wait("a full queue") { memory in memory.events.contains { if case .messageDelayed = $0.event { true } else { false } } }
        // It is not acknowledged now, however late it comes.
        await pair.bob.wait("the first message") { $0.order[full.bob]?.count == 1 }
        pair.bob.acknowledges.withLock { $0 = true }
        for number in 1...5 { try await pair.alice.send("other \(number)", to: other.alice) }
        await pair.bob.wait("the messages of the other queue") { $0.order[other.bob]?.count == 5 }
        #expect(pair.bob.texts(full.bob) == ["1"], "the first one waits for its acknowledgement")
        try await pair.bob.agent.acknowledge(full.bob, message: try #require(pair.bob.seen.metadata[full.bob]?.last?.messageID))
        await pair.bob.wait("all messages") { $0.order[full.bob]?.count == 5 }
        #expect(pair.bob.texts(full.bob) == (1...5).map(String.init))
        await pair.close()
    }

    @Test func `One call sends to many connections and tells what it could not send`() async throws {
        let pair = try await Pair()
        var connections: [(alice: ConnectionID, bob: ConnectionID)] = []
        for _ in 0..<5 { connections.append(try await pair.connect()) }
        var requests = connections.map { AgentSendRequest(connection: $0.alice, body: Bytes("to all".utf8)) }
        requests.append(AgentSendRequest(connection: ConnectionID([1, 2, 3]), body: []))
        requests.append(AgentSendRequest(connection: connections[0].alice, body: Bytes(repeating: 0, count: 16_000)))
        requests.append(AgentSendRequest(connection: connections[0].alice, body: Bytes("again".utf8)))
        let results = await pair.alice.agent.send(requests)
        #expect(results.count == 8)
        for result in results.prefix(5) { #expect(throws: Never.self) { try result.get() } }
        #expect(throws: AgentError.self) { try results[5].get() }
        let tooLarge = #expect(throws: AgentError.self) { try results[6].get() }
        #expect(tooLarge?.code == "CMD.LARGE")
        for connection in connections { await pair.bob.wait("the message") { $0.order[connection.bob]?.isEmpty == false } }
        let first = connections[0].bob
        await pair.bob.wait("the second message") { $0.order[first]?.count == 2 }
        #expect(pair.bob.texts(first) == ["to all", "again"])
        #expect(pair.bob.seen.metadata[first]?.allSatisfy { $0.integrity == .ok } == true)
        await pair.close()
    }

    @Test func `The largest message fits and one byte more does not`() async throws {
        let pair = try await Pair()
        let (alice, bob) = try await pair.connect()
        let limit = AgentLimits.messageBodyLength(agentVersion: 7, pqSupport: true)
        let results = await pair.alice.agent.send([
            AgentSendRequest(connection: alice, body: Bytes(repeating: 7, count: limit + 1)),
            AgentSendRequest(connection: alice, body: Bytes(repeating: 7, count: limit)),
        ])
        #expect(throws: AgentError.self) { try results[0].get() }
        #expect(throws: Never.self) { try results[1].get() }
        await pair.bob.wait("message") { $0.order[bob]?.count == 1 }
        #expect(pair.bob.seen.order[bob]?.first?.count == limit)
        await pair.close()
    }

    @Test func `Messages arrive once and in order over lost requests and lost responses`() async throws {
        let pair = try await Pair()
        let (alice, bob) = try await pair.connect()
        for party in [pair.alice, pair.bob] {
            let count = Mutex(0)
            party.network.setFault { request, _ in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                return number % 5 == 2 ? .lostRequest : number % 5 == 4 ? .lostResponse : nil
            }
        }
        for number in 1...30 { try await pair.alice.send("\(number)", to: alice) }
        await pair.bob.wait("all messages") { $0.order[bob]?.count == 30 }
        #expect(pair.bob.texts(bob) == (1...30).map(String.init))
        #expect(pair.bob.seen.metadata[bob]?.allSatisfy { $0.integrity == .ok } == true)
        #expect(pair.bob.seen.failures == [])
        await pair.close()
    }

    @Test func `Messages wait while a router is away and go out when it returns`() async throws {
        let pair = try await Pair()
        let (alice, bob) = try await pair.connect()
        let router = pair.routers[0].address
        let replies = pair.routers[1].address
        for party in [pair.alice, pair.bob] {
            party.network.disconnect(router)
            party.network.disconnect(replies)
        }
        await pair.bob.wait("down") { $0.events.contains { if case .down = $0.event { true } else { false } } }
        try await pair.alice.send("one", to: alice)
        try await pair.alice.send("two", to: alice)
        try await pair.bob.send("three", to: bob)
        for party in [pair.alice, pair.bob] {
            party.network.reconnect(router)
            party.network.reconnect(replies)
        }
        await pair.bob.wait("messages") { $0.order[bob]?.count == 2 }
        await pair.alice.wait("message") { $0.order[alice]?.count == 1 }
        await pair.bob.wait("up") { $0.events.contains { if case .up = $0.event { true } else { false } } }
        #expect(pair.bob.texts(bob) == ["one", "two"])
        await pair.close()
    }

    @Test func `A message that is not acknowledged is delivered again with the same number after reconnecting`() async throws {
        let pair = try await Pair()
        let (alice, bob) = try await pair.connect()
        pair.bob.acknowledges.withLock { $0 = false }
        try await pair.alice.send("once", to: alice)
        try await pair.alice.send("then", to: alice)
        await pair.bob.wait("message") { $0.order[bob]?.count == 1 }
        for router in pair.routers {
            pair.bob.network.disconnect(router.address)
            pair.bob.acknowledges.withLock { $0 = true }
            pair.bob.network.reconnect(router.address)
        }
        await pair.bob.wait("both messages") { $0.order[bob]?.count == 2 }
        #expect(pair.bob.texts(bob) == ["once", "then"])
        let deliveries = pair.bob.seen.events.filter { if case .message = $0.event { true } else { false } }
        #expect(deliveries.count == 3)
        await pair.close()
    }

    @Test func `A full queue stops the sender until the recipient has read it`() async throws {
        let pair = try await Pair(quota: 4)
        let (alice, bob) = try await pair.connect()
        pair.bob.acknowledges.withLock { $0 = false }
        for number in 1...8 { try await pair.alice.send("\(number)", to: alice) }
        await pair.alice.wait("delayed") { $0.events.contains { if case .messageDelayed = $0.event { true } else { false } } }
        await pair.bob.wait("the first message") { $0.order[bob]?.count == 1 }
        pair.bob.acknowledges.withLock { $0 = true }
        let first = try #require(pair.bob.seen.metadata[bob]?.first?.messageID)
        try await pair.bob.agent.acknowledge(bob, message: first)
        await pair.bob.wait("all messages") { $0.order[bob]?.count == 8 }
        #expect(pair.bob.texts(bob) == (1...8).map(String.init))
        await pair.alice.wait("told to go on") { $0.events.contains { if case .sendingContinued = $0.event { true } else { false } } }
        await pair.close()
    }

    @Test func `A recipient's word that its queue is read may overtake its acknowledgement`() async throws {
        let pair = try await Pair(quota: 4)
        let (alice, bob) = try await pair.connect()
        pair.bob.acknowledges.withLock { $0 = false }
        for number in 1...8 { try await pair.alice.send("\(number)", to: alice) }
        await pair.alice.wait("delayed") { $0.events.contains { if case .messageDelayed = $0.event { true } else { false } } }
        // What is sent from here on is sent because the recipient told to go on: the other retry is minutes away.
        let refusals = Mutex(3)
        pair.alice.network.setFault { request, _ in
            guard case .send = request.command else { return nil }
            return refusals.withLock { left in
                guard left > 0 else { return nil }
                left -= 1
                return .refused(.quota)
            }
        }
        await pair.bob.wait("the first message") { $0.order[bob]?.count == 1 }
        pair.bob.acknowledges.withLock { $0 = true }
        let first = try #require(pair.bob.seen.metadata[bob]?.first?.messageID)
        try await pair.bob.agent.acknowledge(bob, message: first)
        await pair.bob.wait("all messages") { $0.order[bob]?.count == 8 }
        #expect(pair.bob.texts(bob) == (1...8).map(String.init))
        #expect(refusals.withLock { $0 } == 0)
        await pair.close()
    }

    @Test func `A message to a deleted queue fails and later ones are tried`() async throws {
        let pair = try await Pair()
        let (alice, bob) = try await pair.connect()
        try await pair.bob.agent.delete([bob], waitDelivery: false)
        await pair.bob.wait("deleted") { $0.events.contains { $0.event == .connectionsDeleted([bob]) } }
        let accepted = try await pair.alice.send("too late", to: alice)
        await pair.alice.wait("failed") { memory in
            memory.events.contains { notification in
                if case .messageFailed(accepted.messageID, let error) = notification.event, case .smp(_, .auth) = error.reason { true } else { false }
            }
        }
        await pair.close()
    }

    @Test func `Receipts are refused for what is not a message, and for messages that are not there`() async throws {
        let pair = try await Pair()
        let (alice, _) = try await pair.connect()
        await #expect(throws: AgentError.self) { try await pair.alice.agent.acknowledge(alice, message: 999) }
        await #expect(throws: AgentError.self) { try await pair.alice.agent.acknowledge(ConnectionID([9]), message: 1) }
        await pair.close()
    }
}
