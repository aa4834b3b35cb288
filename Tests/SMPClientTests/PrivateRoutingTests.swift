import Logging
import OfficialPeers
import ProcessSupport
import RouterSupport
import SMPCrypto
import SMPProtocol
import SMPServer
import SMPSimulation
import SMPWire
import Synchronization
import TestSupport
import Testing

@testable import SMPClient

/// Commands that go through a proxy to this package's router.
@Suite("Private message routing")
struct PrivateRoutingTests {
    /// A router with a queue, its recipient, and a sender behind a proxy.
    private struct World {
        let router: SMPRouter
        let recipient: SMPClientPool
        let pool: SMPClientPool
        let proxies: ProxyingNetwork
        let clock = ManualClock()
        let sender: PrivateRouter
        let queue: Queue
        let own: TransportSessionKey
        let destination: TransportSessionKey
        let known: [SMPServerWithAuth]

        init(keys: Int = 0) async throws {
            var configuration = RouterConfiguration(storage: .memory)
            configuration.port = 0
            router = try await SMPRouter.start(configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            recipient = try SMPClientPool()
            pool = try SMPClientPool()
            proxies = ProxyingNetwork(pool)
            sender = PrivateRouter(network: proxies, clock: clock)
            own = TransportSessionKey(userID: 1, server: router.address)
            destination = TransportSessionKey(userID: 2, server: router.address)
            known = [SMPServerWithAuth(SMPServerAddress(host: .domain("proxy.example"), keyHash: KeyHash(Bytes(repeating: 9, count: 32))))]
            queue = try await Queue(recipient, own, keys: { newKeys()[keys] })
        }

        func send(
            _ request: SMPRequest, _ mode: PrivateRoutingPolicy.Mode = .unknown, _ fallback: PrivateRoutingPolicy.Fallback = .prohibit
        ) async throws(PrivateRoutingError) -> PrivateRouter.Response {
            try await sender.send(
                request, over: destination, policy: PrivateRoutingPolicy(mode: mode, fallback: fallback), known: known)
        }

        func close() async {
            await proxies.close()
            await recipient.close()
            await router.stop()
        }
    }

    private func withWorld(keys: Int = 0, _ body: (World) async throws -> Void) async throws {
        let world = try await World(keys: keys)
        do {
            try await body(world)
        } catch {
            await world.close()
            throw error
        }
        await world.close()
    }

    private func failure(_ body: () async throws(PrivateRoutingError) -> PrivateRouter.Response) async -> PrivateRoutingError? {
        do throws(PrivateRoutingError) {
            _ = try await body()
            return nil
        } catch {
            return error
        }
    }

    private func clientCode(_ error: PrivateRoutingError?) -> SMPClientError.Code? {
        if case .client(let error, _)? = error { error.code } else { nil }
    }

    // MARK: Policy

    private static let unknown = try? SMPServerAddress(wireString: "smp://AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=@theirs.example")
    private static let onion = try? SMPServerAddress(
        wireString: "smp://AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=@theirs.example,aaaaaaaaaaaaaaaa.onion")

    @Test("A proxy is used as the mode says")
    func modes() throws {
        let server = try #require(Self.unknown)
        let onion = try #require(Self.onion)
        let known = [SMPServerWithAuth(SMPServerAddress(host: .domain("theirs.example"), keyHash: .none))]
        func uses(_ mode: PrivateRoutingPolicy.Mode, _ server: SMPServerAddress, known: [SMPServerWithAuth] = [], socks: Bool = false) -> Bool {
            PrivateRoutingPolicy(mode: mode, usesSOCKS: socks, prefersOnion: true).usesProxy(for: server, known: known)
        }
        #expect(PrivateRoutingPolicy.Mode.allCases.map { uses($0, server) } == [false, true, true, true])
        #expect(PrivateRoutingPolicy.Mode.allCases.map { uses($0, server, known: known) } == [false, false, false, true])
        #expect(PrivateRoutingPolicy.Mode.allCases.map { uses($0, server, socks: true) } == [false, true, false, true])
        #expect(PrivateRoutingPolicy.Mode.allCases.map { uses($0, onion) } == [false, true, false, true])
    }

