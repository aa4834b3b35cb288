import AsyncPrimitives
import SMPProtocol
import SMPRatchet
import SMPSimulation
import SMPWire
import Synchronization
import TestSupport
import Testing

@testable import SMPAgent

/// Work that a peer or a router makes for nothing.
@Suite struct IdleWorkTests {
    @Test func `After a burst so many messages a second are acknowledged, and after a rest a burst again`() {
        var allowance = IdleWorkAllowance()
        let start: Int64 = 1_700_000_000_000
        var waits = (0..<IdleWorkAllowance.burst).map { _ in allowance.take(now: start) }
        #expect(waits.allSatisfy { $0 == .zero })
        // Each comes when the one before it was acknowledged.
        var now = start
        for _ in 0..<50 {
            let wait = allowance.take(now: now)
            #expect(wait == .milliseconds(IdleWorkAllowance.interval))
            now += IdleWorkAllowance.interval
        }
        waits = (0..<2 * IdleWorkAllowance.burst).map { _ in allowance.take(now: now + 1_000_000) }
        #expect(waits.prefix(Int(IdleWorkAllowance.burst)).allSatisfy { $0 == .zero })
        #expect(waits.last == .milliseconds(IdleWorkAllowance.burst * IdleWorkAllowance.interval))
        // The clock is put back by a year: nobody waits for longer than for a burst.
        #expect(allowance.take(now: now - 31_536_000_000) <= .milliseconds(IdleWorkAllowance.burst * IdleWorkAllowance.interval))
    }

    @Test func `A body with many useless messages counts for as many`() {
        var allowance = IdleWorkAllowance()
        let now: Int64 = 1_700_000_000_000
        #expect(allowance.take(now: now, weight: Int(IdleWorkAllowance.burst)) == .zero)
        #expect(allowance.take(now: now, weight: 100) == .milliseconds(100 * IdleWorkAllowance.interval))
        // More than a body can hold does not make the queue wait for ever.
        var other = IdleWorkAllowance()
        #expect(other.take(now: now, weight: .max) == .milliseconds((IdleWorkAllowance.largestWeight - IdleWorkAllowance.burst) * IdleWorkAllowance.interval))
        #expect(other.take(now: now, weight: -1) > .zero)
    }

    @Test func `What the user found of no use slows the queue down like what could not be decrypted`() async throws {
        let pair = try await Pair()
        let (alice, bob) = try await pair.connect()
        let start = pair.bob.agent.core.now
        pair.bob.uselessMessages.withLock { $0 = Int(IdleWorkAllowance.burst) + 5 }
        let clock = ContinuousClock.now
        try await pair.alice.send("useless", to: alice)
        try await pair.alice.send("after", to: alice)
        await pair.bob.wait("after") { $0.order[bob]?.last == Bytes("after".utf8) }
        #expect(ContinuousClock.now - clock >= .milliseconds(4 * Int(IdleWorkAllowance.interval)))
        let active = pair.bob.agent.core.connections.checkOut(bob)
        #expect(active.countIdleWork(now: start) > .zero, "the allowance is used up")
        pair.bob.agent.core.connections.checkIn(active)
        await pair.close()
    }

    @Test func `A peer whose messages cannot be decrypted is slowed down, and heard all the same`() async throws {
        let pair = try await Pair(quota: 1_000)
        let (alice, bob) = try await pair.connect()
        let excess = 15
        let count = Int(IdleWorkAllowance.burst) + excess
        // What is counted from then on is more than a burst, however long it takes to come.
        let start = pair.bob.agent.core.now
        let clock = ContinuousClock.now
        for number in 0..<count {
            let body = Bytes(repeating: UInt8(truncatingIfNeeded: number), count: 15_900)
            try await pair.alice.inject(AgentEnvelope.message(version: 7, encrypted: body).wireBytes, into: alice)
        }
        try await pair.alice.send("after", to: alice)
        await pair.bob.wait("after") { $0.order[bob]?.last == Bytes("after".utf8) }
        // Each beyond the burst was acknowledged later by an interval, and the next one comes after that. A slow machine takes longer only.
        #expect(ContinuousClock.now - clock >= .milliseconds((excess - 1) * Int(IdleWorkAllowance.interval)))
        let active = pair.bob.agent.core.connections.checkOut(bob)
        #expect(active.countIdleWork(now: start) > .zero, "the allowance is used up")
        pair.bob.agent.core.connections.checkIn(active)
        await pair.close()
    }

