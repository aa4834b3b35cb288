import Logging
import SMPProtocol
import Synchronization

/// Agrees on new keys for connections whose ratchets are out of step, where nobody is there to ask for it.
final class RatchetSynchronizer: Sendable {
    /// The pause between two connections: making keys takes a good part of a millisecond, and each agreement is a message for a router.
    static let pace = Duration.milliseconds(25)
    /// The interval between checks whether the pause of a connection is over.
    static let interval = Duration.seconds(1)

    private struct State {
        var schedule = SynchronizationSchedule()
        var isRunning = false
        var outdated: Set<ConnectionID> = []
    }

    private let state = Mutex(State())

    /// The connections whose ratchets may be older than what the peers have seen. A message that can be decrypted does not put them in step.
    var outdated: Set<ConnectionID> { state.withLock(\.outdated) }

    func areOutdated(_ connections: some Sequence<ConnectionID>) { state.withLock { $0.outdated.formUnion(connections) } }

    /// Finds connections that an earlier process has left out of step, before any of their messages is taken: the process may have been one of another copy.
    func load(from core: AgentCore) async throws(AgentError) {
        guard core.configuration.synchronizesRatchets else { return }
        areOutdated(try await core.stored { try await core.store.connectionsOutOfStep() })
    }

    /// Tells whether a connection has to agree on new keys, and notes that it has.
    func isNeeded(after event: AgentEvent, of connection: ConnectionID) -> Bool {
        guard case .ratchetSync(let change, _, _) = event else { return false }
        if change == .agreed { state.withLock { _ = $0.outdated.remove(connection) } }
        return change == .required
    }

    /// - Returns: true if the caller has to run ``AgentCore/synchronizeWaiting()``.
    func add(_ connection: ConnectionID, now: Int64) -> Bool {
        state.withLock { state in
            state.schedule.add(connection, now: now)
            defer { state.isRunning = true }
            return !state.isRunning
        }
    }

    /// - Returns: nil if nothing waits; the caller ends then. `.some(nil)` if what waits has to wait longer.
    func next(now: Int64) -> ConnectionID?? {
        state.withLock { state in
            if let connection = state.schedule.next(now: now) { return .some(connection) }
            guard state.schedule.isEmpty else { return .some(nil) }
            state.isRunning = false
            return nil
        }
    }

    func begun(_ connection: ConnectionID, now: Int64) {
        state.withLock { state in
            state.schedule.begun(connection, now: now)
            state.outdated.remove(connection)
        }
    }
}

extension AgentCore {
    /// Notes that a connection is out of step.
    func needsSynchronization(_ connection: ConnectionID) {
        guard configuration.synchronizesRatchets else { return }
        guard synchronizer.add(connection, now: now) else { return }
        tasks.run { [self] in await synchronizeWaiting() }
    }

    /// Takes up connections that an earlier process has left out of step.
    func resumeSynchronization() {
        guard configuration.synchronizesRatchets else { return }
        tasks.run { [self] in
            do throws(AgentError) {
                let connections = try await untilStored { () throws(AgentError) in
                    try await stored { try await store.connectionsOutOfStep() }
                }
                if !connections.isEmpty {
                    log.notice("connections agree on new keys", metadata: ["connections": "\(connections.count)", "code": "connections.synchronizing"])
                }
                for connection in connections { needsSynchronization(connection) }
            } catch {
                tell(error, nil)
            }
        }
    }

    private func synchronizeWaiting() async {
        while !Task.isCancelled, let next = synchronizer.next(now: now) {
            if let connection = next { await synchronize(connection) }
            try? await clock.sleep(for: next == nil ? RatchetSynchronizer.interval : RatchetSynchronizer.pace, tolerance: nil)
        }
    }

