import AsyncPrimitives
import SMPClient
import SMPProtocol
import SMPWire

// Of several queues, and while one takes the place of another, messages come through each. One that is not the next is put aside, unread as far
// as its router knows, until those before it have come through another queue, or there is nothing to wait for.

extension AgentCore {
    /// The number of a message that must be put aside, because it is not the next one, or because the user has not acknowledged one from
    /// another queue: if the process ended, that one would be reported after this one.
    func numberIfEarly(_ outcome: ReceiveOutcome, _ others: [ReceiveQueue], _ connection: RowID) async throws(AgentError) -> Int64? {
        let number: Int64
        switch outcome {
        case .early(let its): return its
        case .waitForUser(let record), .receipts(_, let record): number = record.metadata.senderMessageID
        case .acknowledge, .undecryptable, .request: return nil
        }
        guard !others.isEmpty else { return nil }
        try await stored { try await store.flush() }
        for queue in others where try await !unacknowledgedMessages(queue, of: connection).isEmpty { return number }
        return nil
    }

    /// Checks whether the user has not acknowledged a message that a queue has delivered.
    func hasUnacknowledgedMessages(_ queue: ReceiveQueue, of connection: RowID) async throws(AgentError) -> Bool {
        try await stored { try await store.flush() }
        return try await !unacknowledgedMessages(queue, of: connection).isEmpty
    }

    private func unacknowledgedMessages(
        _ queue: ReceiveQueue, of connection: RowID
    ) async throws(AgentError) -> [ReceivedMessageRecord] {
        try await stored { try await store.unacknowledgedMessages(connection: connection, queue: queue.row) }
    }

    func putAside(_ early: EarlyMessage, _ active: ActiveConnection) {
        guard active.putAside(early) else { return }
        let active = connections.checkOut(active.id)
        tasks.run { [self] in
            await waitForMissingMessages(active)
            connections.checkIn(active)
        }
    }

    /// Takes the messages put aside whose turn has come.
    ///
    /// - Parameter isOver: whether nothing is waited for any longer: the first one's turn has come in any case.
    func processEarlyMessages(isOver: Bool = false, _ access: ConnectionAccess) async {
        var isOver = isOver
        do throws(AgentError) {
            while let next = access.active.early.first {
                let state = try await access.state()
                let rows = Set(access.active.early.map(\.message.row))
                // If no queue has another message, those before the first one are not to be had.
                let isFirst = isOver || state.parallelQueues.allSatisfy { rows.contains($0.row) }
                guard isFirst || next.number <= state.record.lastReceivedID + 1 else { return }
                guard try await process(next.message, isNext: isFirst, access) else { return }
                isOver = false
            }
        } catch {
            // One that the store does not take now is tried again; any other is not acknowledged, and is delivered again.
            if !error.isOfBusyStore { access.active.early.first.map { access.active.forgetEarly($0.message.row) } }
            if case .connection(.notFound, _) = error.reason { return }
            notify(.failed(error), access.id)
        }
    }

    /// Waits until all messages put aside have had their turn, and ends the wait for others in time.
    private func waitForMissingMessages(_ active: ActiveConnection) async {
        let interval = configuration.drainRetry
        var wait = DrainWait(configuration)
        var pause = Duration.zero, elapsed = Duration.zero
        while !Task.isCancelled, active.keepsWaiting() {
            if isRunning, wait.isOver(await backlog(for: active), after: pause) {
                wait = DrainWait(configuration)
                (pause, elapsed) = (.zero, .zero)
                await endWait(active)
                if active.early.isEmpty { continue }
            }
            pause = interval.next(after: pause, elapsed: elapsed)
            elapsed += pause
            try? await clock.sleep(for: pause, tolerance: nil)
        }
    }

    /// The backlog of the queues that have no message put aside.
    private func backlog(for active: ActiveConnection) async -> QueueBacklog {
        let rows = Set(active.early.map(\.message.row))
        let state: ConnectionState
        do throws(AgentError) {
            state = try await withConnection(active.id) { access throws(AgentError) in try await access.state() }
        } catch {
            // What cannot be read now may wait for something all the same.
            if case .connection(.notFound, _) = error.reason { return .none }
            return .unknown
        }
        var backlogs: [QueueBacklog] = []
        for queue in state.parallelQueues where !rows.contains(queue.row) { backlogs.append(await backlog(of: queue, for: state.record.owner)) }
        return QueueBacklog(backlogs)
    }

