import RouterSupport
import SMPCrypto
import SMPProtocol
import SMPServer
import SMPWire
import TestSupport
import Testing

/// Who may do what with a queue.
@Suite struct RouterQueueTests {
    @Test(arguments: ["X25519", "Ed25519", "Ed448"])
    func everyKindOfKeyAuthorisesCommands(_ algorithm: String) async throws {
        let random = SystemRandomSource()
        let key: PrivateAuthKey =
            switch algorithm {
            case "Ed25519": .ed25519(Ed25519.generateKeyPair(random).privateKey)
            case "Ed448": .ed448(Ed448.generateKeyPair(random).privateKey)
            default: .x25519(X25519.generateKeyPair(random).privateKey)
            }
        try await withRouter { router in
            let client = try await TestClient(router.address)
            let queue = try await TestQueue.create(client, recipientKey: key)
            #expect(try await client.request(.key(key.publicKey), queue.recipient, key) == .ok)
            #expect(try await client.request(.send(MessageFlags(), [1]), queue.sender, key) == .ok)
            let (message, _) = try queue.open(try await client.event().message)
            #expect(try await client.request([queue.acknowledge(message)]) == [.ok])
        }
    }

    @Test func commandsByOthersAndAboutAbsentQueuesAreRefusedAlike() async throws {
        try await withRouter { router in
            let client = try await TestClient(router.address)
            let queue = try await TestQueue.create(client)
            _ = try await client.request([queue.secure()])
            let keys: [PrivateAuthKey] = [
                TestQueue.key(), .ed25519(Ed25519.generateKeyPair(SystemRandomSource()).privateKey),
                .ed448(Ed448.generateKeyPair(SystemRandomSource()).privateKey),
            ]
            let absent = EntityID(SystemRandomSource().bytes(24))
            let commands: [SMPCommand] = [
                .sub, .get, .ack(MessageID([])), .off, .del, .que, .ldel, .ndel, .key(keys[0].publicKey),
                .rkey([keys[0].publicKey]),
            ]
            for key in keys {
                for command in commands {
                    for entity in [
                        queue.recipient, absent, queue.sender, EntityID([1]), EntityID(Bytes(repeating: 7, count: 255)),
                    ] {
                        #expect(try await client.request(command, entity, key) == .err(.auth))
                    }
                }
                for entity in [queue.sender, absent, queue.recipient] {
                    #expect(try await client.request(.send(MessageFlags(), [1]), entity, key) == .err(.auth))
                    #expect(try await client.request(.skey(key.publicKey), entity, key) == .err(.auth))
                    #expect(try await client.request(.lkey(key.publicKey), entity, key) == .err(.auth))
                    #expect(try await client.request(.nsub, entity, key) == .err(.auth))
                }
            }
            #expect(try await client.request(.send(MessageFlags(), [1]), queue.sender) == .err(.auth))
            #expect(try await client.request(.lget, queue.sender) == .err(.auth))
            #expect(router.statistics.counters.authorizationFailures > 100)
            // The queue is none the worse for it.
            #expect(try await client.request([queue.send([1])]) == [.ok])
        }
    }

    @Test func anOpenQueueTakesMessagesWithoutAuthorisationOnly() async throws {
        try await withRouter { router in
            let client = try await TestClient(router.address)
            let queue = try await TestQueue.create(client, mode: .contact(link: nil))
            #expect(try await client.request([queue.send([1])]) == [.err(.auth)])
            #expect(try await client.request(.send(MessageFlags(), [2]), queue.sender) == .ok)
            #expect(try queue.body(try await client.event().message) == [2])
            // Nobody can secure a contact queue as its sender.
            #expect(try await client.request([queue.secure()]) == [.err(.auth)])
        }
    }

