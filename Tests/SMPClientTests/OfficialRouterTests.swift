import AsyncPrimitives
import OfficialPeers
import ProcessSupport
import RouterSupport
import SMPCrypto
import SMPProtocol
import SMPServer
import SMPWire
import Testing

@testable import SMPClient

/// The protocol as the official router speaks it.
@Suite("With the official router", .enabled(if: PeerProgram.smpServer.isInstalled, "\(PeerProgram.smpServer.missing)"), .serialized)
struct OfficialRouterTests {
    private func withOfficialRouter(
        versions: VersionRange = SMPVersion.offered, _ body: (OfficialRouter, SMPClientPool, TransportSessionKey) async throws -> Void
    ) async throws {
        let router = try await OfficialRouter.start()
        var configuration = SMPClientConfiguration()
        configuration.versions = versions
        configuration.retry.initial = .milliseconds(50)
        configuration.failureMemory = .zero
        let pool = try SMPClientPool(configuration: configuration)
        let session = TransportSessionKey(userID: 1, server: try router.serverAddress)
        do {
            try await body(router, pool, session)
        } catch {
            await pool.close()
            await router.stop(.kill)
            throw error
        }
        await pool.close()
        await router.stop(.kill)
    }

    @Test("Queues are created, secured, sent to, received from and acknowledged at every version", arguments: 9...20 as ClosedRange<UInt16>)
    func conversation(_ version: UInt16) async throws {
        try await withOfficialRouter(versions: VersionRange(version)) { router, pool, session in
            // Routers of 6.5 end with 18.
            if version > 18, await clientErrorCode({ () throws(SMPClientError) in _ = try await pool.sessionInfo(session) }) == .transport(.version) { return }
            try await converse(pool, router.serverAddress, version: version)
        }
    }

    @Test("A router without a resolver says that it resolves no names, directly and as its own proxy; one that is too old for names is not asked")
    func names() async throws {
        try await withOfficialRouter { router, pool, session in
            let knowsNames = try await pool.sessionInfo(session).version >= SMPVersion.names
            let expected = knowsNames ? SMPClientError.Code.protocol(.name(.noResolver)) : .transport(.version)
            let request = SMPRequest(command: .rslv(try SimpleXDomain(wireString: "acme.simplex")))
            #expect(await clientErrorCode { () throws(SMPClientError) in _ = try await pool.send(request, over: session) } == expected)
            let proxied = PrivateRouter(network: pool)
            do throws(PrivateRoutingError) {
                _ = try await proxied.send(
                    request, over: session, policy: PrivateRoutingPolicy(mode: .always, fallback: .prohibit),
                    known: [SMPServerWithAuth(session.server)])
                Issue.record("resolved")
            } catch {
                guard case .client(let failure, session.server) = error else {
                    Issue.record(error)
                    return
                }
                #expect(failure.code == expected)
            }
        }
    }

    @Test("A name is resolved by Parley's router behind the official router as a proxy, if that is new enough")
    func namesThroughProxy() async throws {
        struct OneName: NameResolver {
            let record: NameRecord
            func resolve(_ domain: SimpleXDomain) async -> Result<NameRecord, NameResolutionError> {
                domain.fullName == record.name ? .success(record) : .failure(.notFound)
            }
        }
        let json =
            #"{"name":"acme.simplex","nickname":"","website":"","location":"","simplexContact":[],"simplexChannel":["simplex:/c#1"],"owner":"","resolver":""}"#
        let record = try NameRecord(json: Bytes(json.utf8))
        var configuration = RouterConfiguration(storage: .memory)
        configuration.port = 0
        configuration.nameResolver = OneName(record: record)
        let names = try await SMPRouter.start(configuration)
        try await withOfficialRouter { router, pool, session in
            let knowsNames = try await pool.sessionInfo(session).version >= SMPVersion.names
            let destination = TransportSessionKey(userID: 1, server: names.address)
            let request = SMPRequest(command: .rslv(try SimpleXDomain(wireString: "acme.simplex")))
            let proxied = PrivateRouter(network: pool)
            do throws(PrivateRoutingError) {
                let response = try await proxied.send(
                    request, over: destination,
                    policy: PrivateRoutingPolicy(mode: .always, fallback: .prohibit), known: [SMPServerWithAuth(session.server)])
                #expect(knowsNames && response.message == .rname(record) && response.proxy == session.server)
            } catch {
                // The proxy of 6.5 ends its versions with 17.
                guard !knowsNames, case .client(let failure, _) = error else {
                    Issue.record(error)
                    return
                }
                #expect(failure.code == .transport(.version))
            }
        }
        await names.stop()
    }