    private func endWait(_ active: ActiveConnection) async {
        do throws(AgentError) {
            try await withConnection(active.id) { access throws(AgentError) in
                let state = try await access.state()
                guard let first = active.early.first else { return }
                // What the user has not acknowledged would be delivered again by a router that has it, or that can be reached.
                for queue in state.otherParallelQueues(than: first.message.row) {
                    let waiting = try await stored {
                        try await store.flush()
                        return try await store.unacknowledgedMessages(connection: state.record.row, queue: queue.row)
                    }
                    for known in waiting where !active.isUnacknowledged(known.messageID) {
                        try await repeatMessage(known, MessageID(known.metadata.brokerID), queue, access)
                    }
                }
                await processEarlyMessages(isOver: true, access)
            }
        } catch {
            if case .connection(.notFound, _) = error.reason { return active.forgetEarly() }
            notify(.failed(error), active.id)
        }
    }

    // MARK: The queue that is left

    private func backlog(of queue: ReceiveQueue, for owner: SessionOwner) async -> QueueBacklog { await remaining(in: queue, for: owner).backlog }

    /// Asks a router for the state of a queue, and the number of messages.
    private func remaining(in queue: ReceiveQueue, for owner: SessionOwner) async -> (backlog: QueueBacklog, count: Int) {
        do throws(AgentError) {
            let response = try await request(
                SMPRequest(entity: queue.recipientID, command: .que, authKey: queue.privateKey), to: queue.server, for: owner)
            guard case .info(let state) = response else { return (.none, 0) }
            return (state.size == 0 ? .empty : .messages, state.size)
        } catch {
            return (error.isTemporary || error.isHostError ? .unknown : .none, 0)
        }
    }

    /// A connection as it is now.
    ///
    /// - Throws: `inactive` if the agent stops working.
    private func currentState(of connection: ConnectionID) async throws(AgentError) -> ConnectionState {
        guard isRunning, !Task.isCancelled else { throw AgentError(.inactive) }
        return try await untilStored(connection) { () throws(AgentError) in
            try await withConnection(connection) { access throws(AgentError) in try await access.liveState() }
        }
    }

    /// Waits until the peer may use a new queue: see ``MoveWait``.
    ///
    /// - Parameter row: of the new queue.
    /// - Throws: `inactive` if the agent stops working before that.
    func waitUntilUsable(_ row: RowID, of connection: ConnectionID) async throws(AgentError) {
        var wait = MoveWait(configuration)
        var delay = Duration.zero, elapsed = Duration.zero
        while true {
            let state = try await currentState(of: connection)
            guard let replaced = state.receiveQueue(row)?.replaces, let old = state.receiveQueue(replaced) else { return }
            let (backlog, count) = await remaining(in: old, for: state.record.owner)
            if wait.isOver(backlog, count, after: delay) { return }
            delay = configuration.drainRetry.next(after: delay, elapsed: elapsed)
            elapsed += delay
            await pauses.wait(delay, for: old.server)
        }
    }

    /// Waits until nothing is left in a queue that another has taken the place of: all of its messages are acknowledged then.
    ///
    /// - Returns: false if its router is out of reach for so long that nobody would send to it any more.
    /// - Throws: `inactive` if the agent stops working before that: the queue may still have messages.
    func waitUntilEmpty(_ row: RowID, of connection: ConnectionID) async throws(AgentError) -> Bool {
        var delay = Duration.zero, elapsed = Duration.zero, unknownFor = Duration.zero
        while true {
            let state = try await currentState(of: connection)
            guard let queue = state.receiveQueue(row) else { return true }
            let backlog = await backlog(of: queue, for: state.record.owner)
            guard backlog == .messages || backlog == .unknown else { return true }
            unknownFor = backlog == .unknown ? unknownFor + delay : .zero
            if unknownFor >= configuration.messageTimeout { return false }
            let interval = backlog == .unknown ? configuration.fastRetry : configuration.drainRetry
            delay = interval.next(after: delay, elapsed: elapsed)
            elapsed += delay
            await pauses.wait(delay, for: queue.server)
        }
    }
}
