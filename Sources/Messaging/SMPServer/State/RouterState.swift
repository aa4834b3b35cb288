import RouterSupport
import SMPCrypto
import SMPProtocol
import SMPWire

/// The state of a router without sockets and files: it executes commands, routes their outputs, and appends the records of
/// changes to a sink. Time and random values come with the commands.
struct RouterState: Sendable {
    /// The limits that a router is configured with.
    struct Limits: Sendable {
        var messageQuota = 128
        /// Seconds after which a message is deleted; nil: never.
        var messageLifetime: Int64? = 21 * 86_400
        var allowsNewQueues = true
        /// The password for creating queues; nil for none.
        var basicAuth: BasicAuth?
        var maximumQueues = 1_000_000
        /// Seconds without use after which a queue is deleted; nil: never.
        var queueLifetime: Int64?
        /// The maximum number of recipient keys of one queue.
        var maximumRecipientKeys = 32
    }

    /// A session's use of `GET` on a queue.
    struct Fetch: Sendable {
        /// The delivered message that is not acknowledged.
        var delivered: Identifier?
    }

    /// The subscriptions of a session.
    struct Session: Sendable {
        /// Queues that it is subscribed to.
        var subscriptions: Set<Identifier> = []
        /// Queues from which it gets single messages, each with the message that it has not acknowledged.
        var fetches: [Identifier: Fetch] = [:]
        /// Queues whose notifications it gets.
        var notifiers: Set<Identifier> = []
        var service: SessionService?
        /// Queues of its service that have not been checked since it subscribed to all of them.
        var backlog: ArraySlice<Int32> = []
        /// True if it has subscribed to all queues of its service, and no other session has done so since.
        var isServing = false
        /// True if it is to be notified when all that waited in these queues has been given.
        var awaitsEndOfBacklog = false
    }

    /// The limits; some change while the router runs.
    var limits: Limits
    var store: QueueStore
    var sessions: [SessionID: Session] = [:]
    var counters = RouterStatistics.Counters()

    init(limits: Limits = Limits(), queues: [JournalReplay.Queue] = []) {
        self.limits = limits
        store = QueueStore(queues)
    }

    // MARK: Sessions

    mutating func open(_ session: SessionID) {
        sessions[session] = Session()
        counters.sessionsOpened += 1
    }

    /// Removes a session with its subscriptions.
    mutating func close(_ session: SessionID) {
        guard let closed = sessions.removeValue(forKey: session) else { return }
        if let service = closed.service { store.services.release(service.id, by: session) }
        for id in closed.subscriptions {
            guard let slot = store.slot(recipient: id) else { continue }
            _ = store.update(slot) { queue in
                if queue.subscription?.session == session { queue.subscription = nil }
            }
        }
        for id in closed.notifiers {
            guard let slot = store.slot(notifier: id.entity) else { continue }
            _ = store.update(slot) { queue in
                if queue.notifierSession == session { queue.notifierSession = nil }
            }
        }
    }

    /// Checks whether a session waits for messages or notifications: such a session may be silent for long.
    func isSubscribed(_ session: SessionID) -> Bool {
        guard let open = sessions[session] else { return false }
        let isServing = open.service.map { store.services.session(of: $0.id) == session } ?? false
        return !open.subscriptions.isEmpty || !open.notifiers.isEmpty || isServing
    }

    // MARK: Commands

    /// Executes a command.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - outputs: receives the command's response, then other outputs.
    mutating func execute(
        _ command: PreparedCommand, from session: SessionID, now: Int64, steady: Int64? = nil, sink: inout some RecordSink,
        outputs: inout [RoutedOutput]
    ) {
        var execution = Execution(command: command, session: session, now: now, steady: steady ?? now)
        run(&execution, sink: &sink)
        if let response = execution.response { outputs.append(RoutedOutput(session: session, output: response)) }
        outputs += execution.events
    }

    /// One command under execution.
    struct Execution {
        let command: PreparedCommand
        let session: SessionID
        let now: Int64
        /// The time for the age of messages and queues, in seconds: setting the clock does not make them expire.
        let steady: Int64
        fileprivate(set) var response: RouterOutput?
        var events: [RoutedOutput] = []

        /// Answers the command, with its entity unless another is given.
        ///
        /// - Parameter end: the position up to which the journal must be synchronized before.
        mutating func respond(_ message: SMPBrokerMessage, entity: EntityID? = nil, after end: UInt64? = nil) {
            var output = RouterOutput(message, to: command.correlationID, entity: entity ?? command.entity)
            output.needsSynchronized = end ?? 0
            response = output
        }

