import Logging
import SMPClient
import SMPProtocol
import SMPWire
import SystemSupport

extension SMPAgent {
    /// Deletes connections: at once for the user, with retries on their routers and over restarts. `receiveQueuesDeleted` and
    /// `connectionsDeleted` follow. Connections that are not there are passed over.
    ///
    /// - Parameter waitDelivery: send the messages that wait first, for at most two days.
    package func delete(_ connections: [ConnectionID], waitDelivery: Bool) async throws(AgentError) {
        try core.checkActive()
        try await core.startDeletion(of: connections, waitDelivery: waitDelivery, onRouters: true)
    }
}

extension AgentCore {
    /// Marks connections as deleted and deletes them in the background.
    func startDeletion(of connections: [ConnectionID], waitDelivery: Bool, onRouters: Bool) async throws(AgentError) {
        var marked: [ConnectionID] = []
        for id in connections {
            do {
                try await withConnection(id) { access throws(AgentError) in
                    let state = try await access.state()
                    guard state.record.deletion != .started else { return }
                    var transition = Transition(state)
                    transition.updateRecord { $0.deletion = waitDelivery ? .waitingForDelivery(since: now) : .started }
                    if !onRouters { for queue in state.receiveQueues { transition.removeReceiveQueue(queue.row) } }
                    try await access.commit(transition)
                    commands.forget(id)
                    if !waitDelivery { for queue in state.sendQueues { deliveries.remove(queue.row)?.stop() } }
                    await unsubscribe(state.receiveQueues, for: state.record.owner)
                }
                marked.append(id)
            } catch {
                if case .connection(.notFound, _) = error.reason { continue }
                throw error
            }
        }
        let deleted = marked
        guard !deleted.isEmpty else { return }
        tasks.run { [self] in await finishDeletion(of: deleted) }
    }

    /// Deletes the queues of connections on their routers, and those that have none left here.
    func finishDeletion(of connections: [ConnectionID]) async {
        for id in connections {
            guard isRunning, !Task.isCancelled else { return }
            do {
                try await withConnection(id) { access throws(AgentError) in try await finishDeletion(access) }
            } catch {
                if case .connection(.notFound, _) = error.reason { continue }
                notify(.failed(error), id)
            }
        }
        do {
            try await deleteUsersWithoutConnections()
        } catch {
            notify(.failed(error))
        }
    }

    private func finishDeletion(_ access: ConnectionAccess) async throws(AgentError) {
        let state = try await access.state()
        guard state.record.deletion != .none else { return }
        var transition = Transition(state)
        var deleted: [DeletedQueue] = []
        for queue in state.receiveQueues {
            var failure: AgentError?
            do {
                try await send(
                    .del, name: "DEL", entity: queue.recipientID, key: queue.privateKey, to: queue.server, for: state.record.owner)
                FailPoint.agentQueueDeleted.pass()
                statistics.add(.connDeleted, state.record.user, queue.server)
            } catch {
                failure = error
            }
            statistics.add(.connDelAttempts, state.record.user, queue.server)
            if let error = failure, error.isTemporary || error.isHostError,
                queue.deleteAttempts + 1 < configuration.maximumDeleteAttempts
            {
                transition.updateReceiveQueue(queue.row) { $0.deleteAttempts += 1 }
            } else {
                if failure != nil { statistics.add(.connDelErrs, state.record.user, queue.server) }
                transition.removeReceiveQueue(queue.row)
                deleted.append(
                    DeletedQueue(connection: access.id, server: queue.server, recipientID: queue.recipientID, error: failure))
            }
        }
        if !deleted.isEmpty { transition.emit(.receiveQueuesDeleted(deleted)) }
        let isGone = transition.state.receiveQueues.isEmpty ? try await mayForget(state.record) : false
        if isGone {
            transition.add(.deleteConnection(state.record.row))
            transition.emit(.connectionsDeleted([access.id]))
        }
        try await access.commit(transition)
        if isGone {
            for queue in state.sendQueues { deliveries.remove(queue.row)?.stop() }
            access.forget()
        }
    }

    /// Checks whether nothing of the connection waits to be sent, or it has waited long enough.
    private func mayForget(_ record: ConnectionRecord) async throws(AgentError) -> Bool {
        guard case .waitingForDelivery(let since) = record.deletion else { return true }
        if now - since >= configuration.deletionDeliveryTimeout.wholeMilliseconds { return true }
        return try await stored {
            try await store.flush()
            return try await !store.hasDeliveries(record.row)
        }
    }

    func deleteUsersWithoutConnections() async throws(AgentError) {
        for user in try await stored({ try await store.deleteUsersWithoutConnections() }) { notify(.userDeleted(user)) }
    }

    /// Deletes what is left over, and records that are too old, from time to time.
    func cleanUpRegularly() async {
        var delay = configuration.initialCleanupDelay
        while !Task.isCancelled {
            do {
                try await clock.sleep(for: delay, tolerance: nil)
                delay = configuration.cleanupInterval
                guard isRunning else { continue }
                try await cleanUp()
            } catch is CancellationError {
                return
            } catch {
                log.error("clean-up failed", metadata: ["error": "\(error)"])
            }
        }
    }

    /// One clean-up.
    func cleanUp() async throws {
        await finishDeletion(of: try await store.deletedConnections())
        let oldest = now - configuration.messageRecordLifetime.wholeMilliseconds
        try await store.deleteMessageRecords(before: oldest, limit: configuration.cleanupBatchSize)
        await saveStatistics()
    }
}
