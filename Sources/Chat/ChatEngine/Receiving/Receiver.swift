import AsyncPrimitives
import ChatAPI
import ChatStore
import GRDB
import Logging
import SMPAgent
import SMPWire
import Synchronization
import SystemSupport

/// Stores the events of the agent, in the order of arrival, and only then acknowledges them.
///
/// Messages are parsed while earlier ones are being committed; all that wait for the disk share one commit. Nothing here waits
/// for a network, so no connection blocks another.
///
/// An event on which processes crashed is received alone, so that the cause of the next crash is known; after three crashes it is quarantined unread.
final class Receiver: Sendable {
    /// Events whose effects are not on disk yet, at most: more wait in the agent.
    static let openLimit = 1_024
    /// The delays before an event is tried again when the database fails.
    private static let delays = DoublingDelay(from: .seconds(1), to: .seconds(30))

    private let agent: any AgentService
    private let reports: AsyncStream<AgentNotification>
    private let transactions: TransactionRunner
    private let outbox: OutboxDispatcher
    private let tracker: DeliveryTracker
    private let backlog: RelayBacklog
    private let crashGuard: CrashLoopGuard
    private let lifecycle: EngineLifecycle
    private let reportsHosts: Bool
    private let logger: Logger
    /// The events that are being stored.
    private let open = AsyncSemaphore(limit: openLimit)

    init(
        agent: any AgentService, reports: AsyncStream<AgentNotification>, transactions: TransactionRunner, outbox: OutboxDispatcher,
        tracker: DeliveryTracker, backlog: RelayBacklog, crashGuard: CrashLoopGuard, lifecycle: EngineLifecycle, reportsHosts: Bool, logger: Logger
    ) {
        self.agent = agent
        self.reports = reports
        self.transactions = transactions
        self.outbox = outbox
        self.tracker = tracker
        self.backlog = backlog
        self.crashGuard = crashGuard
        self.lifecycle = lifecycle
        self.reportsHosts = reportsHosts
        self.logger = logger
    }

    /// Runs until the agent's events end.
    func run() async {
        for await notification in reports {
            if !reportsHosts, notification.isAboutHost { continue }
            await open.acquire()
            if case .sent(let message, let proxy) = notification.event, let connection = notification.connection {
                let durableID = notification.durableID
                let sent = SentDelivery(message: message, viaProxy: proxy != nil) { [agent, open] isStored in
                    open.release()
                    if isStored, let durableID { agent.confirm(durableID) }
                }
                tracker.record(sent, of: connection)
                continue
            }
            await receive(notification)
        }
    }

    private func receive(_ notification: AgentNotification) async {
        let key = notification.key
        let isQuarantined = crashGuard.isQuarantined(key), isAlone = isQuarantined || crashGuard.isSuspect(key)
        if isAlone { await open.waitUntilInUse(atMost: 1) }
        if isQuarantined, let key {
            quarantine(Incoming(unread: notification, key: key), as: key)
        } else {
            var incoming = crashGuard.noting(key) {
                if let body = notification.body { TrapPoint.chatParse.pass(body) }
                return Incoming(notification, key: key)
            }
            if incoming.claimsLinkOwnership { incoming.securityCodeHash = await securityCodeHash(of: notification.connection) }
            handle(incoming)
        }
        if isAlone { await open.waitUntilInUse(atMost: 0) }
    }

    /// - Returns: nil if it is not known: a signature that is bound to it does not count then.
    private func securityCodeHash(of connection: ConnectionID?) async -> Bytes? {
        guard let connection else { return nil }
        do throws(AgentError) {
            return try await agent.ratchetHash(of: connection)
        } catch {
            logger.debug("the security code of a connection is not known", metadata: ["error": "\(error.code)"])
            return nil
        }
    }

    /// Messages for a connection whose ratchets are in step again need not wait any more.
    private func release(after incoming: Incoming) {
        guard case .ratchetSync(let state, _, _) = incoming.notification.event, !state.prohibitsSending, let connection = incoming.notification.connection
        else { return }
        outbox.release(connection.bytes)
    }

    private func handle(_ incoming: Incoming, after delays: DoublingDelay = Receiver.delays) {
        let time = transactions.clock.time
        let handOvers = outbox.handOvers
        // While the disk fails, the event waits, and later events wait, too.
        transactions.store.submit(
            isPersistent: true,
            { [self] db -> Effects in
                try transactions.perform(on: db, at: time) { transaction in
                    try crashGuard.noting(incoming.key) {
                        if let body = incoming.notification.body { TrapPoint.chatReceive.pass(body) }
                        try transaction.incomingEvents.receive(incoming)
                    }
                }.effects
            },
            completion: { [self] result in
                switch result {
                case .success(let effects):
                    finish(incoming, effects, handOvers: handOvers)
                    release(after: incoming)
                case .failure(let error): failed(incoming, error, after: delays)
                }
            })
    }

