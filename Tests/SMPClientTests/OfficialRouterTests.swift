import SMPCrypto
import SMPProtocol
import SMPWire
import Testing

@testable import SMPClient

/// A queue on a router, with both its ends.
private struct Queue {
    let recipientKey: PrivateAuthKey
    let senderKey: PrivateAuthKey
    let ids: QueueIDsAndKeys
    let secret: BoxSecret

    init(
        _ pool: SMPClientPool, _ session: TransportSessionKey, keys: () -> PrivateAuthKey,
        mode: NewQueueMode? = .messaging(link: nil), subscription: SubscriptionMode = .subscribe
    ) async throws {
        recipientKey = keys()
        senderKey = keys()
        let encryption = X25519.generateKeyPair(SystemRandomSource())
        let new = NewQueueRequest(
            recipientKey: recipientKey.publicKey, encryptionKey: encryption.publicKey, subscription: subscription, mode: mode)
        let answer = try await pool.send(SMPRequest(command: .new(new), authKey: recipientKey), over: session)
        guard case .ids(let ids) = answer else { throw OfficialRouter.Failure(description: "NEW gave \(answer)") }
        self.ids = ids
        secret = try BoxSecret(encryption.privateKey, with: ids.serverKey)
    }

    var subscription: QueueSubscription { QueueSubscription(queue: ids.recipientID, authKey: recipientKey) }

    func send(_ text: String) -> SMPRequest {
        SMPRequest(
            entity: ids.senderID, command: .send(MessageFlags(notification: true), Bytes(text.utf8)), authKey: senderKey)
    }

    func secure() -> SMPRequest {
        SMPRequest(entity: ids.senderID, command: .skey(senderKey.publicKey), authKey: senderKey)
    }

    func acknowledge(_ message: ReceivedMessage) -> SMPRequest {
        SMPRequest(entity: ids.recipientID, command: .ack(message.id), authKey: recipientKey)
    }

    func open(_ message: ReceivedMessage) throws -> String {
        guard case .message(_, let flags, let body) = try ReceivedMessageBody(opening: message, secret: secret), flags.notification
        else { throw OfficialRouter.Failure(description: "not a message") }
        return String(decoding: body, as: UTF8.self)
    }
}

/// The protocol as the official router speaks it.
@Suite("With the official router", .enabled(if: OfficialRouter.executable != nil), .serialized)
struct OfficialRouterTests {
    private static let keyKinds = ["x25519", "ed25519", "ed448"]

    private static func key(_ kind: String) -> PrivateAuthKey {
        let random = SystemRandomSource()
        return switch kind {
        case "x25519": .x25519(X25519.generateKeyPair(random).privateKey)
        case "ed25519": .ed25519(Ed25519.generateKeyPair(random).privateKey)
        default: .ed448(Ed448.generateKeyPair(random).privateKey)
        }
    }

    private func withOfficialRouter(
        versions: VersionRange = SMPVersion.offered, _ body: (OfficialRouter, SMPClientPool, TransportSessionKey) async throws -> Void
    ) async throws {
        let router = try OfficialRouter()
        defer { router.remove() }
        try await router.start()
        var configuration = SMPClientConfiguration()
        configuration.versions = versions
        configuration.retry.initial = .milliseconds(50)
        configuration.failureMemory = .zero
        let pool = try SMPClientPool(configuration: configuration)
        let session = TransportSessionKey(userID: 1, server: router.address)
        do {
            try await body(router, pool, session)
        } catch {
            await pool.close()
            throw error
        }
        await pool.close()
    }

    private func nextMessage(
        _ events: inout AsyncStream<SMPClientEvent>.Iterator
    ) async throws -> (queue: RecipientID, message: ReceivedMessage) {
        while let event = await events.next() {
            if case .message(_, let queue, let message) = event { return (queue, message) }
        }
        throw OfficialRouter.Failure(description: "the events ended")
    }

    @Test("Queues are created, secured, sent to, received from and acknowledged at every version", arguments: 9...18 as ClosedRange<UInt16>)
    func conversation(_ version: UInt16) async throws {
        try await withOfficialRouter(versions: VersionRange(version)) { router, pool, session in
            let info = try await pool.sessionInfo(session)
            #expect(info.version == version)
            var events = pool.events.makeAsyncIterator()
            let sender = TransportSessionKey(userID: 2, server: router.address)
            for kind in Self.keyKinds {
                let queue = try await Queue(pool, session) { Self.key(kind) }
                let secured = try await pool.send(queue.secure(), over: sender)
                #expect(secured == .ok)
                let batch = ["first", "second", "third"].map { queue.send($0) }
                let sent = await pool.send(batch: batch, over: sender)
                #expect(sent.map { try? $0.get() } == [.ok, .ok, .ok])
                for expected in ["first", "second", "third"] {
                    let (id, message) = try await nextMessage(&events)
                    #expect(id == queue.ids.recipientID)
                    let text = try queue.open(message)
                    #expect(text == expected)
                    let acknowledged = try await pool.send(queue.acknowledge(message), over: session)
                    #expect(acknowledged == .ok)
                }
                let stranger = SMPRequest(
                    entity: queue.ids.senderID, command: .send(MessageFlags(notification: false), [1]), authKey: Self.key(kind))
                let refused = await pool.send(batch: [stranger], over: sender)
                #expect(refused.map(code) == [.protocol(.auth)])
                let deleted = try await pool.send(
                    SMPRequest(entity: queue.ids.recipientID, command: .del, authKey: queue.recipientKey), over: session)
                #expect(deleted == .ok)
            }
        }
    }

