import AsyncPrimitives
import Logging
import RouterSupport
import SMPCrypto
import SMPProtocol
import SMPWire
import Synchronization
import SystemSupport

/// The state and the journal of a router together with their sessions. Every change goes through this class.
final class RouterCore: Sendable {
    private struct Shared {
        var state: RouterState
        var sessions: [SessionID: RouterSession] = [:]
        var nextSession: UInt64 = 1
        var failure: RouterError?
    }

    /// A sink that appends to the journal while the state is locked.
    struct JournalSink: RecordSink {
        let journal: Journal
        private(set) var hasAppended = false
        /// The end of the last record that must survive a loss of power.
        private(set) var end: UInt64?

        init(_ journal: Journal) { self.journal = journal }

        mutating func append(_ record: JournalRecord, body: Bytes) -> LogRange {
            hasAppended = true
            let range = journal.append(record, body: body)
            if record.mustBeSynchronized { end = range.end }
            return range
        }
    }

    /// The number of bytes waiting for the disk above which sessions stop reading.
    static let pendingLimit = 8 << 20

    let journal: Journal
    let random: any RandomSource
    let now: @Sendable () -> Int64
    /// The clock for the age of messages and queues, which must not expire because the system's clock jumps.
    private let steadyClock: SteadyClock
    let logger: Logger
    /// The connections to other routers; nil if the router is not a proxy.
    let relays: RelayPool?
    /// nil if the router resolves no names.
    let names: NameService?
    let limits: AddressLimits
    /// The password for creating queues; nil if there is none.
    let basicAuth: BasicAuth?
    let history: StatisticsStore
    private let shared: Mutex<Shared>
    /// Sessions whose next output waits for the journal.
    private let waiting = Mutex<[RouterSession]>([])
    /// The operator's commands that wait for the journal to be durable up to a position.
    private let commands = Mutex<[(end: UInt64, outcome: Promise<Result<Void, RouterError>>)]>([])
    private let scheduleCommit: @Sendable () -> Void

    /// The error of a segment that cannot be read.
    private let damage = Mutex<RouterError?>(nil)

    init(
        journal: Journal, state: RouterState, relays: RelayPool?, names: NameService? = nil, limits: AddressLimits, history: StatisticsStore,
        random: any RandomSource, now: @escaping @Sendable () -> Int64, logger: Logger, scheduleCommit: @escaping @Sendable () -> Void
    ) {
        self.journal = journal
        self.relays = relays
        self.names = names
        self.limits = limits
        basicAuth = state.limits.basicAuth
        self.history = history
        self.random = random
        self.now = now
        steadyClock = SteadyClock { .seconds(now()) }
        self.logger = logger
        self.scheduleCommit = scheduleCommit
        shared = Mutex(Shared(state: state))
    }

    // MARK: Sessions

    /// - Returns: nil when the router has stopped.
    func open(_ make: (SessionID) -> RouterSession) -> RouterSession? {
        shared.withLock { shared in
            guard shared.failure == nil else { return nil }
            let id = SessionID(number: shared.nextSession)
            shared.nextSession += 1
            let session = make(id)
            shared.sessions[id] = session
            shared.state.open(id)
            return session
        }
    }

    func close(_ id: SessionID) {
        shared.withLock { shared in
            shared.sessions[id] = nil
            shared.state.close(id)
        }
    }

    func identify(_ id: SessionID, as service: SessionService) { shared.withLock { $0.state.identify(id, as: service) } }

    /// Counts a name that is resolved outside the state.
    func countName(isForwarded: Bool) {
        shared.withLock { shared in
            shared.state.counters.namesRequested += 1
            if isForwarded { shared.state.counters.commandsForwarded += 1 }
        }
    }

    func isSubscribed(_ id: SessionID) -> Bool { shared.withLock { $0.state.isSubscribed(id) } }

    // MARK: Commands

    /// Returns the authorisation requirements of commands, in order.
    func requirements(_ commands: [(SMPCommand, EntityID)]) -> [AuthorizationRequirement] {
        shared.withLock { shared in commands.map { shared.state.requirement($0.0, entity: $0.1) } }
    }

