import SMPClient
import SMPProtocol
import SMPSimulation
import SMPWire
import Synchronization
import TestSupport
import Testing

@testable import SMPAgent

/// Connections that are made and joined in the background.
@Suite struct BackgroundTests {
    private struct World {
        let folder: TemporaryFolder
        let internet = SimulatedInternet()
        let alice: TestParty
        let bob: TestParty

        init(answers: Bool = true) async throws {
            folder = try TemporaryFolder()
            let one = internet.addRouter("one.example")
            let two = internet.addRouter("two.example")
            alice = try await TestParty("alice", internet, on: [one.address], path: folder.path + "/alice.db", answers: answers)
            bob = try await TestParty("bob", internet, on: [two.address], path: folder.path + "/bob.db")
        }

        var aliceUser: AgentUserID { alice.user.withLock { $0 } }
        var bobUser: AgentUserID { bob.user.withLock { $0 } }

        func close() async {
            await alice.close()
            await bob.close()
        }
    }

    private func created(_ party: TestParty, _ id: ConnectionID) async -> ConnectionRequestURI? {
        await party.wait("the link") { Self.links($0, id).isEmpty == false }
        return Self.links(party.seen, id).last
    }

    private static func links(_ memory: TestParty.Memory, _ id: ConnectionID) -> [ConnectionRequestURI] {
        memory.events.compactMap { if $0.connection == id, case .created(let link) = $0.event { link } else { nil } }
    }

    private static func joined(_ memory: TestParty.Memory, _ id: ConnectionID) -> Int {
        memory.events.count { if $0.connection == id, case .joined = $0.event { true } else { false } }
    }

    private func join(_ world: World, _ link: ConnectionRequestURI) async throws -> ConnectionID {
        try await world.bob.agent.joinInBackground(user: world.bobUser, link: link, info: Bytes("info of bob".utf8), pqSupport: false)
    }

    private func create(_ world: World, _ mode: ConnectionMode = .invitation) async throws -> ConnectionID {
        try await world.alice.agent.createConnectionInBackground(user: world.aliceUser, mode: mode, pq: .off)
    }

    private func talk(_ world: World, _ alice: ConnectionID, _ bob: ConnectionID) async throws {
        await world.alice.wait("connected") { $0.connected[alice] != nil }
        await world.bob.wait("connected") { $0.connected[bob] != nil }
        try await world.alice.send("hello", to: alice, pq: false)
        await world.bob.wait("the message") { $0.order[bob]?.count == 1 }
    }

    @Test func `Two agents connect by an invitation that is made and joined in the background`() async throws {
        let world = try await World()
        let alice = try await create(world)
        let link = try #require(await created(world.alice, alice))
        #expect(link.mode == .invitation)
        let bob = try await join(world, link)
        try await talk(world, alice, bob)
        #expect(Self.joined(world.bob.seen, bob) == 1)
        #expect(world.alice.seen.failures == [])
        #expect(world.bob.seen.failures == [])
        await world.close()
    }

    @Test func `A contact address and its request are answered in the background`() async throws {
        let world = try await World(answers: false)
        let address = try await create(world, .contact)
        let link = try #require(await created(world.alice, address))
        #expect(link.mode == .contact)
        let bob = try await join(world, link)
        await world.alice.wait("the request") { $0.requests.count == 1 }
        let invitation = try #require(world.alice.seen.requests.keys.first)
        let alice = try await world.alice.agent.acceptInBackground(
            user: world.aliceUser, invitation: invitation, info: Bytes("info of alice".utf8), pqSupport: false)
        try await talk(world, alice, bob)
        #expect(Self.joined(world.alice.seen, alice) == 1)
        await world.close()
    }

    @Test func `What could not be done before the process ended is done after it`() async throws {
        let world = try await World()
        world.alice.network.setFault { _, _ in .lostRequest }
        let alice = try await create(world)
        await world.alice.kill()
        #expect(Self.links(world.alice.seen, alice) == [])
        try await world.alice.restart()
        let link = try #require(await created(world.alice, alice))

        world.bob.network.setFault { _, _ in .lostRequest }
        let bob = try await join(world, link)
        await world.bob.kill()
        try await world.bob.restart()
        try await talk(world, alice, bob)
        await world.bob.wait("joined") { Self.joined($0, bob) == 1 }
        await world.close()
    }

    @Test func `What fails for good is reported, and not tried again after a restart`() async throws {
        let world = try await World()
        let made = try await world.alice.invite(pq: .off)
        try await world.alice.agent.delete([made.id], waitDelivery: false)
        await world.alice.wait("deleted") { $0.events.contains { $0.event == .connectionsDeleted([made.id]) } }
        let bob = try await join(world, made.link)
        await world.bob.wait("the failure") { !$0.failures.isEmpty }
        #expect(world.bob.seen.failures.map(\.code) == ["SMP"])
        #expect(try await world.bob.agent.core.store.commands().isEmpty)
        await world.bob.kill()
        try await world.bob.restart()
        #expect(Self.joined(world.bob.seen, bob) == 0)
        #expect(world.bob.seen.failures.count == 1)
        await world.close()
    }

    @Test func `Calls that cannot succeed are refused at once`() async throws {
        let world = try await World()
        await #expect(throws: AgentError.self) {
            try await world.alice.agent.createConnectionInBackground(user: world.aliceUser, mode: .contact, pq: .usePQ)
        }
        await #expect(throws: AgentError(.noUser)) {
            try await world.alice.agent.createConnectionInBackground(user: 99, mode: .invitation)
        }
        let invitation = InvitationID([1, 2, 3])
        await #expect(throws: AgentError.self) {
            try await world.alice.agent.acceptInBackground(user: world.aliceUser, invitation: invitation, info: [], pqSupport: false)
        }
        #expect(try await world.alice.agent.connections(of: world.aliceUser) == [])
        await world.close()
    }

    @Test(arguments: CrashTests.Victim.allCases)
    func `A process that ends at any step of it makes one connection all the same`(victim: CrashTests.Victim) async throws {
        var step = 0
        var isFinished = false
        while !isFinished {
            let world = try await World()
            let party = victim == .alice ? world.alice : world.bob
            // The call itself is of the caller: before it returns nothing is promised.
            let alice = try await create(world)
            let atOnce = victim == .alice ? party.killAndRestart(afterSteps: step) : nil
            let link = try #require(await created(world.alice, alice))
            let bob = try await join(world, link)
            let restarting = atOnce ?? party.killAndRestart(afterSteps: step)
            guard await world.alice.wait("connected, step \(step)", until: { $0.connected[alice] != nil }),
                await world.bob.wait("connected, step \(step)", until: { $0.connected[bob] != nil }),
                await world.bob.wait("joined, step \(step)", until: { Self.joined($0, bob) > 0 })
            else { return }
            // All links that were reported lead to the one connection that there is.
            #expect(Set(Self.links(world.alice.seen, alice).map(\.wireString)).count == 1)
            #expect(try await world.alice.agent.connections(of: world.aliceUser) == [alice])
            isFinished = try await !party.crash.settle(restarting)
            await world.close()
            step += 3
        }
        #expect(step > 9)
    }
}
