import SMPClient
import SMPProtocol
import SMPSimulation
import SMPWire
import Synchronization
import TestSupport
import Testing

@testable import SMPAgent

@Suite struct ServerStatisticsTests {
    private func statistics(_ party: TestParty, _ server: SMPServerAddress) async -> ServerStatistics {
        let user = party.user.withLock { $0 }
        return await party.agent.serversSummary().statistics[AgentServerKey(user: user, server: server)] ?? ServerStatistics()
    }

    @Test func `What happens on routers is counted for who it happens to`() async throws {
        let pair = try await Pair(receipts: true)
        let (alice, bob) = try await pair.connect()
        let (aliceRouter, bobRouter) = (pair.routers[0].address, pair.routers[1].address)
        for number in 1...3 { try await pair.alice.send("\(number)", to: alice) }
        await pair.alice.wait("receipts") { $0.receipts[alice]?.count == 3 }
        await pair.bob.agent.core.acknowledgementsSent(within: .seconds(60))

        // Bob made his queue on his own router; Alice has sent to it: her confirmation and three messages.
        let sent = await statistics(pair.alice, bobRouter)
        #expect(sent[.sentDirect] == 4)
        #expect(sent[.sentDirectAttempts] == 4)
        #expect(sent[.connCreated] == 0)
        let received = await statistics(pair.bob, bobRouter)
        #expect(received[.recvMsgs] == 4)
        #expect(received[.ackMsgs] == 4)
        #expect(received[.connCreated] == 1)
        #expect(received[.connCompleted] == 1)
        #expect(received[.recvDuplicates] == 0)
        #expect(await statistics(pair.alice, aliceRouter)[.connCompleted] == 1)

        pair.alice.network.setFault { request, _ in
            if case .send = request.command { .refused(.auth) } else { nil }
        }
        try await pair.alice.send("refused", to: alice)
        await pair.alice.wait("given up") { memory in
            memory.events.contains { if case .messageFailed = $0.event { true } else { false } }
        }
        let refused = await statistics(pair.alice, bobRouter)
        #expect(refused[.sentAuthErrs] == 1)
        #expect(refused[.sentDirectAttempts] == 5)
        #expect(refused[.sentDirect] == 4)

        try await pair.bob.agent.delete([bob], waitDelivery: false)
        await pair.bob.wait("deleted") { $0.events.contains { $0.event == .connectionsDeleted([bob]) } }
        #expect(await statistics(pair.bob, bobRouter)[.connDeleted] == 1)
        await pair.close()
    }

    @Test func `What was counted outlives a restart, until it is reset`() async throws {
        let folder = try TemporaryFolder()
        let internet = SimulatedInternet()
        let router = internet.addRouter("one.example")
        let alice = try await TestParty("alice", internet, on: [router.address], path: folder.path + "/a.db")
        _ = try await alice.invite()
        let before = await alice.agent.serversSummary()
        #expect(before.startedAt > 0)
        #expect(await statistics(alice, router.address)[.connCreated] == 1)
        await alice.close()
        try await alice.start()
        let after = await alice.agent.serversSummary()
        #expect(after.startedAt == before.startedAt)
        #expect(after.statistics == before.statistics)

        await alice.agent.resetServerStatistics()
        #expect(await alice.agent.serversSummary().statistics.isEmpty)
        await alice.close()
        try await alice.start()
        #expect(await alice.agent.serversSummary().statistics.isEmpty)
        #expect(await alice.agent.serversSummary().startedAt >= before.startedAt)
        await alice.close()
    }

    @Test func `The summary tells how sessions and subscriptions stand`() async throws {
        let pair = try await Pair()
        let (alice, _) = try await pair.connect()
        let user = pair.alice.user.withLock { $0 }
        let own = AgentServerKey(user: user, server: pair.routers[0].address)
        let queue = try #require(pair.alice.agent.subscriptions().first)
        #expect(queue.connection == alice)
        #expect(queue.status == .active)
        var summary = await pair.alice.agent.serversSummary()
        #expect(summary.subscriptions[own]?.active == 1)
        #expect(summary.sessions[own]?.connected == 1)
        pair.alice.network.disconnect(pair.routers[0].address)
        await pair.alice.wait("down") { $0.events.contains { $0.event == .down(pair.routers[0].address, [alice]) } }
        summary = await pair.alice.agent.serversSummary()
        #expect(summary.subscriptions[own]?.active == 0)
        #expect(summary.subscriptions[own]?.pending == 1)
        let total = await pair.alice.agent.subscriptionTotal(of: [user])
        #expect(total.subscriptions.pending == 1)
        #expect(!total.isConnected)
        #expect(await pair.alice.agent.subscriptionTotal(of: [user + 1]).subscriptions == SubscriptionCounts())
        await pair.close()
    }
}

