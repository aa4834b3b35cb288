import AsyncPrimitives
import Foundation
import Logging
import OfficialPeers
import ProcessSupport
import RouterSupport
import SMPProtocol
import SMPServer
import SMPTransport
import SMPWire
import Testing

@testable import SMPClient

/// A client that shows routers a service certificate.
@Suite("As a service")
struct ServiceTests {
    private struct OneCredential: ServiceCredentialSource {
        let credential: ServerCredential

        func serviceCredential(user: Int64, server: SMPServerAddress) async throws -> ServerCredential? { user == 1 ? credential : nil }
    }

    private struct Scene {
        let folder: ScratchFolder
        private var running: SMPRouter?
        var router: SMPRouter { running! }
        let credential: ServerCredential
        var session: TransportSessionKey { TransportSessionKey(userID: 1, server: router.address) }
        var sender: TransportSessionKey { TransportSessionKey(userID: 2, server: router.address) }
        var counters: RouterStatistics.Counters { router.statistics.counters }

        init(versions: VersionRange = SMPVersion.offered) async throws {
            folder = try ScratchFolder("services")
            credential = try ServerCredential.generate(algorithm: .ed25519)
            running = try await Self.start(folder, versions: versions)
        }

        static func start(_ folder: ScratchFolder, versions: VersionRange = SMPVersion.offered) async throws -> SMPRouter {
            var configuration = RouterConfiguration(storage: .folder(folder.path))
            configuration.port = 0
            configuration.versions = versions
            return try await SMPRouter.start(configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        }

        mutating func restartRouter() async throws {
            await running?.stop()
            // The folder is free when nobody has the router any more.
            running = nil
            running = try await Self.start(folder)
        }

        func client(isService: Bool = true) async throws -> SMPClientPool { try await ServiceTests.client(credential, isService: isService) }

        func queues(_ count: Int, _ pool: SMPClientPool) async throws -> [Queue] {
            var queues: [Queue] = []
            for _ in 0..<count { queues.append(try await Queue(pool, session, keys: { newKeys()[0] })) }
            return queues
        }
    }

    private static func client(_ credential: ServerCredential, isService: Bool = true) async throws -> SMPClientPool {
        var configuration = SMPClientConfiguration()
        configuration.network.usesServices = isService
        configuration.retry.initial = .milliseconds(20)
        configuration.failureMemory = .zero
        let pool = try SMPClientPool(configuration: configuration)
        await pool.setServices(OneCredential(credential: credential))
        return pool
    }

    /// The next event of services.
    private func next(_ events: inout AsyncStream<SMPClientEvent>.Iterator) async throws -> ServiceSubscription {
        while let event = await events.next() {
            // That all has been delivered follows each subscription: it has a test of its own.
            if case .service(_, let subscription) = event {
                if case .allDelivered = subscription { continue }
                return subscription
            }
        }
        throw TestFailure(description: "the events ended")
    }

    /// The queues that the next events tell of a service of, or of none.
    private func associated(
        _ count: Int, _ events: inout AsyncStream<SMPClientEvent>.Iterator
    ) async throws -> (queues: Set<RecipientID>, service: ServiceID?) {
        var queues: Set<RecipientID> = []
        var last: ServiceID?
        while queues.count < count, let event = await events.next() {
            guard case .associated(_, let some, let service) = event else { continue }
            queues.formUnion(some)
            last = service
        }
        return (queues, last)
    }

    private func isComplete(_ subscription: ServiceSubscription, _ count: Int) -> Bool {
        if case .complete(count) = subscription { true } else { false }
    }

