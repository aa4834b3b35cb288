import HTTPEndpoint
import NIOCore
import NIOHTTP1
import RouterSupport
import SMPCrypto
import SMPProtocol
import SMPServer
import SMPTransport
import SMPWire
import Synchronization
import TestSupport
import Testing

/// Names that clients have resolved.
@Suite struct RouterNameTests {
    private static let record = Bytes(
        (#"{"name":"acme.simplex","nickname":"","website":"","location":"","simplexContact":["simplex:/a#1"],"simplexChannel":[],"#
            + #""owner":"0x1","resolver":"0x2","later":1}"#).utf8)

    /// Answers when it is told to.
    private struct SlowResolver: NameResolver {
        final class Gate: Sendable {
            private let state = Mutex((waiting: [CheckedContinuation<Void, Never>](), asked: [String](), isOpen: false))
            /// The names that were looked up, in order.
            var asked: [String] { state.withLock { $0.asked } }

            /// Answers the first `count` that wait.
            func answer(_ count: Int) {
                let first = state.withLock { state in
                    defer { state.waiting.removeFirst(min(count, state.waiting.count)) }
                    return state.waiting.prefix(count)
                }
                for one in first { one.resume() }
            }

            /// Answers all that wait or come.
            func open() {
                state.withLock { $0.isOpen = true }
                answer(.max)
            }

            func pass(_ name: String) async {
                await withCheckedContinuation { continuation in
                    let isOpen = state.withLock { state in
                        state.asked.append(name)
                        if !state.isOpen { state.waiting.append(continuation) }
                        return state.isOpen
                    }
                    if isOpen { continuation.resume() }
                }
            }
        }
        let gate = Gate()

        func resolve(_ domain: SimpleXDomain) async -> Result<NameRecord, NameResolutionError> {
            await gate.pass(domain.fullName)
            return .failure(.notFound)
        }
    }

    private func withNames<Result>(_ resolver: (any NameResolver)?, _ body: (SMPRouter) async throws -> Result) async throws -> Result {
        try await withRouter(
            .memory,
            {
                $0.versions = VersionRange(6...20)
                $0.nameResolver = resolver
            }, body)
    }

    private func client(_ router: SMPRouter) async throws -> TestClient { try await TestClient(router.address, versions: VersionRange(20)) }

    @Test func aRouterWithoutAResolverSaysSoDirectlyAndThroughAProxy() async throws {
        let domain = try SimpleXDomain(wireString: "acme.simplex")
        try await withNames(nil) { router in
            let client = try await client(router)
            #expect(try await client.request(.rslv(domain)) == .err(.name(.noResolver)))
            let proxied = RouterProxyTests.Proxied(proxy: try await TestClient(router.address, isProxy: true))
            #expect(try await proxied.request(.rslv(domain), .none, nil) == .err(.name(.noResolver)))
            // Nobody in particular asks.
            #expect(try await client.request(.rslv(domain), .none, TestQueue.key()) == .err(.command(.hasAuth)))
            #expect(try await client.request(.rslv(domain), EntityID([1])) == .err(.command(.hasAuth)))
            #expect(router.statistics.counters.namesRequested == 2)
        }
    }

    @Test func aServiceOfNotificationsResolvesNoNames() async throws {
        let domain = try SimpleXDomain(wireString: "acme.simplex")
        for resolver in [nil, SlowResolver()] as [SlowResolver?] {
            try await withNames(resolver) { router in
                let notifier = try await TestClient(router.address, versions: VersionRange(20), service: TestService(.generate(), .notifier))
                #expect(try await notifier.request(.rslv(domain)) == .err(.command(.prohibited)))
                #expect(resolver?.gate.asked.isEmpty ?? true)
            }
        }
    }

    /// A resolver over HTTP, as the operator sets one up.
    private func withHTTP(
        _ answer: @escaping @Sendable (HTTPRequest) async -> HTTPResponse, _ body: (SMPRouter) async throws -> Void
    ) async throws {
        let server = try await HTTPServer.start(host: "127.0.0.1", port: 0, handler: answer)
        let resolver = try HTTPNameResolver("http://127.0.0.1:\(server.port)/")
        do {
            try await withNames(resolver, body)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    @Test func aResolverIsAskedForTheNameAndItsRecordIsPassedOnAsItIs() async throws {
        let targets = Mutex<[String]>([])
        try await withHTTP { request in
            targets.withLock { $0.append("\(request.method) \(request.path)") }
            return HTTPResponse(.ok, body: .bytes(Self.record))
        } _: { router in
            let domain = try SimpleXDomain(wireString: "A.Acme.simplex")
            let expected = SMPBrokerMessage.rname(try NameRecord(json: Self.record))
            let client = try await client(router)
            #expect(try await client.request(.rslv(domain)) == expected)
            let proxied = RouterProxyTests.Proxied(proxy: try await TestClient(router.address, isProxy: true))
            #expect(try await proxied.request(.rslv(domain), .none, nil) == expected)
            #expect(targets.withLock { $0 } == ["GET /resolve/a.acme.simplex", "GET /resolve/a.acme.simplex"])
            let counters = router.statistics.counters
            #expect(counters.namesRequested == 2 && counters.namesResolved == 2 && counters.commandsForwarded == 1)
        }
    }

    @Test(arguments: [
        ("missing", "NAME NOT_FOUND"), ("wrong", "NAME NOT_FOUND"), ("broken", "NAME RESOLVER HTTP 502"), ("moved", "NAME RESOLVER HTTP 302"),
        ("empty", "NAME RESOLVER invalid response"), ("text", "NAME RESOLVER invalid response"), ("large", "NAME RESOLVER response too large"),
    ])
    func whatAResolverSaysInPlaceOfARecordIsATypedError(_ name: String, _ expected: String) async throws {
        try await withHTTP({ _ in
            switch name {
            case "missing": HTTPResponse(.notFound)
            case "wrong": HTTPResponse(.badRequest)
            case "broken": HTTPResponse(.badGateway, body: .bytes(Self.record))
            case "moved": HTTPResponse(.found, body: .bytes(Self.record))
            case "empty": HTTPResponse(.ok)
            case "text": .text(.ok, "no JSON")
            default: HTTPResponse(.ok, body: .bytes(Self.record + Bytes(repeating: 0x20, count: NameRecord.limit)))
            }
        }) { router in
            let client = try await client(router)
            guard case .err(let error) = try await client.request(.rslv(try SimpleXDomain(wireString: "\(name).simplex"))) else {
                Issue.record("no error")
                return
            }
            #expect(error.wireString == expected)
            let counters = router.statistics.counters
            #expect(counters.namesNotFound + counters.namesFailed == 1 && counters.namesResolved == 0)
        }
    }

    @Test func aResolverThatIsAwayIsATransientError() async throws {
        let server = try await HTTPServer.start(host: "127.0.0.1", port: 0) { _ in HTTPResponse(.ok) }
        await server.stop()
        try await withNames(try HTTPNameResolver("http://127.0.0.1:\(server.port)")) { router in
            let client = try await client(router)
            #expect(try await client.request(.rslv(try SimpleXDomain(wireString: "a.simplex"))) == .err(.name(.resolver("transport failure"))))
        }
    }

    @Test func aResolverThatSaysNothingIsGivenUp() async throws {
        let port = try await SilentPort()
        try await withNames(try HTTPNameResolver("http://127.0.0.1:\(port.number)", timeout: .milliseconds(50))) { router in
            let client = try await client(router)
            #expect(try await client.request(.rslv(try SimpleXDomain(wireString: "a.simplex"))) == .err(.name(.resolver("timeout"))))
        }
        try await port.close()
    }

    @Test func aSlowResolverHoldsUpNothingElseAndWhatWaitsForItIsBounded() async throws {
        let resolver = SlowResolver()
        try await withNames(resolver) { router in
            let client = try await client(router)
            let domain = try SimpleXDomain(wireString: "a.simplex")
            let ids = try await client.send(Array(repeating: Request(.rslv(domain)), count: 60))
            // Commands behind them are answered, and so are the names that are too many for one client.
            #expect(try await client.request(.ping) == .pong)
            let queue = try await TestQueue.create(client)
            #expect(try await client.request([queue.secure(), queue.send([1])]) == [.ok, .ok])
            for id in ids.suffix(44) { #expect(try await client.response(to: id) == .err(.name(.resolver("busy")))) }
            try await eventually("the others are looked up") { resolver.gate.asked.count == 16 }
            // A proxy may have more of them, of which some wait.
            let proxied = RouterProxyTests.Proxied(proxy: try await TestClient(router.address, isProxy: true))
            let forwarded = try (0..<300).map { _ in try proxied.forward(.rslv(domain)) }
            let proxyIDs = try await proxied.proxy.send(forwarded.map(\.request))
            for (id, one) in zip(proxyIDs, forwarded).suffix(44) {
                #expect(try one.open(try await proxied.proxy.response(to: id)) == .err(.name(.resolver("busy"))))
            }
            try await eventually("some of them are looked up") { resolver.gate.asked.count == 32 }
            resolver.gate.open()
            for id in ids.prefix(16) { #expect(try await client.response(to: id) == .err(.name(.notFound))) }
            for (id, one) in zip(proxyIDs, forwarded).prefix(256) {
                #expect(try one.open(try await proxied.proxy.response(to: id)) == .err(.name(.notFound)))
            }
            let counters = router.statistics.counters
            #expect(counters.namesRequested == 360 && counters.namesNotFound == 16 + 256 && counters.namesRefused == 44 + 44 && counters.namesFailed == 0)
        }
    }

    @Test func whoAsksForOneNameWaitsForAFewOfOthersAndThoseOfWhoHasGoneAreDropped() async throws {
        let resolver = SlowResolver()
        try await withNames(resolver) { router in
            var proxies: [TestClient] = []
            for name in ["x.simplex", "y.simplex"] {
                let proxied = RouterProxyTests.Proxied(proxy: try await TestClient(router.address, isProxy: true))
                let domain = try SimpleXDomain(wireString: name)
                _ = try await proxied.proxy.send(try (0..<256).map { _ in try proxied.forward(.rslv(domain)).request })
                proxies.append(proxied.proxy)
            }
            try await eventually("all of both have come") { router.statistics.counters.namesRequested == 512 && resolver.gate.asked.count == 32 }
            let client = try await client(router)
            let ids = try await client.send([Request(.rslv(try SimpleXDomain(wireString: "z.simplex")))])
            #expect(try await client.request(.ping) == .pong)
            resolver.gate.answer(3)
            try await eventually("its turn comes") { resolver.gate.asked.contains("z.simplex") }
            #expect(resolver.gate.asked.count == 35)
            for proxy in proxies { await proxy.close() }
            try await eventually("their names are dropped") { router.statistics.counters.namesRefused == 512 - 34 }
            resolver.gate.open()
            #expect(try await client.response(to: ids[0]) == .err(.name(.notFound)))
            try await eventually("those that were looked up are over") { router.statistics.counters.namesNotFound == 35 }
            #expect(resolver.gate.asked.count == 35)
        }
    }

    @Test(arguments: [
        "http://127.0.0.1:8000", "http://localhost", "http://10.1.2.3:80/names", "http://[::1]:8000/", "http://192.168.0.1/a/b/",
    ])
    func aResolverNearbyMayBeSetUp(_ address: String) throws {
        let resolver = try HTTPNameResolver(address)
        #expect(!resolver.path.hasSuffix("/") && resolver.port > 0 && !resolver.host.contains("["))
    }

    @Test(arguments: [
        "", "127.0.0.1:8000", "https://127.0.0.1", "http://", "http://:80", "http://127.0.0.1:0", "http://127.0.0.1:99999", "http://127.0.0.1:x",
        "http://8.8.8.8", "http://example.com", "http://user@127.0.0.1", "http://127.0.0.1/?a", "http://127.0.0.1/#a", "http://127.0.0.1/a b", "http://[::1",
        "http://[2606:4700::1111]",
    ])
    func aResolverThatIsFarOrIsNoneIsRefused(_ address: String) {
        let error = #expect(throws: RouterError.self) { try HTTPNameResolver(address) }
        #expect(error?.code == .invalidConfiguration)
    }
}