    @Test("Five hundred queues are subscribed to in batches, also by another connection that takes them over")
    func subscriptions() async throws {
        try await withOfficialRouter { router, pool, session in
            var queues: [Queue] = []
            for _ in 0..<500 {
                queues.append(try await Queue(pool, session, keys: { newKeys()[0] }, subscription: .onlyCreate))
            }
            let results = await pool.subscribe(queues.map(\.subscription), over: session)
            #expect(results.allSatisfy { code($0) == nil })
            let other = TransportSessionKey(userID: 2, server: try router.serverAddress)
            let taken = await pool.subscribe(queues.prefix(10).map(\.subscription), over: other)
            #expect(taken.allSatisfy { code($0) == nil })
            var ended = Set<RecipientID>()
            for await event in pool.events {
                if case .ended(_, let queue) = event { ended.insert(queue) }
                if ended.count == 10 { break }
            }
            #expect(ended == Set(queues.prefix(10).map(\.ids.recipientID)))
        }
    }

    @Test("After a restart of the router the subscriptions come back, and what was sent meanwhile arrives")
    func restart() async throws {
        try await withOfficialRouter { router, pool, session in
            var events = pool.events.makeAsyncIterator()
            let queue = try await Queue(pool, session, keys: { newKeys()[1] })
            _ = try await pool.send(queue.secure(), over: session)
            _ = try await pool.send(queue.send("before"), over: session)
            let first = try await nextMessage(&events)
            await router.stop()
            try await router.start()
            // Not acknowledged before the restart: it comes again.
            let again = try await nextMessage(&events)
            #expect(again.message.id == first.message.id)
            let text = try queue.open(again.message)
            #expect(text == "before")
            _ = try await pool.send(queue.acknowledge(again.message), over: session)
            _ = try await pool.send(queue.send("after"), over: session)
            let second = try await nextMessage(&events)
            let after = try queue.open(second.message)
            #expect(after == "after")
        }
    }

    @Test("The router's errors are told apart")
    func errors() async throws {
        try await withOfficialRouter { _, pool, session in try await provokeErrors(pool, session) }
    }

    @Test("A queue tells its state, and gives one message without a subscription")
    func stateAndGet() async throws {
        try await withOfficialRouter { _, pool, session in
            let queue = try await Queue(pool, session, keys: { newKeys()[0] }, subscription: .onlyCreate)
            _ = try await pool.send(queue.secure(), over: session)
            _ = try await pool.send(queue.send("one"), over: session)
            let get = SMPRequest(entity: queue.ids.recipientID, command: .get, authKey: queue.recipientKey)
            let answer = try await pool.send(get, over: session)
            guard case .msg(let message) = answer else {
                Issue.record("GET gave \(answer)")
                return
            }
            let text = try queue.open(message)
            #expect(text == "one")
            _ = try await pool.send(queue.acknowledge(message), over: session)
            let empty = try await pool.send(get, over: session)
            #expect(empty == .ok)
            let state = try await pool.send(
                SMPRequest(entity: queue.ids.recipientID, command: .que, authKey: queue.recipientKey), over: session)
            guard case .info(let info) = state else {
                Issue.record("QUE gave \(state)")
                return
            }
            #expect(info.isSecured)
        }
    }
}