@Suite struct SubscriptionStatusTests {
    private func restarted(_ body: (TestParty, SimulatedRouter, ConnectionID) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let internet = SimulatedInternet()
        let router = internet.addRouter("one.example")
        let alice = try await TestParty("alice", internet, on: [router.address], path: folder.path + "/a.db")
        let made = try await alice.invite()
        await alice.close()
        try await alice.start()
        try await body(alice, router, made.id)
        await alice.close()
    }

    @Test func `The first subscription is reported when it is there, once`() async throws {
        try await restarted { alice, router, connection in
            _ = await alice.agent.subscribeAll()
            await alice.wait("up") { $0.events.contains { $0.event == .up(router.address, [connection]) } }
            _ = await alice.agent.subscribeAll()
            let other = try await alice.invite()
            _ = await alice.agent.subscribeAll()
            #expect(alice.seen.events.filter { if case .up = $0.event { true } else { false } }.count == 1)
            #expect(try await alice.agent.stats(of: other.id).subscription == .active)
        }
    }

    @Test func `A router that is away at first is reported as down, and then as up`() async throws {
        try await restarted { alice, router, connection in
            alice.network.disconnect(router.address)
            let outcome = await alice.agent.subscribeAll()
            #expect(throws: AgentError.self) { try outcome[connection]?.get() }
            await alice.wait("down") { $0.events.contains { $0.event == .down(router.address, [connection]) } }
            let pendingStats = try await alice.agent.stats(of: connection)
            #expect(pendingStats.subscription == .pending)
            #expect(!alice.seen.events.contains { if case .up = $0.event { true } else { false } })
            alice.network.reconnect(router.address)
            await alice.wait("up") { $0.events.contains { $0.event == .up(router.address, [connection]) } }
            let activeStats = try await alice.agent.stats(of: connection)
            #expect(activeStats.subscription == .active)
        }
    }

    @Test func `A queue that the router does not have is reported with the reason, and never as active`() async throws {
        try await restarted { alice, router, connection in
            alice.network.setFault { request, _ in request.command == .sub ? .refused(.auth) : nil }
            _ = await alice.agent.subscribeAll()
            await alice.wait("the fault") { memory in
                memory.events.contains { notification in
                    guard case .connectionsFailed(let failures) = notification.event else { return false }
                    return failures.map(\.connection) == [connection] && failures.first?.error.code == "SMP"
                }
            }
            guard case .removed = try await alice.agent.stats(of: connection).subscription else {
                Issue.record("the queue is not reported as removed")
                return
            }
            #expect(!alice.seen.events.contains { if case .up = $0.event { true } else { false } })
        }
    }
}

@Suite struct NetworkConfigurationTests {
    @Test func `Subscriptions move to other sessions when connections are to be kept apart, and back`() async throws {
        let pair = try await Pair()
        let (alice, bob) = try await pair.connect()
        var settings = pair.alice.agent.networkConfiguration
        for (mode, isOwn) in [(NetworkConfiguration.SessionMode.entity, true), (.session, false)] {
            settings.sessionMode = mode
            try await pair.alice.agent.setNetworkConfiguration(settings)
            #expect(pair.alice.agent.networkConfiguration == settings)
            let sessions = await pair.alice.network.sessionStates()
            #expect(sessions.filter { $0.value == .connected }.contains { ($0.key.entity == EntityID(alice.bytes)) == isOwn })
            try await pair.bob.send("\(mode)", to: bob)
            await pair.alice.wait("message") { $0.order[alice]?.last == Bytes("\(mode)".utf8) }
            #expect(try await pair.alice.agent.stats(of: alice).subscription == .active)
        }
        #expect(pair.alice.seen.failures == [])
        await pair.close()
    }

    @Test func `Reconnecting loses nothing and is reported`() async throws {
        let pair = try await Pair()
        let (alice, bob) = try await pair.connect()
        await pair.alice.agent.reconnectAll()
        await pair.alice.wait("up") { $0.events.contains { $0.event == .up(pair.routers[0].address, [alice]) } }
        try await pair.bob.send("after", to: bob)
        await pair.alice.wait("message") { $0.order[alice]?.count == 1 }
        let user = pair.alice.user.withLock { $0 }
        await pair.alice.agent.reconnect(pair.routers[1].address, user: user)
        await pair.alice.agent.reconnect(pair.routers[0].address, user: user + 1)
        #expect(pair.alice.seen.events.filter { if case .serverDisconnected = $0.event { true } else { false } }.count == 1)
        await pair.close()
    }
}
