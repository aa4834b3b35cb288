import Foundation
import Logging
import NIOPosix
import RouterFaults
import SMPCrypto
import SMPProtocol
import SMPWire
import Synchronization
import TestSupport
import Testing

@testable import RouterSupport
@testable import SMPServer

/// What a router knows after it was stopped, killed or could not write.
@Suite struct RouterDurabilityTests {
    @Test(arguments: [Durability.always, .everySecond])
    func whatWasAcceptedBeforeAKillIsDeliveredOnceAndInOrder(_ durability: Durability) async throws {
        let (folder, copy) = (try TemporaryFolder(isCreated: false), try TemporaryFolder(isCreated: false))
        let queue = try await withRouter(.folder(folder.path)) {
            $0.durability = durability
        } _: { router in
            let client = try await TestClient(router.address)
            let queue = try await TestQueue.create(client)
            #expect(try await client.request([queue.secure()]) == [.ok])
            #expect(try await client.request((0..<30).map { queue.send([$0]) }) == Array(repeating: .ok, count: 30))
            var message = try queue.open(try await client.event().message).message
            for _ in 0..<10 { message = try queue.open(try await client.request([queue.acknowledge(message)])[0]).message }
            // As if the process were killed here: what is on disk is all that there is.
            try FileManager.default.copyItem(atPath: folder.path, toPath: copy.path)
            return queue
        }
        try await withRouter(.folder(copy.path)) { router in
            #expect(router.statistics.messages == 20)
            let client = try await TestClient(router.address)
            #expect(try await client.request([queue.sub()]) == [.sok(nil)])
            var message = try await client.event().message
            for expected in 10..<30 as Range<UInt8> {
                #expect(try queue.body(message) == [expected])
                message = try await client.request([queue.acknowledge(try queue.open(message).message)])[0]
            }
            #expect(message == .ok)
            // And the queue is what it was: secured, with its ids.
            #expect(try await client.request([queue.send([99])]) == [.ok])
            #expect(try await client.request(.send(MessageFlags(), [1]), queue.sender) == .err(.auth))
        }
        // The router keeps its identity: links to it stay good.
        let addresses = try await [folder, copy].asyncMap { folder in
            try await withRouter(.folder(folder.path)) { $0.address.keyHash }
        }
        #expect(addresses[0] == addresses[1])
    }

    @Test func everyStopAndStartLeavesTheRouterAsItWas() async throws {
        let folder = try TemporaryFolder(isCreated: false)
        var queue: TestQueue?
        for round in 0..<4 as Range<UInt8> {
            try await withRouter(.folder(folder.path)) { router in
                let client = try await TestClient(router.address)
                let own: TestQueue
                if let queue {
                    own = queue
                } else {
                    own = try await TestQueue.create(client, subscription: .onlyCreate)
                    #expect(try await client.request([own.secure()]) == [.ok])
                    queue = own
                }
                #expect(try await client.request([own.send([round])]) == [.ok])
                #expect(router.statistics.messages == Int(round) + 1)
            }
        }
    }

    @Test func aFolderIsUsedByOneRouterAndReadableByItsOwnerOnly() async throws {
        let folder = try TemporaryFolder(isCreated: false)
        try await withRouter(.folder(folder.path)) { router in
            let client = try await TestClient(router.address)
            _ = try await TestQueue.create(client)
            var configuration = RouterConfiguration(storage: .folder(folder.path))
            configuration.port = 0
            await #expect { try await SMPRouter.start(configuration) } throws: { ($0 as? RouterError)?.code == .inUse }
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/" + name)
                let mode = try #require(attributes[.posixPermissions] as? Int)
                if !name.hasSuffix(".crt") { #expect(mode & 0o077 == 0, "\(name)") }
            }
        }
        // It is free again.
        try await withRouter(.folder(folder.path)) { _ in }
    }

    @Test func aFolderIsFreeWhenItIsReleasedWhoeverStillHoldsTheJournal() throws {
        let folder = try TemporaryFolder(isCreated: false)
        let storage = try DiskStorage(folder: folder.path)
        let (journal, _) = try Journal.open(storage, durability: .always, segmentSize: 1 << 20)
        #expect { try DiskStorage(folder: folder.path) } throws: { ($0 as? RouterError)?.code == .inUse }
        journal.release()
        let next = try DiskStorage(folder: folder.path)
        // What is released twice takes nothing from who has it now.
        journal.release()
        #expect { try DiskStorage(folder: folder.path) } throws: { ($0 as? RouterError)?.code == .inUse }
        withExtendedLifetime((journal, storage, next)) {}
    }