    @Test func aQueueIsSecuredOnceAndSayingSoAgainChangesNothing() async throws {
        try await withRouter { router in
            let client = try await TestClient(router.address)
            let queue = try await TestQueue.create(client)
            #expect(try await client.request([queue.secure(), queue.secure()]) == [.ok, .ok])
            let other = TestQueue.key()
            #expect(try await client.request(.skey(other.publicKey), queue.sender, other) == .err(.auth))
            #expect(try await client.request(.key(other.publicKey), queue.recipient, queue.recipientKey) == .err(.auth))
            #expect(try await client.request(.key(queue.senderKey.publicKey), queue.recipient, queue.recipientKey) == .ok)
            #expect(router.statistics.counters.queuesSecured == 1)
        }
    }

    @Test func recipientKeysOfAContactQueueAreReplaced() async throws {
        try await withRouter { router in
            let client = try await TestClient(router.address)
            let queue = try await TestQueue.create(client, mode: .contact(link: nil))
            let keys = [TestQueue.key(), TestQueue.key()]
            #expect(try await client.request(.rkey(keys.map(\.publicKey)), queue.recipient, queue.recipientKey) == .ok)
            #expect(try await client.request([queue.sub()]) == [.err(.auth)])
            for key in keys { #expect(try await client.request(.sub, queue.recipient, key) == .sok(nil)) }
            let many = (0..<33).map { _ in TestQueue.key().publicKey }
            #expect(try await client.request(.rkey(many), queue.recipient, keys[0]) == .err(.command(.prohibited)))
            let messaging = try await TestQueue.create(client)
            #expect(
                try await client.request(.rkey(keys.map(\.publicKey)), messaging.recipient, messaging.recipientKey) == .err(.auth)
            )
        }
    }

    @Test func aSuspendedQueueTakesNothingMoreAndKeepsWhatItHas() async throws {
        try await withRouter { router in
            let client = try await TestClient(router.address)
            let queue = try await TestQueue.create(client, subscription: .onlyCreate)
            #expect(try await client.request([queue.secure(), queue.send([1])]) == [.ok, .ok])
            #expect(try await client.request(.off, queue.recipient, queue.recipientKey) == .ok)
            #expect(try await client.request([queue.send([2])]) == [.err(.auth)])
            #expect(try await client.request([queue.sub()]) == [.sok(nil)])
            let (message, _) = try queue.open(try await client.event().message)
            #expect(try await client.request([queue.acknowledge(message)]) == [.ok])
        }
    }

    @Test func aDeletedQueueIsGoneAndItsSubscriberIsTold() async throws {
        try await withRouter { router in
            let (owner, subscriber) = (try await TestClient(router.address), try await TestClient(router.address))
            let old = try await TestClient(router.address, versions: VersionRange(9))
            let queue = try await TestQueue.create(owner, subscription: .onlyCreate)
            #expect(try await subscriber.request([queue.sub()]) == [.sok(nil)])
            #expect(try await owner.request(.del, queue.recipient, queue.recipientKey) == .ok)
            let (entity, message) = try await subscriber.event()
            #expect(entity == queue.recipient && message == .deld)
            #expect(try await owner.request([queue.sub()]) == [.err(.auth)])
            #expect(try await owner.request([queue.secure()]) == [.err(.auth)])
            #expect(router.statistics.queues == 0)
            // Clients below version 10 know only that it ended.
            let second = try await TestQueue.create(owner, subscription: .onlyCreate)
            #expect(try await old.request([second.sub()]) == [.ok])
            #expect(try await owner.request(.del, second.recipient, second.recipientKey) == .ok)
            #expect(try await old.event().message == .end)
        }
    }

