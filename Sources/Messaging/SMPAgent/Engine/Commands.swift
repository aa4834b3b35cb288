import AsyncPrimitives
import Logging
import SMPClient
import SMPCrypto
import SMPProtocol
import SMPWire
import SystemSupport

extension AgentCore {
    /// Runs a command that is stored, after those of the connection that came before it.
    func run(_ command: CommandRecord, of connection: ConnectionID) {
        guard commands.add(command, connection) else { return }
        tasks.run { [self] in
            while let next = commands.next(connection) {
                var isDone: Bool
                repeat { isDone = await execute(next, connection) } while commands.ended(next, isDone: isDone)
            }
        }
    }

    /// Runs the commands that were stored before the agent was stopped.
    func resumeCommands() async throws(AgentError) {
        commands.beginReading()
        defer { commands.endReading() }
        let unfinished = try await untilStored { () throws(AgentError) in try await stored { try await store.commands() } }
        for (connection, command) in unfinished { run(command, of: connection) }
    }

    /// Tries until it succeeds, fails permanently or has been tried for so long that it is given up.
    ///
    /// - Returns: false if the agent was stopped before that.
    private func execute(_ command: CommandRecord, _ connection: ConnectionID) async -> Bool {
        if commandGuard.isQuarantined(command) { return await setAside(command, connection) }
        let interval = configuration.fastRetry, beginning = now
        var delay = interval.initial, elapsed = Duration.zero, attempts = 0
        while isRunning, !Task.isCancelled {
            let isLast = configuration.endsCommand(command, after: attempts, since: beginning, now: now)
            // Messages need exclusive access for that.
            var isOutOfReach = isLast
            do {
                switch command.kind {
                case .deleteReplacedQueue(let queue): isOutOfReach = try await !waitUntilEmpty(queue, of: connection) || isLast
                case .secureNewQueue(let queue, _): try await waitUntilUsable(queue, of: connection)
                default: break
                }
                try await commandGuard.attempt(command, isFirst: attempts == 0, store) { [isOutOfReach] () throws(AgentError) in
                    FailPoint.agentCommand.pass()
                    try await withConnection(connection) { access throws(AgentError) in
                        try await perform(command, isOutOfReach: isOutOfReach, access)
                    }
                }
                return true
            } catch {
                if case .connection(.notFound, _) = error.reason { return true }
                if case .inactive = error.reason { return false }
                guard error.isTemporary || error.isHostError else { return await fail(command, error, connection) }
                if isLast { return await giveUp(command, after: error, connection) }
                attempts += 1
                await pauses.wait(delay, for: server(of: command, connection) ?? Self.nowhere)
                elapsed += delay
                delay = interval.next(after: delay, elapsed: elapsed)
            }
        }
        return false
    }

    /// Ends a command that could not be done for days.
    ///
    /// - Returns: false if the agent was stopped before that was stored.
    private func giveUp(_ command: CommandRecord, after error: AgentError, _ connection: ConnectionID) async -> Bool {
        log.error(
            "a command of the agent is given up: it could not be done for days",
            metadata: ["code": "command.givenUp", "kind": "\(command.kind.name)", "error": "\(error.code)"])
        let reason = AgentError(.connection(.notAvailable, context: "\(command.kind.name) was given up after days: \(error)"))
        return await fail(command, reason, connection)
    }

    /// Quarantines a command on which processes crashed, until it is retried or dropped, and reports this.
    ///
    /// - Returns: false if the agent was stopped before that was stored.
    private func setAside(_ command: CommandRecord, _ connection: ConnectionID) async -> Bool {
        do throws(AgentError) {
            try await untilStored(connection) { () throws(AgentError) in
                try await withConnection(connection) { access throws(AgentError) in
                    var transition = Transition(try await access.state())
                    transition.add(.quarantineCommand(command.row))
                    transition.emit(.commandQuarantined(QuarantinedCommand(command)))
                    try await access.commit(transition, isPersistent: true)
                }
            }
            log.error(
                "a command of the agent is set aside: several processes died of it. parley db quarantine shows it",
                metadata: ["code": "command.quarantined", "kind": "\(command.kind.name)"])
        } catch {
            if case .inactive = error.reason { return false }
            tell(error, connection)
        }
        return true
    }

    /// The router whose return ends a wait; any of the connection's will do.
    private func server(of command: CommandRecord, _ connection: ConnectionID) -> SMPServerAddress? {
        let active = connections.checkOut(connection)
        defer { connections.checkIn(active) }
        let state = active.state
        return state?.sendQueues.first?.server ?? state?.receiveQueues.first?.server
    }

    /// Stands for no router: only the end of all waits ends one for it.
    static let nowhere = SMPServerAddress(host: .domain("localhost"), keyHash: .none)

