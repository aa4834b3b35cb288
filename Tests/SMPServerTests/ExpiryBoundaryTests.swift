import SMPCrypto
import SMPProtocol
import SMPWire
import Testing

@testable import SMPServer

/// The moments at which messages and queues are too old, or too many.
@Suite struct ExpiryBoundaryTests {
    private func securedQueue(_ router: BareRouter, _ session: SessionID, _ subscription: SubscriptionMode = .onlyCreate) throws -> BareQueue {
        let queue = try router.create(from: session, subscription: subscription)
        #expect(try router.secure(queue, from: session).word == "OK")
        return queue
    }

    @Test(arguments: [(99, 2), (100, 2), (101, 1), (102, 0), (Int64.max / 2, 0)])
    func aMessageIsDeletedWhenItIsOlderThanItsLifetime(_ age: Int64, _ left: Int) throws {
        let router = BareRouter(seed: 61, RouterState.Limits(messageLifetime: 100))
        let session = router.open()
        let queue = try securedQueue(router, session)
        router.now = 1_000
        #expect(try router.send([1], queue, from: session).word == "OK")
        router.now = 1_001
        #expect(try router.send([2], queue, from: session).word == "OK")
        router.now = 1_000 + age
        router.sweep()
        #expect(try router.messages(queue).count == left)
        #expect(router.state.counters.messagesExpired == UInt64(2 - left))
        #expect(router.state.store.messageCount == left)
    }

    @Test func theNoticeOfAFullQueueDoesNotExpireAndHoldsWhatIsBehindIt() throws {
        let router = BareRouter(seed: 62, RouterState.Limits(messageQuota: 2, messageLifetime: 100))
        let session = router.open()
        let queue = try securedQueue(router, session)
        for word in ["OK", "OK", "QUOTA", "QUOTA"] { #expect(try router.send([1], queue, from: session).word == word) }
        router.now += 1_000
        router.sweep()
        let notice = try router.messages(queue)
        #expect(notice.count == 1)
        // The sender has been told to wait: only the recipient's acknowledgement ends that.
        #expect(try router.send([2], queue, from: session).word == "QUOTA")
        #expect(try router.own(.sub, queue, from: session).word == "SOK")
        #expect(router.takeEvents().last?.content == .delivery(notice[0]))
        #expect(try router.own(.ack(MessageID(notice[0].bytes)), queue, from: session).word == "OK")
        #expect(try router.send([2], queue, from: session).word == "OK")
        #expect(router.state.counters.messagesAcknowledged == 0, "a notice is no message")
    }

    @Test(arguments: [1, 2, 5])
    func aQueueHoldsItsQuotaAndOneNotice(_ quota: Int) throws {
        let router = BareRouter(seed: 63, RouterState.Limits(messageQuota: quota))
        let session = router.open()
        let queue = try securedQueue(router, session)
        let answers = try (0..<quota + 3).map { _ in try router.send([1], queue, from: session).word }
        #expect(answers == Array(repeating: "OK", count: quota) + ["QUOTA", "QUOTA", "QUOTA"])
        #expect(try router.messages(queue).count == quota + 1)
        #expect(router.state.counters.messagesOverQuota == 3)
    }

    @Test(arguments: [(3, true), (4, false)])
    func aQueueThatNobodyUsesIsDeletedAfterMoreThanItsLifetime(_ days: Int64, _ isThere: Bool) throws {
        let router = BareRouter(seed: 64, RouterState.Limits(queueLifetime: 3 * 86_400))
        let session = router.open()
        // At the end of a day: the time of day does not count.
        router.now = 20_000 * 86_400 + 86_399
        let queue = try securedQueue(router, session)
        router.now += days * 86_400
        router.sweep()
        #expect((router.state.store.slot(recipient: queue.recipient) != nil) == isThere)
        #expect(router.state.counters.queuesExpired == (isThere ? 0 : 1))
        #expect(router.state.counters.queuesDeleted == 0, "nobody has deleted it")
    }

    /// Commands that use a queue, and others that do not.
    @Test(arguments: [("SUB", true), ("GET", true), ("QUE", true), ("SEND", true), ("SKEY", false), ("SEND that is refused", false)])
    func aQueueIsUsedByItsRecipientAndByMessages(_ use: String, _ isUse: Bool) throws {
        let router = BareRouter(seed: 65, RouterState.Limits(queueLifetime: 3 * 86_400))
        let session = router.open()
        let queue = try securedQueue(router, session)
        router.now += 3 * 86_400
        let answer: BareRouter.Content =
            switch use {
            case "SUB": try router.own(.sub, queue, from: session)
            case "GET": try router.own(.get, queue, from: session)
            case "QUE": try router.own(.que, queue, from: session)
            case "SKEY": try router.secure(queue, from: session)
            case "SEND": try router.send([1], queue, from: session)
            default: try router.request(.send(MessageFlags(), [1]), queue.sender, router.key(), from: session)
            }
        #expect((answer.word == "AUTH") == use.hasSuffix("refused"))
        router.close(session)
        router.now += 86_400
        router.sweep()
        #expect((router.state.store.slot(recipient: queue.recipient) != nil) == isUse)
    }

    @Test func aSubscriberKeepsAQueueHoweverLongNothingComes() throws {
        let router = BareRouter(seed: 66, RouterState.Limits(queueLifetime: 86_400))
        let session = router.open()
        let queue = try securedQueue(router, session, .subscribe)
        for _ in 0..<5 {
            router.now += 40 * 86_400
            router.sweep()
            #expect(router.state.store.slot(recipient: queue.recipient) != nil)
        }
        router.close(session)
        router.now += 86_400
        router.sweep()
        #expect(router.state.store.slot(recipient: queue.recipient) != nil, "it was used yesterday")
        router.now += 86_400
        router.sweep()
        #expect(router.state.store.count == 0)
    }

    @Test func aClockThatIsSetBackEndsNoQueue() throws {
        let router = BareRouter(seed: 67, RouterState.Limits(messageLifetime: 100, queueLifetime: 86_400))
        let session = router.open()
        let queue = try securedQueue(router, session)
        #expect(try router.send([1], queue, from: session).word == "OK")
        router.now -= 1_000 * 86_400
        router.sweep()
        #expect(try router.messages(queue).count == 1)
    }

    @Test func noMoreQueuesAreMadeThanAllowedAndADeletedOneMakesRoom() throws {
        let router = BareRouter(seed: 68, RouterState.Limits(maximumQueues: 2))
        let session = router.open()
        let first = try router.create(from: session)
        _ = try router.create(from: session)
        #expect(throws: SMPErrorType.internal) { try router.create(from: session) }
        #expect(try router.own(.del, first, from: session).word == "OK")
        _ = try router.create(from: session)
        #expect(router.state.counters.queuesCreated == 3 && router.state.store.count == 2)
    }

    @Test(arguments: [(31, "OK"), (32, "OK"), (33, "CMD"), (255, "CMD")])
    func aQueueHasALimitedNumberOfRecipientKeys(_ count: Int, _ word: String) throws {
        let router = BareRouter(seed: 69)
        let session = router.open()
        let queue = try router.create(.contact(link: nil), from: session)
        let keys = (0..<count).map { _ in router.key() }
        #expect(try router.own(.rkey(keys.map(\.publicKey)), queue, from: session).word == word)
        let last = try #require(keys.last)
        #expect(try router.request(.que, queue.recipient, last, from: session).word == (word == "OK" ? "INFO" : "AUTH"))
        #expect(try router.own(.que, queue, from: session).word == (word == "OK" ? "AUTH" : "INFO"))
    }
}