    @Test("Queues that were made as a service are subscribed to by one command, after a lost connection and a restart of the router too")
    func oneCommand() async throws {
        var scene = try await Scene()
        let first = try await scene.client()
        var events = first.events.makeAsyncIterator()
        let queues = try await scene.queues(20, first)
        let service = try #require(try await first.sessionInfo(scene.session).serviceID)
        let known = try await associated(20, &events)
        #expect(known.queues == Set(queues.map(\.ids.recipientID)))
        #expect(known.service == service)
        await first.close()

        var again = try await scene.client()
        events = again.events.makeAsyncIterator()
        let results = await again.subscribe(queues.map { $0.subscription(of: service) }, over: scene.session)
        #expect(results.allSatisfy { (try? $0.get()) == .sok(service) })
        #expect(isComplete(try await next(&events), 20))
        #expect(scene.counters.serviceSubscriptions == 1)
        // Not one of them by itself: `NEW` subscribes without `SUB`.
        #expect(scene.counters.subscriptions == 0)
        let one = try await again.subscribe([queues[7].subscription(of: service)], over: scene.session)[0].get()
        #expect(one == .ok)
        #expect(scene.counters.serviceSubscriptions == 1)

        await again.reconnect { _ in true }
        #expect(isComplete(try await next(&events), 20))
        await again.close()
        try await scene.restartRouter()
        again = try await scene.client()
        events = again.events.makeAsyncIterator()
        _ = await again.subscribe(queues.map { $0.subscription(of: service) }, over: scene.session)
        #expect(isComplete(try await next(&events), 20))
        // What was counted before the restart is counted on.
        #expect(scene.counters.serviceSubscriptions == 3)
        #expect(scene.counters.subscriptions == 0)
        for queue in [queues[0], queues[19]] {
            #expect(try await again.send(queue.secure(), over: scene.sender) == .ok)
            #expect(try await again.send(queue.send("hello"), over: scene.sender) == .ok)
            let (id, message) = try await nextMessage(&events)
            #expect(id == queue.ids.recipientID)
            #expect(try queue.open(message) == "hello")
            #expect(try await again.send(queue.acknowledge(message), over: scene.session) == .ok)
        }
        await again.close()
        await scene.router.stop()
    }

    @Test("Where the router counts other queues, each is subscribed to by itself and is the service's again")
    func lostAssociation() async throws {
        let scene = try await Scene()
        let first = try await scene.client()
        let queues = try await scene.queues(12, first)
        let service = try #require(try await first.sessionInfo(scene.session).serviceID)
        await first.close()
        // Somebody else takes three of them, of which the client knows nothing.
        let other = try await scene.client(isService: false)
        let taken = await other.subscribe(queues.prefix(3).map(\.subscription), over: scene.session)
        #expect(taken.allSatisfy { (try? $0.get()) == .sok(nil) })
        await other.close()

        let again = try await scene.client()
        var events = again.events.makeAsyncIterator()
        let before = scene.counters.subscriptions
        let results = await again.subscribe(queues.map { $0.subscription(of: service) }, over: scene.session)
        #expect(results.allSatisfy { (try? $0.get()) == .sok(service) })
        guard case .incomplete(counted: 9, expected: 12) = try await next(&events) else { throw TestFailure(description: "not incomplete") }
        #expect(scene.counters.subscriptions == before + 12)
        await again.reconnect { _ in true }
        #expect(isComplete(try await next(&events), 12))
        #expect(scene.counters.subscriptions == before + 12)
        await again.close()
        await scene.router.stop()
    }

    @Test("What waited in a service's queues comes before the word that all of it has been delivered, which comes after each connection")
    func catchingUp() async throws {
        let scene = try await Scene()
        let first = try await scene.client()
        let queues = try await scene.queues(8, first)
        let service = try #require(try await first.sessionInfo(scene.session).serviceID)
        await first.close()
        let sender = try await scene.client(isService: false)
        for queue in queues.prefix(5) {
            #expect(try await sender.send(queue.secure(), over: scene.sender) == .ok)
            #expect(try await sender.send(queue.send("hello"), over: scene.sender) == .ok)
        }
        let again = try await scene.client()
        var events = again.events.makeAsyncIterator()
        _ = await again.subscribe(queues.map { $0.subscription(of: service) }, over: scene.session)
        for expected in [5, 5] {
            var received: Set<RecipientID> = []
            search: while let event = await events.next() {
                switch event {
                case .message(_, let queue, _): received.insert(queue)
                case .service(_, .allDelivered): break search
                default: break
                }
            }
            #expect(received.count == expected)
            // Nothing was acknowledged: the next connection brings it again.
            await again.reconnect { _ in true }
        }
        #expect(scene.counters.serviceSubscriptionsAsExpected >= 2 && scene.counters.serviceSubscriptionsWithOthers == 0)
        await again.close()
        await sender.close()
        await scene.router.stop()
    }

