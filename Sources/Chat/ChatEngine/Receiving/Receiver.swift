import ChatAPI
import ChatProtocol
import GRDB
import Logging
import SMPAgent
import SMPWire
import Synchronization
import SystemSupport

/// Stores what the agent reports, in the order in which it comes, and only then acknowledges it.
///
/// Messages are parsed while earlier ones are being committed; all that wait for the disk share one commit. Nothing here waits
/// for a network, so no connection holds up another.
///
/// An event that processes died of is received alone, so that it is known what the next one dies of; after three it is set aside unread.
final class Receiver: Sendable {
    /// Events whose effects are not on disk yet, at most: more wait in the agent.
    static let openLimit = 1_024
    /// How long an event waits at most before it is tried again when the database fails.
    static let longestDelay = Duration.seconds(30)

    private let core: EngineCore
    private let gate = Gate(limit: openLimit)

    init(core: EngineCore) {
        self.core = core
    }

    /// Runs until the agent's events end.
    func run() async {
        do {
            try await core.watch.load(from: core.store, at: core.moment, logger: core.logger)
        } catch {
            // Bots that run without it are better than bots that do not run.
            core.logger.error("it is not known what earlier processes died of", metadata: ["error": "\(error)"])
        }
        for await notification in core.reports {
            if !core.configuration.reportsHosts, notification.isAboutHost { continue }
            await gate.enter()
            if case .sent(let message, let proxy) = notification.event, let connection = notification.connection {
                let durableID = notification.durableID
                let sent = DeliveryLedger.Sent(message: message, viaProxy: proxy != nil) { [core, gate] isWritten in
                    gate.leave()
                    if isWritten, let durableID { core.agent.confirm(durableID) }
                }
                core.ledger.enter(sent, of: connection)
                continue
            }
            await receive(notification)
        }
    }

    private func receive(_ notification: AgentNotification) async {
        let key = notification.key
        let isQuarantined = core.watch.isQuarantined(key), isAlone = isQuarantined || core.watch.isSuspect(key)
        if isAlone { await gate.waitUntilInside(1) }
        if isQuarantined, let key {
            quarantine(Incoming(unread: notification, key: key), as: key)
        } else {
            let incoming = core.watch.noting(key) {
                if let body = notification.body { TrapPoint.chatParse.pass(body) }
                return Incoming(notification, key: key)
            }
            handle(incoming, attempt: 0)
        }
        if isAlone { await gate.waitUntilInside(0) }
    }

    private func handle(_ incoming: Incoming, attempt: Int) {
        let core = core
        let moment = core.moment
        let handOvers = core.courier.handOvers
        // While the disk fails it waits, and what came later waits behind it.
        core.store.submit(
            isPersistent: true,
            { db -> Effects in
                let transaction = ChatTransaction(db, at: moment, random: core.random)
                try core.watch.noting(incoming.key) {
                    if let body = incoming.notification.body { TrapPoint.chatReceive.pass(body) }
                    try transaction.receive(incoming)
                }
                return transaction.effects
            },
            completion: { [self] result in
                switch result {
                case .success(let effects): finish(incoming, effects, handOvers: handOvers)
                case .failure(let error): failed(incoming, error, attempt: attempt)
                }
            })
    }

    /// On the store's queue, in the order of the commits.
    ///
    /// - Parameter handOvers: the courier's count from before the store was asked; nil if the store was not asked.
    private func finish(_ incoming: Incoming, _ effects: Effects, handOvers: Int?) {
        if effects.isPremature, let connection = incoming.notification.connection {
            if core.courier.afterHandingOver(connection.bytes, { [self] in handle(incoming, attempt: 0) }) { return }
            // What it is about may have been handed over since the store was asked.
            if let handOvers, handOvers != core.courier.handOvers { return handle(incoming, attempt: 0) }
        }
        FailPoint.chatStored.pass()
        if let key = incoming.key, incoming.isRead, core.watch.clear(key) {
            core.store.submitLater({ db in try db.deleteCrashSuspect(key) }) { [core] result in
                guard case .failure(let error) = result else { return }
                core.logger.warning("an event that nobody dies of stays suspect", metadata: ["error": "\(error)"])
            }
        }
        core.publish(effects)
        gate.leave()
        FailPoint.chatAnnounced.pass()
        acknowledge(incoming, receipt: effects.sendsReceipt)
    }