    /// On the store's queue, in the order of the commits.
    ///
    /// - Parameter handOvers: the outbox's count from before the store was asked; nil if the store was not asked.
    private func finish(_ incoming: Incoming, _ effects: Effects, handOvers: Int?) {
        if effects.isPremature, let connection = incoming.notification.connection {
            switch outbox.afterHandingOver(connection.bytes, { [self] in handle(incoming) }) {
            case .waits: return
            case .isClosed: return open.release()
            case .nothingWaits:
                // Its subject may have been handed over since the store was read.
                if let handOvers, handOvers != outbox.handOvers { return handle(incoming) }
            }
        }
        FailPoint.chatStored.pass()
        if let key = incoming.key, incoming.isRead, crashGuard.clear(key) {
            transactions.store.submitLater({ db in try db.quarantine.deleteCrashSuspect(key) }) { [logger] result in
                guard case .failure(let error) = result else { return }
                logger.warning("an event that nobody dies of stays suspect", metadata: ["error": "\(error)"])
            }
        }
        transactions.dispatch(effects)
        open.release()
        FailPoint.chatAnnounced.pass()
        acknowledge(incoming, effects)
    }

    /// Retries an event that the database could not take now, and acknowledges it only then. An event that it will never accept is quarantined, so that it
    /// does not block later events.
    private func failed(_ incoming: Incoming, _ error: any Error, after delays: DoublingDelay) {
        guard !lifecycle.isClosed else { return open.release() }
        logger.error("an event could not be stored", metadata: ["event": "\(incoming.name)", "error": "\(error)"])
        guard (error as? GRDB.DatabaseError)?.isTemporary ?? false else { return setAside(incoming, error) }
        var delays = delays
        let delay = delays.next()
        Task { [self, delays] in
            try? await transactions.clock.sleep(for: delay)
            handle(incoming, after: delays)
        }
    }

    private func setAside(_ incoming: Incoming, _ error: any Error) {
        let time = transactions.clock.time
        let cause = ChatCoreError(thrown: error)
        transactions.store.submit(
            isPersistent: true,
            { [self] db -> Effects in try transactions.perform(on: db, at: time) { try $0.incomingEvents.setAside(incoming, cause) }.effects },
            completion: { [self] result in
                switch result {
                case .success(let effects): finish(incoming, effects, handOvers: nil)
                case .failure(let error):
                    // Not acknowledged: the agent reports it again after a restart.
                    logger.critical("an event could not be set aside", metadata: ["event": "\(incoming.name)", "error": "\(error)"])
                    open.release()
                }
            })
    }

    /// Quarantines an event on which processes crashed, without reading it, so that the events after it continue.
    private func quarantine(_ incoming: Incoming, as key: InFlightKey) {
        let time = transactions.clock.time
        transactions.store.submit(
            isPersistent: true,
            { [self] db -> (id: QuarantinedEventID, effects: Effects) in
                let (id, effects) = try transactions.perform(on: db, at: time) { try $0.quarantine.add(incoming, as: key) }
                return (id, effects)
            },
            completion: { [self] result in
                switch result {
                case .success((let id, let effects)):
                    logger.error(
                        "a received event is set aside: several processes died of it. parley db quarantine shows it",
                        metadata: ["code": "event.quarantined", "event": "\(incoming.name)", "id": "\(id)"])
                    finish(incoming, effects, handOvers: nil)
                case .failure(let error):
                    // Not acknowledged: the agent reports it again after a restart.
                    logger.critical("an event could not be set aside", metadata: ["event": "\(incoming.name)", "error": "\(error)"])
                    open.release()
                }
            })
    }

    private func acknowledge(_ incoming: Incoming, _ effects: Effects) {
        if let durable = incoming.notification.durableID { agent.confirm(durable) }
        guard let connection = incoming.notification.connection, let message = incoming.messageID else { return }
        // Not all effects, which would be kept until the router has answered.
        let (receipt, backlogs, useless) = (effects.sendsReceipt, effects.relayBacklogs, effects.uselessMessages)
        Task {
            for (group, count) in backlogs {
                // To an engine that starts again the message comes again.
                guard await backlog.waitForRoom(in: group, waiting: count) else { return }
            }
            await acknowledge(message, of: connection, receipt: receipt, useless: useless)
        }
    }

    /// While the agent's disk fails, the acknowledgement is retried: until then the router holds back the messages after this one.
    private func acknowledge(_ message: AgentMessageID, of connection: ConnectionID, receipt: Bool, useless: Int) async {
        var delays = Self.delays
        while true {
            do throws(AgentError) {
                return try await agent.acknowledge(connection, message: message, receipt: receipt ? [] : nil, useless: useless)
            } catch {
                logger.debug("a message could not be acknowledged", metadata: ["error": "\(error.code)"])
                // To an agent that continues, or is started, it comes again, and changes nothing then.
                guard case .critical(let mayPass, _) = error.reason, !lifecycle.isClosed else { return }
                guard mayPass else {
                    return logger.error(
                        "a message cannot be acknowledged: its router keeps back what is behind it", metadata: ["error": "\(error)"])
                }
            }
            try? await transactions.clock.sleep(for: delays.next())
        }
    }
}

extension AgentNotification {
    /// True if it says that there is, or is no more, a session with a router.
    fileprivate var isAboutHost: Bool {
        switch event {
        case .serverConnected, .serverDisconnected: true
        default: false
        }
    }
}