    @Test func whoSubscribesLastGetsTheMessagesAndTheFormerIsTold() async throws {
        try await withRouter { router in
            let (first, second) = (try await TestClient(router.address), try await TestClient(router.address))
            let queue = try await TestQueue.create(first)
            #expect(try await first.request([queue.secure(), queue.send([1])]) == [.ok, .ok])
            let (message, _) = try queue.open(try await first.event().message)
            #expect(try await second.request([queue.sub()]) == [.sok(nil)])
            #expect(try queue.open(try await second.event().message).message.id == message.id)
            let (entity, end) = try await first.event()
            #expect(entity == queue.recipient && end == .end)
            #expect(try await first.request([queue.acknowledge(message)]) == [.err(.noMessage)])
            #expect(try await second.request([queue.acknowledge(message)]) == [.ok])
            #expect(try await first.request([queue.send([2])]) == [.ok])
            #expect(try queue.body(try await second.event().message) == [2])
            #expect(try await first.eventsSoFar().isEmpty)
            // Subscribing again in the same session delivers again what is not acknowledged.
            #expect(try await second.request([queue.sub()]) == [.sok(nil)])
            #expect(try queue.body(try await second.event().message) == [2])
        }
    }

    @Test func aSubscriptionEndsWithItsConnection() async throws {
        try await withRouter { router in
            let first = try await TestClient(router.address)
            let queue = try await TestQueue.create(first)
            #expect(try await first.request([queue.secure()]) == [.ok])
            await first.close()
            let second = try await TestClient(router.address)
            #expect(try await second.request([queue.send([1])]) == [.ok])
            #expect(try await second.eventsSoFar().isEmpty)
            #expect(try await second.request([queue.sub()]) == [.sok(nil)])
            #expect(try queue.body(try await second.event().message) == [1])
        }
    }

    @Test func messagesAreFetchedOneByOneWithoutASubscription() async throws {
        try await withRouter { router in
            let client = try await TestClient(router.address)
            let queue = try await TestQueue.create(client, subscription: .onlyCreate)
            let get = Request(.get, queue.recipient, queue.recipientKey)
            #expect(try await client.request([get]) == [.ok])
            #expect(try await client.request([queue.sub()]) == [.err(.command(.prohibited))])
            #expect(try await client.request([queue.secure(), queue.send([1]), queue.send([2])]) == [.ok, .ok, .ok])
            #expect(try await client.eventsSoFar().isEmpty)
            for expected: Bytes in [[1], [2]] {
                let (message, _) = try queue.open(try await client.request([get])[0])
                #expect(try queue.body(try await client.request([get])[0]) == expected)
                #expect(try await client.request([queue.acknowledge(message)]) == [.ok])
            }
            #expect(try await client.request([get]) == [.ok])
            let other = try await TestClient(router.address)
            #expect(try await other.request([queue.sub()]) == [.sok(nil)])
            #expect(try await other.request([get]) == [.err(.command(.prohibited))])
        }
    }

    @Test func aFullQueueTellsItsSenderToWaitAndItsRecipientThatItDid() async throws {
        try await withRouter(.memory) {
            $0.messageQuota = 3
        } _: { router in
            let client = try await TestClient(router.address)
            let queue = try await TestQueue.create(client, subscription: .onlyCreate)
            #expect(try await client.request([queue.secure()]) == [.ok])
            let answers = try await client.request((0..<6).map { queue.send([$0]) })
            #expect(answers == [.ok, .ok, .ok, .err(.quota), .err(.quota), .err(.quota)])
            #expect(try await client.request([queue.sub()]) == [.sok(nil)])
            var message = try await client.event().message
            for expected in 0..<3 as Range<UInt8> {
                #expect(try queue.body(message) == [expected])
                // As long as the recipient has not seen the notice, nothing more is taken.
                #expect(try await client.request([queue.send([9])]) == [.err(.quota)])
                message = try await client.request([queue.acknowledge(try queue.open(message).message)])[0]
            }
            let (notice, body) = try queue.open(message)
            guard case .quotaExceeded = body else { throw TestClientError.unexpected(message) }
            #expect(try await client.request([queue.send([9])]) == [.err(.quota)])
            #expect(try await client.request([queue.acknowledge(notice)]) == [.ok])
            #expect(try await client.request([queue.send([10])]) == [.ok])
            #expect(try queue.body(try await client.event().message) == [10])
        }
    }