    @Test("As many queues that are others are found out by their hash, and each is subscribed to by itself")
    func otherQueues() async throws {
        let scene = try await Scene()
        let first = try await scene.client()
        let queues = try await scene.queues(6, first)
        let service = try #require(try await first.sessionInfo(scene.session).serviceID)
        await first.close()
        // One is taken away, and the service gets another of which the client knows nothing.
        let other = try await scene.client(isService: false)
        #expect(try await other.subscribe([queues[0].subscription], over: scene.session)[0].get() == .sok(nil))
        let foreign = try await scene.queues(1, other)[0]
        await other.close()
        let twin = try await scene.client()
        #expect(try await twin.subscribe([foreign.subscription], over: scene.session)[0].get() == .sok(service))
        await twin.close()

        let again = try await scene.client()
        var events = again.events.makeAsyncIterator()
        let results = await again.subscribe(queues.map { $0.subscription(of: service) }, over: scene.session)
        #expect(results.allSatisfy { (try? $0.get()) == .sok(service) })
        guard case .incomplete(counted: 6, expected: 6) = try await next(&events) else { throw TestFailure(description: "not incomplete") }
        #expect(scene.counters.serviceSubscriptionsWithOthers == 1)
        // The router has one more now. Once it is clear that it is one more and nothing less, one command is enough again.
        await again.reconnect { _ in true }
        guard case .incomplete(counted: 7, expected: 6) = try await next(&events) else { throw TestFailure(description: "not incomplete") }
        while let event = await events.next() { if case .subscribed(_, let queues) = event, queues.count == 6 { break } }
        let before = scene.counters.subscriptions
        await again.reconnect { _ in true }
        #expect(isComplete(try await next(&events), 6))
        #expect(scene.counters.subscriptions == before)
        for queue in [queues[0], queues[5]] {
            #expect(try await again.send(queue.secure(), over: scene.sender) == .ok)
            #expect(try await again.send(queue.send("hello"), over: scene.sender) == .ok)
            let (id, message) = try await nextMessage(&events)
            #expect(id == queue.ids.recipientID)
            #expect(try queue.open(message) == "hello")
        }
        await again.close()
        await scene.router.stop()
    }

    @Test("What a router has too much does not count while one of ours could not be subscribed to by itself")
    func interruptedPass() async throws {
        let scene = try await Scene()
        let first = try await scene.client()
        let queues = try await scene.queues(2, first)
        let service = try #require(try await first.sessionInfo(scene.session).serviceID)
        await first.close()
        // The router lacks one, and has two others.
        let other = try await scene.client(isService: false)
        #expect(try await other.subscribe([queues[1].subscription], over: scene.session)[0].get() == .sok(nil))
        let foreign = try await scene.queues(2, other)
        await other.close()
        let twin = try await scene.client()
        let taken = await twin.subscribe(foreign.map(\.subscription), over: scene.session)
        #expect(taken.allSatisfy { (try? $0.get()) == .sok(service) })
        await twin.close()

        let again = try await scene.client()
        var events = again.events.makeAsyncIterator()
        let lacking = QueueSubscription(queue: queues[1].ids.recipientID, authKey: newKeys()[0], service: service)
        let results = await again.subscribe([queues[0].subscription(of: service), lacking], over: scene.session)
        #expect(try results[0].get() == .sok(service))
        #expect(throws: SMPClientError.self) { try results[1].get() }
        guard case .incomplete(counted: 3, expected: 2) = try await next(&events) else { throw TestFailure(description: "not incomplete") }
        // The same count again says as little.
        await again.reconnect { _ in true }
        guard case .incomplete(counted: 3, expected: 2) = try await next(&events) else { throw TestFailure(description: "not incomplete again") }
        await again.close()
        await scene.router.stop()
    }

    @Test("A router below version 19 learns of no service, and has each queue subscribed to by itself", arguments: [16, 18] as [UInt16])
    func oldRouter(_ version: UInt16) async throws {
        let scene = try await Scene(versions: VersionRange(9...version))
        let pool = try await scene.client()
        let queues = try await scene.queues(3, pool)
        #expect(queues.allSatisfy { $0.ids.serviceID == nil })
        let info = try await pool.sessionInfo(scene.session)
        #expect(info.version == version && info.serviceID == nil)
        await pool.close()
        let again = try await scene.client()
        let results = await again.subscribe(queues.map { $0.subscription(of: EntityID([1])) }, over: scene.session)
        #expect(results.allSatisfy { (try? $0.get()) == .sok(nil) })
        #expect(scene.counters.serviceSubscriptions == 0 && scene.counters.subscriptions == 3)
        #expect(scene.router.statistics.services == 0)
        await again.close()
        await scene.router.stop()
    }

