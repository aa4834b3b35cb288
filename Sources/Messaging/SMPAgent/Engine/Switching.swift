import SMPClient
import SMPProtocol
import SMPWire

extension AgentCore {
    /// Makes a queue on another router and offers it to the peer.
    func startSwitch(_ row: RowID, _ command: CommandRecord, _ access: ConnectionAccess) async throws(AgentError) {
        let state = try await access.liveState()
        guard let old = state.receiveQueue(row), old.switchStatus == .started else {
            // Given up meanwhile.
            return store.applyLater([.deleteCommand(command.row)])
        }
        let user = state.record.user
        let all = state.receiveQueues.map(\.server) + state.sendQueues.map(\.server)
        var server = try server(of: user, avoiding: all)
        // None is new to the connection: any but the present one will do.
        if server.server == old.server { server = try self.server(of: user, avoiding: [old.server]) }
        var queue = try await createQueue(
            PreparedQueue(random), on: server, for: state.record.owner, mode: .invitation, clientVersions: configuration.clientVersions,
            subscription: .subscribe)
        queue.isPrimary = false
        queue.replaces = row
        let made = queue
        try await storing([made], of: state.record, .subscribe) { () throws(AgentError) in
            var transition = Transition(state)
            try transition.offer(made, replacing: row, context)
            transition.add(.deleteCommand(command.row))
            try await access.commit(transition)
        }
    }

    /// Deletes a queue on its router, unless that is out of reach, and then here.
    func deleteQueue(
        _ row: RowID, isReplaced: Bool, isOutOfReach: Bool, _ command: CommandRecord, _ access: ConnectionAccess
    ) async throws(AgentError) {
        let state = try await access.state()
        var transition = Transition(state)
        transition.add(.deleteCommand(command.row))
        if let queue = state.receiveQueue(row) {
            guard !queue.isPrimary else { throw AgentError(.internal("the primary queue of a connection is not deleted alone")) }
            do {
                try await send(
                    .del, name: "DEL", entity: queue.recipientID, key: queue.privateKey, to: queue.server, for: state.record.owner)
                statistics.add(.connDeleted, state.record.user, queue.server)
            } catch {
                if error.isTemporary || error.isHostError, !isOutOfReach { throw error }
                transition.emit(.failed(error))
            }
            await unsubscribe([queue], for: state.record.owner)
            if isReplaced {
                transition.deletedReplacedQueue(row)
            } else {
                transition.removeReceiveQueue(row)
            }
        }
        try await access.commit(transition)
    }
}
