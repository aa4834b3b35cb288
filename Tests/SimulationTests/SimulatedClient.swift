import SMPClient
import SMPCrypto
import SMPProtocol
import SMPWire
import Synchronization

/// An agent's way to the routers, with the promises of ``SMPClientPool``: subscriptions are taken up again after a lost connection, and a
/// command whose response is lost fails.
final class SimulatedClient: SMPRouting {
    private enum Connection {
        case opening([CheckedContinuation<RouterLink?, Never>])
        case open(RouterLink)
    }

    private struct Waiting {
        let link: RouterLink
        let request: SMPRequest
        let resume: @Sendable (Result<SMPBrokerMessage, SMPClientError>) -> Void
    }

    private struct Subscription {
        let queue: QueueSubscription
        var isActive = false
    }

    private struct Inner {
        var connections: [TransportSessionKey: Connection] = [:]
        var waiting: [CorrelationID: Waiting] = [:]
        /// In the order in which they were made, so that nothing depends on the order of a dictionary.
        var subscriptions: [TransportSessionKey: [Subscription]] = [:]
        var reconnecting: Set<TransportSessionKey> = []
        var delays: [TransportSessionKey: Int64] = [:]
        /// When requests are given up, in their order; some are answered already.
        var deadlines: [(time: Int64, id: CorrelationID)] = []
        var isTimerRunning = false
        var isClosed = false
    }

    static let firstDelay: Int64 = 2_000_000_000
    static let lastDelay: Int64 = 60_000_000_000
    static let patience: Int64 = 15_000_000_000

    let name: String
    let events: AsyncStream<SMPClientEvent>
    private let continuation: AsyncStream<SMPClientEvent>.Continuation
    private let simulation: Simulation
    private let routers: [SMPServerAddress: RouterHost]
    private let random: SimulatedRandom
    private let inner = Mutex(Inner())

    init(_ name: String, _ simulation: Simulation, _ routers: [RouterHost]) {
        self.name = name
        self.simulation = simulation
        self.routers = Dictionary(uniqueKeysWithValues: routers.map { ($0.address, $0) })
        random = SimulatedRandom(seed: simulation.newSeed())
        (events, continuation) = AsyncStream.makeStream()
    }

    /// The process ends.
    func sever() {
        let (links, waiting, openings) = inner.withLock { inner -> ([RouterLink], [Waiting], [CheckedContinuation<RouterLink?, Never>]) in
            inner.isClosed = true
            defer {
                inner.waiting = [:]
                inner.deadlines = []
                inner.connections = [:]
            }
            return (Self.links(inner), Self.ordered(inner.waiting), Self.openings(inner))
        }
        for link in links { link.abandon() }
        for opening in openings { opening.resume(returning: nil) }
        for one in waiting { one.resume(.failure(SMPClientError(.closed, "the client is closed"))) }
        continuation.finish()
    }

    /// Breaks one of the connections, if there are any.
    func breakConnection() {
        let links = inner.withLock { Self.links($0) }
        guard !links.isEmpty else { return }
        links[simulation.draw(0...(links.count - 1))].cut()
    }

    private static func links(_ inner: Inner) -> [RouterLink] {
        inner.connections.compactMap { key, connection in if case .open(let link) = connection { (key, link) } else { nil } }
            .sorted { $0.0.server.wireString < $1.0.server.wireString }.map(\.1)
    }

    private static func openings(_ inner: Inner) -> [CheckedContinuation<RouterLink?, Never>] {
        inner.connections.sorted { $0.key.server.wireString < $1.key.server.wireString }
            .flatMap { entry -> [CheckedContinuation<RouterLink?, Never>] in if case .opening(let waiters) = entry.value { waiters } else { [] } }
    }

    private static func ordered(_ waiting: [CorrelationID: Waiting]) -> [Waiting] {
        waiting.sorted { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }.map(\.value)
    }

    // MARK: Connections

