import SMPCrypto
import SMPProtocol
import SMPWire
import Testing

@testable import SMPClient

struct TestFailure: Error, CustomStringConvertible { let description: String }

/// A queue on a router, with both its ends.
struct Queue {
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
        guard case .ids(let ids) = answer else { throw TestFailure(description: "NEW gave \(answer)") }
        self.ids = ids
        secret = try BoxSecret(encryption.privateKey, with: ids.serverKey)
    }

    func subscription(of service: ServiceID?) -> QueueSubscription {
        QueueSubscription(queue: ids.recipientID, authKey: recipientKey, service: service)
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
        else { throw TestFailure(description: "not a message") }
        return String(decoding: body, as: UTF8.self)
    }
}

/// The next message among the events.
func nextMessage(
    _ events: inout AsyncStream<SMPClientEvent>.Iterator
) async throws -> (queue: RecipientID, message: ReceivedMessage) {
    while let event = await events.next() {
        if case .message(_, let queue, let message) = event { return (queue, message) }
    }
    throw TestFailure(description: "the events ended")
}

/// A new key of each kind that may authorise commands.
func newKeys() -> [PrivateAuthKey] {
    let random = SystemRandomSource()
    return [
        .x25519(X25519.generateKeyPair(random).privateKey), .ed25519(Ed25519.generateKeyPair(random).privateKey),
        .ed448(Ed448.generateKeyPair(random).privateKey),
    ]
}

/// Creates queues, secures them, sends, receives and acknowledges, with every kind of key; and is refused with wrong ones.
func converse(_ pool: SMPClientPool, _ server: SMPServerAddress, version: UInt16) async throws {
    let session = TransportSessionKey(userID: 1, server: server)
    let sender = TransportSessionKey(userID: 2, server: server)
    let info = try await pool.sessionInfo(session)
    #expect(info.version == version)
    var events = pool.events.makeAsyncIterator()
    for kind in newKeys().indices {
        let queue = try await Queue(pool, session, keys: { newKeys()[kind] })
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
            entity: queue.ids.senderID, command: .send(MessageFlags(notification: false), [1]), authKey: newKeys()[kind])
        let refused = await pool.send(batch: [stranger], over: sender)
        #expect(refused.map(code) == [.protocol(.auth)])
        let delete = SMPRequest(entity: queue.ids.recipientID, command: .del, authKey: queue.recipientKey)
        let deleted = try await pool.send(delete, over: session)
        #expect(deleted == .ok)
    }
}

/// What the router says to commands that cannot be carried out.
func provokeErrors(_ pool: SMPClientPool, _ session: TransportSessionKey) async throws {
    let queue = try await Queue(pool, session, keys: { newKeys()[0] })
    let noKey = SMPRequest(entity: queue.ids.recipientID, command: .off)
    let noMessage = SMPRequest(
        entity: queue.ids.recipientID, command: .ack(MessageID(Bytes(repeating: 1, count: 24))), authKey: queue.recipientKey)
    let noQueue = SMPRequest(entity: EntityID(Bytes(repeating: 1, count: 24)), command: .off, authKey: queue.recipientKey)
    let large = SMPRequest(
        entity: queue.ids.senderID, command: .send(MessageFlags(notification: false), Bytes(repeating: 1, count: 16_060)))
    let results = await pool.send(batch: [noKey, noMessage, noQueue, large], over: session)
    #expect(
        results.map(code) == [
            .protocol(.command(.noAuth)), .protocol(.noMessage), .protocol(.auth), .protocol(.largeMessage),
        ])
    let ping = try await pool.send(SMPRequest(command: .ping), over: session)
    #expect(ping == .pong)
}