    /// What the database could not take now is tried again, and not acknowledged before. What it will never take is set aside, so that it
    /// does not hold up what comes after it.
    private func failed(_ incoming: Incoming, _ error: any Error, attempt: Int) {
        guard !core.isClosed else { return gate.leave() }
        core.logger.error("an event could not be stored", metadata: ["event": "\(incoming.name)", "error": "\(error)"])
        guard (error as? GRDB.DatabaseError)?.isTemporary ?? false else { return setAside(incoming, error) }
        Task { [self] in
            try? await core.clock.sleep(for: Self.delay(attempt))
            handle(incoming, attempt: attempt + 1)
        }
    }

    private func setAside(_ incoming: Incoming, _ error: any Error) {
        let core = core
        let moment = core.moment
        let cause = ChatCoreError(thrown: error)
        core.store.submit(
            isPersistent: true,
            { db -> Effects in
                let transaction = ChatTransaction(db, at: moment, random: core.random)
                try transaction.setAside(incoming, cause)
                return transaction.effects
            },
            completion: { [self] result in
                switch result {
                case .success(let effects): finish(incoming, effects, handOvers: nil)
                case .failure(let error):
                    // Not acknowledged: the agent reports it again after a restart.
                    core.logger.critical("an event could not be set aside", metadata: ["event": "\(incoming.name)", "error": "\(error)"])
                    gate.leave()
                }
            })
    }

    /// Sets an event aside that processes died of, without reading it, so that what comes after it goes on.
    private func quarantine(_ incoming: Incoming, as key: InFlightKey) {
        let core = core
        let moment = core.moment
        core.store.submit(
            isPersistent: true,
            { db -> (Effects, Int64) in
                let transaction = ChatTransaction(db, at: moment, random: core.random)
                let id = try transaction.quarantine(incoming, as: key)
                return (transaction.effects, id)
            },
            completion: { [self] result in
                switch result {
                case .success((let effects, let id)):
                    core.logger.error(
                        "a received event is set aside: \(CrashSuspects.deathsToQuarantine) processes died of it. parley db quarantine shows it",
                        metadata: ["code": "event.quarantined", "event": "\(incoming.name)", "id": "\(id)"])
                    finish(incoming, effects, handOvers: nil)
                case .failure(let error):
                    // Not acknowledged: the agent reports it again after a restart.
                    core.logger.critical("an event could not be set aside", metadata: ["event": "\(incoming.name)", "error": "\(error)"])
                    gate.leave()
                }
            })
    }

    private func acknowledge(_ incoming: Incoming, receipt: Bool) {
        if let durable = incoming.notification.durableID { core.agent.confirm(durable) }
        guard let connection = incoming.notification.connection, let message = incoming.messageID else { return }
        Task { await acknowledge(message, of: connection, receipt: receipt) }
    }

    /// As long as the agent's disk stands in the way it is tried again: until then the router keeps back what is behind the message.
    private func acknowledge(_ message: AgentMessageID, of connection: ConnectionID, receipt: Bool) async {
        for attempt in 0... {
            do throws(AgentFault) {
                return try await core.agent.acknowledge(connection, message: message, receipt: receipt ? [] : nil)
            } catch {
                core.logger.debug("a message could not be acknowledged", metadata: ["error": "\(error.code)"])
                // To an agent that goes on, or is started, it comes again, and changes nothing then.
                guard case .critical(let mayPass, _) = error.reason, !core.isClosed else { return }
                guard mayPass else {
                    return core.logger.error(
                        "a message cannot be acknowledged: its router keeps back what is behind it", metadata: ["error": "\(error)"])
                }
            }
            try? await core.clock.sleep(for: Self.delay(attempt))
        }
    }