    private func link(_ key: TransportSessionKey) async -> RouterLink? {
        await withCheckedContinuation { continuation in
            let (ready, begins) = inner.withLock { inner -> (RouterLink??, Bool) in
                if inner.isClosed { return (.some(nil), false) }
                switch inner.connections[key] {
                case .open(let link): return (link, false)
                case .opening(let waiters):
                    inner.connections[key] = .opening(waiters + [continuation])
                    return (nil, false)
                case nil:
                    inner.connections[key] = .opening([continuation])
                    return (nil, true)
                }
            }
            if let ready { return continuation.resume(returning: ready) }
            if begins { simulation.after(simulation.microseconds(2_000...60_000)) { [self] in open(key) } }
        }
    }

    private func open(_ key: TransportSessionKey) {
        guard !inner.withLock({ $0.isClosed }) else { return }
        let link = routers[key.server].flatMap { RouterLink(self, key, to: $0, simulation) }
        simulation.note("\(name) connects to \(key.server.hosts[0]): \(link != nil)")
        let waiters = inner.withLock { inner in
            var waiters: [CheckedContinuation<RouterLink?, Never>] = []
            if case .opening(let list)? = inner.connections[key] { waiters = list }
            inner.connections[key] = link.map { .open($0) }
            return waiters
        }
        if link != nil { continuation.yield(.connected(key)) }
        for waiter in waiters { waiter.resume(returning: link) }
        if link == nil { reconnectLater(key) }
    }

    /// A connection is lost.
    func lost(_ link: RouterLink) {
        let (waiting, queues, isClosed) = inner.withLock { inner -> ([Waiting], [RecipientID], Bool) in
            guard case .open(let present)? = inner.connections[link.key], present === link else { return ([], [], true) }
            inner.connections[link.key] = nil
            let lost = inner.waiting.filter { $0.value.link === link }
            for id in lost.keys { inner.waiting[id] = nil }
            let queues = inner.subscriptions[link.key, default: []].map(\.queue.queue)
            for index in inner.subscriptions[link.key, default: []].indices { inner.subscriptions[link.key]?[index].isActive = false }
            return (Self.ordered(lost), queues, inner.isClosed)
        }
        guard !isClosed else { return }
        simulation.note("\(name) lost \(link.key.server.hosts[0])")
        continuation.yield(.disconnected(link.key, queues: queues))
        for one in waiting { one.resume(.failure(SMPClientError(.network(.failed), "the connection is lost"))) }
        reconnectLater(link.key)
    }

    private func reconnectLater(_ key: TransportSessionKey) {
        let delay = inner.withLock { inner -> Int64? in
            guard !inner.isClosed, inner.subscriptions[key, default: []].contains(where: { !$0.isActive }),
                inner.reconnecting.insert(key).inserted
            else { return nil }
            let delay = inner.delays[key] ?? Self.firstDelay
            inner.delays[key] = min(delay * 3 / 2, Self.lastDelay)
            return delay
        }
        guard let delay else { return }
        simulation.after(delay) { [self] in
            guard inner.withLock({ $0.reconnecting.remove(key) != nil && !$0.isClosed }) else { return }
            simulation.task { [self] in await resubscribe(key) }
        }
    }

    private func resubscribe(_ key: TransportSessionKey) async {
        let queues = inner.withLock { $0.subscriptions[key, default: []].filter { !$0.isActive }.map(\.queue) }
        guard !queues.isEmpty else { return }
        var subscribed: [RecipientID] = []
        for (queue, result) in zip(queues, await subscribeNow(queues, key)) {
            switch result {
            case .success: subscribed.append(queue.queue)
            case .failure(let error) where !error.isTemporary:
                continuation.yield(.subscriptionFailed(key, queue: queue.queue, error))
            case .failure: break
            }
        }
        if !subscribed.isEmpty {
            inner.withLock { $0.delays[key] = nil }
            continuation.yield(.subscribed(key, queues: subscribed))
        }
        reconnectLater(key)
    }

    // MARK: Answers

