import SMPClient
import SMPProtocol
import SMPSimulation
import Synchronization
import TestSupport
import Testing

@testable import SMPAgent

/// The clock of an agent's machine is set: forwards and backwards, by more than an hour, a day, to 1970 and to 2100.
@Suite struct ClockTests {
    /// Milliseconds since 1970, set by the test.
    private final class WallClock: Sendable {
        private let time = Mutex<Int64>(ClockTests.start)
        var now: Int64 { time.withLock { $0 } }
        func set(_ now: Int64) { time.withLock { $0 = now } }
    }

    private static let start: Int64 = 1_700_000_000_000
    private static let jumps: [Int64] = [
        start + 4_000_000, start - 4_000_000, start + 90_000_000, start - 90_000_000, 0, 4_102_444_800_000, -86_400_000, start + 30 * 86_400_000,
    ]

    @Test(arguments: jumps)
    func `Messages that wait are not given up, receipts find what they are for, and order is kept`(_ time: Int64) async throws {
        let internet = SimulatedInternet(), clock = WallClock()
        let routers = [internet.addRouter("one.example"), internet.addRouter("two.example")]
        let alice = try await TestParty("alice", internet, on: [routers[0].address], receipts: true, configuration: .version(7), now: { clock.now })
        let bob = try await TestParty("bob", internet, on: [routers[1].address], receipts: true, configuration: .version(7), now: { clock.now })
        let created = try await alice.invite(pq: .off)
        let joined = try await bob.join(created.link, pqSupport: false)
        await alice.wait("connected") { $0.connected[created.id] != nil }
        await bob.wait("connected") { $0.connected[joined] != nil }
        try await bob.send("0", to: joined, pq: false)
        await alice.wait("the first") { $0.order[created.id]?.count == 1 }

        // The router cannot be reached for a while, and the clock is set meanwhile.
        let attempts = Atomic(0), isAway = Atomic(true)
        alice.network.setFault { _, _ in
            guard isAway.load(ordering: .relaxed) else { return nil }
            attempts.add(1, ordering: .relaxed)
            return .lostRequest
        }
        for number in 1...3 { try await alice.send("\(number)", to: created.id, pq: false) }
        clock.set(time)
        for number in 4...6 { try await alice.send("\(number)", to: created.id, pq: false) }
        try await eventually("it is tried") { attempts.load(ordering: .relaxed) >= 5 }
        try await alice.agent.core.cleanUp()
        try await bob.agent.core.cleanUp()
        isAway.store(false, ordering: .relaxed)
        await bob.wait("what waited") { $0.order[joined]?.count == 6 }
        #expect(bob.texts(joined) == (1...6).map(String.init))
        // And it is set right again.
        clock.set(Self.start + 60_000)
        try await alice.send("7", to: created.id, pq: false)
        try await alice.agent.core.cleanUp()
        await bob.wait("the last") { $0.order[joined]?.count == 7 }
        await alice.wait("receipts for all") { $0.receipts[created.id]?.count == 7 }
        await bob.wait("the receipt for the first") { $0.receipts[joined]?.count == 1 }
        #expect(alice.seen.failures == [] && bob.seen.failures == [])
        let isGivenUp = alice.seen.events.contains { if case .messageFailed = $0.event { true } else { false } }
        #expect(!isGivenUp)
        await alice.close()
        await bob.close()
    }

    @Test(arguments: jumps)
    func `A connection that is deleted sends what waits first, whatever the clock is set to`(_ time: Int64) async throws {
        let internet = SimulatedInternet(), clock = WallClock()
        let routers = [internet.addRouter("one.example"), internet.addRouter("two.example")]
        let alice = try await TestParty("alice", internet, on: [routers[0].address], configuration: .version(7), now: { clock.now })
        let bob = try await TestParty("bob", internet, on: [routers[1].address], configuration: .version(7), now: { clock.now })
        let created = try await alice.invite(pq: .off)
        let joined = try await bob.join(created.link, pqSupport: false)
        await alice.wait("connected") { $0.connected[created.id] != nil }
        await bob.wait("connected") { $0.connected[joined] != nil }
        let isAway = Atomic(true)
        alice.network.setFault { _, _ in isAway.load(ordering: .relaxed) ? .lostRequest : nil }
        try await alice.send("the last word", to: created.id, pq: false)
        try await alice.agent.delete([created.id], waitDelivery: true)
        clock.set(time)
        try await alice.agent.core.cleanUp()
        isAway.store(false, ordering: .relaxed)
        await bob.wait("the last word") { $0.order[joined]?.count == 1 }
        await alice.close()
        await bob.close()
    }
}
