import RouterFaults
import SMPClient
import SMPCrypto
import SMPProtocol
import SMPWire
import Synchronization

@testable import RouterSupport
@testable import SMPServer

/// A router with its disk: the router's own decisions and journal, without sockets and threads.
///
/// It can be killed at any time, and then comes back with what its disk kept.
final class RouterHost: Sendable {
    private struct Running {
        var state: RouterState
        let journal: Journal
        var links: [SessionID: RouterLink] = [:]
        var isCommitDue = false
    }

    struct Sink: RecordSink {
        let journal: Journal
        var hasAppended = false

        mutating func append(_ record: JournalRecord, body: Bytes) -> LogRange {
            hasAppended = true
            return journal.append(record, body: body)
        }
    }

    static let segmentSize = 1 << 18

    let simulation: Simulation
    let address: SMPServerAddress
    let limits: RouterState.Limits
    private let paddingReduction: Int
    private let random: SimulatedRandom
    private let disk: FaultyStorage
    /// Whether the disk refuses things now and then.
    let diskTrouble = DiskTrouble()
    private let running = Mutex<Running?>(nil)
    private let lastSession = Mutex<UInt64>(0)
    let faults: FaultLog

    init(_ name: String, _ scenario: Scenario, simulation: Simulation, faults: FaultLog) throws {
        self.simulation = simulation
        self.faults = faults
        random = SimulatedRandom(seed: simulation.newSeed())
        address = SMPServerAddress(host: .domain(name), keyHash: KeyHash(random.bytes(32)))
        limits = RouterState.Limits(messageQuota: scenario.quota)
        paddingReduction = scenario.paddingReduction
        disk = FaultyStorage { [diskTrouble] in diskTrouble.isThere && simulation.once(in: 3) }
        try start()
    }

    var isRunning: Bool { running.withLock { $0 != nil } }
    var queueCount: Int { running.withLock { $0?.state.store.count ?? 0 } }
    var messageCount: Int { running.withLock { $0?.state.store.messageCount ?? 0 } }

    // MARK: Life

    func start() throws {
        let (journal, queues) = try Journal.open(disk, durability: .always, segmentSize: Self.segmentSize)
        let state = RouterState(limits: limits, queues: queues)
        simulation.note("router \(address.hosts[0]) starts with \(queues.count) queues, \(state.store.messageCount) messages")
        running.withLock { $0 = Running(state: state, journal: journal) }
    }

    /// The process ends, and with it, if the power fails too, what was not synchronized.
    func kill() {
        simulation.note("router \(address.hosts[0]) is killed")
        let links = running.withLock { running in
            defer { running = nil }
            return running?.links.sorted { $0.key.number < $1.key.number }.map(\.value) ?? []
        }
        disk.loseWhatIsNotDurable { [simulation] volatile in simulation.draw(0...volatile) }
        for link in links { link.cut() }
    }

    // MARK: Connections

    /// nil if nobody listens.
    func accept(_ link: RouterLink) -> SessionID? {
        running.withLock { running in
            guard running != nil else { return nil }
            let id = lastSession.withLock { last in
                last += 1
                return SessionID(number: last)
            }
            running?.links[id] = link
            running?.state.open(id)
            return id
        }
    }

    /// The router notices that a connection is gone.
    func close(_ session: SessionID) {
        running.withLock { running in
            guard running?.links.removeValue(forKey: session) != nil else { return }
            running?.state.close(session)
        }
    }

    // MARK: Commands

    func receive(_ request: SMPRequest, _ id: CorrelationID, from session: SessionID) {
        let now = simulation.time / 1_000_000_000
        let (touched, isCommitDue) = running.withLock { running -> ([RouterLink], Bool) in
            guard var router = running.take() else { return ([], false) }
            defer { running = router }
            guard let link = router.links[session] else { return ([], false) }
            var touched = [link]
            switch prepare(request, id, router.state) {
            case .failure(let error): link.outbox.withLock { $0.append(RouterOutput(.err(error), to: id, entity: request.entity)) }
            case .success(let command):
                var sink = Sink(journal: router.journal)
                var outputs: [RoutedOutput] = []
                router.state.execute(command, from: session, now: now, sink: &sink, outputs: &outputs)
                checkBounds(request, router.state)
                for output in outputs {
                    guard let receiver = router.links[output.session] else { continue }
                    receiver.outbox.withLock { $0.append(output.output) }
                    if !touched.contains(where: { $0 === receiver }) { touched.append(receiver) }
                }
                if sink.hasAppended, !router.journal.writeIfThatIsEnough(), !router.isCommitDue {
                    router.isCommitDue = true
                    return (touched, true)
                }
            }
            return (touched, false)
        }
        if isCommitDue {
            // A disk is slow at times.
            let delay = simulation.microseconds(simulation.once(in: 200) ? 20_000...200_000 : 100...2_000)
            simulation.after(delay) { [self] in commit() }
        }
        for link in touched { flush(link) }
    }

