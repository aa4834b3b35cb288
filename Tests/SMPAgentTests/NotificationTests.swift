import OfficialPeers
import ProcessSupport
import RouterSupport
import SMPClient
import SMPCrypto
import SMPProtocol
import SMPServer
import SMPWire
import TestSupport
import Testing

@testable import SMPAgent

/// Notifiers of an agent's queues, which a second client subscribes to as a notification server does.
@Suite struct NotificationTests {
    /// What a notification server is told next.
    private func next(_ events: inout AsyncStream<SMPClientEvent>.Iterator) async throws -> (notifier: NotifierID, nonce: BoxNonce, notice: Bytes) {
        while let event = await events.next() {
            if case .notification(_, let notifier, let nonce, let notice) = event { return (notifier, nonce, notice) }
        }
        throw AgentError(.inactive)
    }

    /// - Parameter isAskedWithQueue: whether the queue is made with its notifier.
    private func notify(through server: SMPServerAddress, isAskedWithQueue: Bool) async throws {
        let folder = try TemporaryFolder()
        func open() async throws -> (SMPAgent, SMPClientPool) {
            let pool = try SMPClientPool()
            var configuration = AgentConfiguration.quick
            configuration.newQueuesHaveNotifiers = isAskedWithQueue
            let agent = SMPAgent(configuration: configuration, store: try AgentStore(path: folder.path + "/agent.db"), network: pool)
            try await agent.start()
            return (agent, pool)
        }
        var (alice, pool) = try await open()
        let user = try await alice.createUser(servers: [SMPServerWithAuth(server)])
        let created = try await alice.createConnection(user: user, mode: .contact)
        #expect(try await alice.notifiers(of: created.id).count == (isAskedWithQueue ? 1 : 0))
        let made = try await alice.notifiers(of: created.id).first
        let notifier = try #require(try await alice.enableNotifications(of: created.id).first)
        #expect(try await alice.enableNotifications(of: created.id) == [notifier])
        if isAskedWithQueue { #expect(made == notifier) }

        let watcher = try SMPClientPool()
        let session = TransportSessionKey(userID: 9, server: server)
        let subscribed = try await watcher.send(
            SMPRequest(entity: notifier.notifierID, command: .nsub, authKey: notifier.privateKey), over: session)
        #expect(subscribed == .ok || subscribed == .sok(nil))
        var events = watcher.events.makeAsyncIterator()

        let bobPool = try SMPClientPool()
        let bob = SMPAgent(configuration: .quick, store: try AgentStore(path: nil), network: bobPool)
        try await bob.start()
        let bobUser = try await bob.createUser(servers: [SMPServerWithAuth(server)])
        let joined = try await bob.prepareToJoin(user: bobUser, link: created.link, pqSupport: false)
        _ = try await bob.join(user: bobUser, connection: joined, link: created.link, info: [1], pqSupport: false)
        let told = try await next(&events)
        #expect(told.notifier == notifier.notifierID)
        let meta = try notifier.open(told.notice, nonce: told.nonce)
        #expect(!meta.id.bytes.isEmpty && meta.timestamp > 1_700_000_000)
        #expect(throws: AgentError.self) { try notifier.open(told.notice, nonce: BoxNonce.random(SystemRandomSource())) }

        // They are kept, and end with the queue's notifier.
        await alice.close()
        await pool.close()
        (alice, pool) = try await open()
        #expect(try await alice.notifiers(of: created.id) == [notifier])
        try await alice.disableNotifications(of: created.id)
        #expect(try await alice.notifiers(of: created.id).isEmpty)
        await #expect(throws: SMPClientError.self) {
            try await watcher.send(SMPRequest(entity: notifier.notifierID, command: .nsub, authKey: notifier.privateKey), over: session)
        }
        for agent in [alice, bob] { await agent.close() }
        for pool in [pool, watcher, bobPool] { await pool.close() }
    }

    @Test(.timeLimit(.minutes(5)), arguments: [false, true])
    func `A second client hears of messages through this package's router`(isAskedWithQueue: Bool) async throws {
        var configuration = RouterConfiguration(storage: .memory)
        configuration.port = 0
        let router = try await SMPRouter.start(configuration)
        try await notify(through: router.address, isAskedWithQueue: isAskedWithQueue)
        await router.stop()
    }

    @Test(.enabled(if: PeerProgram.smpServer.isInstalled, "\(PeerProgram.smpServer.missing)"), .timeLimit(.minutes(5)), arguments: [false, true])
    func `A second client hears of messages through the official router`(isAskedWithQueue: Bool) async throws {
        let router = try await OfficialRouter.start()
        try await notify(through: try router.serverAddress, isAskedWithQueue: isAskedWithQueue)
        await router.stop(.kill)
    }
}
