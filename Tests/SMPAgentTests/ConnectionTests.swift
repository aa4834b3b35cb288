import SMPClient
import SMPProtocol
import SMPSimulation
import SMPWire
import Synchronization
import Testing

@testable import SMPAgent

/// Two parties on two routers.
struct Pair {
    let internet = SimulatedInternet()
    let alice: TestParty
    let bob: TestParty
    let routers: [SimulatedRouter]

    init(
        _ aliceConfiguration: AgentConfiguration = .quick, _ bobConfiguration: AgentConfiguration = .quick, answers: Bool = true,
        receipts: Bool = false, quota: Int = 128
    ) async throws {
        routers = [internet.addRouter("one.example", quota: quota), internet.addRouter("two.example", quota: quota)]
        alice = try await TestParty(
            "alice", internet, on: [routers[0].address], answers: answers, receipts: receipts, configuration: aliceConfiguration)
        bob = try await TestParty(
            "bob", internet, on: [routers[1].address], answers: answers, receipts: receipts, configuration: bobConfiguration)
    }

    func connect(pq: PQInitialKeys = .supported, pqSupport: Bool = true) async throws -> (alice: ConnectionID, bob: ConnectionID) {
        let created = try await alice.invite(pq: pq)
        let joined = try await bob.join(created.link, pqSupport: pqSupport)
        await alice.wait("connected") { $0.connected[created.id] != nil }
        await bob.wait("connected") { $0.connected[joined] != nil }
        return (created.id, joined)
    }

    func close() async {
        await alice.close()
        await bob.close()
    }
}

@Suite struct ConnectionTests {
    @Test func `An answer to HELLO that overtakes the router's word that it has the HELLO connects once`() async throws {
        let pair = try await Pair(.version(2), .version(2))
        let acknowledged = Mutex(0)
        let sent = Mutex(0)
        // Bob's first message is his confirmation; of those after it he hears nothing until he has read Alice's HELLO.
        pair.bob.network.setFault { request, _ in
            switch request.command {
            case .ack:
                acknowledged.withLock { $0 += 1 }
                return nil
            case .send:
                let number = sent.withLock { number in
                    number += 1
                    return number
                }
                return number > 1 && acknowledged.withLock { $0 } < 2 ? .lostResponse : nil
            default: return nil
            }
        }
        let (alice, bob) = try await pair.connect()
        try await pair.alice.send("a", to: alice)
        await pair.bob.wait("message") { $0.order[bob]?.count == 1 }
        try await pair.bob.send("b", to: bob)
        await pair.alice.wait("message") { $0.order[alice]?.count == 1 }
        for party in [pair.alice, pair.bob] {
            #expect(party.seen.failures == [])
            #expect(party.seen.events.count { if case .connected = $0.event { true } else { false } } == 1)
        }
        await pair.close()
    }

    @Test func `Two agents connect by an invitation and talk`() async throws {
        let pair = try await Pair()
        let (alice, bob) = try await pair.connect()
        #expect(pair.bob.seen.information[bob] == Bytes("info of alice".utf8))
        #expect(pair.alice.seen.confirmations[alice]?.values.first == Bytes("info of bob".utf8))
        try await pair.alice.send("hello bob", to: alice)
        await pair.bob.wait("message") { $0.order[bob]?.count == 1 }
        try await pair.bob.send("hello alice", to: bob)
        await pair.alice.wait("message") { $0.order[alice]?.count == 1 }
        #expect(pair.bob.texts(bob) == ["hello bob"])
        #expect(pair.alice.texts(alice) == ["hello alice"])
        #expect(pair.bob.seen.metadata[bob]?.first?.integrity == .ok)
        #expect(pair.alice.seen.metadata[alice]?.first?.integrity == .ok)
        #expect(pair.alice.seen.failures == [])
        #expect(pair.bob.seen.failures == [])
        await pair.close()
    }

    @Test(arguments: [UInt16(2), 3, 4, 5, 6, 7], [UInt16(2), 3, 4, 5, 6, 7])
    func `Agents of any two versions connect and talk`(aliceVersion: UInt16, bobVersion: UInt16) async throws {
        let pair = try await Pair(.version(aliceVersion), .version(bobVersion))
        let (alice, bob) = try await pair.connect()
        try await pair.alice.send("one", to: alice)
        try await pair.bob.send("two", to: bob)
        await pair.bob.wait("message") { $0.order[bob]?.count == 1 }
        await pair.alice.wait("message") { $0.order[alice]?.count == 1 }
        let version = min(aliceVersion, bobVersion)
        #expect(try await pair.alice.agent.stats(of: alice).agentVersion == version)
        #expect(try await pair.bob.agent.stats(of: bob).agentVersion == version)
        #expect(pair.bob.seen.metadata[bob]?.first?.integrity == .ok)
        #expect(pair.alice.seen.metadata[alice]?.first?.integrity == .ok)
        #expect(pair.alice.seen.failures == [])
        #expect(pair.bob.seen.failures == [])
        await pair.close()
    }
}
