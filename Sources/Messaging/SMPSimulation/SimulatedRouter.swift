import SMPClient
package import SMPCrypto
package import SMPProtocol
import SMPWire
import Synchronization

/// A router in memory, with the rules of the protocol and without its encodings: queues, links, quotas, one message in flight per
/// queue, subscriptions that the latest client takes over.
package final class SimulatedRouter: Sendable {
    /// A client's connection, as the router sees it.
    struct Client: Hashable {
        let number: Int
    }

    private struct Queue {
        let recipientKey: PublicAuthKey
        let secret: BoxSecret
        let senderID: SenderID
        let mode: QueueMode?
        var senderKey: PublicAuthKey?
        var messages: [(id: MessageID, body: ReceivedMessageBody)] = []
        var isFull = false
        var isOff = false
        var subscriber: Client?
        var inFlight: MessageID?
        var link: (id: LinkID, data: QueueLinkData)?
    }

    /// The effects of a command on other clients.
    enum Effect {
        case message(Client, RecipientID, ReceivedMessage)
        case ended(Client, RecipientID)
        case deleted(Client, RecipientID)
    }

    private struct Inner {
        var queues: [RecipientID: Queue] = [:]
        var senders: [SenderID: RecipientID] = [:]
        var links: [LinkID: RecipientID] = [:]
        var time: Int64 = 1_700_000_000
        var acknowledgedCount = 0
    }

    package let address: SMPServerAddress
    private let random: any RandomSource
    private let quota: Int
    /// The protocol version that the router speaks.
    package let version: UInt16
    private let now: (@Sendable () -> Int64)?
    private let inner = Mutex(Inner())

    /// - Parameters:
    ///   - quota: messages in a queue.
    ///   - now: the time of day in seconds since 1970; without it, each message comes a second after the one before, in 2023.
    package init(
        address: SMPServerAddress, quota: Int = 128, version: UInt16 = 18, random: any RandomSource, now: (@Sendable () -> Int64)? = nil
    ) {
        self.now = now
        self.address = address
        self.quota = quota
        self.version = version
        self.random = random
    }

    /// The number of queues.
    package var queueCount: Int { inner.withLock { $0.queues.count } }
    /// The number of messages in all queues.
    package var messageCount: Int { inner.withLock { $0.queues.values.reduce(0) { $0 + $1.messages.count } } }

    /// Messages that recipients have taken so far.
    package var acknowledgedCount: Int { inner.withLock(\.acknowledgedCount) }

    func handle(_ request: SMPRequest, from client: Client) -> (Result<SMPBrokerMessage, SMPErrorType>, [Effect]) {
        inner.withLock { inner in
            var effects: [Effect] = []
            do throws(SMPErrorType) {
                return (.success(try handle(request, client, &inner, &effects)), effects)
            } catch {
                return (.failure(error), effects)
            }
        }
    }

    /// The client's connection is gone: what was in flight will be delivered again.
    func disconnect(_ client: Client) {
        inner.withLock { inner in
            for (id, queue) in inner.queues where queue.subscriber == client {
                inner.queues[id]?.subscriber = nil
                inner.queues[id]?.inFlight = nil
            }
        }
    }

    private func handle(
        _ request: SMPRequest, _ client: Client, _ inner: inout Inner, _ effects: inout [Effect]
    ) throws(SMPErrorType) -> SMPBrokerMessage {
        switch request.command {
        case .new(let new): return try create(new, request, client, &inner)
        case .ping: return .pong
        case .send(let flags, let body): return try send(flags, body, request, &inner, &effects)
        case .skey(let key):
            guard let id = inner.senders[request.entity], let queue = inner.queues[id], queue.mode == .messaging,
                request.authKey?.publicKey == key, queue.senderKey == nil || queue.senderKey == key
            else { throw .auth }
            inner.queues[id]?.senderKey = key
            return .ok
        case .lget:
            guard let id = inner.links[request.entity], let queue = inner.queues[id], let link = queue.link, queue.mode == .contact else {
                throw .auth
            }
            return .lnk(queue.senderID, link.data)
        case .lkey(let key):
            guard let id = inner.links[request.entity], let queue = inner.queues[id], let link = queue.link, queue.mode == .messaging,
                request.authKey?.publicKey == key, queue.senderKey == nil || queue.senderKey == key
            else { throw .auth }
            inner.queues[id]?.senderKey = key
            return .lnk(queue.senderID, link.data)
        default: return try handleRecipient(request, client, &inner, &effects)
        }
    }

    private func create(
        _ new: NewQueueRequest, _ request: SMPRequest, _ client: Client, _ inner: inout Inner
    ) throws(SMPErrorType) -> SMPBrokerMessage {
        guard request.authKey?.publicKey == new.recipientKey else { throw .auth }
        let keys = X25519.generateKeyPair(random)
        guard let secret = try? BoxSecret(keys.privateKey, with: new.encryptionKey) else { throw .command(.syntax) }
        let recipientID = RecipientID(random.bytes(24))
        var senderID = SenderID(random.bytes(24))
        var link: (id: LinkID, data: QueueLinkData)?
        switch new.mode {
        case .messaging(let data?): (senderID, link) = (data.senderID, (LinkID(random.bytes(24)), data.data))
        case .contact(let data?): (senderID, link) = (data.senderID, (data.linkID, data.data))
        default: break
        }
        guard inner.senders[senderID] == nil else { throw .auth }
        let mode = new.mode?.queueMode
        inner.queues[recipientID] = Queue(
            recipientKey: new.recipientKey, secret: secret, senderID: senderID, mode: mode,
            subscriber: new.subscription == .subscribe ? client : nil, link: link)
        inner.senders[senderID] = recipientID
        if let link { inner.links[link.id] = recipientID }
        return .ids(
            QueueIDsAndKeys(
                recipientID: recipientID, senderID: senderID, serverKey: keys.publicKey, mode: mode, linkID: link?.id))
    }

    private func send(
        _ flags: MessageFlags, _ body: Bytes, _ request: SMPRequest, _ inner: inout Inner, _ effects: inout [Effect]
    ) throws(SMPErrorType) -> SMPBrokerMessage {
        guard let id = inner.senders[request.entity], let queue = inner.queues[id], !queue.isOff else { throw .auth }
        guard queue.senderKey == request.authKey?.publicKey || queue.senderKey == nil && request.authKey == nil else { throw .auth }
        guard body.count <= ReceivedMessageBody.maximumBody(version: version) else { throw .largeMessage }
        inner.time = now.map { max(inner.time, $0()) } ?? inner.time + 1
        if queue.isFull { throw .quota }
        if queue.messages.count >= quota {
            inner.queues[id]?.isFull = true
            inner.queues[id]?.messages.append((MessageID(random.bytes(24)), .quotaExceeded(timestamp: inner.time)))
            throw .quota
        }
        inner.queues[id]?.messages.append(
            (MessageID(random.bytes(24)), .message(timestamp: inner.time, flags: flags, body: body)))
        deliver(id, &inner, &effects)
        return .ok
    }

    private func handleRecipient(
        _ request: SMPRequest, _ client: Client, _ inner: inout Inner, _ effects: inout [Effect]
    ) throws(SMPErrorType) -> SMPBrokerMessage {
        let id = request.entity
        guard let queue = inner.queues[id], request.authKey?.publicKey == queue.recipientKey else { throw .auth }
        switch request.command {
        case .sub:
            if let old = queue.subscriber, old != client { effects.append(.ended(old, id)) }
            // Anyone who subscribes, again or not, gets what was not acknowledged.
            inner.queues[id]?.inFlight = nil
            inner.queues[id]?.subscriber = client
            deliver(id, &inner, &effects)
            return .ok
        case .key(let key):
            guard queue.senderKey == nil || queue.senderKey == key else { throw .auth }
            inner.queues[id]?.senderKey = key
            return .ok
        case .ack(let messageID):
            guard queue.inFlight == messageID, queue.messages.first?.id == messageID else { throw .noMessage }
            inner.queues[id]?.messages.removeFirst()
            inner.queues[id]?.inFlight = nil
            inner.acknowledgedCount += 1
            if queue.messages.count <= 1 { inner.queues[id]?.isFull = false }
            deliver(id, &inner, &effects)
            return .ok
        case .off:
            inner.queues[id]?.isOff = true
            return .ok
        case .del:
            inner.queues[id] = nil
            inner.senders[queue.senderID] = nil
            if let link = queue.link { inner.links[link.id] = nil }
            return .ok
        case .lset(let linkID, let data):
            if let link = queue.link, link.id != linkID { throw .auth }
            inner.queues[id]?.link = (linkID, data)
            inner.links[linkID] = id
            return .ok
        case .ldel:
            if let link = queue.link { inner.links[link.id] = nil }
            inner.queues[id]?.link = nil
            return .ok
        case .que:
            return .info(
                QueueState(
                    isSecured: queue.senderKey != nil, hasNotifier: false, subscription: nil, size: queue.messages.count,
                    firstMessage: nil))
        default: throw .command(.unknown)
        }
    }

    private func deliver(_ id: RecipientID, _ inner: inout Inner, _ effects: inout [Effect]) {
        guard let queue = inner.queues[id], let client = queue.subscriber, queue.inFlight == nil, let first = queue.messages.first,
            let sealed = try? first.body.seal(id: first.id, secret: queue.secret)
        else { return }
        inner.queues[id]?.inFlight = first.id
        effects.append(.message(client, id, ReceivedMessage(id: first.id, encryptedBody: sealed)))
    }
}