    func receive(_ id: CorrelationID, _ entity: EntityID, _ message: SMPBrokerMessage, on link: RouterLink) {
        let waiting = inner.withLock { inner -> Waiting? in
            guard !inner.isClosed, let waiting = inner.waiting.removeValue(forKey: id) else { return nil }
            // At once: when all of a batch are answered, the connection may be lost.
            Self.remember(waiting.request, message, link.key, &inner)
            return waiting
        }
        simulation.note("\(name) gets \(waiting?.request.command.simulatedName ?? "-") \(Self.kind(message)) \(entity.bytes.prefix(3))")
        switch (message, waiting) {
        case (.msg(let received), _):
            continuation.yield(.message(link.key, queue: entity, received))
            waiting?.resume(.success(.ok))
        case (.err(let error), let waiting?):
            waiting.resume(.failure(SMPClientError(.protocol(error), "the router answered ERR \(error)")))
        case (_, let waiting?): waiting.resume(.success(message))
        case (.end, nil):
            forget([entity], link.key)
            continuation.yield(.ended(link.key, queue: entity))
        case (.deld, nil):
            forget([entity], link.key)
            continuation.yield(.deleted(link.key, queue: entity))
        default: break
        }
    }

    private static func kind(_ message: SMPBrokerMessage) -> String {
        switch message {
        case .msg: "MSG"
        case .ok: "OK"
        case .err(let error): "ERR \(error)"
        case .ids: "IDS"
        case .sok: "SOK"
        case .end: "END"
        default: "other"
        }
    }

    private func forget(_ queues: [RecipientID], _ key: TransportSessionKey) {
        inner.withLock { $0.subscriptions[key]?.removeAll { queues.contains($0.queue.queue) } }
    }

    // MARK: SMPRouting

    func send(_ request: SMPRequest, over session: TransportSessionKey) async throws(SMPClientError) -> SMPBrokerMessage {
        try await send(batch: [request], over: session)[0].get()
    }

    /// Sends commands in their order, and waits for all responses.
    private func exchange(_ requests: [SMPRequest], _ link: RouterLink) async -> [Result<SMPBrokerMessage, SMPClientError>] {
        await withCheckedContinuation { continuation in
            let answers = Answers(count: requests.count, continuation)
            for (index, request) in requests.enumerated() {
                let id = request.correlationID ?? CorrelationID.random(random)
                let isThere = inner.withLock { inner in
                    guard !inner.isClosed, case .open(let present)? = inner.connections[link.key], present === link else { return false }
                    inner.waiting[id] = Waiting(link: link, request: request) { answers.set(index, $0) }
                    return true
                }
                guard isThere else {
                    answers.set(index, .failure(SMPClientError(.network(.failed), "the connection is lost")))
                    continue
                }
                giveUpLater(id)
                link.sendToRouter(request, id)
            }
        }
    }

    /// All are waited for equally long, so that one event is enough for the next that becomes due.
    private func giveUpLater(_ id: CorrelationID) {
        let starts = inner.withLock { inner in
            inner.deadlines.append((simulation.time + Self.patience, id))
            defer { inner.isTimerRunning = true }
            return !inner.isTimerRunning
        }
        if starts { simulation.after(Self.patience) { [self] in giveUp() } }
    }

    private func giveUp() {
        let (late, next) = inner.withLock { inner -> ([Waiting], Int64?) in
            let due = inner.deadlines.prefix { $0.time <= simulation.time || inner.waiting[$0.id] == nil }
            let late = due.compactMap { inner.waiting.removeValue(forKey: $0.id) }
            inner.deadlines.removeFirst(due.count)
            inner.isTimerRunning = !inner.deadlines.isEmpty
            return (late, inner.deadlines.first?.time)
        }
        if let next { simulation.after(next - simulation.time) { [self] in giveUp() } }
        for one in late { one.resume(.failure(SMPClientError(.timeout, "no answer"))) }
    }

    private static func remember(_ request: SMPRequest, _ response: SMPBrokerMessage, _ session: TransportSessionKey, _ inner: inout Inner) {
        guard let key = request.authKey else { return }
        switch (request.command, response) {
        case (_, .err): break
        case (.new(let new), .ids(let ids)) where new.subscription == .subscribe:
            inner.subscriptions[session, default: []].append(
                Subscription(queue: QueueSubscription(queue: ids.recipientID, authKey: key), isActive: true))
        case (.sub, _):
            if let index = inner.subscriptions[session, default: []].firstIndex(where: { $0.queue.queue == request.entity }) {
                inner.subscriptions[session]?[index].isActive = true
            }
        case (.del, _), (.off, _): inner.subscriptions[session]?.removeAll { $0.queue.queue == request.entity }
        default: break
        }
    }

