import SMPCrypto
import SMPProtocol
import SMPWire
import Testing

@testable import RouterSupport
@testable import SMPServer

/// The count and the hash of services, kept step by step, against those of all queues.
@Suite struct ServiceCountModelTests {
    private final class Scene {
        let router: BareRouter
        let services: [SessionService]
        let sessions: [SessionID]
        let plain: SessionID
        var queues: [BareQueue] = []

        init(seed: UInt64) {
            let router = BareRouter(seed: seed)
            let random = router.random
            let services = [SMPClientService.Role.messaging, .messaging, .notifier].map {
                SessionService($0, key: Ed25519.generateKeyPair(random).publicKey, certificateHash: random.bytes(32), router: KeyHash([1]))
            }
            plain = router.open()
            sessions = services.map { _ in router.open() }
            for (session, service) in zip(sessions, services) { router.state.identify(session, as: service) }
            self.router = router
            self.services = services
        }

        func number(_ bound: Int) -> Int { Int(UInt16(router.random.bytes(1)[0]) << 8 | UInt16(router.random.bytes(1)[0])) % max(1, bound) }

        func step() throws {
            let receiver = [plain, sessions[0], sessions[1]][number(3)]
            let queue = queues.isEmpty ? nil : queues[number(queues.count)]
            switch (number(10), queue) {
            case (0...2, _), (_, nil):
                // A service receives from what it makes.
                queues.append(try router.create(from: receiver, subscription: receiver == plain ? .onlyCreate : .subscribe, notifies: number(2) == 0))
            case (3, let queue?):
                #expect(try router.own(.del, queue, from: plain).word == "OK")
                queues.removeAll { $0.recipient == queue.recipient }
            case (4...6, let queue?): _ = try router.own(.sub, queue, from: receiver)
            case (7, let queue?) where queue.notifier != nil: _ = try router.subscribeNotifier(queue, from: number(3) == 0 ? plain : sessions[2])
            case (8, let queue?): _ = try router.own(number(2) == 0 ? .ndel : .nkey(router.credentials(router.key())), queue, from: plain)
            default: router.state.store.restSome()
            }
        }

        /// What the records of all queues say.
        func expected(_ service: SessionService) -> ServiceQueues {
            var expected = ServiceQueues.none
            for queue in queues {
                guard let record = router.state.store.slot(recipient: queue.recipient).flatMap(router.state.store.queue)?.record else { continue }
                switch service.role {
                case .messaging where record.service == service.id: expected.insert(record.recipientID.entity)
                case .notifier where record.notifier?.service == service.id: if let id = record.notifier?.id { expected.insert(id.entity) }
                default: break
                }
            }
            return expected
        }
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func aServiceIsCountedAsItsQueuesComeAndGo(_ seed: UInt64) throws {
        let scene = Scene(seed: seed)
        for step in 0..<300 {
            try scene.step()
            guard step % 10 == 9 else { continue }
            for service in scene.services {
                #expect((scene.router.state.store.services[service.id]?.queues ?? .none) == scene.expected(service), "step \(step)")
            }
        }
        #expect(scene.services.contains { scene.expected($0).count > 0 })
    }

    /// A service that lives for long, and whose queues do not.
    @Test func nothingIsLeftOfQueuesThatAServiceHadOnce() throws {
        let scene = Scene(seed: 99)
        let (router, session, service) = (scene.router, scene.sessions[0], scene.services[0])
        for turn in 0..<200 {
            let queue = try router.create(from: session, subscription: .subscribe)
            #expect(try router.secure(queue, from: scene.plain).word == "OK")
            #expect(try router.send([1], queue, from: scene.plain).word == "OK")
            switch turn % 3 {
            // Deleted by the service itself, by its owner elsewhere, or taken away.
            case 0: #expect(try router.own(.del, queue, from: session).word == "OK")
            case 1: #expect(try router.own(.del, queue, from: scene.plain).word == "OK")
            default:
                #expect(try router.own(.sub, queue, from: scene.plain).word == "SOK")
                #expect(try router.own(.del, queue, from: scene.plain).word == "OK")
            }
        }
        #expect(router.state.store.services[service.id]?.queues == ServiceQueues.none)
        #expect(router.state.store.services.associationCount == 0)
        let held = try #require(router.state.sessions[session])
        #expect(held.subscriptions.isEmpty && held.fetches.isEmpty && held.notifiers.isEmpty && held.backlog.isEmpty)
        router.close(session)
        #expect(router.state.store.services.count == 0 && router.state.sessions[session] == nil)
    }
}