    @Test func messagesExpire() async throws {
        let clock = TestClock(1_000_000)
        try await withRouter(.memory) {
            $0.messageLifetime = .seconds(100)
        } now: {
            clock.now
        } _: { router in
            let client = try await TestClient(router.address)
            let queue = try await TestQueue.create(client, subscription: .onlyCreate)
            #expect(try await client.request([queue.secure(), queue.send([1]), queue.send([2])]) == [.ok, .ok, .ok])
            clock.advance(60)
            #expect(try await client.request([queue.send([3])]) == [.ok])
            clock.advance(50)
            #expect(try await client.request([queue.send([4])]) == [.ok])
            #expect(router.statistics.counters.messagesExpired == 2)
            #expect(try await client.request([queue.sub()]) == [.sok(nil)])
            let (message, body) = try queue.open(try await client.event().message)
            guard case .message(let timestamp, _, let bytes) = body else { throw TestClientError.closed }
            #expect(bytes == [3] && timestamp == 1_000_060)
            // A message that expires after it was delivered can still be acknowledged: the next follows.
            clock.advance(80)
            #expect(try await client.request([queue.send([5])]) == [.ok])
            #expect(try queue.body(try await client.request([queue.acknowledge(message)])[0]) == [4])
        }
    }

    @Test func aMessageLongerThanTheVersionAllowsIsRefused() async throws {
        try await withRouter { router in
            let client = try await TestClient(router.address)
            let queue = try await TestQueue.create(client)
            #expect(try await client.request([queue.secure()]) == [.ok])
            let longest = Bytes(repeating: 1, count: 16_048)
            #expect(try await client.request([queue.send(longest)]) == [.ok])
            #expect(try queue.body(try await client.event().message) == longest)
            #expect(try await client.request([queue.send(longest + [1])]) == [.err(.largeMessage)])
        }
    }

    @Test func theStateOfAQueueIsDescribed() async throws {
        try await withRouter(.memory, now: { 1_715_000_000 }) { router in
            let client = try await TestClient(router.address)
            let queue = try await TestQueue.create(client, subscription: .onlyCreate)
            let que = Request(.que, queue.recipient, queue.recipientKey)
            #expect(
                try await client.request([que]) == [.info(QueueState(isSecured: false, hasNotifier: false, size: 0))])
            #expect(try await client.request([queue.secure(), queue.send([1]), queue.send([2]), queue.sub()]).last == .sok(nil))
            let (message, _) = try queue.open(try await client.event().message)
            guard case .info(let state) = try await client.request([que])[0] else { throw TestClientError.closed }
            #expect(state.isSecured && state.size == 2)
            #expect(state.subscription?.state == .noSub)
            #expect(state.firstMessage?.timestamp == "2024-05-06T12:53:20Z")
            #expect(state.firstMessage?.id == state.subscription?.deliveredMessageID)
            #expect(state.firstMessage?.kind == .message)
            #expect(
                Base64URL.decode(state.firstMessage.map { $0.id.replacing("+", with: "-").replacing("/", with: "_") } ?? "")
                    == message.id.bytes)
        }
    }

    @Test func creatingQueuesMayAskForAPassword() async throws {
        let password = BasicAuth(Bytes("secret".utf8))
        try await withRouter(.memory) {
            $0.basicAuth = password
        } _: { router in
            let client = try await TestClient(router.address)
            await #expect(throws: TestClientError.self) { try await TestQueue.create(client) }
            await #expect(throws: TestClientError.self) {
                try await TestQueue.create(client, basicAuth: BasicAuth(Bytes("wrong".utf8)))
            }
            _ = try await TestQueue.create(client, basicAuth: password)
        }
        try await withRouter(.memory) {
            $0.allowsNewQueues = false
        } _: { router in
            let client = try await TestClient(router.address)
            await #expect(throws: TestClientError.self) { try await TestQueue.create(client) }
        }
    }
}