    private func prepare(_ request: SMPRequest, _ id: CorrelationID, _ state: RouterState) -> Result<PreparedCommand, SMPErrorType> {
        let key = request.authKey?.publicKey
        switch state.requirement(request.command, entity: request.entity) {
        case .keys(let keys): guard let key, keys.contains(key) else { return .failure(.auth) }
        case .none: guard key == nil else { return .failure(.auth) }
        case .refused(let error): return .failure(error)
        case .service: return .failure(.service)
        }
        var command = PreparedCommand(correlationID: id, entity: request.entity, command: request.command, version: SMPVersion.clientNotices, key: key)
        do throws(SMPErrorType) {
            switch request.command {
            case .new(let new): command.material = .queue(try NewQueueMaterial(new, random: random))
            case .send: command.material = Identifier(random.bytes(24)).map { .message($0, notification: nil) } ?? .none
            default: break
            }
        } catch {
            return .failure(error)
        }
        return .success(command)
    }

    /// A queue never holds more than it may, and the notice that it is full.
    private func checkBounds(_ request: SMPRequest, _ state: RouterState) {
        guard case .send = request.command, let slot = state.store.slot(sender: request.entity), let queue = state.store.queue(slot),
            queue.messages.count > limits.messageQuota + 1
        else { return }
        faults.record("a queue of \(limits.messageQuota) messages holds \(queue.messages.count)")
    }

    private func commit() {
        var isDueAgain = false
        let links = running.withLock { running -> [RouterLink] in
            guard var router = running.take() else { return [] }
            defer { running = router }
            do throws(RouterError) {
                try router.journal.commit()
                try clear(&router)
                // What was refused before was written by itself.
                isDueAgain = router.journal.pendingCount > 0
            } catch {
                isDueAgain = true
            }
            router.isCommitDue = isDueAgain
            return router.links.sorted { $0.key.number < $1.key.number }.map(\.value)
        }
        simulation.note("commit \(address.hosts[0])")
        if isDueAgain { simulation.after(50_000_000) { [self] in commit() } }
        for link in links { flush(link) }
    }

    /// Keeps the journal short, as the router does.
    private func clear(_ router: inout Running) throws(RouterError) {
        while router.journal.size - router.state.store.liveBytes > max(4 * Self.segmentSize, router.state.store.liveBytes),
            var scanner = try router.journal.oldestSegment()
        {
            while !scanner.isAtEnd {
                guard let item = try scanner.next() else { return faults.record("a journal of our own is damaged") }
                guard router.state.store.needs(item) else { continue }
                var sink = Sink(journal: router.journal)
                let body = item.bodyLength > 0 ? try scanner.body(of: item) : []
                if router.state.store.keep(item, body: body, sink: &sink) { faults.record("a stored message is damaged") }
            }
            try router.journal.commit()
            try router.journal.removeOldestSegment()
        }
    }

    /// Sends a connection what may be sent: in order, and not before it is durable.
    private func flush(_ link: RouterLink) {
        while true {
            let output = running.withLock { running -> RouterOutput? in
                guard let journal = running?.journal else { return nil }
                return link.outbox.withLock { outbox in
                    guard let first = outbox.first, first.needsSynchronized <= journal.synchronized, first.needsWritten <= journal.written else {
                        return nil
                    }
                    return outbox.removeFirst()
                }
            }
            guard let output else { return }
            guard let message = render(output) else { continue }
            link.sendToClient(output.correlationID, output.entity, message)
        }
    }

    private func render(_ output: RouterOutput) -> SMPBrokerMessage? {
        switch output.content {
        case .message(let message): return message
        case .link:
            faults.record("links are not part of the simulation")
            return nil
        case .delivery(let delivery):
            let id = MessageID(delivery.message.id.bytes)
            do {
                let content: ReceivedMessageBody
                if delivery.message.kind == .quota {
                    content = .quotaExceeded(timestamp: delivery.message.timestamp)
                } else {
                    let body = try delivery.body ?? read(delivery)
                    content = .message(timestamp: delivery.message.timestamp, flags: delivery.message.flags, body: body)
                }
                let encrypted = try content.seal(
                    id: id, secret: try BoxSecret(delivery.secret.bytes), paddedTo: ReceivedMessageBody.paddedLength - paddingReduction)
                return .msg(ReceivedMessage(id: id, encryptedBody: encrypted))
            } catch {
                faults.record("a stored message cannot be delivered: \(error)")
                return nil
            }
        }
    }

    /// Clearing the journal moves messages.
    private func read(_ delivery: Delivery) throws -> Bytes {
        try running.withLock { running in
            guard let running else { throw RouterError(.storage, "the router is gone") }
            return try running.journal.body(at: delivery.message.position) {
                let queue = running.state.store.slot(recipient: delivery.queue).flatMap(running.state.store.queue)
                return queue?.messages.first { $0.id == delivery.message.id }?.position
            }
        }
    }
}

/// What went wrong that must not.
final class FaultLog: Sendable {
    private let list = Mutex<[String]>([])

    var all: [String] { list.withLock { $0 } }
    var isEmpty: Bool { list.withLock { $0.isEmpty } }
    func record(_ fault: String) { list.withLock { if $0.count < 50 { $0.append(fault) } } }
}

/// Whether a disk is in bad times.
final class DiskTrouble: Sendable {
    private let state = Mutex(false)

    var isThere: Bool { state.withLock { $0 } }
    func set(_ isThere: Bool) { state.withLock { $0 = isThere } }
}