    /// Executes commands of a session and hands the outputs to the sessions they are for.
    ///
    /// - Parameter commands: the commands, each with the route back to its proxy if it was forwarded, or with the error to answer with.
    func execute(_ commands: [SessionCommand], from session: RouterSession) {
        let now = now(), steady = steadyNow
        var touched: [RouterSession] = []
        let hasAppended = shared.withLock { shared -> Bool in
            guard shared.failure == nil else { return false }
            var sink = JournalSink(journal)
            var outputs: [RoutedOutput] = []
            var events: [RoutedOutput] = []
            for command in commands {
                switch command {
                case .refused(let error, let transmission, let route):
                    if error == .auth { shared.state.counters.authorizationFailures += 1 }
                    let output = settled(RouterOutput(.err(error), to: transmission.correlationID, entity: transmission.entity))
                    session.outbox.withLock { $0.append(output, route: route) }
                case .prepared(let prepared, let route):
                    if route != nil { shared.state.counters.commandsForwarded += 1 }
                    outputs.removeAll(keepingCapacity: true)
                    shared.state.execute(prepared, from: session.id, now: now, steady: steady, sink: &sink, outputs: &outputs)
                    if let response = outputs.first {
                        let output = settled(response.output)
                        session.outbox.withLock { $0.append(output, route: route) }
                    }
                    events += outputs.dropFirst()
                }
            }
            touched.append(session)
            if shared.state.hasBacklog(session.id) { session.outbox.withLock { $0.hasMore = true } }
            // All answers to a block precede the messages that its subscriptions deliver.
            for event in events {
                guard let receiver = shared.sessions[event.session] else { continue }
                receiver.outbox.withLock { $0.append(event.output) }
                if !touched.contains(where: { $0 === receiver }) { touched.append(receiver) }
            }
            return sink.hasAppended
        }
        FailPoint.routerExecuted.pass()
        if hasAppended { makeDurable() }
        for session in touched { session.scheduleFlush() }
    }

    /// Moves more waiting messages of a service's queues into the outbox of its session.
    func deliverMore(to session: RouterSession) {
        let hasAppended = shared.withLock { shared in
            var sink = JournalSink(journal)
            let outputs = shared.state.continueService(session.id, sink: &sink)
            let hasMore = shared.state.hasBacklog(session.id)
            session.outbox.withLock { outbox in
                for output in outputs { outbox.append(output.output) }
                outbox.hasMore = hasMore
            }
            return sink.hasAppended
        }
        if hasAppended { makeDurable() }
    }

    /// Records the loss of a stored message that cannot be read.
    func lose(_ delivery: Delivery, from session: RouterSession, because error: RouterError) {
        logger.error("a stored message cannot be delivered", metadata: ["reason": "\(error)"])
        let next = shared.withLock { shared -> RoutedOutput? in
            var sink = JournalSink(journal)
            return shared.state.lose(delivery, from: session.id, sink: &sink)
        }
        scheduleCommit()
        guard let next else { return }
        session.outbox.withLock { $0.append(next.output) }
        session.scheduleFlush()
    }

    /// Finds the present position of a message: clearing the journal moves messages.
    func position(of delivery: Delivery) -> LogRange? {
        shared.withLock { shared in
            guard let slot = shared.state.store.slot(recipient: delivery.queue), let queue = shared.state.store.queue(slot) else {
                return nil
            }
            return queue.messages.first { $0.id == delivery.message.id }?.position
        }
    }

    /// Finds the present position of a link's data.
    func linkPosition(sender: Identifier) -> LogRange? {
        shared.withLock { shared in
            shared.state.store.slot(sender: sender.entity).flatMap(shared.state.store.queue)?.linkPosition
        }
    }

    // MARK: Durability

    /// Makes a response wait for all earlier changes if it is an error: the error may depend on any of them, such as the deletion of the requested
    /// queue, and a loss of power undoes a change that was not durable.
    private func settled(_ response: RouterOutput) -> RouterOutput {
        guard case .message(.err) = response.content else { return response }
        var response = response
        response.needsSynchronized = max(response.needsSynchronized, journal.promised)
        return response
    }

    /// Checks whether an output may be sent.
    func isDurable(_ output: RouterOutput) -> Bool {
        output.needsSynchronized <= journal.synchronized && output.needsWritten <= journal.written
    }

    /// Schedules another flush of a session after more records have become durable.
    ///
    /// - Returns: false if the output has become durable meanwhile.
    func wait(_ session: RouterSession, for output: RouterOutput) -> Bool {
        waiting.withLock { waiting in
            guard !isDurable(output) else { return false }
            waiting.append(session)
            return true
        }
    }

    /// Schedules a flush of a session, and a new decision about its reading, after the next commit.
    func waitForCommit(_ session: RouterSession) {
        waiting.withLock { $0.append(session) }
        scheduleCommit()
    }