    @Test("A direct connection is allowed as the fallback says")
    func fallbacks() throws {
        let server = try #require(Self.unknown)
        let onion = try #require(Self.onion)
        func allows(_ server: SMPServerAddress, socks: Bool = false, onion: Bool = false) -> [Bool] {
            PrivateRoutingPolicy.Fallback.allCases.map {
                PrivateRoutingPolicy(fallback: $0, usesSOCKS: socks, prefersOnion: onion).allowsDirect(to: server)
            }
        }
        #expect(allows(server) == [true, false, false])
        #expect(allows(server, socks: true) == [true, true, false])
        #expect(allows(server, onion: true) == [true, false, false])
        #expect(allows(onion, onion: true) == [true, true, false])
    }

    @Test("A router on this machine is a proxy only where that is asked for")
    func proxies() throws {
        func server(_ host: TransportHost) -> SMPServerWithAuth { SMPServerWithAuth(SMPServerAddress(host: host, keyHash: .none)) }
        let local = [
            server(.ipv4(127, 0, 0, 1)), server(.ipv4(127, 9, 9, 9)), server(.domain("localhost")), server(.domain("parley.localhost")),
            server(.ipv6(Bytes(repeating: 0, count: 15) + [1])), server(.ipv6(Bytes(repeating: 0, count: 10) + [0xFF, 0xFF, 127, 0, 0, 1])),
        ]
        let remote = [
            server(.ipv4(128, 0, 0, 1)), server(.domain("localhost.example")), server(.ipv6(Bytes(repeating: 0, count: 15) + [2])),
            server(.onion("aaaaaaaaaaaaaaaa.onion")),
        ]
        func proxies(_ mode: PrivateRoutingPolicy.Mode, _ fallback: PrivateRoutingPolicy.Fallback, _ among: [SMPServerWithAuth]) -> [SMPServerWithAuth]? {
            PrivateRoutingPolicy(mode: mode, fallback: fallback).proxies(among: among)
        }
        for mode in [PrivateRoutingPolicy.Mode.unknown, .unprotected] {
            for fallback in [PrivateRoutingPolicy.Fallback.allow, .allowProtected] {
                #expect(proxies(mode, fallback, local) == nil)
                #expect(proxies(mode, fallback, local + remote) == remote)
                #expect(proxies(mode, fallback, []) == [])
            }
            #expect(proxies(mode, .prohibit, local) == local)
        }
        #expect(proxies(.always, .allow, local) == local)
    }