    /// Ends a command that cannot be done, and reports it.
    ///
    /// - Returns: false if the agent was stopped before that was stored.
    func fail(_ command: CommandRecord, _ error: AgentError, _ connection: ConnectionID) async -> Bool {
        do throws(AgentError) {
            try await untilStored(connection) { () throws(AgentError) in
                try await withConnection(connection) { access throws(AgentError) in
                    var transition = Transition(try await access.state())
                    transition.add(.deleteCommand(command.row))
                    // So that the user can ask for it again.
                    switch command.kind {
                    case .switchQueue(let queue): transition.updateReceiveQueue(queue) { $0.switchStatus = nil }
                    case .secureNewQueue(let queue, _): transition.abandonNewQueue(queue, context)
                    default: break
                    }
                    transition.emit(.failed(error))
                    try await access.commit(transition, isPersistent: true)
                }
            }
        } catch let fault {
            // An agent that stops does it again, and finds the same, when it continues.
            if case .inactive = fault.reason { return false }
            notify(.failed(fault), connection)
            notify(.failed(error), connection)
        }
        return true
    }

    /// - Parameter isOutOfReach: whether the router that the command is for is given up.
    private func perform(_ command: CommandRecord, isOutOfReach: Bool, _ access: ConnectionAccess) async throws(AgentError) {
        switch command.kind {
        case .create(let pq, let subscribe): try await create(pq, subscribe ? .subscribe : .onlyCreate, command, access)
        case .join(let link, let info, let pqSupport, let subscribe):
            let request = JoinRequest(
                link: link, info: info, pqSupport: pqSupport, subscription: subscribe ? .subscribe : .onlyCreate, isStored: true)
            let isSecured = try await join(request, access)
            var transition = Transition(try await access.state())
            transition.add(.deleteCommand(command.row))
            transition.emit(.joined(senderQueueSecured: isSecured))
            try await access.commit(transition)
        case .allow(let confirmation): try await allow(confirmation, command, access)
        case .secureReplyQueue(let queue, let key):
            try await secure(queue, key, access)
            var transition = Transition(try await access.state())
            transition.updateReceiveQueue(queue) { $0.status = .secured }
            if let sendQueue = transition.state.sendQueues.first { try transition.enqueueHello(sendQueue, context) }
            transition.add(.deleteCommand(command.row))
            try await access.commit(transition)
        case .secureNewQueue(let queue, let key):
            guard let status = try await access.state().receiveQueue(queue)?.status, status != .disabled else {
                // Removed or given up meanwhile.
                return store.applyLater([.deleteCommand(command.row)])
            }
            if status == .confirmed { try await secure(queue, key, access) }
            var transition = Transition(try await access.state())
            try transition.securedNewQueue(queue, context)
            transition.add(.deleteCommand(command.row))
            try await access.commit(transition)
        case .deleteReplacedQueue(let queue), .deleteQueue(let queue):
            var isReplaced = false
            if case .deleteReplacedQueue = command.kind { isReplaced = true }
            try await deleteQueue(queue, isReplaced: isReplaced, isOutOfReach: isOutOfReach, command, access)
        case .switchQueue(let queue):
            try await startSwitch(queue, command, access)
        }
    }

    /// Secures a queue of ours with the key of its sender; doing that twice is the same as once.
    private func secure(_ row: RowID, _ key: Bytes, _ access: ConnectionAccess) async throws(AgentError) {
        let state = try await access.state()
        guard let queue = state.receiveQueue(row) else { throw AgentError(.internal("securing: queue not found in connection")) }
        let senderKey: PublicAuthKey
        do {
            senderKey = try PublicAuthKey(wireBytes: key)
        } catch {
            throw AgentError(receiving: error)
        }
        try await send(
            .key(senderKey), name: "KEY", entity: queue.recipientID, key: queue.privateKey, to: queue.server, for: state.record.owner)
        statistics.add(.connSecured, state.record.user, queue.server)
    }

    /// The user has allowed a connection: secure our queue, connect the peer's, and confirm it.
    private func allow(
        _ id: ConfirmationID, _ command: CommandRecord, _ access: ConnectionAccess
    ) async throws(AgentError) {
        guard let confirmation = try await stored({ try await store.confirmation(id) }), let ownInfo = confirmation.ownInfo else {
            throw AgentError(.internal("allowConnection: no accepted confirmation"))
        }
        var transition = Transition(try await access.liveState())
        if transition.state.kind == .receive {
            if let key = confirmation.senderKey, transition.state.receiveQueues[0].status != .secured {
                let row = transition.state.receiveQueues[0].row
                try await secure(row, key.wireBytes, access)
                transition.updateReceiveQueue(row) { if $0.status != .active { $0.status = .secured } }
            }
            try transition.connectReplyQueues(confirmation.replyQueues, context)
            // The peer's queue will know us by the key that was made for it now.
            try await access.commit(transition)
            transition = Transition(try await access.state())
        }
        _ = try await secureSendQueue(&transition)
        guard let queue = transition.state.sendQueues.first else { throw AgentError(.internal("allowConnection: no reply queue")) }
        try transition.enqueueConfirmation(.connectionInfo(ownInfo), parameters: nil, queue: queue.row, context)
        transition.add(.deleteCommand(command.row))
        try await access.commit(transition)
    }
}