    /// Makes the appended records durable, and continues the sessions that wait for them. On the journal's thread.
    ///
    /// - Throws: ``RouterError`` `storage`; the commit can be tried again.
    func commit(flush: Bool) throws(RouterError) {
        do throws(RouterError) {
            try journal.commit(flush: flush)
        } catch {
            settleCommands()
            throw error
        }
        wakeWaiting()
    }

    /// Waits until the journal is durable up to a position.
    ///
    /// - Throws: ``RouterError``: `storage` if the disk refuses it at present, `stopped`. The appended records are written when the disk
    ///   accepts writes again.
    private func waitUntilDurable(_ end: UInt64) async throws(RouterError) {
        let outcome = Promise<Result<Void, RouterError>>()
        commands.withLock { $0.append((end, outcome)) }
        scheduleCommit()
        // The position may already be durable, or the disk may already have refused it.
        settleCommands()
        try await outcome.value().get()
    }

    /// Answers the operator's commands whose changes are durable; all commands if the disk refuses writes, so that none waits for ever.
    private func settleCommands() {
        guard commands.withLock({ !$0.isEmpty }) else { return }
        let durable = journal.synchronized
        let failure = shared.withLock { $0.failure } ?? journal.failure
        let settled = commands.withLock { commands in
            let settled = commands.filter { $0.end <= durable || failure != nil }
            commands.removeAll { $0.end <= durable || failure != nil }
            return settled
        }
        for (end, outcome) in settled {
            if end > durable, let failure { outcome.resolve(.failure(failure)) } else { outcome.resolve(.success(())) }
        }
    }

    /// Logs that nothing new is acknowledged from now on.
    func storageFails(_ error: RouterError) {
        logger.critical("the router accepts nothing while the disk refuses writes; they are tried again", metadata: ["reason": "\(error)"])
    }

    func storageWorksAgain() {
        logger.notice("the disk accepts writes again")
    }

    /// Records that old segments cannot be cleared from now on.
    func cannotClear(_ error: RouterError) {
        if error.code == .corrupted { damage.withLock { $0 = error } }
        logger.critical("the journal is not cleared any more and grows", metadata: ["reason": "\(error)"])
    }

    var hasDamagedSegment: Bool { damage.withLock { $0 != nil } }

    /// Makes the appended records durable: at once if writing is enough, otherwise soon.
    private func makeDurable() {
        if journal.writeIfThatIsEnough() { wakeWaiting() } else { scheduleCommit() }
    }

    private func wakeWaiting() {
        let sessions = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for session in sessions { session.scheduleFlush() }
        settleCommands()
    }

    // MARK: Upkeep

    private var steadyNow: Int64 { steadyClock.now.components.seconds }

    /// Deletes old messages, some queues at a time.
    func expire(from slot: Int) -> Int? {
        let now = steadyNow
        let (next, hasAppended) = shared.withLock { shared -> (Int?, Bool) in
            var sink = JournalSink(journal)
            let next = shared.state.expire(from: slot, limit: 1_000, now: now, sink: &sink)
            return (next, sink.hasAppended)
        }
        if hasAppended { scheduleCommit() }
        return next
    }

    /// Packs some unused queues, which saves memory.
    func restSome() { shared.withLock { $0.state.store.restSome() } }

    /// Checks whether enough of the journal is unneeded to make clearing worth its work.
    func needsClearing(above threshold: Int) -> Bool {
        let live = shared.withLock { $0.state.store.liveBytes }
        return journal.size - live > max(threshold, live)
    }

    func isNeeded(_ item: SegmentScanner.Item) -> Bool { shared.withLock { $0.state.store.needs(item) } }

    /// Copies a record of an old segment to the end of the journal if it is still needed.
    func keep(_ item: SegmentScanner.Item, body: Bytes?) {
        let isDamaged = shared.withLock { shared in
            var sink = JournalSink(journal)
            return shared.state.store.keep(item, body: body, sink: &sink)
        }
        if isDamaged {
            logger.error("a stored message is damaged", metadata: ["position": "\(item.range.start)"])
        }
    }

