import Dispatch
import RouterFaults
import RouterSupport
import SMPCrypto
import SMPProtocol
import SMPWire
import TestSupport
import Testing

@testable import SMPServer

/// Refusals that rest on a change which a loss of power could still undo.
@Suite struct RefusalDurabilityTests {
    /// A change to a queue, and the command that is refused because of it.
    enum Change: String, CaseIterable, Sendable, CustomStringConvertible {
        case deleted, deletedForSender, off, linkDeleted, notifierDeleted, full

        var description: String { rawValue }
    }

    private static let linkID = LinkID(SeededRandomSource(seed: 81).bytes(24))
    private static let notifierKey = TestQueue.key()

    /// A queue with a link and a notifier, secured and with room for no message more than one.
    private func makeQueue(_ client: TestClient, for change: Change) async throws -> TestQueue {
        let random = SystemRandomSource(), correlationID = CorrelationID.random(random)
        let link = NewQueueMode.ContactLink(
            linkID: Self.linkID, senderID: SenderID(QueueIDs.senderID(correlationID: correlationID.bytes)),
            data: QueueLinkData(fixedData: [1], userData: [2]))
        let queue = try await TestQueue.create(
            client, mode: change == .linkDeleted ? .contact(link: link) : .messaging(link: nil), subscription: .onlyCreate, correlationID: correlationID,
            notifications: NotificationCredentials(
                notifierKey: Self.notifierKey.publicKey, encryptionKey: X25519.generateKeyPair(random).publicKey))
        if change != .linkDeleted { #expect(try await client.request([queue.secure(), queue.send([1])]) == [.ok, .ok]) }
        return queue
    }

    private func commands(_ change: Change, _ queue: TestQueue) throws -> (first: Request, refused: Request, error: SMPErrorType) {
        func own(_ command: SMPCommand) -> Request { Request(command, queue.recipient, queue.recipientKey) }
        return switch change {
        case .deleted: (own(.del), own(.del), .auth)
        case .deletedForSender: (own(.del), queue.send([2]), .auth)
        case .off: (own(.off), queue.send([2]), .auth)
        case .linkDeleted: (own(.ldel), Request(.lget, Self.linkID), .auth)
        case .notifierDeleted:
            (own(.ndel), Request(.nsub, try #require(queue.ids.notifications).notifierID, Self.notifierKey), .auth)
        // The recipient must find the notice that the queue is full, or the sender would never be told to go on.
        case .full: (queue.send([2]), queue.send([3]), .quota)
        }
    }

    private func refusals(_ router: SMPRouter) -> UInt64 {
        let counters = router.statistics.counters
        return counters.authorizationFailures + counters.messagesRefused + counters.messagesOverQuota
    }

    /// Returns when the session has sent all that it may send in answer to what was executed before.
    private func settle(_ session: UInt64, of router: SMPRouter) async throws -> SessionReport? {
        // What a turn of the event loop has executed is sent in the next.
        for _ in 0..<2 { _ = try await router.core.session(numbered: session)?.load() }
        return router.core.sessionReports.first { $0.number == session }
    }

    @Test(arguments: Change.allCases)
    func aRefusalIsNotSentBeforeTheChangeThatItRestsOnIsDurable(_ change: Change) async throws {
        let storage = FaultyStorage()
        let router = try await startRouter(on: storage) { $0.messageQuota = 1 }
        let (owner, other) = (try await TestClient(router.address), try await TestClient(router.address))
        let (first, refused, error) = try commands(change, try await makeQueue(owner, for: change))
        let durable = storage.durableContents
        let ids: (changed: CorrelationID, refused: CorrelationID)
        do {
            storage.held.enter()
            defer { storage.held.leave() }
            let changed = try await owner.send([first])[0]
            try await eventually("the change is made") { router.core.journal.promised > router.core.journal.synchronized }
            let before = refusals(router)
            ids = (changed, try await other.send([refused])[0])
            try await eventually("the command is refused") { refusals(router) > before }
            #expect(try await settle(2, of: router)?.waiting == 1)
            #expect(storage.durableContents == durable)
        }
        let expected: SMPBrokerMessage = change == .full ? .err(.quota) : .ok
        #expect(try await owner.response(to: ids.changed) == expected)
        #expect(try await other.response(to: ids.refused) == .err(error))
        #expect(storage.durableContents != durable)
        await router.stop()
    }

    /// What survives the process is all that is promised then.
    @Test func aRefusalWaitsForTheDiskOnlyWhereThatIsPromised() async throws {
        let storage = FaultyStorage()
        let router = try await startRouter(on: storage) { $0.durability = .interval(.seconds(60)) }
        let (owner, other) = (try await TestClient(router.address), try await TestClient(router.address))
        let (first, refused, error) = try commands(.deleted, try await makeQueue(owner, for: .deleted))
        do {
            storage.held.enter()
            defer { storage.held.leave() }
            #expect(try await owner.request([first]) == [.ok])
            #expect(try await other.request([refused]) == [.err(error)])
        }
        await router.stop()
    }
}