    private func synchronize(_ connection: ConnectionID) async {
        do throws(AgentError) {
            try await withConnection(connection) { access throws(AgentError) in
                let state = try await access.liveState()
                // Somebody may have asked for it meanwhile. Where another client has the queue, the answer would not come here.
                guard state.kind == .duplex, state.record.ratchetSync == .required, !isTakenOver(state) else { return }
                var transition = Transition(state)
                try transition.startRatchetSync(pqSupport: state.record.pqSupport, force: false, context)
                try await access.commit(transition)
                synchronizer.begun(connection, now: now)
                log.info("a connection agrees on new keys", metadata: ["connection": "\(connection)"])
            }
        } catch {
            // The next message that cannot be decrypted, or the next start, tries again.
            log.debug("a connection cannot agree on new keys", metadata: ["connection": "\(connection)", "error": "\(error.code)"])
        }
    }

    private func isTakenOver(_ state: ConnectionState) -> Bool {
        state.receiveQueues.contains { subscriptions.status(of: $0.row) == .noSubscription }
    }

    // MARK: Another copy

    /// Notes that other clients have subscribed to queues.
    func ended(_ queues: [QueueKey]) {
        var connections = Set(queues.compactMap { subscriptions[$0]?.connection })
        for queue in queues {
            let isTakeover = takeover.withLock { takeover in takeover.end(queue, now: now) { subscriptions.activeCount } }
            guard isTakeover else { continue }
            log.error(
                "another copy of this data folder is running: it receives what is sent to these connections. Stop one of the two; the connections of the one that goes on are taken back after a while, and agree on new keys",
                metadata: ["code": "connections.takenOver"])
            configuration.onTakeover(true)
            takeBackLater()
            connections.formUnion(subscriptions.endedConnections)
        }
        // Their ratchets may be moved by the other copy: a message key must not be used twice.
        guard configuration.synchronizesRatchets, takeover.withLock(\.isTakenOver) else { return }
        tasks.run { [self, connections] in
            for connection in connections { await putOutOfStep(connection) }
        }
    }

    /// Subscribes again after a while to what another copy has taken, until that succeeds. Connections agree on new keys then, before anything is sent.
    private func takeBackLater() {
        guard configuration.synchronizesRatchets else { return }
        tasks.run { [self] in
            while isRunning, !Task.isCancelled {
                await pauses.wait(takeover.withLock { $0.pause(configuration.takeoverRetry, now: now) }, for: Self.nowhere)
                guard isRunning, !Task.isCancelled, takeover.withLock(\.isTakenOver) else { return }
                let taken = Array(subscriptions.endedConnections)
                do throws(AgentError) {
                    let results = await subscribe(try await stored { try await store.subscriptions(taken) })
                    guard taken.isEmpty || results.values.contains(where: { (try? $0.get()) != nil }) else { continue }
                    subscribedAgain()
                    return resumeSynchronization()
                } catch {
                    log.debug("the queues cannot be taken back", metadata: ["error": "\(error.code)"])
                }
            }
        }
    }

    /// Notes that queues are subscribed to.
    func subscribedAgain() {
        guard takeover.withLock({ $0.subscribed() }) else { return }
        log.notice("the connections are subscribed to again", metadata: ["code": "connections.resumed"])
        configuration.onTakeover(false)
    }

    /// Nothing is sent in the connection before it has agreed on new keys.
    private func putOutOfStep(_ connection: ConnectionID) async {
        do throws(AgentError) {
            try await withConnection(connection) { access throws(AgentError) in
                let state = try await access.liveState()
                guard state.kind == .duplex, state.record.agentVersion >= AgentVersion.ratchetSync else { return }
                synchronizer.areOutdated([connection])
                guard state.record.ratchetSync != .required else { return }
                var transition = Transition(state)
                transition.updateRecord { $0.ratchetSync = .required }
                try await access.commit(transition, isPersistent: true)
            }
            // The queues may have been taken back meanwhile.
            if !takeover.withLock(\.isTakenOver) { needsSynchronization(connection) }
        } catch {
            log.debug("a connection cannot be put out of step", metadata: ["connection": "\(connection)", "error": "\(error.code)"])
        }
    }
}