    var statistics: RouterStatistics {
        let day = RouterState.day(steadyNow)
        var (statistics, counters) = shared.withLock { shared in
            var statistics = RouterStatistics()
            let store = shared.state.store
            statistics.sessions = shared.sessions.count
            statistics.queues = store.count
            statistics.messages = store.messageCount
            statistics.liveBytes = store.liveBytes
            statistics.services = store.services.count
            statistics.serviceQueues = store.services.associationCount
            statistics.activeQueues.day = store.usage.active(in: 1, until: day)
            statistics.activeQueues.week = store.usage.active(in: 7, until: day)
            statistics.activeQueues.month = store.usage.active(in: 30, until: day)
            return (statistics, shared.state.counters)
        }
        statistics.journalBytes = journal.size
        statistics.storageFailure = journal.failure?.description
        statistics.damage = damage.withLock { $0?.description }
        statistics.relays = relays?.count ?? 0
        counters.commandsRelayed = relays?.relayed ?? 0
        if let counts = names?.counts {
            counters.namesResolved = counts.resolved
            counters.namesNotFound = counts.notFound
            counters.namesFailed = counts.failed
            counters.namesRefused = counts.refused
        }
        history.fill(&statistics, counters, on: day)
        return statistics
    }

    /// Writes the counters.
    func saveStatistics() {
        _ = statistics
        history.save()
    }

    /// The sessions, as an operator sees them.
    var sessionReports: [SessionReport] {
        let now = now()
        return shared.withLock { shared in
            shared.sessions.map { id, session in
                let held = shared.state.sessions[id]
                return SessionReport(
                    number: id.number, version: session.version, seconds: now - session.opened, subscriptions: held?.subscriptions.count ?? 0,
                    notifications: held?.notifiers.count ?? 0, isService: held?.service != nil,
                    waiting: session.outbox.withLock { $0.count })
            }
        }.sorted { $0.number < $1.number }
    }

    /// Finds the session of a report.
    func session(numbered number: UInt64) -> RouterSession? { shared.withLock { shared in shared.sessions.first { $0.key.number == number }?.value } }

    // MARK: The operator

    /// Performs a durable operation on the queue that the operator names. Returns nil if there is no such queue.
    ///
    /// - Throws: ``RouterError``, as ``waitUntilDurable(_:)``.
    private func withQueue<Value: Sendable>(
        shown id: EntityID, _ body: (inout RouterState, Int, inout JournalSink) -> (Value, [RoutedOutput])
    ) async throws(RouterError) -> Value? {
        let (value, end, touched) = shared.withLock { shared -> (Value?, UInt64, [RouterSession]) in
            // The deletion of the queue may still wait for the disk.
            guard let slot = shared.state.slot(shown: id) else { return (nil, journal.promised, []) }
            var sink = JournalSink(journal)
            // An earlier operation with the same result may still wait for the disk.
            let known = shared.state.store.queue(slot)?.position.end ?? 0
            let (value, events) = body(&shared.state, slot, &sink)
            var touched: [RouterSession] = []
            for event in events {
                guard let receiver = shared.sessions[event.session] else { continue }
                receiver.outbox.withLock { $0.append(event.output) }
                touched.append(receiver)
            }
            return (value, sink.end ?? known, touched)
        }
        for session in touched { session.scheduleFlush() }
        try await waitUntilDurable(end)
        return value
    }

    func describe(shown id: EntityID) -> RouterState.QueueDescription? {
        shared.withLock { shared in shared.state.slot(shown: id).flatMap { shared.state.describe($0) } }
    }

    func block(shown id: EntityID, _ info: BlockingInfo) async throws(RouterError) -> Bool {
        try await withQueue(shown: id) { state, slot, sink in (true, state.block(slot, info, sink: &sink)) } ?? false
    }

    func unblock(shown id: EntityID) async throws(RouterError) -> Bool? {
        try await withQueue(shown: id) { state, slot, sink in (state.unblock(slot, sink: &sink), []) }
    }

    /// - Returns: the number of messages in the queue.
    func remove(shown id: EntityID) async throws(RouterError) -> Int? {
        try await withQueue(shown: id) { state, slot, sink in
            let removed = state.remove(slot, sink: &sink)
            return (removed?.messages, removed?.events ?? [])
        } ?? nil
    }

    /// Ends all sessions, and accepts no new ones.
    func stop(_ error: RouterError) {
        let sessions = shared.withLock { shared in
            shared.failure = shared.failure ?? error
            return Array(shared.sessions.values)
        }
        for session in sessions { session.stop() }
        settleCommands()
    }
}

/// A command of a session that is ready for the state, or refused.
enum SessionCommand: Sendable {
    case prepared(PreparedCommand, route: ForwardRoute?)
    case refused(SMPErrorType, ReceivedTransmission<SMPCommand>, route: ForwardRoute?)
}
