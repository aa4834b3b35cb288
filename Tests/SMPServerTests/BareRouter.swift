import SMPCrypto
import SMPProtocol
import SMPWire
import Testing

@testable import RouterSupport
@testable import SMPServer

/// A router without sockets, threads and disk. Commands are signed, read, checked and executed as in a session, one after another.
final class BareRouter {
    /// An answer or an event, as far as tests compare it.
    enum Content: Equatable, CustomStringConvertible {
        case message(SMPBrokerMessage)
        /// The id of a message that is delivered.
        case delivery(Identifier)
        case link(SenderID)

        init(_ content: RouterOutput.Content) {
            switch content {
            case .message(let message): self = .message(message)
            case .delivery(let delivery): self = .delivery(delivery.message.id)
            case .link(let sender, _): self = .link(sender.entity)
            }
        }

        /// The word of the message, or of the error in it.
        var word: String {
            switch self {
            case .message(.err(let error)): String(error.wireString.prefix { $0 != " " })
            case .message(let message): message.name
            case .delivery: "MSG"
            case .link: "LNK"
            }
        }
        var description: String { word }
    }

    struct Event: Equatable {
        var session: SessionID
        var entity: EntityID
        var content: Content
    }

    /// Positions without bytes.
    struct Sink: RecordSink {
        var records: [JournalRecord] = []
        private var end: UInt64 = 0

        mutating func append(_ record: JournalRecord, body: Bytes) -> LogRange {
            records.append(record)
            let start = end
            end += 1 + UInt64(body.count)
            return LogRange(start: start, end: end)
        }
    }

    let random: SeededRandomSource
    var state: RouterState
    var sink = Sink()
    /// Seconds since 1970.
    var now: Int64 = 1_700_000_000
    private let sessionKey: X25519.PrivateKey
    private let context: TransmissionContext
    private var authorizers: [SessionID: SessionAuthorizer] = [:]
    private var events: [Event] = []
    /// Up to where the journal must be durable before the last answer may be sent.
    private(set) var needsSynchronized: UInt64 = 0

    init(seed: UInt64, _ limits: RouterState.Limits = RouterState.Limits()) {
        random = SeededRandomSource(seed: seed)
        sessionKey = X25519.generateKeyPair(random).privateKey
        context = TransmissionContext(version: 18, sessionID: random.bytes(32))
        state = RouterState(limits: limits)
    }

    func open() -> SessionID {
        let session = SessionID(number: UInt64(authorizers.count) + 1)
        state.open(session)
        authorizers[session] = SessionAuthorizer(sessionKey: sessionKey)
        return session
    }

    /// The events since the last time.
    func takeEvents() -> [Event] {
        defer { events = [] }
        return events
    }

    /// Executes a command of a client.
    func request(
        _ command: SMPCommand, _ entity: EntityID = .none, _ key: PrivateAuthKey? = nil, from session: SessionID, id: CorrelationID? = nil
    ) throws -> Content {
        let id = id ?? .random(random)
        let encoded = context.encode(command, correlationID: id, entity: entity)
        let authorization = try key.map { try CommandAuthorizer($0, serverKey: sessionKey.publicKey).authorize(encoded.authorizedData, correlationID: id) }
        let block = try #require(TransmissionBatcher.pack(one: context.authorized(encoded, authorization ?? .none)))
        let transmission = try #require(context.decode(block: block, as: SMPCommand.self).first)
        do throws(SMPErrorType) {
            return try execute(transmission, from: session)
        } catch {
            return .message(.err(error))
        }
    }