    @Test func aDamagedJournalIsReportedAndNotServed() async throws {
        let folder = try TemporaryFolder(isCreated: false)
        try await withRouter(.folder(folder.path)) { router in
            let client = try await TestClient(router.address)
            for _ in 0..<3 { _ = try await TestQueue.create(client) }
        }
        let name = try #require(FileManager.default.contentsOfDirectory(atPath: folder.path).first { $0.hasPrefix("journal-") })
        let path = folder.path + "/" + name
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        bytes[60] ^= 1
        try bytes.write(to: URL(fileURLWithPath: path))
        var configuration = RouterConfiguration(storage: .folder(folder.path))
        configuration.port = 0
        await #expect { try await SMPRouter.start(configuration) } throws: { ($0 as? RouterError)?.code == .corrupted }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
    }

    @Test func aJournalIsClearedWhileItIsUsedAndForgetsNothing() async throws {
        let folder = try TemporaryFolder(isCreated: false)
        let kept = try await withRouter(.folder(folder.path)) {
            $0.segmentSize = 64 << 10
            $0.clearingThreshold = 100 << 10
        } _: { router in
            let client = try await TestClient(router.address)
            let (kept, busy) = (try await TestQueue.create(client, subscription: .onlyCreate), try await TestQueue.create(client))
            #expect(try await client.request([kept.secure(), busy.secure()]) == [.ok, .ok])
            for body in 0..<5 as Range<UInt8> { #expect(try await client.request([kept.send([body])]) == [.ok]) }
            let body = Bytes(repeating: 7, count: 16_000)
            // Until old segments are gone and new ones have come in their place.
            for _ in 0..<400 {
                #expect(try await client.request([busy.send(body)]) == [.ok])
                let (message, content) = try busy.open(try await client.event().message)
                guard case .message(_, _, body) = content else { throw TestClientError.closed }
                #expect(try await client.request([busy.acknowledge(message)]) == [.ok])
            }
            try await eventually("the journal is short") {
                let answer = try await client.request(.ping)
                #expect(answer == .pong)
                return router.statistics.journalBytes <= 1 << 20
            }
            return kept
        }
        try await withRouter(.folder(folder.path)) { router in
            let client = try await TestClient(router.address)
            #expect(try await client.request([kept.sub()]) == [.sok(nil)])
            var message = try await client.event().message
            for expected in 0..<5 as Range<UInt8> {
                #expect(try kept.body(message) == [expected])
                message = try await client.request([kept.acknowledge(try kept.open(message).message)])[0]
            }
        }
    }

    /// Queues made by a client, and messages to send to them: together with another client's more than may wait to be made durable.
    private func sendings(by client: TestClient) async throws -> [Request] {
        var requests: [Request] = []
        for _ in 0..<5 {
            let queue = try await TestQueue.create(client, subscription: .onlyCreate)
            #expect(try await client.request([queue.secure()]) == [.ok])
            requests += (0..<100).map { _ in queue.send(Bytes(repeating: 1, count: 16_000)) }
        }
        return requests
    }

    @Test func aSlowDiskSlowsDownSendersAndLosesNothing() async throws {
        let storage = FaultyStorage()
        let router = try await startRouter(on: storage)
        let (sender, other) = (try await TestClient(router.address), try await TestClient(router.address))
        let bystander = try await TestClient(router.address)
        // Two senders: one alone is held back by the answers that it waits for before the disk is full.
        let batches = [try await sendings(by: sender), try await sendings(by: other)]
        storage.held.enter()
        async let answers = sender.request(batches[0])
        async let others = other.request(batches[1])
        do {
            defer { storage.held.leave() }
            try await eventually("more waits for the disk than may") { router.statistics.journalBytes >= RouterCore.pendingLimit }
        }
        #expect(try await answers == Array(repeating: .ok, count: batches[0].count))
        #expect(try await others == Array(repeating: .ok, count: batches[1].count))
        #expect(router.statistics.messages == batches[0].count + batches[1].count)
        #expect(try await bystander.request(.ping) == .pong)
        await router.stop()
    }

    @Test func aRouterThatCannotWriteAnswersNothingSaysSoAndHeals() async throws {
        let storage = FaultyStorage(tears: true)
        let router = try await startRouter(on: storage)
        let (client, bystander) = (try await TestClient(router.address), try await TestClient(router.address))
        let queue = try await TestQueue.create(client)
        #expect(try await client.request([queue.secure(), queue.send([1])]) == [.ok, .ok])
        _ = try await client.event()
        for round in 2..<6 as Range<UInt8> {
            storage.fails.store(true, ordering: .relaxed)
            let ids = try await client.send([queue.send([round])])
            try await eventually("the failure is told") {
                let answer = try await bystander.request(.ping)
                #expect(answer == .pong)
                return router.statistics.storageFailure != nil
            }
            #expect(try await bystander.request(.ping) == .pong)
            // Nothing was promised.
            #expect(try Journal.open(storage.durableContents).queues.first?.messages.count == Int(round) - 1)
            storage.fails.store(false, ordering: .relaxed)
            #expect(try await client.response(to: ids[0]) == .ok)
            #expect(router.statistics.storageFailure == nil)
            #expect(try Journal.open(storage.durableContents).queues.first?.messages.count == Int(round))
        }
        await router.stop()
    }

    @Test func theOperatorIsToldWhatIsDurableAndWhatIsNot() async throws {
        let storage = FaultyStorage()
        let router = try await startRouter(on: storage)
        let queue = try await TestQueue.create(try await TestClient(router.address))
        func status() throws -> QueueRecord.Status? { try Journal.open(storage.durableContents).queues.first?.record.status }
        let spam = BlockingInfo(reason: .spam)
        for (command, after) in [(.block(queue.sender, spam), .blocked(spam)), (.unblock(queue.sender), .active)] as [(ControlCommand, QueueRecord.Status)] {
            _ = try await router.answer(command)
            #expect(try status() == after)
        }
        let commands: [ControlCommand] = [.block(queue.sender, spam), .unblock(queue.sender), .delete(queue.sender)]
        for command in commands {
            storage.fails.store(true, ordering: .relaxed)
            // Also what is so already, and is not on the disk yet.
            for _ in 0..<2 {
                await #expect { try await router.answer(command) } throws: { ($0 as? ControlError)?.code == "storage" }
            }
            storage.fails.store(false, ordering: .relaxed)
            try await eventually("the disk takes everything again") { router.statistics.storageFailure == nil }
        }
        // It was done when the disk took something again.
        #expect(try status() == nil)
        await #expect { try await router.answer(commands[0]) } throws: { ($0 as? ControlError)?.code == "noQueue" }
        await router.stop()
    }

    @Test func whatWasAskedForBeforeTheRouterWasAllStartedIsCommitted() async throws {
        let configuration = RouterConfiguration(storage: .memory)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let (journal, queues) = try Journal.open([:])
        let worker = JournalWorker(configuration)
        let core = RouterCore(
            journal: journal, state: RouterState(limits: configuration.limits, queues: queues), relays: nil, limits: AddressLimits(creations: nil),
            history: StatisticsStore(.memory, now: 0, logger), random: SystemRandomSource(), now: RouterClock.now, logger: logger,
            scheduleCommit: { worker.schedule() })
        let end = journal.append(.queue(JournalMaker(seed: 8).queue())).end
        worker.schedule()
        worker.start(core) {}
        try await eventually("it is durable") { journal.synchronized == end }
        await worker.stop()
    }

    /// The disk refuses something while the new segment is made, or later.
    @Test(arguments: 0..<6)
    func whoHasTheJournalClearedIsToldWhatTheDiskRefuses(_ step: Int) async throws {
        let storage = FaultyStorage()
        let router = try await startRouter(on: storage)
        let client = try await TestClient(router.address)
        let queue = try await TestQueue.create(client, subscription: .onlyCreate)
        #expect(try await client.request([queue.secure(), queue.send([1])]) == [.ok, .ok])
        storage.fail(storage.operations + step..<storage.operations + step + 1)
        await #expect { try await router.answer(.compact) } throws: { ($0 as? ControlError)?.code == "storage" }
        #expect(storage.failed.count == 1)
        // The router tries again in a moment.
        try await eventually("it is cleared") { (try? await router.compact()) != nil }
        #expect(storage.contents.count == 1)
        #expect(try await client.request([queue.sub()]) == [.sok(nil)])
        #expect(try queue.body(try await client.event().message) == [1])
        await router.stop()
    }

    @Test func aConfigurationThatMakesNoSenseIsRefused() async throws {
        let changes: [(inout RouterConfiguration) -> Void] = [
            { $0.port = 70_000 }, { $0.messageQuota = 0 }, { $0.segmentSize = 1 }, { $0.maximumConnections = 0 },
            { $0.maximumQueues = 0 }, { $0.messageLifetime = .zero }, { $0.clearingThreshold = -1 },
            { $0.versions = VersionRange(3...18) }, { $0.durability = .interval(.zero) }, { $0.expirySweepInterval = .zero },
        ]
        for change in changes {
            var configuration = RouterConfiguration(storage: .memory)
            change(&configuration)
            await #expect { try await SMPRouter.start(configuration) } throws: {
                ($0 as? RouterError)?.code == .invalidConfiguration
            }
        }
    }
}

/// A router on a disk that can be told to fail. The test stops it.
func startRouter(on storage: FaultyStorage, _ change: (inout RouterConfiguration) -> Void = { _ in }) async throws -> SMPRouter {
    var configuration = RouterConfiguration(storage: .memory)
    configuration.port = 0
    change(&configuration)
    return try await SMPRouter.start(
        configuration, on: storage, group: MultiThreadedEventLoopGroup.singleton, random: SystemRandomSource(),
        now: RouterClock.now, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
}

extension Array {
    func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