    @Test func `Messages stay at their router while the user takes no events, and come when it does`() async throws {
        var configuration = AgentConfiguration.quick
        configuration.maximumPendingEvents = 5
        configuration.pendingEventsRetry = .milliseconds(2)
        let pair = try await Pair(.quick, configuration)
        let (alice, bob) = try await pair.connect()
        try await eventually("nothing is pending") { pair.bob.agent.core.events.count == 0 }
        await pair.bob.reading.acquire()
        // Each of these is acknowledged by the agent itself, which says that it was of no use.
        for number in 0..<30 {
            let body = Bytes(repeating: UInt8(number), count: 15_900)
            try await pair.alice.inject(AgentEnvelope.message(version: 7, encrypted: body).wireBytes, into: alice)
        }
        try await pair.alice.send("after", to: alice)
        let events = pair.bob.agent.core.events
        try await eventually("as many are pending as may be") { events.count > configuration.maximumPendingEvents }
        // The reader has one in its hand. A message makes one event, or two when the ratchet has to be agreed on again.
        for _ in 0..<100 {
            _ = try await pair.bob.agent.stats(of: bob)
            #expect(events.count <= configuration.maximumPendingEvents + 2)
        }
        pair.bob.reading.release()
        await pair.bob.wait("after") { $0.order[bob]?.last == Bytes("after".utf8) }
        await pair.close()
    }

    @Test func `Of one queue a bounded number of deliveries wait, and the same one waits once`() {
        let active = ActiveConnection(ConnectionID([1]))
        let server = SMPServerAddress(host: .domain("x.example"), keyHash: KeyHash(Bytes(repeating: 1, count: 32)))
        func incoming(_ row: RowID, _ number: UInt8) -> IncomingMessage {
            IncomingMessage(
                queue: QueueKey(server: server, recipientID: EntityID([UInt8(row)])), row: row,
                message: ReceivedMessage(id: MessageID([number]), encryptedBody: []))
        }
        #expect(active.append(incoming(1, 1)))
        for _ in 0..<1_000 { #expect(!active.append(incoming(1, 1))) }
        for number in 0..<200 { _ = active.append(incoming(2, UInt8(number))) }
        var waiting: [(RowID, UInt8)] = []
        while let next = active.nextIncoming() { waiting.append((next.row, next.message.id.bytes[0])) }
        #expect(waiting.map(\.0) == [1, 2, 2, 2, 2])
        #expect(waiting.map(\.1) == [1, 196, 197, 198, 199])
    }

    @Test func `A peer that sends new keys for the ratchet without end is refused after some`() async throws {
        let pair = try await Pair()
        let (alice, _) = try await pair.connect()
        var state = try #require(try await pair.alice.agent.core.store.connection(alice))
        let context = pair.alice.agent.core.context
        for number in 0..<AgentLimits.maximumAgreements { state.processedRatchetKeys[Bytes("\(number)".utf8)] = 1 }
        var transition = Transition(state)
        let keys = AgreementKeys(proposingKEM: false, context)
        #expect(throws: AgentError.peer(.prohibited("AgentRatchetKey: too many agreements"))) {
            try transition.receive(keys.offer(version: 3), context)
        }
        #expect(transition.state.processedRatchetKeys.count == AgentLimits.maximumAgreements)
        #expect(transition.storeChanges.isEmpty)
        await pair.close()
    }
}
