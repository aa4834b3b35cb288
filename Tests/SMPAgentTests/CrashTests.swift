import Foundation
import FoundationEssentials
import SMPProtocol
import SMPSimulation
import SMPWire
import Synchronization
import TestSupport
import Testing

@testable import SMPAgent

/// Runs a conversation again and again and ends one of the agents at every single step of it.
@Suite struct CrashTests {
    enum Victim: String, CaseIterable { case alice, bob }

    private struct World {
        let folder: TemporaryFolder
        let internet = SimulatedInternet()
        let alice: TestParty
        let bob: TestParty

        init(_ aliceConfiguration: AgentConfiguration, _ bobConfiguration: AgentConfiguration, receipts: Bool) async throws {
            folder = try TemporaryFolder()
            let one = internet.addRouter("one.example")
            let two = internet.addRouter("two.example")
            alice = try await TestParty(
                "alice", internet, on: [one.address], path: folder.path + "/alice.db", receipts: receipts,
                configuration: aliceConfiguration)
            bob = try await TestParty(
                "bob", internet, on: [two.address], path: folder.path + "/bob.db", receipts: receipts, configuration: bobConfiguration)
        }

        func party(_ victim: Victim) -> TestParty { victim == .alice ? alice : bob }

        func close() async {
            await alice.close()
            await bob.close()
        }
    }

    /// Sends numbered messages both ways, again if the sending itself was interrupted.
    private func converse(
        _ world: World, _ alice: ConnectionID, _ bob: ConnectionID, count: Int, outliving crash: Task<Void, any Error>
    ) async throws {
        func send(_ party: TestParty, _ connection: ConnectionID) async throws {
            for number in 1...count {
                _ = try await party.crash.outliving(crash) { try await party.send("\(number)", to: connection, pq: false) }
            }
        }
        async let one: Void = send(world.alice, alice)
        async let two: Void = send(world.bob, bob)
        _ = try await (one, two)
    }

    /// What the other party must have seen: all numbers in order; those whose sending was interrupted may be there twice.
    private func check(_ texts: [String], count: Int, _ what: Comment) {
        var numbers = texts.compactMap(Int.init)
        #expect(numbers == numbers.sorted(), what)
        numbers = Array(Set(numbers)).sorted()
        #expect(numbers == Array(1...count), what)
        #expect(texts.count <= count + 1, what)
    }

    @Test(arguments: Victim.allCases, [UInt16(7), 2])
    func `A process that ends at any step of making a connection and talking goes on after a restart`(
        victim: Victim, version: UInt16
    ) async throws {
        // Every second step of one party and every other one of the other, to save time: with 1 for 2 every step passes as well.
        var step = victim == .alice ? 0 : 1
        var isFinished = false
        while !isFinished {
            // Without post-quantum encryption, whose keys would take most of the time.
            let configuration = AgentConfiguration.version(version)
            let world = try await World(configuration, configuration, receipts: true)
            let created = try await world.alice.invite(pq: .off)
            let user = world.bob.user.withLock { $0 }
            let joined = try await world.bob.agent.prepareToJoin(user: user, link: created.link, pqSupport: false)
            let crash = world.party(victim).killAndRestart(afterSteps: step)
            // The user of the joining party repeats the call when it fails; an interrupted call is finished by the agent.
            _ = try await world.bob.crash.outliving(crash) {
                try await world.bob.agent.join(user: user, connection: joined, link: created.link, info: [1], pqSupport: false)
            }
            guard await world.alice.wait("connected, step \(step)", until: { $0.connected[created.id] != nil }),
                await world.bob.wait("connected, step \(step)", until: { $0.connected[joined] != nil })
            else { return }
            try await converse(world, created.id, joined, count: 4, outliving: crash)
            guard await world.alice.wait("all messages, step \(step)", until: { Set($0.order[created.id] ?? []).count == 4 }),
                await world.bob.wait("all messages, step \(step)", until: { Set($0.order[joined] ?? []).count == 4 })
            else { return }
            check(world.alice.texts(created.id), count: 4, "alice, step \(step)")
            check(world.bob.texts(joined), count: 4, "bob, step \(step)")
            isFinished = try await !world.party(victim).crash.settle(crash)
            await world.close()
            step += version == 7 ? 2 : 5
        }
        #expect(step > 20)
    }
}