    @Test("Five hundred queues are subscribed to in batches, also by another connection that takes them over")
    func subscriptions() async throws {
        try await withOfficialRouter { router, pool, session in
            var queues: [Queue] = []
            for _ in 0..<500 {
                queues.append(try await Queue(pool, session, keys: { Self.key("x25519") }, subscription: .onlyCreate))
            }
            let results = await pool.subscribe(queues.map(\.subscription), over: session)
            #expect(results.allSatisfy { code($0) == nil })
            let other = TransportSessionKey(userID: 2, server: router.address)
            let taken = await pool.subscribe(queues.prefix(10).map(\.subscription), over: other)
            #expect(taken.allSatisfy { code($0) == nil })
            var ended = Set<RecipientID>()
            for await event in pool.events {
                if case .ended(_, let queue) = event { ended.insert(queue) }
                if ended.count == 10 { break }
            }
            #expect(ended == Set(queues.prefix(10).map(\.ids.recipientID)))
        }
    }

    @Test("After a restart of the router the subscriptions come back, and what was sent meanwhile arrives")
    func restart() async throws {
        try await withOfficialRouter { router, pool, session in
            var events = pool.events.makeAsyncIterator()
            let queue = try await Queue(pool, session) { Self.key("ed25519") }
            _ = try await pool.send(queue.secure(), over: session)
            _ = try await pool.send(queue.send("before"), over: session)
            let first = try await nextMessage(&events)
            router.stop()
            try await router.start()
            // Not acknowledged before the restart: it comes again.
            let again = try await nextMessage(&events)
            #expect(again.message.id == first.message.id)
            let text = try queue.open(again.message)
            #expect(text == "before")
            _ = try await pool.send(queue.acknowledge(again.message), over: session)
            _ = try await pool.send(queue.send("after"), over: session)
            let second = try await nextMessage(&events)
            let after = try queue.open(second.message)
            #expect(after == "after")
        }
    }

    @Test("The router's errors are told apart")
    func errors() async throws {
        try await withOfficialRouter { _, pool, session in
            let queue = try await Queue(pool, session) { Self.key("x25519") }
            let noKey = SMPRequest(entity: queue.ids.recipientID, command: .off)
            let noMessage = SMPRequest(
                entity: queue.ids.recipientID, command: .ack(MessageID(Bytes(repeating: 1, count: 24))),
                authKey: queue.recipientKey)
            let noQueue = SMPRequest(
                entity: EntityID(Bytes(repeating: 1, count: 24)), command: .off, authKey: queue.recipientKey)
            let large = SMPRequest(
                entity: queue.ids.senderID,
                command: .send(MessageFlags(notification: false), Bytes(repeating: 1, count: 16_060)))
            let results = await pool.send(batch: [noKey, noMessage, noQueue, large], over: session)
            #expect(
                results.map(code) == [
                    .protocol(.command(.noAuth)), .protocol(.noMessage), .protocol(.auth), .protocol(.largeMessage),
                ])
            let ping = try await pool.send(SMPRequest(command: .ping), over: session)
            #expect(ping == .pong)
        }
    }

    @Test("A queue tells its state, and gives one message without a subscription")
    func stateAndGet() async throws {
        try await withOfficialRouter { _, pool, session in
            let queue = try await Queue(pool, session, keys: { Self.key("x25519") }, subscription: .onlyCreate)
            _ = try await pool.send(queue.secure(), over: session)
            _ = try await pool.send(queue.send("one"), over: session)
            let get = SMPRequest(entity: queue.ids.recipientID, command: .get, authKey: queue.recipientKey)
            let answer = try await pool.send(get, over: session)
            guard case .msg(let message) = answer else {
                Issue.record("GET gave \(answer)")
                return
            }
            let text = try queue.open(message)
            #expect(text == "one")
            _ = try await pool.send(queue.acknowledge(message), over: session)
            let empty = try await pool.send(get, over: session)
            #expect(empty == .ok)
            let state = try await pool.send(
                SMPRequest(entity: queue.ids.recipientID, command: .que, authKey: queue.recipientKey), over: session)
            guard case .info(let info) = state else {
                Issue.record("QUE gave \(state)")
                return
            }
            #expect(info.isSecured)
        }
    }
}
