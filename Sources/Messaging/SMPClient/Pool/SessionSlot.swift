import AsyncPrimitives
import Logging
import SMPProtocol
import SMPWire
import Synchronization

/// The connection for one ``TransportSessionKey``: made when it is needed, one attempt at a time, and made again while there
/// are subscriptions.
final class SessionSlot: Sendable {
    let key: TransportSessionKey
    let environment: Environment
    let state: Mutex<State>

    /// The parts that slots share.
    struct Environment: Sendable {
        /// The settings in use.
        let connector: @Sendable () -> RouterConnector
        let time: ClientTime
        let logger: Logger
        /// A random number from 0 to 1.
        let randomUnit: @Sendable () -> Double
        let emit: @Sendable (SMPClientEvent) -> Void

        var configuration: SMPClientConfiguration { connector().configuration }
    }

    /// The outcome of the attempts to connect, as all who wait for it receive it.
    typealias Outcome = Promise<Result<SMPSession, SMPClientError>>

    enum Link {
        case idle
        case connecting(Outcome)
        case connected(SMPSession, number: Int, since: Duration)
        case closed
    }

    struct State {
        var link = Link.idle
        var connecting: Task<Void, Never>?
        /// The last failed attempt.
        var failure: (error: SMPClientError, at: Duration)?
        /// Why a connection ended before the attempt that made it was over, by its number.
        var earlyEnd: (number: Int, reason: SMPClientError)?
        var lastNumber = 0

        var subscriptions = SubscriptionTable()
        /// Which of the queues the router takes for a service's.
        var associations: [RecipientID: ServiceID] = [:]
        /// The connection in which the queues of the service were last subscribed to at once, by its number, and whether that was all.
        var served: (connection: Int, isComplete: Bool)?
        var surplus = ServiceSurplus()
        /// The connection in which the outcome of that has been reported, and the one in which all waiting messages came before it was.
        var announced: Int?
        var deliveredEarly: Int?
        var backoff: Backoff
        /// True if the next attempt to take up subscriptions must wait.
        var mustWait = false
        /// True if the present connection is closed only to be made anew.
        var isReconnecting = false
        var worker: Task<Void, Never>?
        var workerSleep: Task<Void, Never>?

        /// The number of the present connection.
        var current: Int? { if case .connected(_, let number, _) = link { number } else { nil } }
        var isClosed: Bool { if case .closed = link { true } else { false } }

        mutating func nextNumber() -> Int {
            lastNumber += 1
            return lastNumber
        }
    }

    init(_ key: TransportSessionKey, _ environment: Environment) {
        self.key = key
        self.environment = environment
        state = Mutex(State(backoff: Backoff(environment.configuration.retry)))
    }

    static let closedError = SMPClientError(.closed, "the client has been closed")
    private static let reconnectingError = SMPClientError(.network(.failed), "the connection is made anew")
    private static let cancelledError = SMPClientError(.cancelled, "waiting for a connection was cancelled")

    // MARK: Connecting

    /// The present connection, or a new one.
    ///
    /// - Parameters:
    ///   - isPatient: whether to connect even when that has just failed.
    ///   - isInteractive: whether a person waits.
    func session(isPatient: Bool = false, isInteractive: Bool = false) async throws(SMPClientError) -> SMPSession {
        if case .connected(let session, _, _) = state.withLock({ $0.link }) { return session }
        let outcome: Outcome
        switch try begin(isPatient: isPatient, isInteractive: isInteractive) {
        case .connected(let session, _, _): return session
        case .connecting(let pending): outcome = pending
        case .idle, .closed: throw Self.closedError
        }
        let result: Result<SMPSession, SMPClientError>
        do { result = try await outcome.valueUnlessCancelled() } catch { throw Self.cancelledError }
        return try result.get()
    }

    /// Begins to connect unless there is a connection or an attempt.
    ///
    /// - Returns: the state of the link, never idle.
    private func begin(isPatient: Bool, isInteractive: Bool) throws(SMPClientError) -> Link {
        let now = environment.time.now()
        return try state.withLock { state throws(SMPClientError) in
            guard case .idle = state.link else { return state.link }
            if Task.isCancelled { throw Self.cancelledError }
            if !isPatient, let failure = state.failure, now - failure.at < environment.configuration.failureMemory { throw failure.error }
            state.link = .connecting(Outcome())
            // A task of its own: the first to ask may be cancelled while others wait for the same connection.
            state.connecting = Task { [self] in await connect(isInteractive: isInteractive) }
            return state.link
        }
    }

