import AsyncPrimitives
import OfficialPeers
import ProcessSupport
import SMPCrypto
import SMPProtocol
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

    @Test("Queues are created, secured, sent to, received from and acknowledged at every version", arguments: 9...18 as ClosedRange<UInt16>)
    func conversation(_ version: UInt16) async throws {
        try await withOfficialRouter(versions: VersionRange(version)) { router, pool, _ in
            try await converse(pool, router.serverAddress, version: version)
        }
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