    private static func delay(_ attempt: Int) -> Duration { min(.seconds(1 << min(attempt, 5)), longestDelay) }
}

/// An event of the agent, with what is in it parsed.
struct Incoming: Sendable {
    let notification: AgentNotification
    /// The messages of a body; empty for other events.
    let messages: [ReceivedChatMessage.ParsingResult]
    /// The event's name, if it comes again.
    let key: InFlightKey?
    /// Whether what is in it was parsed.
    let isRead: Bool
    /// True for a quarantined event that is received on demand.
    let isRetry: Bool

    /// An event that is not to be parsed.
    init(unread notification: AgentNotification, key: InFlightKey?) {
        self.notification = notification
        self.key = key
        messages = []
        isRead = false
        isRetry = false
    }

    init(_ notification: AgentNotification, key: InFlightKey? = nil, isRetry: Bool = false) {
        self.notification = notification
        self.key = key
        self.isRetry = isRetry
        isRead = true
        messages =
            switch notification.event {
            case .message(_, _, let body): ReceivedChatMessage.parse(body)
            case .confirmation(_, _, _, let info), .request(_, _, _, let info), .information(_, let info):
                ReceivedChatMessage.parse(info)
            default: []
            }
    }

    /// The agent's number of the message, if the event is one that is acknowledged.
    var messageID: AgentMessageID? {
        switch notification.event {
        case .message(let metadata, _, _), .receipts(let metadata, _): metadata.messageID
        default: nil
        }
    }

    /// The agent's number of the event, if its effects would add up when it comes again.
    var countedNumber: Int64? {
        guard case .event(let number)? = notification.durableID else { return nil }
        switch notification.event {
        case .messageFailed, .messagesFailed, .failed, .queueSwitch, .ratchetSync: return number
        default: return nil
        }
    }

    /// What kind of event it is, for the log.
    var name: String {
        switch notification.event {
        case .confirmation: "confirmation"
        case .request: "request"
        case .information: "information"
        case .connected: "connected"
        case .joined: "joined"
        case .message: "message"
        case .messageDelayed: "messageDelayed"
        case .messageFailed, .messagesFailed: "messageFailed"
        case .receipts: "receipts"
        default: "state"
        }
    }
}

/// Lets a bounded number in; one caller waits when it is full.
final class Gate: Sendable {
    private struct State {
        var inside = 0
        var waiter: CheckedContinuation<Void, Never>?
        /// Callers that wait until no more than so many are inside.
        var quiet: (count: Int, continuation: CheckedContinuation<Void, Never>)?
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    /// Waits until there is room. Only one task may wait.
    func enter() async {
        await withCheckedContinuation { continuation in
            let hasRoom = state.withLock { state -> Bool in
                if state.inside < limit {
                    state.inside += 1
                    return true
                }
                state.waiter = continuation
                return false
            }
            if hasRoom { continuation.resume() }
        }
    }

    func leave() {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if let waiter = state.waiter {
                state.waiter = nil
                return waiter
            }
            state.inside -= 1
            guard let quiet = state.quiet, state.inside <= quiet.count else { return nil }
            state.quiet = nil
            return quiet.continuation
        }
        waiter?.resume()
    }

    /// Waits until no more than so many are inside. Only the task that enters may wait, so that nobody comes in meanwhile.
    func waitUntilInside(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isQuiet = state.withLock { state -> Bool in
                if state.inside <= count { return true }
                state.quiet = (count, continuation)
                return false
            }
            if isQuiet { continuation.resume() }
        }
    }
}

extension AgentNotification {
    /// Whether it says that there is, or is no more, a session with a router.
    fileprivate var isAboutHost: Bool {
        switch event {
        case .serverConnected, .serverDisconnected: true
        default: false
        }
    }
}