    func send(batch: [SMPRequest], over session: TransportSessionKey) async -> [Result<SMPBrokerMessage, SMPClientError>] {
        guard !batch.isEmpty else { return [] }
        guard let link = await link(session) else {
            let error =
                inner.withLock { $0.isClosed }
                ? SMPClientError(.closed, "the client is closed") : SMPClientError(.network(.failed), "no connection")
            return batch.map { _ in .failure(error) }
        }
        return await exchange(batch, link)
    }

    func subscribe(_ queues: [QueueSubscription], over session: TransportSessionKey) async -> [Result<SMPBrokerMessage, SMPClientError>] {
        inner.withLock { inner in
            for queue in queues where !inner.subscriptions[session, default: []].contains(where: { $0.queue.queue == queue.queue }) {
                inner.subscriptions[session, default: []].append(Subscription(queue: queue))
            }
        }
        let results = await subscribeNow(queues, session)
        reconnectLater(session)
        return results
    }

    private func subscribeNow(_ queues: [QueueSubscription], _ session: TransportSessionKey) async -> [Result<SMPBrokerMessage, SMPClientError>] {
        let results = await send(
            batch: queues.map { SMPRequest(entity: $0.queue, command: .sub, authKey: $0.authKey) }, over: session)
        inner.withLock { inner in
            for (queue, result) in zip(queues, results) {
                if case .failure(let error) = result, !error.isTemporary {
                    inner.subscriptions[session]?.removeAll { $0.queue.queue == queue.queue }
                }
            }
        }
        return results
    }

    func unsubscribe(_ queues: [RecipientID], over session: TransportSessionKey) async { forget(queues, session) }

    /// Links without wires are not told apart by settings.
    func setNetwork(_ network: NetworkConfiguration) async throws(SMPClientError) { await reconnect { _ in true } }

    /// Without wires there are no certificates.
    func setServices(_ source: (any ServiceCredentialSource)?) async {}

    func reconnect(_ matches: @Sendable (TransportSessionKey) -> Bool) async {
        for link in inner.withLock({ Self.links($0) }) where matches(link.key) { link.cut() }
    }

    func sessionStates() async -> [TransportSessionKey: SMPSessionState] {
        inner.withLock { inner in
            inner.connections.mapValues { connection in
                switch connection {
                case .opening: .connecting
                case .open: .connected
                }
            }
        }
    }

    func sessionInfo(_ session: TransportSessionKey) async throws(SMPClientError) -> SMPSessionInfo {
        guard await link(session) != nil else { throw SMPClientError(.network(.failed), "no connection") }
        return SMPSessionInfo(version: SMPVersion.clientNotices, versions: SMPVersion.offered, sessionID: Bytes(repeating: 1, count: 32))
    }

    func close() async { sever() }
}

extension SMPCommand {
    var simulatedName: String {
        switch self {
        case .new: "NEW"
        case .sub: "SUB"
        case .key: "KEY"
        case .skey: "SKEY"
        case .send: "SEND"
        case .ack: "ACK"
        case .off: "OFF"
        case .del: "DEL"
        case .que: "QUE"
        default: "other"
        }
    }
}

/// Collects the answers to some commands.
private final class Answers: Sendable {
    private let continuation: CheckedContinuation<[Result<SMPBrokerMessage, SMPClientError>], Never>
    private let state: Mutex<(answers: [Result<SMPBrokerMessage, SMPClientError>?], missing: Int)>

    init(count: Int, _ continuation: CheckedContinuation<[Result<SMPBrokerMessage, SMPClientError>], Never>) {
        self.continuation = continuation
        state = Mutex((Array(repeating: nil, count: count), count))
    }

    func set(_ index: Int, _ answer: Result<SMPBrokerMessage, SMPClientError>) {
        let all = state.withLock { state -> [Result<SMPBrokerMessage, SMPClientError>]? in
            guard state.answers[index] == nil else { return nil }
            state.answers[index] = answer
            state.missing -= 1
            return state.missing == 0 ? state.answers.compactMap(\.self) : nil
        }
        if let all { continuation.resume(returning: all) }
    }
}
