import SMPCrypto
import SMPProtocol
import SMPWire
import Testing

@testable import SMPServer

/// Which session is given the messages of a queue, when several want them, come and go.
@Suite struct SubscriptionTests {
    private let router = BareRouter(seed: 41)
    private let first: SessionID
    private let second: SessionID
    private let sender: SessionID

    init() { (first, second, sender) = (router.open(), router.open(), router.open()) }

    private func securedQueue(_ subscription: SubscriptionMode = .onlyCreate) throws -> BareQueue {
        let queue = try router.create(from: first, subscription: subscription)
        #expect(try router.secure(queue, from: sender).word == "OK")
        return queue
    }

    private func event(_ session: SessionID, _ queue: BareQueue, _ content: BareRouter.Content) -> BareRouter.Event {
        BareRouter.Event(session: session, entity: queue.recipient, content: content)
    }

    @Test func aNewQueueIsSubscribedToOnlyIfThatIsAskedFor() throws {
        for (mode, isDelivered) in [(SubscriptionMode.subscribe, true), (.onlyCreate, false)] {
            let queue = try securedQueue(mode)
            #expect(try router.send([1], queue, from: sender).word == "OK")
            let message = try router.messages(queue)[0]
            #expect(router.takeEvents() == (isDelivered ? [event(first, queue, .delivery(message))] : []))
            #expect([first].filter(router.state.isSubscribed) == (isDelivered ? [first] : []))
            #expect(try router.own(.del, queue, from: first).word == "OK")
            #expect([first].filter(router.state.isSubscribed).isEmpty)
        }
    }

    @Test func aSubscriptionThatMovesTakesTheUnacknowledgedMessageAlongAndTheFormerIsToldOnce() throws {
        let queue = try securedQueue(.subscribe)
        #expect(try router.send([1], queue, from: sender).word == "OK")
        let message = try router.messages(queue)[0]
        _ = router.takeEvents()
        #expect(try router.own(.sub, queue, from: second).word == "SOK")
        #expect(router.takeEvents() == [event(first, queue, .message(.end)), event(second, queue, .delivery(message))])
        // Subscribing again in the same session ends nothing, and repeats the message.
        #expect(try router.own(.sub, queue, from: second).word == "SOK")
        #expect(router.takeEvents() == [event(second, queue, .delivery(message))])
        #expect(try router.own(.ack(MessageID(message.bytes)), queue, from: first).word == "NO_MSG")
        #expect(try router.own(.ack(MessageID(message.bytes)), queue, from: second).word == "OK")
        #expect([first, second].filter(router.state.isSubscribed) == [second])
    }

    @Test func theEndOfAFormerSessionTakesNothingFromTheLatest() throws {
        let queue = try securedQueue(.subscribe)
        #expect(try router.own(.sub, queue, from: second).word == "SOK")
        router.close(first)
        router.close(first)
        _ = router.takeEvents()
        #expect(try router.send([1], queue, from: sender).word == "OK")
        #expect(router.takeEvents() == [event(second, queue, .delivery(try router.messages(queue)[0]))])
        router.close(second)
        #expect(try router.send([2], queue, from: sender).word == "OK")
        #expect(router.takeEvents().isEmpty)
        #expect(try router.messages(queue).count == 2)
    }

    @Test func onlyTheDeliveredMessageIsAcknowledgedAndOnlyOnce() throws {
        let queue = try securedQueue(.subscribe)
        for body in 1...3 as ClosedRange<UInt8> { #expect(try router.send([body], queue, from: sender).word == "OK") }
        let messages = try router.messages(queue)
        for (index, message) in messages.enumerated() {
            // Neither one that is gone or waits, nor one of another size.
            for wrong in messages.filter({ $0 != message }).map(\.bytes) + [[1], message.bytes + [0], Array(message.bytes.dropLast())] {
                #expect(try router.own(.ack(MessageID(wrong)), queue, from: first).word == "NO_MSG")
            }
            let next = index + 1 < messages.count ? BareRouter.Content.delivery(messages[index + 1]) : .message(.ok)
            #expect(try router.own(.ack(MessageID(message.bytes)), queue, from: first) == next)
        }
        #expect(try router.own(.ack(MessageID([])), queue, from: first).word == "NO_MSG")
        #expect(router.state.counters.messagesAcknowledged == 3)
    }

    @Test func whatIsFetchedWithoutASubscriptionLeavesTheSubscriberAlone() throws {
        let queue = try securedQueue(.subscribe)
        #expect(try router.send([1], queue, from: sender).word == "OK")
        let message = try router.messages(queue)[0]
        #expect(try router.own(.get, queue, from: second) == .delivery(message))
        // In one session it is one or the other.
        #expect(try router.own(.get, queue, from: first) == .message(.err(.command(.prohibited))))
        #expect(try router.own(.sub, queue, from: second) == .message(.err(.command(.prohibited))))
        _ = router.takeEvents()
        // Whoever acknowledges first removes it; for the other it is a repetition, and nothing behind it is lost.
        #expect(try router.send([2], queue, from: sender).word == "OK")
        #expect(try router.own(.ack(MessageID(message.bytes)), queue, from: second).word == "OK")
        #expect(try router.messages(queue).count == 1)
        #expect(try router.own(.ack(MessageID(message.bytes)), queue, from: first) == .delivery(try router.messages(queue)[0]))
        #expect(try router.messages(queue).count == 1)
    }

    @Test func aDeletedQueueIsToldToItsSubscriberButNotToWhoDeletedIt() throws {
        for deleter in [first, second] {
            let queue = try securedQueue(.subscribe)
            #expect(try router.own(.del, queue, from: deleter).word == "OK")
            #expect(router.takeEvents() == (deleter == first ? [] : [event(first, queue, .message(.deld))]))
            #expect(try router.own(.del, queue, from: deleter).word == "AUTH")
        }
        #expect(router.state.store.count == 0 && router.state.store.liveBytes == 0)
    }

    @Test func theIdsOfADeletedQueueCanBeUsedAgain() throws {
        let link = LinkID(router.random.bytes(24)), id = CorrelationID.random(router.random)
        let data = QueueLinkData(fixedData: [1], userData: [2])
        let mode = NewQueueMode.contact(link: .init(linkID: link, senderID: SenderID(QueueIDs.senderID(correlationID: id.bytes)), data: data))
        for _ in 0..<2 {
            let queue = try router.create(mode, from: first, subscription: .subscribe, id: id)
            #expect(throws: SMPErrorType.internal) { try router.create(mode, from: second, id: id) }
            #expect(try router.request(.lget, link, from: second) == .link(queue.sender))
            #expect(try router.own(.del, queue, from: first).word == "OK")
            #expect(try router.request(.lget, link, from: second).word == "AUTH")
        }
    }

    @Test func aBlockIsToldToTheSubscriberOnceForEachReason() throws {
        let queue = try securedQueue(.subscribe)
        let (spam, content) = (BlockingInfo(reason: .spam), BlockingInfo(reason: .content, notice: ClientNotice(ttl: 5)))
        for (info, isNews) in [(spam, true), (spam, false), (content, true)] {
            try router.block(queue, info)
            #expect(router.takeEvents() == (isNews ? [event(first, queue, .message(.err(.blocked(info))))] : []))
            #expect(try router.send([1], queue, from: sender) == .message(.err(.blocked(info))))
        }
        #expect(router.state.counters.queuesBlocked == 2)
    }
}
