import AsyncPrimitives
import RouterSupport
import SMPClient
import SMPProtocol
import SMPServer
import TestSupport
import Testing

@testable import SMPAgent

/// An agent that is a service to its routers, over real connections.
@Suite struct ServiceTests {
    private struct Party {
        let agent: SMPAgent
        let pool: SMPClientPool

        init(_ folder: TemporaryFolder, isService: Bool) async throws {
            var client = SMPClientConfiguration()
            client.network.usesServices = isService
            client.retry.initial = .milliseconds(20)
            pool = try SMPClientPool(configuration: client)
            var configuration = AgentConfiguration.quick
            configuration.network = client.network
            agent = SMPAgent(configuration: configuration, store: try AgentStore(path: folder.path + "/agent.db"), network: pool)
            try await agent.start()
        }

        func close() async {
            await agent.close()
            await pool.close()
        }

        /// Subscribes to everything.
        ///
        /// - Parameter told: how often services are told of.
        /// - Returns: what is told of services until then, and until all connections are up.
        func subscribeAll(_ count: Int, told: Int) async -> [ServiceSubscriptionState] {
            let results = await agent.subscribeAll()
            #expect(results.count == count)
            for (_, result) in results { #expect(throws: Never.self) { try result.get() } }
            var states: [ServiceSubscriptionState] = []
            var isUp = false
            for await notification in agent.events {
                switch notification.event {
                case .serviceSubscription(_, let state): states.append(state)
                case .up(_, let connections) where connections.count == count: isUp = true
                default: break
                }
                if isUp, states.count >= told { return states }
            }
            return states
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `Queues are subscribed to at once after restarts, one by one when the service is turned off, and at once again`() async throws {
        let folder = try TemporaryFolder()
        var router = RouterConfiguration(storage: .memory)
        router.port = 0
        let running = try await SMPRouter.start(router)
        func counters() -> (one: UInt64, all: UInt64) {
            (running.statistics.counters.subscriptions, running.statistics.counters.serviceSubscriptions)
        }
        var party = try await Party(folder, isService: true)
        let user = try await party.agent.createUser(servers: [SMPServerWithAuth(running.address)])
        var last: CreatedConnection?
        for _ in 0..<8 { last = try await party.agent.createConnection(user: user, mode: .contact) }
        await party.close()

        party = try await Party(folder, isService: true)
        #expect(await party.subscribeAll(8, told: 2) == [.complete(queues: 8), .allDelivered])
        #expect(counters() == (0, 1))
        await party.close()

        party = try await Party(folder, isService: false)
        #expect(await party.subscribeAll(8, told: 0) == [])
        #expect(counters() == (8, 1))
        let core = party.agent.core
        try await eventually("the router's word that they are no service's is stored") {
            try await core.store.flush()
            return try await core.store.subscriptions(nil).allSatisfy { try $0.queue?.get().service == nil }
        }
        await party.close()

        // Nothing is the service's now, as the agent knows.
        party = try await Party(folder, isService: true)
        #expect(await party.subscribeAll(8, told: 0) == [])
        #expect(counters() == (16, 1))
        await party.close()

        party = try await Party(folder, isService: true)
        // Of one connection only: the others' messages come too, and are not lost.
        let link = try #require(last)
        let other = try #require(try await party.agent.connections(of: user).first { $0 != link.id })
        _ = await party.agent.subscribe([other])
        let peerFolder = try TemporaryFolder()
        let peer = try await Party(peerFolder, isService: false)
        let peerUser = try await peer.agent.createUser(servers: [SMPServerWithAuth(running.address)])
        let joined = try await peer.agent.prepareToJoin(user: peerUser, link: link.link, pqSupport: false)
        _ = try await peer.agent.join(user: peerUser, connection: joined, link: link.link, info: [1], pqSupport: false)
        for await notification in party.agent.events {
            guard case .request = notification.event else { continue }
            #expect(notification.connection == link.id)
            break
        }
        await peer.close()
        await party.close()
        await running.stop()
    }
}
