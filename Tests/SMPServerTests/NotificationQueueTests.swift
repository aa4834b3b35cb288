import SMPCrypto
import SMPProtocol
import SMPWire
import Testing

@testable import SMPServer

/// What notification servers are told of the messages of a queue, and what waits for them.
@Suite struct NotificationQueueTests {
    private let router = BareRouter(seed: 51)
    private let recipient: SessionID
    private let notifier: SessionID
    private let queue: BareQueue

    init() throws {
        (recipient, notifier) = (router.open(), router.open())
        queue = try router.create(from: recipient, notifies: true)
        #expect(try router.secure(queue, from: recipient).word == "OK")
    }

    private func send(_ count: Int, notifies: Bool = true) throws {
        for _ in 0..<count { #expect(try router.send([1], queue, notifies: notifies, from: recipient).word == "OK") }
    }

    /// The notifications among the events since the last time.
    private func notifications(for session: SessionID) -> [Bytes] {
        router.takeEvents().compactMap { event in
            guard event.session == session, event.entity == queue.notifier, case .message(.nmsg(_, let meta)) = event.content else { return nil }
            return meta
        }
    }

    @Test(arguments: [0, 1, QueueStore.pendingNotificationLimit, QueueStore.pendingNotificationLimit + 1, 40])
    func theLatestNotificationsWaitForWhoSubscribesAndComeOnce(_ count: Int) throws {
        try send(count)
        #expect(router.takeEvents().isEmpty)
        #expect(try router.subscribeNotifier(queue, from: notifier) == .message(.sok(nil)))
        let received = notifications(for: notifier)
        #expect(received.count == min(count, QueueStore.pendingNotificationLimit))
        #expect(Set(received).count == received.count)
        #expect(try router.subscribeNotifier(queue, from: notifier) == .message(.sok(nil)))
        #expect(notifications(for: notifier).isEmpty)
        try send(1)
        #expect(notifications(for: notifier).count == 1)
    }

    @Test func theOldestNotificationsGiveWayToTheLatest() throws {
        // A queue with a key of the test's own, so that what waits can be read.
        let pair = X25519.generateKeyPair(router.random)
        let asked = NotificationCredentials(notifierKey: queue.notifierKey.publicKey, encryptionKey: pair.publicKey)
        guard case .message(.nid(let id, let serverKey)) = try router.own(.nkey(asked), queue, from: recipient) else {
            throw SMPErrorType.internal
        }
        let count = QueueStore.pendingNotificationLimit + 3
        try send(count)
        #expect(try router.request(.nsub, id, queue.notifierKey, from: notifier).word == "SOK")
        let secret = try BoxSecret(pair.privateKey, with: serverKey)
        let ids = try router.takeEvents().compactMap { event -> Identifier? in
            guard case .message(.nmsg(let nonce, let meta)) = event.content else { return nil }
            let opened = try NotificationMessageMeta(opening: meta, nonce: nonce, secret: secret)
            #expect(opened.timestamp == router.now)
            return Identifier(opened.id.bytes)
        }
        #expect(ids == Array(try router.messages(queue).suffix(QueueStore.pendingNotificationLimit)))
    }

    @Test func onlyMessagesThatAskForItAndAreTakenAreNotified() throws {
        router.state.limits.messageQuota = 2
        #expect(try router.subscribeNotifier(queue, from: notifier).word == "SOK")
        try send(1, notifies: false)
        #expect(notifications(for: notifier).isEmpty)
        try send(1)
        #expect(notifications(for: notifier).count == 1)
        for _ in 0..<2 { #expect(try router.send([1], queue, notifies: true, from: recipient).word == "QUOTA") }
        #expect(notifications(for: notifier).isEmpty)
        #expect(router.state.counters.notificationsSent == 1)
    }

    @Test func whoSubscribesLastHearsAndTheFormerIsTold() throws {
        let latest = router.open()
        #expect(try router.subscribeNotifier(queue, from: notifier).word == "SOK")
        #expect(try router.subscribeNotifier(queue, from: latest).word == "SOK")
        let ended = BareRouter.Event(session: notifier, entity: try #require(queue.notifier), content: .message(.end))
        #expect(router.takeEvents() == [ended])
        router.close(notifier)
        try send(1)
        #expect(notifications(for: latest).count == 1)
        router.close(latest)
        try send(1)
        #expect(router.takeEvents().isEmpty)
        #expect([notifier, latest].filter(router.state.isSubscribed).isEmpty)
    }

    /// Each of these ends the subscription of the notification server, which is told so.
    @Test(arguments: ["NDEL", "NKEY", "DEL"])
    func credentialsThatEndTakeWhatWaitedWithThem(_ command: String) throws {
        for isHeard in [true, false] {
            let (queue, notifier) = (try router.create(from: recipient, notifies: true), router.open())
            let id = try #require(queue.notifier)
            if isHeard { #expect(try router.subscribeNotifier(queue, from: notifier).word == "SOK") }
            let renewed = router.credentials(queue.notifierKey)
            let answer = try router.own(command == "NDEL" ? .ndel : command == "DEL" ? .del : .nkey(renewed), queue, from: recipient)
            #expect(answer.word == (command == "NKEY" ? "NID" : "OK"))
            #expect(router.takeEvents() == (isHeard ? [BareRouter.Event(session: notifier, entity: id, content: .message(.deld))] : []))
            #expect(try router.subscribeNotifier(queue, from: notifier).word == "AUTH")
            let isSubscribed = router.state.isSubscribed(notifier)
            #expect(!isSubscribed)
            guard case .message(.nid(let new, _)) = answer else { continue }
            #expect(new != id)
            #expect(try router.request(.nsub, new, queue.notifierKey, from: notifier).word == "SOK")
        }
    }

    @Test func credentialsThatAreRenewedInheritNothingThatWaited() throws {
        try send(3)
        guard case .message(.nid(let id, _)) = try router.own(.nkey(router.credentials(queue.notifierKey)), queue, from: recipient) else {
            throw SMPErrorType.internal
        }
        #expect(try router.request(.nsub, id, queue.notifierKey, from: notifier).word == "SOK")
        #expect(router.takeEvents().isEmpty)
    }
}
