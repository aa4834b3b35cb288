import RouterSupport
import SMPCrypto
import SMPProtocol
import SMPServer
import SMPTransport
import SMPWire
import TestSupport
import Testing

/// What a router and a service count of the service's queues, from version 19 on.
@Suite struct RouterServiceCountTests {
    private func withNewRouter<Result>(_ storage: RouterStorage = .memory, _ body: (SMPRouter) async throws -> Result) async throws -> Result {
        try await withRouter(storage, { $0.versions = VersionRange(6...20) }, body)
    }

    private func client(_ router: SMPRouter, _ credential: ServerCredential, version: UInt16 = 20) async throws -> TestClient {
        let client = try await TestClient(router.address, versions: VersionRange(9...version), service: TestService(credential, .messaging))
        client.keepsAlls = true
        return client
    }

    @Test(arguments: [19, 20] as [UInt16])
    func aServiceLearnsCountAndHashAndWhenAllThatWaitedHasBeenGiven(_ version: UInt16) async throws {
        let folder = try TemporaryFolder(isCreated: false)
        let credential = try ServerCredential.generate()
        var queues: [TestQueue] = []
        try await withNewRouter(.folder(folder.path)) { router in
            let service = try await client(router, credential, version: version)
            #expect(service.session.version == version)
            for _ in 0..<5 { queues.append(try await TestQueue.create(service)) }
            await service.close()
            let sender = try await TestClient(router.address)
            _ = try await sender.request(queues.map { $0.secure() })
            #expect(try await sender.request(queues.dropFirst().map { $0.send([1]) }) == Array(repeating: .ok, count: 4))
        }
        // The count and the hash come of what the journal remembers.
        try await withNewRouter(.folder(folder.path)) { router in
            let service = try await client(router, credential, version: version)
            let expected = ServiceQueues(queues.map(\.recipient))
            #expect(try await service.request([service.subscribeAll(expected)]) == [.soks(expected)])
            var received: Set<EntityID> = []
            for _ in 0..<4 {
                let event = try await service.event()
                #expect(event.message.name == "MSG")
                received.insert(event.entity)
            }
            #expect(received == Set(queues.dropFirst().map(\.recipient)))
            let end = try await service.event()
            #expect(end.message == .alls && end.entity.isNone)
            // Said again, it is counted and answered, and nothing is repeated.
            #expect(try await service.request([service.subscribeAll(expected)]) == [.soks(expected)])
            #expect(try await service.eventsSoFar().isEmpty)
            let counters = router.statistics.counters
            #expect(counters.serviceSubscriptions == 2 && counters.serviceSubscriptionsAsExpected == 2)
        }
    }

    @Test func aServiceWithoutQueuesIsToldThatNothingWaits() async throws {
        try await withNewRouter { router in
            let service = try await client(router, try .generate())
            #expect(try await service.request([service.subscribeAll(.none)]) == [.soks(.none)])
            #expect(try await service.eventsSoFar() == [.alls])
        }
    }

    @Test func theEndOfALongBacklogComesBehindItsLastMessage() async throws {
        try await withNewRouter { router in
            let credential = try ServerCredential.generate()
            let first = try await client(router, credential)
            var queues: [TestQueue] = []
            for _ in 0..<600 { queues.append(try await TestQueue.create(first)) }
            await first.close()
            let sender = try await TestClient(router.address)
            _ = try await sender.request(queues.map { $0.secure() })
            #expect(try await sender.request(queues.map { $0.send([9]) }).allSatisfy { $0 == .ok })
            let service = try await client(router, credential)
            let expected = ServiceQueues(queues.map(\.recipient))
            #expect(try await service.request([service.subscribeAll(expected)]) == [.soks(expected)])
            for _ in queues { #expect(try await service.event().message.name == "MSG") }
            #expect(try await service.event().message == .alls)
            #expect(try await service.eventsSoFar().isEmpty)
        }
    }

    @Test func belowVersion19NothingIsComparedAndTheEndOfTheBacklogIsNotTold() async throws {
        try await withNewRouter { router in
            let credential = try ServerCredential.generate()
            let service = try await client(router, credential, version: 18)
            let queues = [try await TestQueue.create(service), try await TestQueue.create(service)]
            #expect(try await service.request([service.subscribeAll(ServiceQueues(count: 7))]) == [.soks(ServiceQueues(count: 2))])
            #expect(try await service.eventsSoFar().isEmpty)
            let counters = router.statistics.counters
            #expect(counters.serviceSubscriptions == 1 && counters.serviceSubscriptionsAsExpected == 0 && counters.serviceQueuesMissing == 0)
            // A later session of a newer version: each is told in its own.
            let later = try await client(router, credential)
            let all = ServiceQueues(queues.map(\.recipient))
            #expect(try await later.request([later.subscribeAll(all)]) == [.soks(all)])
            #expect(try await service.event().message == .ends(ServiceQueues(count: 2)))
        }
    }

    @Test func whatIsCountedDifferentlyIsInTheStatistics() async throws {
        try await withNewRouter { router in
            let credential = try ServerCredential.generate()
            var queues: [EntityID] = []
            let maker = try await client(router, credential)
            for _ in 0..<3 { queues.append(try await TestQueue.create(maker).recipient) }
            let all = ServiceQueues(queues)
            let stranger = EntityID(Bytes(repeating: 1, count: 24))
            let expectations: [ServiceQueues] = [
                all, ServiceQueues(queues.dropFirst()), .none, ServiceQueues(queues + [stranger]), ServiceQueues(queues.dropFirst() + [stranger]),
                ServiceQueues(count: .max), ServiceQueues(count: .min), .unknown,
            ]
            for expected in expectations { #expect(try await maker.request([maker.subscribeAll(expected)]) == [.soks(all)]) }
            let counters = router.statistics.counters
            #expect(counters.serviceSubscriptions == 8 && counters.serviceSubscriptionsAsExpected == 1)
            #expect(counters.serviceSubscriptionsWithMore == 2 && counters.serviceQueuesUnexpected == 1 + 3)
            // Whatever a client says, it does not fill the counter.
            #expect(counters.serviceSubscriptionsWithFewer == 2 && counters.serviceQueuesMissing == 1 + 1_000_000)
            #expect(counters.serviceSubscriptionsWithOthers == 1)
        }
    }

    @Test func theFormerSessionIsToldTheQueuesThatItHad() async throws {
        try await withNewRouter { router in
            let credential = try ServerCredential.generate()
            let plain = try await TestClient(router.address)
            let foreign = try await TestQueue.create(plain)
            let former = try await client(router, credential)
            let queues = [try await TestQueue.create(former).recipient, try await TestQueue.create(former).recipient]
            // Another session makes a queue: it has all of them from now on.
            let latest = try await client(router, credential)
            let made = try await TestQueue.create(latest).recipient
            let ended = try await former.event()
            #expect(ended.message == .ends(ServiceQueues(queues)) && ended.entity == former.serviceID)
            // And the former takes them back by subscribing to a queue that was not the service's.
            #expect(try await former.request([foreign.sub()]) == [.sok(former.serviceID)])
            #expect(try await latest.event().message == .ends(ServiceQueues(queues + [made])))
            let all = ServiceQueues(queues + [made, foreign.recipient])
            #expect(try await former.request([former.subscribeAll(all)]) == [.soks(all)])
            #expect(try await former.event().message == .alls)
        }
    }
}