    @Test("A client that is no service any more takes its queues one by one, and is told so")
    func turnedOff() async throws {
        let scene = try await Scene()
        let pool = try await scene.client()
        var events = pool.events.makeAsyncIterator()
        let queues = try await scene.queues(5, pool)
        _ = try await associated(5, &events)
        var off = NetworkConfiguration()
        off.usesServices = false
        try await pool.setNetwork(off)
        let freed = try await associated(5, &events)
        #expect(freed.queues == Set(queues.map(\.ids.recipientID)))
        #expect(freed.service == nil)
        #expect(try await pool.sessionInfo(scene.session).serviceID == nil)
        #expect(scene.counters.serviceSubscriptions == 0)
        // And back again.
        off.usesServices = true
        try await pool.setNetwork(off)
        #expect(try await associated(5, &events).service != nil)
        await pool.close()
        await scene.router.stop()
    }

    @Test("The latest of two clients with the same certificate has the queues, and the former is told")
    func takenOver() async throws {
        let scene = try await Scene()
        let former = try await scene.client()
        var events = former.events.makeAsyncIterator()
        let queues = try await scene.queues(4, former)
        let service = try await former.sessionInfo(scene.session).serviceID
        let latest = try await scene.client()
        _ = await latest.subscribe(queues.map { $0.subscription(of: service) }, over: scene.session)
        guard case .ended(let ended) = try await next(&events) else { throw TestFailure(description: "not ended") }
        #expect(Set(ended) == Set(queues.map(\.ids.recipientID)))
        await former.close()
        await latest.close()
        await scene.router.stop()
    }

    @Test("A router that knows no services, and a certificate that cannot be had, leave everything as it is without")
    func noService() async throws {
        struct NoCredential: ServiceCredentialSource {
            func serviceCredential(user: Int64, server: SMPServerAddress) async throws -> ServerCredential? {
                throw TestFailure(description: "no disk")
            }
        }
        let scene = try await Scene(versions: VersionRange(9...15))
        let pool = try await scene.client()
        let queue = try await scene.queues(1, pool)[0]
        #expect(queue.ids.serviceID == nil)
        #expect(try await pool.sessionInfo(scene.session).serviceID == nil)
        await pool.setServices(NoCredential())
        var events = pool.events.makeAsyncIterator()
        await pool.reconnect { _ in true }
        guard case .unavailable(let error) = try await next(&events) else { throw TestFailure(description: "not unavailable") }
        #expect(error.code == .crypto)
        #expect(try await pool.send(queue.secure(), over: scene.sender) == .ok)
        await pool.close()
        await scene.router.stop()
    }

    /// The official router of 7.0 does `SUBS` for those who receive; that of 6.5 learns of no service.
    @Test(
        "The official router has the queues of a service subscribed to at once, or each by itself if it is too old for that",
        .enabled(if: PeerProgram.smpServer.isInstalled, "\(PeerProgram.smpServer.missing)"))
    func official() async throws {
        let router = try await OfficialRouter.start()
        let session = TransportSessionKey(userID: 1, server: try router.serverAddress)
        let credential = try ServerCredential.generate(algorithm: .ed25519)
        let pool = try await Self.client(credential)
        var queues: [Queue] = []
        for _ in 0..<10 { queues.append(try await Queue(pool, session, keys: { newKeys()[0] })) }
        let info = try await pool.sessionInfo(session)
        let (service, servesAll) = (info.serviceID, info.version >= SMPVersion.serviceSubscriptions)
        #expect((service != nil) == servesAll)
        #expect(queues.allSatisfy { $0.ids.serviceID == service })
        await pool.close()
        let again = try await Self.client(credential)
        var events = again.events.makeAsyncIterator()
        let results = await again.subscribe(queues.map { $0.subscription(of: service) }, over: session)
        #expect(results.allSatisfy { (try? $0.get()) == .sok(service) })
        #expect(try await again.sessionInfo(session).serviceID == service)
        if servesAll { #expect(isComplete(try await next(&events), 10)) }
        let sender = TransportSessionKey(userID: 2, server: session.server)
        #expect(try await again.send(queues[3].secure(), over: sender) == .ok)
        #expect(try await again.send(queues[3].send("hello"), over: sender) == .ok)
        let (id, message) = try await nextMessage(&events)
        #expect(id == queues[3].ids.recipientID)
        #expect(try queues[3].open(message) == "hello")
        if servesAll {
            // Taken up again by one command, with the message that was not acknowledged.
            await again.reconnect { _ in true }
            #expect(isComplete(try await next(&events), 10))
            while let event = await events.next() { if case .service(_, .allDelivered) = event { break } }
        }
        await again.close()
        await router.stop(.kill)
    }
}