    private func execute(_ transmission: ReceivedTransmission<SMPCommand>, from session: SessionID) throws(SMPErrorType) -> Content {
        let command = try transmission.message.get()
        let requirement = state.requirement(command, entity: transmission.entity)
        guard var authorizer = authorizers[session] else { throw .internal }
        let key = try authorizer.authorize(transmission, requirement)
        authorizers[session] = authorizer
        var prepared = PreparedCommand(
            correlationID: transmission.correlationID, entity: transmission.entity, command: command, version: context.version, key: key)
        switch command {
        case .new(let request): prepared.material = .queue(try NewQueueMaterial(request, random: random))
        case .send(let flags, _): prepared.material = .message(identifier(), notification: flags.notification ? .random(random) : nil)
        case .nkey(let credentials): prepared.material = .notifier(try NotifierMaterial(credentials, random: random))
        default: break
        }
        var outputs: [RoutedOutput] = []
        state.execute(prepared, from: session, now: now, sink: &sink, outputs: &outputs)
        guard let answer = outputs.first, answer.session == session else { throw .internal }
        needsSynchronized = answer.output.needsSynchronized
        events += outputs.dropFirst().map { Event(session: $0.session, entity: $0.output.entity, content: Content($0.output.content)) }
        return Content(answer.output.content)
    }

    func identifier() -> Identifier { Identifier(prefix: random.bytes(Identifier.count)) }
    func key() -> PrivateAuthKey { .ed25519(Ed25519.generateKeyPair(random).privateKey) }

    func credentials(_ notifierKey: PrivateAuthKey) -> NotificationCredentials {
        NotificationCredentials(notifierKey: notifierKey.publicKey, encryptionKey: X25519.generateKeyPair(random).publicKey)
    }

    /// Ends a session.
    func close(_ session: SessionID) { state.close(session) }

    /// Looks for what is too old.
    func sweep() { while state.expire(from: 0, limit: .max, now: now, sink: &sink) != nil {} }

    /// What the operator does to a queue; its events are kept with the others.
    func block(_ queue: BareQueue, _ info: BlockingInfo) throws {
        let slot = try #require(state.slot(shown: queue.sender))
        events += state.block(slot, info, sink: &sink).map { Event(session: $0.session, entity: $0.output.entity, content: Content($0.output.content)) }
    }
}

/// A queue and all its keys.
struct BareQueue {
    let recipient: RecipientID
    let sender: SenderID
    let link: LinkID?
    let notifier: NotifierID?
    let recipientKey: PrivateAuthKey
    let senderKey: PrivateAuthKey
    let notifierKey: PrivateAuthKey
}

extension BareRouter {
    func create(
        _ mode: NewQueueMode? = .messaging(link: nil), from session: SessionID, subscription: SubscriptionMode = .onlyCreate, notifies: Bool = false,
        id: CorrelationID? = nil
    ) throws -> BareQueue {
        let (recipientKey, senderKey, notifierKey) = (key(), key(), key())
        let request = NewQueueRequest(
            recipientKey: recipientKey.publicKey, encryptionKey: X25519.generateKeyPair(random).publicKey, subscription: subscription, mode: mode,
            notifications: notifies ? credentials(notifierKey) : nil)
        guard case .message(.ids(let ids)) = try self.request(.new(request), .none, recipientKey, from: session, id: id) else {
            throw SMPErrorType.internal
        }
        return BareQueue(
            recipient: ids.recipientID, sender: ids.senderID, link: ids.linkID, notifier: ids.notifications?.notifierID, recipientKey: recipientKey,
            senderKey: senderKey, notifierKey: notifierKey)
    }

    /// A command of the recipient.
    func own(_ command: SMPCommand, _ queue: BareQueue, from session: SessionID) throws -> Content {
        try request(command, queue.recipient, queue.recipientKey, from: session)
    }

    func secure(_ queue: BareQueue, from session: SessionID) throws -> Content {
        try request(.skey(queue.senderKey.publicKey), queue.sender, queue.senderKey, from: session)
    }

    /// Sends to a queue that is secured.
    func send(_ body: Bytes, _ queue: BareQueue, notifies: Bool = false, from session: SessionID) throws -> Content {
        try request(.send(MessageFlags(notification: notifies), body), queue.sender, queue.senderKey, from: session)
    }

    func subscribeNotifier(_ queue: BareQueue, from session: SessionID) throws -> Content {
        try request(.nsub, queue.notifier ?? .none, queue.notifierKey, from: session)
    }

    /// The ids of the messages of a queue.
    func messages(_ queue: BareQueue) throws -> [Identifier] {
        let slot = try #require(state.store.slot(recipient: queue.recipient))
        return try #require(state.store.queue(slot)).messages.map(\.id)
    }
}