    @Test(
        "With the default settings a message to a contact's router goes through one's own, and directly where that is on this machine",
        arguments: [true, false])
    func defaults(isOwnOnThisMachine: Bool) async throws {
        func start() async throws -> SMPRouter {
            var configuration = RouterConfiguration(storage: .memory)
            configuration.port = 0
            return try await SMPRouter.start(configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        }
        let (theirs, own) = (try await start(), try await start())
        let recipient = try SMPClientPool()
        let pool = try SMPClientPool()
        let sender = PrivateRouter(network: pool)
        let queue = try await Queue(recipient, TransportSessionKey(userID: 1, server: theirs.address), keys: { newKeys()[0] })
        // The address is a name here, as those of routers elsewhere are; what it resolves to nobody looks at.
        let host = isOwnOnThisMachine ? own.address.hosts[0] : TransportHost.domain(own.address.hosts[0].description)
        let known = [SMPServerWithAuth(SMPServerAddress(host: host, port: own.address.port, keyHash: own.address.keyHash))]
        // The contact's router is at the same place, under an address that does not say so.
        let destination = TransportSessionKey(
            userID: 2,
            server: SMPServerAddress(host: .domain("localhost"), port: theirs.address.port, keyHash: theirs.address.keyHash))
        let policy = PrivateRoutingPolicy(mode: .unknown, fallback: .allowProtected)
        var events = recipient.events.makeAsyncIterator()
        let secured = try await sender.send(queue.secure(), over: destination, policy: policy, known: known)
        #expect(secured.message == .ok)
        let sent = try await sender.send(queue.send("hello"), over: destination, policy: policy, known: known)
        #expect(sent.message == .ok)
        #expect(sent.proxy == (isOwnOnThisMachine ? nil : known[0].server))
        let (_, message) = try await nextMessage(&events)
        let text = try queue.open(message)
        #expect(text == "hello")
        let states = await pool.sessionStates()
        #expect(Set(states.keys.map(\.server)) == [isOwnOnThisMachine ? destination.server : known[0].server])
        await pool.close()
        await recipient.close()
        await own.stop()
        await theirs.stop()
    }

    // MARK: Commands

    @Test("A queue is secured and sent to through the proxy, with every kind of key", arguments: 0...2)
    func sending(keys: Int) async throws {
        try await withWorld(keys: keys) { world in
            let secured = try await world.send(world.queue.secure())
            #expect(secured.message == .ok)
            #expect(secured.proxy == world.known[0].server)
            var events = world.recipient.events.makeAsyncIterator()
            for text in ["first", "second"] {
                let response1 = try await world.send(world.queue.send(text))
                #expect(response1.message == .ok)
                let (_, message) = try await nextMessage(&events)
                let opened = try world.queue.open(message)
                #expect(opened == text)
                _ = try await world.recipient.send(world.queue.acknowledge(message), over: world.own)
            }
            #expect(world.proxies.connectCount == 1)
            #expect(world.proxies.forwardCount == 3)
        }
    }

    @Test("The largest message fits through the proxy")
    func largest() async throws {
        try await withWorld { world in
            let body = Bytes(repeating: 7, count: ReceivedMessageBody.maximumBody(version: 17))
            let request = SMPRequest(entity: world.queue.ids.senderID, command: .send(MessageFlags(notification: true), body))
            let response2 = try await world.send(request)
            #expect(response2.message == .ok)
            let large = SMPRequest(entity: world.queue.ids.senderID, command: .send(MessageFlags(), body + Bytes(repeating: 7, count: 300)))
            #expect(clientCode(await failure { () throws(PrivateRoutingError) in try await world.send(large) }) == .transport(.largeMessage))
        }
    }

    @Test("The errors of the router behind the proxy are its own")
    func errors() async throws {
        try await withWorld { world in
            _ = try await world.send(world.queue.secure())
            let stranger = SMPRequest(
                entity: world.queue.ids.senderID, command: .send(MessageFlags(), [1]), authKey: newKeys()[0])
            guard case .client(let error, let server)? = await failure({ () throws(PrivateRoutingError) in try await world.send(stranger) })
            else { throw TestFailure(description: "no error of the router") }
            #expect(error.code == .protocol(.auth))
            #expect(server == world.router.address)
        }
    }

    @Test("Known routers are sent to directly")
    func known() async throws {
        try await withWorld { world in
            let response = try await world.sender.send(
                world.queue.secure(), over: world.destination, policy: PrivateRoutingPolicy(mode: .unknown),
                known: world.known + [SMPServerWithAuth(world.router.address)])
            #expect(response.message == .ok)
            #expect(response.proxy == nil)
            #expect(world.proxies.connectCount == 0)
        }
    }

    @Test("A proxy that is in use is left for a command that it may not carry")
    func otherProxies() async throws {
        try await withWorld { world in
            let other = SMPServerWithAuth(SMPServerAddress(host: .domain("other.example"), keyHash: KeyHash(Bytes(repeating: 8, count: 32))))
            let policy = PrivateRoutingPolicy(mode: .always, fallback: .prohibit)
            let first = try await world.send(world.queue.secure())
            #expect(first.proxy == world.known[0].server)
            for proxies in [[other], [other], world.known + [other]] {
                let response = try await world.sender.send(
                    world.queue.send("hello"), over: world.destination, policy: policy, known: world.known + [other], proxies: proxies)
                #expect(response.message == .ok && response.proxy == other.server)
            }
            #expect(world.proxies.connectCount == 2)
        }
    }

    // MARK: Sessions

    @Test("Many commands at once share one session")
    func concurrency() async throws {
        try await withWorld { world in
            _ = try await world.recipient.send(world.queue.secure(), over: world.own)
            let responses = try await withThrowingTaskGroup(of: SMPBrokerMessage.self) { group in
                for _ in 0..<20 { group.addTask { try await world.send(world.queue.send("one of many")).message } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(responses == Array(repeating: .ok, count: 20))
            #expect(world.proxies.connectCount == 1)
        }
    }

    @Test("A session that the proxy has lost is made anew, once")
    func lostSession() async throws {
        try await withWorld { world in
            _ = try await world.send(world.queue.secure())
            await world.proxies.loseSessions()
            let response3 = try await world.send(world.queue.send("after the loss"))
            #expect(response3.message == .ok)
            #expect(world.proxies.connectCount == 2)
            world.proxies.setFault { request, _ in if case .pfwd = request.command { .proxy(.noSession) } else { nil } }
            guard
                case .proxy(.protocol(.proxy(.noSession)), _, _)? = await failure({ () throws(PrivateRoutingError) in
                    try await world.send(world.queue.send("in vain"), .always)
                })
            else { throw TestFailure(description: "no error of the proxy") }
            #expect(world.proxies.connectCount == 3)
        }
    }

    @Test("A proxy that has failed is asked again by the next command")
    func failedProxy() async throws {
        try await withWorld { world in
            world.proxies.setFault { _, _ in .proxy(.broker(.timeout)) }
            let error = await failure { () throws(PrivateRoutingError) in try await world.send(world.queue.secure(), .unknown, .allow) }
            #expect(clientCode(error) == .protocol(.proxy(.broker(.timeout))))
            world.proxies.setFault(nil)
            let response4 = try await world.send(world.queue.secure())
            #expect(response4.proxy != nil)
        }
    }

    // MARK: Fallback

    @Test(
        "What cannot be reached through a proxy is sent directly if that is allowed, and the proxy is not asked again for a while",
        arguments: [SMPErrorType.proxy(.broker(.host)), .proxy(.broker(.transport(.version)))])
    func fallback(refusal: SMPErrorType) async throws {
        try await withWorld { world in
            let asked = Mutex(0)
            world.proxies.setFault { _, _ in
                asked.withLock { $0 += 1 }
                return refusal
            }
            for fallback in [PrivateRoutingPolicy.Fallback.prohibit, .allowProtected] {
                let error = await failure { () throws(PrivateRoutingError) in
                    try await world.send(world.queue.secure(), .unknown, fallback)
                }
                #expect(clientCode(error) == .protocol(refusal))
            }
            let response = try await world.send(world.queue.secure(), .unknown, .allow)
            #expect(response.message == .ok)
            #expect(response.proxy == nil)
            #expect(asked.withLock { $0 } == 1)

            world.clock.advance(by: .seconds(601))
            world.proxies.setFault(nil)
            let response5 = try await world.send(world.queue.send("by proxy"), .unknown, .allow)
            #expect(response5.proxy != nil)
        }
    }

    @Test("Without a router that could be a proxy the fallback decides")
    func noProxy() async throws {
        try await withWorld { world in
            func send(_ fallback: PrivateRoutingPolicy.Fallback) async throws(PrivateRoutingError) -> PrivateRouter.Response {
                try await world.sender.send(
                    world.queue.secure(), over: world.destination, policy: PrivateRoutingPolicy(mode: .always, fallback: fallback), known: [])
            }
            #expect(clientCode(await failure { () throws(PrivateRoutingError) in try await send(.prohibit) }) == .incompatibleHost)
            let response6 = try await send(.allow)
            #expect(response6.message == .ok)
        }
    }

    // MARK: Attacks

    @Test("A proxy that presents another router than it was asked for is not believed")
    func otherRouter() async throws {
        try await withWorld { world in
            var configuration = RouterConfiguration(storage: .memory)
            configuration.port = 0
            let other = try await SMPRouter.start(configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            let others = ProxyingNetwork(world.pool)
            guard
                case .pkey(let theirs) = try await others.send(
                    SMPRequest(command: .prxy(other.address, nil)), over: world.destination)
            else { throw TestFailure(description: "no session") }
            await others.loseSessions()
            // The whole chain of the other router; its leaf before the certificate of the right one; the right one with another's key.
            for kind in 0...2 {
                world.proxies.setChange { response in
                    guard case .pkey(var session) = response else { return response }
                    let (own, wrong) = (session.key, theirs.key)
                    session.key =
                        switch kind {
                        case 0: wrong
                        case 1:
                            CertifiedKey(certificateChain: [wrong.certificateChain[0]] + own.certificateChain.dropFirst(), signedKey: wrong.signedKey)
                        default: CertifiedKey(certificateChain: own.certificateChain, signedKey: wrong.signedKey)
                        }
                    return .pkey(session)
                }
                let error = await failure { () throws(PrivateRoutingError) in try await world.send(world.queue.secure(), .unknown, .allow) }
                #expect(clientCode(error) == .protocol(.proxy(.broker(.transport(.handshake(.identity))))), "kind \(kind)")
            }
            #expect(world.proxies.forwardCount == 0)
            await other.stop()
        }
    }

    @Test("A router behind the proxy without a common version is a reason for the fallback")
    func versions() async throws {
        try await withWorld { world in
            world.proxies.setChange { response in
                guard case .pkey(var session) = response else { return response }
                session.versions = VersionRange(30...40)
                return .pkey(session)
            }
            let error = await failure { () throws(PrivateRoutingError) in try await world.send(world.queue.secure()) }
            #expect(clientCode(error) == .protocol(.proxy(.broker(.transport(.version)))))
            let response7 = try await world.send(world.queue.secure(), .unknown, .allow)
            #expect(response7.proxy == nil)
        }
    }

    @Test("Answers that the proxy has changed, mixed up or made up are not believed")
    func changedAnswers() async throws {
        try await withWorld { world in
            _ = try await world.send(world.queue.secure())
            let earlier = Mutex<Bytes?>(nil)
            let changes: [@Sendable (Bytes) -> SMPBrokerMessage] = [
                { .pres(Bytes($0.reversed())) }, { .pres(Bytes($0.dropLast())) }, { _ in .pres([]) },
                { _ in .pres(earlier.withLock { $0 } ?? []) },
            ]
            world.proxies.setChange { response in
                if case .pres(let bytes) = response { earlier.withLock { $0 = bytes } }
                return response
            }
            let response8 = try await world.send(world.queue.send("0"))
            #expect(response8.message == .ok)
            for change in changes {
                world.proxies.setChange { response in if case .pres(let bytes) = response { change(bytes) } else { response } }
                let error = await failure { () throws(PrivateRoutingError) in try await world.send(world.queue.send("1")) }
                #expect(clientCode(error) == .crypto)
            }
            world.proxies.setChange { _ in .ok }
            guard
                case .proxy(.unexpectedResponse("OK"), _, _)? = await failure({ () throws(PrivateRoutingError) in
                    try await world.send(world.queue.send("2"))
                })
            else { throw TestFailure(description: "no error of the proxy") }
        }
    }
}

/// The same through the official router as the proxy.
@Suite("Private message routing through the official router", .enabled(if: PeerProgram.smpServer.isInstalled, "\(PeerProgram.smpServer.missing)"), .serialized)
struct OfficialPrivateRoutingTests {
    private func converse(through proxy: SMPServerAddress, to server: SMPServerAddress) async throws {
        let recipient = try SMPClientPool()
        let pool = try SMPClientPool()
        let sender = PrivateRouter(network: pool)
        for keys in newKeys().indices {
            let queue = try await Queue(recipient, TransportSessionKey(userID: 1, server: server), keys: { newKeys()[keys] })
            let session = TransportSessionKey(userID: 2, server: server)
            let policy = PrivateRoutingPolicy(mode: .always, fallback: .prohibit)
            var events = recipient.events.makeAsyncIterator()
            let secured = try await sender.send(queue.secure(), over: session, policy: policy, known: [SMPServerWithAuth(proxy)])
            #expect(secured.message == .ok)
            #expect(secured.proxy == proxy)
            let sent = try await sender.send(queue.send("hello"), over: session, policy: policy, known: [SMPServerWithAuth(proxy)])
            #expect(sent.message == .ok)
            let (_, message) = try await nextMessage(&events)
            let opened = try queue.open(message)
            #expect(opened == "hello")
        }
        await pool.close()
        await recipient.close()
    }

    @Test("Commands go through the official router to itself and to this package's router, and through this one to the official")
    func official() async throws {
        let router = try await OfficialRouter.start()
        let official = try router.serverAddress
        try await converse(through: official, to: official)
        var configuration = RouterConfiguration(storage: .memory)
        configuration.port = 0
        let own = try await SMPRouter.start(configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await converse(through: official, to: own.address)
        try await converse(through: own.address, to: official)
        await own.stop()
        await router.stop(.kill)
    }
}
