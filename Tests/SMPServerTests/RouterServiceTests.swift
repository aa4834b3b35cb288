import OfficialPeers
import ProcessSupport
import RouterSupport
import SMPCrypto
import SMPProtocol
import SMPServer
import SMPTransport
import SMPWire
import TestSupport
import Testing

/// Clients that serve many users, at the level of the protocol.
@Suite struct RouterServiceTests {
    @Test func allQueuesOfAServiceAreSubscribedByOneCommandAfterItComesBackAndAfterARestart() async throws {
        let folder = try TemporaryFolder(isCreated: false)
        let credential = try ServerCredential.generate()
        var queues: [TestQueue] = []
        var id: EntityID?
        try await withRouter(.folder(folder.path)) { router in
            let service = try await TestClient(router.address, service: TestService(credential, .messaging))
            id = service.serviceID
            for _ in 0..<30 { queues.append(try await TestQueue.create(service)) }
            #expect(queues.allSatisfy { $0.ids.serviceID == id && id != nil })
            let sender = try await TestClient(router.address)
            #expect(try await sender.request(queues.map { $0.secure() }) == Array(repeating: .ok, count: 30))
            // New queues are subscribed to at once.
            #expect(try await sender.request([queues[3].send([1])]) == [.ok])
            let event = try await service.event()
            #expect(event.entity == queues[3].recipient)
            #expect(try queues[3].body(event.message) == [1])
            #expect(try await service.request([queues[3].acknowledge(try queues[3].open(event.message).message)]) == [.ok])
            await service.close()
            #expect(try await sender.request(queues.map { $0.send([2]) }) == Array(repeating: .ok, count: 30))
        }
        for turn in 0..<2 {
            try await withRouter(.folder(folder.path)) { router in
                let service = try await TestClient(router.address, service: TestService(credential, .messaging))
                #expect(service.serviceID == id)
                #expect(try await service.request([service.subscribeAll()]) == [.soks(service.counted(queues.map(\.recipient)))])
                var received: Set<EntityID> = []
                for _ in queues {
                    let event = try await service.event()
                    let queue = try #require(queues.first { $0.recipient == event.entity })
                    #expect(try queue.body(event.message) == [2])
                    received.insert(event.entity)
                    if turn == 1 { #expect(try await service.request([queue.acknowledge(try queue.open(event.message).message)]) == [.ok]) }
                }
                #expect(received.count == 30)
                #expect(try await service.eventsSoFar().isEmpty)
            }
        }
    }

    /// More queues than one step looks at, a message in each.
    @Test func aLongBacklogOfAServiceIsDeliveredWhole() async throws {
        try await withRouter { router in
            let credential = try ServerCredential.generate()
            let service = try await TestClient(router.address, service: TestService(credential, .messaging))
            var queues: [EntityID: TestQueue] = [:]
            for _ in 0..<600 {
                let queue = try await TestQueue.create(service)
                queues[queue.recipient] = queue
            }
            await service.close()
            let sender = try await TestClient(router.address)
            let all = Array(queues.values)
            _ = try await sender.request(all.map { $0.secure() })
            #expect(try await sender.request(all.map { $0.send([9]) }).allSatisfy { $0 == .ok })
            let again = try await TestClient(router.address, service: TestService(credential, .messaging))
            #expect(try await again.request([again.subscribeAll()]) == [.soks(again.counted(queues.keys))])
            var received: Set<EntityID> = []
            for _ in all {
                let event = try await again.event()
                #expect(try queues[event.entity]?.body(event.message) == [9])
                #expect(received.insert(event.entity).inserted)
            }
            #expect(try await again.eventsSoFar().isEmpty)
        }
    }

    @Test func theLatestSessionOfAServiceGetsItsQueuesAndTheFormerIsToldHowMany() async throws {
        try await withRouter { router in
            let credential = try ServerCredential.generate()
            let former = try await TestClient(router.address, service: TestService(credential, .messaging))
            let (one, two) = (try await TestQueue.create(former), try await TestQueue.create(former))
            let latest = try await TestClient(router.address, service: TestService(credential, .messaging))
            #expect(try await latest.request([latest.subscribeAll()]) == [.soks(latest.counted([one.recipient, two.recipient]))])
            let ended = try await former.event()
            #expect(ended.message == .ends(former.counted([one.recipient, two.recipient])) && ended.entity == former.serviceID)
            let sender = try await TestClient(router.address)
            #expect(try await sender.request([one.secure(), two.secure(), one.send([1]), two.send([2])]) == [.ok, .ok, .ok, .ok])
            #expect(try one.body(try await latest.event().message) == [1])
            #expect(try two.body(try await latest.event().message) == [2])
            #expect(try await former.eventsSoFar().isEmpty)
            // What was given to a session that has gone is given again.
            await latest.close()
            #expect(try await former.request([former.subscribeAll()]) == [.soks(former.counted([one.recipient, two.recipient]))])
            let again = [try await former.event().entity, try await former.event().entity]
            #expect(Set(again) == [one.recipient, two.recipient])
            // Subscribing once more says how many there are, and repeats nothing.
            #expect(try await former.request([former.subscribeAll()]) == [.soks(former.counted([one.recipient, two.recipient]))])
            #expect(try await former.eventsSoFar().isEmpty)
        }
    }

    @Test func aQueueBelongsToWhoSubscribedToItLast() async throws {
        try await withRouter { router in
            let plain = try await TestClient(router.address)
            let service = try await TestClient(router.address, service: TestService(try .generate(), .messaging))
            let queue = try await TestQueue.create(plain)
            #expect(try await service.request([queue.sub()]) == [.sok(service.serviceID)])
            #expect(try await plain.event().message == .end)
            #expect(try await service.request([service.subscribeAll()]) == [.soks(service.counted([queue.recipient]))])
            #expect(try await plain.request([queue.secure(), queue.send([1])]) == [.ok, .ok])
            let message = try await service.event().message
            #expect(try queue.body(message) == [1])
            // Back to a client that is no service: the service is told that this one has ended.
            #expect(try await plain.request([queue.sub()]) == [.sok(nil)])
            #expect(try queue.body(try await plain.event().message) == [1])
            let ended = try await service.event()
            #expect(ended.message == .end && ended.entity == queue.recipient)
            #expect(try await service.request([queue.acknowledge(try queue.open(message).message)]) == [.err(.noMessage)])
            #expect(try await service.request([service.subscribeAll()]) == [.soks(ServiceQueues(count: 0))])
            // To another service.
            let other = try await TestClient(router.address, service: TestService(try .generate(), .messaging))
            #expect(try await other.request([queue.sub()]) == [.sok(other.serviceID)])
            #expect(try await plain.event().message == .end)
            #expect(try queue.body(try await other.event().message) == [1])
            // Whoever deletes it: the service is told.
            #expect(try await plain.request(.del, queue.recipient, queue.recipientKey) == .ok)
            #expect(try await other.event().message == .deld)
            #expect(try await other.request([other.subscribeAll()]) == [.soks(ServiceQueues(count: 0))])
        }
    }

    @Test func aNotificationServiceHearsOfAllItsQueues() async throws {
        let folder = try TemporaryFolder(isCreated: false)
        let credential = try ServerCredential.generate()
        let (notifierKey, encryption) = (TestQueue.key(), X25519.generateKeyPair(SystemRandomSource()))
        let asked = NotificationCredentials(notifierKey: notifierKey.publicKey, encryptionKey: encryption.publicKey)
        var queues: [TestQueue] = []
        try await withRouter(.folder(folder.path)) { router in
            let recipient = try await TestClient(router.address)
            for _ in 0..<3 { queues.append(try await TestQueue.create(recipient, notifications: asked)) }
            #expect(try await recipient.request(queues.map { $0.secure() }) == [.ok, .ok, .ok])
            let service = try await TestClient(router.address, service: TestService(credential, .notifier))
            for queue in queues {
                let notifier = try #require(queue.ids.notifications?.notifierID)
                #expect(try await service.request(.nsub, notifier, notifierKey) == .sok(service.serviceID))
            }
            #expect(try await recipient.request([queues[1].send([1], notification: true)]) == [.ok])
            #expect(try await service.event().entity == queues[1].ids.notifications?.notifierID)
            await service.close()
            // What comes while nobody listens waits.
            try await eventually("the service has gone") { router.statistics.sessions == 1 }
            #expect(try await recipient.request([queues[2].send([2], notification: true)]) == [.ok])
            let again = try await TestClient(router.address, service: TestService(credential, .notifier))
            #expect(try await again.request([again.subscribeAll()]) == [.soks(again.counted(queues.compactMap(\.ids.notifications?.notifierID)))])
            #expect(try await again.event().entity == queues[2].ids.notifications?.notifierID)
        }
        try await withRouter(.folder(folder.path)) { router in
            let recipient = try await TestClient(router.address)
            let service = try await TestClient(router.address, service: TestService(credential, .notifier))
            #expect(try await service.request([service.subscribeAll()]) == [.soks(service.counted(queues.compactMap(\.ids.notifications?.notifierID)))])
            #expect(try await recipient.request([queues[0].send([3], notification: true)]) == [.ok])
            #expect(try await service.event().entity == queues[0].ids.notifications?.notifierID)
        }
    }

    /// What services of notification servers are told, by whichever router.
    private func serveNotifications(through address: SMPServerAddress, isOfficial: Bool = false) async throws {
        let credential = try ServerCredential.generate()
        let (notifierKey, encryption) = (TestQueue.key(), X25519.generateKeyPair(SystemRandomSource()))
        let asked = NotificationCredentials(notifierKey: notifierKey.publicKey, encryptionKey: encryption.publicKey)
        let recipient = try await TestClient(address)
        var queues: [TestQueue] = []
        for _ in 0..<3 { queues.append(try await TestQueue.create(recipient, notifications: asked)) }
        #expect(try await recipient.request(queues.map { $0.secure() }) == [.ok, .ok, .ok])
        let notifiers = try queues.map { try #require($0.ids.notifications?.notifierID) }
        let service = try await TestClient(address, service: TestService(credential, .notifier))
        for notifier in notifiers { #expect(try await service.request(.nsub, notifier, notifierKey) == .sok(service.serviceID)) }
        #expect(try await recipient.request([queues[1].send([1], notification: true)]) == [.ok])
        #expect(try await service.event().entity == notifiers[1])

        let later = try await TestClient(address, service: TestService(credential, .notifier))
        #expect(later.serviceID == service.serviceID)
        #expect(try await later.request([later.subscribeAll()]) == [.soks(later.counted(notifiers))])
        guard case .ends(let ended) = try await service.event().message else { throw TestClientError.closed }
        // The official router hashes what was subscribed to one by one by the ids of recipients.
        #expect(isOfficial ? ended.count == 3 : ended == service.counted(notifiers))
        #expect(try await recipient.request([queues[0].send([2], notification: true)]) == [.ok])
        #expect(try await later.event().entity == notifiers[0])
        // A notification server that is no service takes a queue away from it.
        let plain = try await TestClient(address)
        #expect(try await plain.request(.nsub, notifiers[0], notifierKey) == .sok(nil))
        let taken = try await later.event()
        #expect(taken.message == .end && taken.entity == notifiers[0])
        #expect(try await later.request([later.subscribeAll()]) == [.soks(later.counted(notifiers.dropFirst()))])
        #expect(try await recipient.request(.ndel, queues[1].recipient, queues[1].recipientKey) == .ok)
        let deleted = try await later.event()
        #expect(deleted.message == .deld && deleted.entity == notifiers[1])
        #expect(try await later.request([later.subscribeAll()]) == [.soks(later.counted(notifiers.suffix(1)))])
    }

    @Test func aNotificationServiceIsToldOfQueuesThatOthersTakeOrDelete() async throws {
        try await withRouter { router in try await serveNotifications(through: router.address) }
    }

    // The official router tells of ends every 15 seconds.
    @Test(.enabled(if: PeerProgram.smpServer.isInstalled, "\(PeerProgram.smpServer.missing)"), .timeLimit(.minutes(3)))
    func theOfficialRouterTellsANotificationServiceTheSame() async throws {
        let router = try await OfficialRouter.start()
        try await serveNotifications(through: try router.serverAddress, isOfficial: true)
        await router.stop(.kill)
    }

    @Test func whatAServiceSignsWrongIsRefused() async throws {
        try await withRouter { router in
            let service = try await TestClient(router.address, service: TestService(try .generate(), .messaging))
            let plain = try await TestClient(router.address)
            let queue = try await TestQueue.create(service)
            let id = try #require(service.serviceID)
            // Not the service's own id, not its key, no service at all.
            #expect(try await service.request([Request(.subs(.unknown), queue.recipient, service.serviceKey)]) == [.err(.service)])
            #expect(try await service.request([Request(.subs(.unknown), id, TestQueue.key())]) == [.err(.service)])
            let other = PrivateAuthKey.ed25519(Ed25519.generateKeyPair(SystemRandomSource()).privateKey)
            #expect(try await service.request([Request(.subs(.unknown), id, other)]) == [.err(.service)])
            #expect(try await plain.request([Request(.subs(.unknown), id, other)]) == [.err(.service)])
            // A queue's command without the service's signature, or with another's.
            service.signs = .never
            #expect(try await service.request([queue.sub()]) == [.err(.service)])
            service.signs = .with(other)
            #expect(try await service.request([queue.sub()]) == [.err(.service)])
            // Signed by the service, but the queue's key has not signed the certificate.
            service.signs = .withoutHash
            #expect(try await service.request([queue.sub()]) == [.err(.auth)])
            // Signed where nothing is to be signed.
            service.signs = .always
            #expect(try await service.request(.que, queue.recipient, queue.recipientKey) == .err(.service))
            service.signs = .asAsked
            #expect(try await service.request([queue.sub()]) == [.sok(id)])
            // A service receives from the queues that it makes.
            let key = TestQueue.key()
            let unwanted = NewQueueRequest(
                recipientKey: key.publicKey, encryptionKey: X25519.generateKeyPair(SystemRandomSource()).publicKey,
                subscription: .onlyCreate, mode: .messaging(link: nil))
            #expect(try await service.request(.new(unwanted), .none, key) == .err(.command(.prohibited)))
            // The signature of a service does not help a client that is none.
            plain.signs = .with(other)
            #expect(try await plain.request([queue.sub()]) == [.err(.service)])
        }
    }

    @Test func aServiceDoesWhatItsRoleAllows() async throws {
        try await withRouter { router in
            let credential = try ServerCredential.generate()
            let notifier = try await TestClient(router.address, service: TestService(credential, .notifier))
            let messaging = try await TestClient(router.address, service: TestService(credential, .messaging))
            #expect(notifier.serviceID != messaging.serviceID)
            let queue = try await TestQueue.create(messaging)
            #expect(try await notifier.request([queue.sub()]) == [.err(.command(.prohibited))])
            #expect(try await notifier.request([queue.send([1])]) == [.err(.command(.prohibited))])
            #expect(try await messaging.request(.nsub, queue.recipient, queue.recipientKey) == .err(.command(.prohibited)))
            let id = try #require(messaging.serviceID)
            #expect(try await messaging.request([Request(.nsubs(.unknown), id, messaging.serviceKey)]) == [.err(.command(.prohibited))])
            #expect(try await notifier.request(.ping) == .pong)
        }
    }

    @Test func aServiceMustHaveTheCertificatesThatItNames() async throws {
        try await withRouter { router in
            let (own, stolen) = (try ServerCredential.generate(), try ServerCredential.generate())
            // Certificates in the hello that were not shown in TLS.
            await #expect { try await TestClient(router.address, service: TestService(stolen, .messaging), presenting: own) } throws: {
                ($0 as? TestClientError)?.refusal == .handshake(.badAuth)
            }
            await #expect { try await TestClient(router.address, service: TestService(stolen, .messaging), presenting: nil) } throws: {
                ($0 as? TestClientError)?.refusal == .handshake(.badAuth)
            }
            // A session key that somebody else has signed.
            await #expect {
                try await TestClient(router.address, service: TestService(own, .messaging, signedBy: stolen), presenting: own)
            } throws: { ($0 as? TestClientError)?.refusal == .handshake(.badAuth) }
            let client = try await TestClient(router.address, service: TestService(own, .messaging))
            #expect(try await client.request(.ping) == .pong)
            // Below version 16 there are no services.
            let old = try await TestClient(
                router.address, versions: VersionRange(9...15), service: TestService(own, .messaging))
            #expect(old.serviceID == nil)
            #expect(try await TestQueue.create(old).ids.serviceID == nil)
        }
    }
}
