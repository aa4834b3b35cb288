import Foundation
import OfficialPeers
import ProcessSupport
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

/// Agents over real connections: TLS on loopback and this package's router, or the official one where it is installed.
@Suite struct RealRouterTests {
    /// Connects two agents, sends both ways with receipts, and lets one of them leave and come back.
    ///
    /// - Parameter proxy: what answers as the routers' proxies; nil for the routers themselves.
    private func converse(
        on server: SMPServerAddress, keys: QueueKeyAlgorithm = .x25519, routing: PrivateRoutingPolicy = PrivateRoutingPolicy(),
        proxy: (@Sendable (SMPClientPool) -> any SMPRouting)? = nil
    ) async throws {
        let (aliceFolder, bobFolder) = (try TemporaryFolder(), try TemporaryFolder())
        func open(_ folder: TemporaryFolder) throws -> (SMPAgent, SMPClientPool) {
            let pool = try SMPClientPool()
            var configuration = AgentConfiguration()
            configuration.queueKeys = keys
            configuration.network.privateRouting = routing.mode
            configuration.network.privateRoutingFallback = routing.fallback
            configuration.keyPairPoolSize = 0
            let network = proxy?(pool) ?? pool
            return (SMPAgent(configuration: configuration, store: try AgentStore(path: folder.path + "/agent.db"), network: network), pool)
        }
        let (alice, alicePool) = try open(aliceFolder)
        var (bob, bobPool) = try open(bobFolder)
        try await alice.start()
        try await bob.start()
        let aliceUser = try await alice.createUser(servers: [SMPServerWithAuth(server)])
        let bobUser = try await bob.createUser(servers: [SMPServerWithAuth(server)])

        let created = try await alice.createConnection(
            user: aliceUser, mode: .invitation, linkData: .invitation(UserLinkData(Bytes("hello".utf8))))
        let short = try #require(created.shortLink)
        let resolved = try await bob.resolveShortLink(user: bobUser, link: short)
        #expect(resolved.user.userData.bytes == Bytes("hello".utf8))
        let joined = try await bob.prepareToJoin(user: bobUser, link: resolved.fixed.connectionRequest, pqSupport: true)
        let isSecured = try await bob.join(
            user: bobUser, connection: joined, link: resolved.fixed.connectionRequest, info: Bytes("bob".utf8), pqSupport: true)
        #expect(isSecured)

        // Messages may be sent before the other side has allowed the connection.
        _ = try await bob.send([AgentSendRequest(connection: joined, body: Bytes("early".utf8))])[0].get()
        var texts: [String] = []
        var isPQ: [Bool] = []
        loop: for await notification in alice.events {
            switch notification.event {
            case .confirmation(let id, _, _, let info):
                #expect(info == Bytes("bob".utf8))
                try await alice.allowConnection(created.id, confirmation: id, info: Bytes("alice".utf8))
            case .message(let metadata, _, let body):
                texts.append(String(decoding: body, as: UTF8.self))
                isPQ.append(metadata.pqEncryption)
                try await alice.acknowledge(created.id, message: metadata.messageID, receipt: [])
            case .connected: break
            default: continue loop
            }
            if texts == ["early"], try await alice.stats(of: created.id).sendQueues.first?.status == .active { break }
        }
        _ = try await alice.send([AgentSendRequest(connection: created.id, body: Bytes("one".utf8))])[0].get()
        var seen: [String] = []
        var receipts = 0
        for await notification in bob.events {
            switch notification.event {
            case .message(let metadata, _, let body):
                seen.append(String(decoding: body, as: UTF8.self))
                isPQ.append(metadata.pqEncryption)
                try await bob.acknowledge(joined, message: metadata.messageID)
            case .receipts(let metadata, let list):
                receipts += list.count
                try await bob.acknowledge(joined, message: metadata.messageID)
            default: break
            }
            if seen == ["one"], receipts == 1 { break }
        }
        #expect(isPQ == [true, true])
        #expect(try await alice.ratchetHash(of: created.id) == bob.ratchetHash(of: joined))

        await bob.close()
        await bobPool.close()
        for number in 1...5 {
            _ = try await alice.send([AgentSendRequest(connection: created.id, body: Bytes("\(number)".utf8))])[0].get()
        }
        (bob, bobPool) = try open(bobFolder)
        try await bob.start()
        for (_, result) in await bob.subscribeAll() { #expect(throws: Never.self) { try result.get() } }
        seen = []
        for await notification in bob.events {
            guard case .message(let metadata, _, let body) = notification.event else { continue }
            #expect(metadata.integrity == .ok)
            seen.append(String(decoding: body, as: UTF8.self))
            try await bob.acknowledge(joined, message: metadata.messageID)
            if seen.count == 5 { break }
        }
        #expect(seen == (1...5).map(String.init))
        try await bob.delete([joined], waitDelivery: false)
        for await notification in bob.events where notification.event == .connectionsDeleted([joined]) { break }
        await bob.close()
        await alice.close()
        await bobPool.close()
        await alicePool.close()
    }

    @Test(.timeLimit(.minutes(10)), arguments: QueueKeyAlgorithm.allCases)
    func `Two agents talk over real connections through this package's router`(keys: QueueKeyAlgorithm) async throws {
        var configuration = RouterConfiguration(storage: .memory)
        configuration.port = 0
        let router = try await SMPRouter.start(configuration)
        try await converse(on: router.address, keys: keys)
        await router.stop()
    }

    @Test(.timeLimit(.minutes(10))) func `Two agents talk through a proxy`() async throws {
        var configuration = RouterConfiguration(storage: .memory)
        configuration.port = 0
        let router = try await SMPRouter.start(configuration)
        let proxies = Mutex<[ProxyingNetwork]>([])
        try await converse(on: router.address, routing: PrivateRoutingPolicy(mode: .always, fallback: .prohibit)) { pool in
            let network = ProxyingNetwork(pool)
            proxies.withLock { $0.append(network) }
            return network
        }
        // Alice, Bob, and Bob after his restart: everything that senders do went through a proxy.
        let counts = proxies.withLock { $0 }.map { ($0.connectCount, $0.forwardCount) }
        #expect(counts.map(\.0).prefix(2) == [1, 1])
        #expect(counts[0].1 >= 9)
        #expect(counts[1].1 >= 3)
        for network in proxies.withLock({ $0 }) { await network.loseSessions() }
        await router.stop()
    }

    @Test(.timeLimit(.minutes(10))) func `Two agents talk through their router as a proxy`() async throws {
        var configuration = RouterConfiguration(storage: .memory)
        configuration.port = 0
        let router = try await SMPRouter.start(configuration)
        try await converse(on: router.address, routing: PrivateRoutingPolicy(mode: .always, fallback: .prohibit))
        #expect(router.statistics.counters.commandsForwarded > 10)
        await router.stop()
    }

    @Test(.enabled(if: PeerProgram.smpServer.isInstalled, "\(PeerProgram.smpServer.missing)"), .timeLimit(.minutes(10)), arguments: QueueKeyAlgorithm.allCases)
    func `Two agents talk through the official router`(keys: QueueKeyAlgorithm) async throws {
        let server = try await OfficialRouter.start()
        try await converse(on: try server.serverAddress, keys: keys)
        await server.stop(.kill)
    }
}

extension RealRouterTests {
    @Test(.enabled(if: PeerProgram.smpServer.isInstalled, "\(PeerProgram.smpServer.missing)"), .timeLimit(.minutes(10)))
    func `Two agents talk through the official router as a proxy`() async throws {
        let server = try await OfficialRouter.start()
        try await converse(on: try server.serverAddress, routing: PrivateRoutingPolicy(mode: .always, fallback: .prohibit))
        await server.stop(.kill)
    }
}