    private func connect(isInteractive: Bool) async {
        let connector = environment.connector()
        let number = state.withLock { $0.nextNumber() }
        let observer = SMPSessionObserver(
            event: { [weak self] in self?.take($0, number) }, end: { [weak self] in self?.ended(number, $0) })
        let connected = await connector.connect(key, isInteractive: isInteractive, observer)
        var result = connected.map(\.session)
        if connector.epoch != environment.connector().epoch, !Task.isCancelled {
            // The settings have changed meanwhile.
            if case .success(let session) = result { session.close(Self.reconnectingError) }
            return await connect(isInteractive: isInteractive)
        }
        let now = environment.time.now()
        let outcome = state.withLock { state -> Outcome? in
            state.connecting = nil
            guard case .connecting(let outcome) = state.link else { return nil }
            if let early = state.earlyEnd, early.number == number { result = .failure(early.reason) }
            state.earlyEnd = nil
            switch result {
            case .success(let session):
                state.link = .connected(session, number: number, since: now)
                state.isReconnecting = false
                state.failure = nil
                // What waits to be subscribed to need not wait any longer.
                state.mustWait = false
                state.workerSleep?.cancel()
            case .failure(let error):
                state.link = .idle
                state.failure = (error, now)
                state.mustWait = true
            }
            return outcome
        }
        guard let outcome else {
            if case .success(let session) = result { session.close(Self.closedError) }
            return
        }
        switch result {
        case .success(let session):
            log("connected", ["version": "\(session.info.version)"])
            environment.emit(.connected(key))
            if case .success((_, let refusal?)) = connected { environment.emit(.service(key, .unavailable(refusal))) }
        case .failure(let error):
            if error.isOfTLS, connector.configuration.network.logsTLSErrors {
                environment.logger.warning("TLS with a router failed", metadata: ["server": "\(key.server)", "error": "\(error)"])
            } else {
                log("could not connect", ["error": "\(error)"])
            }
        }
        outcome.resolve(result)
        resubscribeIfNeeded()
    }

    /// Connects anew, at once where there are subscriptions.
    func reconnect() {
        let link = state.withLock { state in
            state.failure = nil
            state.mustWait = false
            state.backoff.reset()
            state.isReconnecting = state.current != nil
            state.workerSleep?.cancel()
            return state.link
        }
        if case .connected(let session, _, _) = link { session.close(Self.reconnectingError) }
        resubscribeIfNeeded()
    }

    /// The state of the connection; nil if none was requested.
    var sessionState: SMPSessionState? {
        state.withLock { state in
            switch state.link {
            case .connected: .connected
            case .connecting: .connecting
            case .idle: state.failure == nil ? nil : .failed
            case .closed: nil
            }
        }
    }

    /// Closes the connection permanently.
    func close() {
        let (link, connecting, worker) = state.withLock { state in
            defer {
                state.link = .closed
                state.connecting = nil
                state.worker = nil
                state.subscriptions = SubscriptionTable()
            }
            state.workerSleep?.cancel()
            return (state.link, state.connecting, state.worker)
        }
        connecting?.cancel()
        worker?.cancel()
        switch link {
        case .connecting(let outcome): outcome.resolve(.failure(Self.closedError))
        case .connected(let session, _, _): session.close(Self.closedError)
        case .idle, .closed: break
        }
    }

    // MARK: What the connection tells

    private func take(_ event: SMPSessionEvent, _ number: Int) {
        switch event {
        case .message(let queue, let message): environment.emit(.message(key, queue: queue, message))
        case .ended(let queue):
            forget([queue])
            environment.emit(.ended(key, queue: queue))
        case .serviceEnded: serviceEnded(number)
        case .serviceDelivered: serviceDelivered(number)
        case .notification(let notifier, let nonce, let notice):
            environment.emit(.notification(key, notifier: notifier, nonce, notice))
        case .deleted(let queue):
            forget([queue])
            environment.emit(.deleted(key, queue: queue))
        case .lateSubscription(let queue):
            let isNews = state.withLock { $0.current == number && $0.subscriptions.confirm(queue, in: number) }
            if isNews { environment.emit(.subscribed(key, queues: [queue])) }
        case .unexpected(.success(let name)): log("the router sent what answers nothing", ["message": "\(name)"])
        case .unexpected(.failure(let error)): log("the router sent what cannot be read", ["error": "\(error)"])
        }
    }

    private func log(_ text: Logger.Message, _ metadata: @autoclosure () -> Logger.Metadata) {
        environment.logger.debug(
            text, metadata: metadata().merging(["router": "\(key.server)", "user": "\(key.userID)"]) { $1 })
    }

    private func ended(_ number: Int, _ reason: SMPClientError) {
        let now = environment.time.now()
        let lost = state.withLock { state -> [RecipientID]? in
            guard case .connected(_, number, let since) = state.link else {
                if case .connecting = state.link { state.earlyEnd = (number, reason) }
                return nil
            }
            state.link = .idle
            // A router that accepts connections only to drop them must not be asked without pause.
            state.mustWait = !state.isReconnecting && now - since < environment.configuration.retry.increaseAfter
            state.isReconnecting = false
            return state.subscriptions.disconnect(number)
        }
        guard let lost else { return }
        log("disconnected", ["reason": "\(reason)", "queues": "\(lost.count)"])
        environment.emit(.disconnected(key, queues: lost))
        resubscribeIfNeeded()
    }
}
