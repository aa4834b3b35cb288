import SMPClient
import SMPCrypto
import SMPProtocol
import SMPWire
import Synchronization
import SystemSupport

/// Work that must be done even if the process ends before it is: in order per connection, with retries.
final class CommandRegistry: Sendable {
    private struct Inner {
        var waiting: [ConnectionID: [CommandRecord]] = [:]
        var running: Set<ConnectionID> = []
        var known: Set<RowID> = []
        /// Those that were added once more while they ran.
        var repeated: Set<RowID> = []
        /// Those that were done since the reading of stored commands began; nil while none are read.
        var doneWhileReading: Set<RowID>?
    }

    private let inner = Mutex(Inner())

    /// Adds one, unless it is there already.
    ///
    /// - Returns: true if the caller must run the connection's commands.
    func add(_ command: CommandRecord, _ connection: ConnectionID) -> Bool {
        inner.withLock { inner in
            guard inner.doneWhileReading?.contains(command.row) != true else { return false }
            guard inner.known.insert(command.row).inserted else {
                inner.repeated.insert(command.row)
                return false
            }
            inner.waiting[connection, default: []].append(command)
            return inner.running.insert(connection).inserted
        }
    }

    /// The next one; nil ends the running.
    func next(_ connection: ConnectionID) -> CommandRecord? {
        inner.withLock { inner in
            guard var commands = inner.waiting[connection], !commands.isEmpty else {
                inner.waiting[connection] = nil
                inner.running.remove(connection)
                return nil
            }
            let next = commands.removeFirst()
            inner.waiting[connection] = commands
            return next
        }
    }

    /// Ends an attempt at a command.
    ///
    /// - Parameter isDone: false if the agent was stopped before the end.
    /// - Returns: true if the command must be tried again: the agent went on before the attempt had ended.
    func ended(_ command: CommandRecord, isDone: Bool) -> Bool {
        inner.withLock { inner in
            let isRepeated = inner.repeated.remove(command.row) != nil
            if !isDone, isRepeated { return true }
            inner.known.remove(command.row)
            if isDone { inner.doneWhileReading?.insert(command.row) }
            return false
        }
    }

    /// Begins to read stored commands. What is done until ``endReading()`` is not added, although it may be among those that are read.
    func beginReading() { inner.withLock { $0.doneWhileReading = [] } }

    func endReading() { inner.withLock { $0.doneWhileReading = nil } }

    /// Forgets a connection's commands that have not begun.
    func forget(_ connection: ConnectionID) {
        inner.withLock { inner in
            for command in inner.waiting[connection] ?? [] { inner.known.remove(command.row) }
            inner.waiting[connection] = nil
        }
    }
}

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

    /// Tries until it succeeds or fails permanently.
    ///
    /// - Returns: false if the agent was stopped before that.
    private func execute(_ command: CommandRecord, _ connection: ConnectionID) async -> Bool {
        let interval = configuration.fastRetry
        var delay = interval.initial
        var elapsed = Duration.zero
        while isRunning, !Task.isCancelled {
            FailPoint.agentCommand.pass()
            // Messages need exclusive access for that.
            var isOutOfReach = false
            do {
                switch command.kind {
                case .deleteReplacedQueue(let queue): isOutOfReach = try await !waitUntilEmpty(queue, of: connection)
                case .secureNewQueue(let queue, _): try await waitUntilUsable(queue, of: connection)
                default: break
                }
                try await withConnection(connection) { [isOutOfReach] access throws(AgentError) in
                    try await perform(command, isOutOfReach: isOutOfReach, access)
                }
                return true
            } catch {
                if case .connection(.notFound, _) = error.reason { return true }
                if case .inactive = error.reason { return false }
                guard error.isTemporary || error.isHostError else { return await fail(command, error, connection) }
                await pauses.wait(delay, for: server(of: command, connection) ?? Self.nowhere)
                elapsed += delay
                delay = interval.next(after: delay, elapsed: elapsed)
            }
        }
        return false
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

    /// - Returns: false if the agent was stopped before that was stored.
    private func fail(_ command: CommandRecord, _ error: AgentError, _ connection: ConnectionID) async -> Bool {
        do throws(AgentError) {
            try await untilStored(connection) { () throws(AgentError) in
                try await withConnection(connection) { access throws(AgentError) in
                    var transition = Transition(try await access.state())
                    transition.add(.deleteCommand(command.row))
                    // So that the user can ask for it again.
                    if case .switchQueue(let queue) = command.kind { transition.updateReceiveQueue(queue) { $0.switchStatus = nil } }
                    transition.emit(.failed(error))
                    try await access.commit(transition, isPersistent: true)
                }
            }
        } catch let fault {
            // An agent that stops does it again, and finds the same, when it goes on.
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