        mutating func fail(_ error: SMPErrorType) { respond(.err(error)) }

        /// Answers with a message of the queue.
        mutating func respond(_ delivery: Delivery, written end: UInt64? = nil) {
            var output = RouterOutput(delivery, to: command.correlationID, entity: command.entity)
            output.needsWritten = end ?? 0
            response = output
        }

        /// Answers with the data of a link.
        mutating func respond(linkOf sender: Identifier, at position: LogRange, after end: UInt64) {
            var output = RouterOutput(linkOf: sender, at: position, to: command.correlationID, entity: command.entity)
            output.needsSynchronized = max(output.needsSynchronized, end)
            response = output
        }

        mutating func respond(_ message: SMPBrokerMessage, written end: UInt64) {
            var output = RouterOutput(message, to: command.correlationID, entity: command.entity)
            output.needsWritten = end
            response = output
        }

        /// Sends a message to a session that is not an answer.
        mutating func send(_ message: SMPBrokerMessage, to session: SessionID, about entity: EntityID, after end: UInt64 = 0) {
            var output = RouterOutput(message, to: .none, entity: entity)
            output.needsSynchronized = end
            events.append(RoutedOutput(session: session, output: output))
        }

        mutating func send(_ delivery: Delivery, to session: SessionID) {
            events.append(
                RoutedOutput(session: session, output: RouterOutput(delivery, to: .none, entity: delivery.queue.entity)))
        }
    }

    private mutating func run(_ execution: inout Execution, sink: inout some RecordSink) {
        let entity = execution.command.entity
        switch execution.command.command {
        case .ping: execution.respond(.pong, entity: EntityID.none)
        case .new(let request): create(request, &execution, sink: &sink)
        case .skey(let key): secureAsSender(store.slot(sender: entity), key, &execution, sink: &sink)
        case .send(let flags, let body): send(flags, body, &execution, sink: &sink)
        case .lkey(let key): openInvitation(key, &execution, sink: &sink)
        case .lget: readLink(&execution)
        case .nsub: subscribeNotifier(&execution, sink: &sink)
        case .subs(let expected), .nsubs(let expected): subscribeService(expected, &execution, sink: &sink)
        case .sub, .key, .rkey, .lset, .ldel, .nkey, .ndel, .get, .ack, .off, .del, .que:
            guard let slot = store.slot(recipient: entity), let key = execution.command.key else { return execution.fail(.auth) }
            store.wake(slot)
            // The key was checked against the queue as it was; meanwhile another command may have changed it.
            guard store.read(slot, { $0.record.recipientKeys.contains(key) }) == true else { return execution.fail(.auth) }
            runForRecipient(slot, &execution, sink: &sink)
        // Names are resolved by the session.
        case .rslv:
            counters.namesRequested += 1
            execution.respond(.err(.name(.noResolver)), entity: EntityID.none)
        // Refused before, or unwrapped by the session.
        case .prxy, .pfwd, .rfwd: execution.fail(.command(.prohibited))
        }
    }

    private mutating func runForRecipient(_ slot: Int, _ execution: inout Execution, sink: inout some RecordSink) {
        switch execution.command.command {
        case .off, .del: break
        default: if let info = blocking(slot) { return execution.fail(.blocked(info)) }
        }
        use(slot, execution.steady, sink: &sink)
        switch execution.command.command {
        case .sub: subscribe(slot, &execution, sink: &sink)
        case .get: fetch(slot, &execution, sink: &sink)
        case .ack(let id): acknowledge(slot, id, &execution, sink: &sink)
        case .key(let key): secure(slot, key, &execution, sink: &sink)
        case .rkey(let keys): setRecipientKeys(slot, keys, &execution, sink: &sink)
        case .lset(let link, let data): setLink(slot, link, data, &execution, sink: &sink)
        case .ldel: deleteLink(slot, &execution, sink: &sink)
        case .nkey: setNotifier(slot, &execution, sink: &sink)
        case .ndel: deleteNotifier(slot, &execution, sink: &sink)
        case .off: suspend(slot, &execution, sink: &sink)
        case .del: delete(slot, &execution, sink: &sink)
        case .que: describe(slot, &execution)
        default: execution.fail(.internal)
        }
    }
}
