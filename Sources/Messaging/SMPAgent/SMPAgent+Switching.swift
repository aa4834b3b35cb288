import SMPProtocol
import SMPWire

extension SMPAgent {
    /// Moves the connection's queue to another router, in the background and also after a restart; `queueSwitch` reports the steps. If the
    /// new queue can never be made, `failed` tells why and the connection stays as it is.
    ///
    /// - Throws: `CMD PROHIBITED` if the connection is not duplex, is moving already or is out of step.
    package func switchQueue(of connection: ConnectionID) async throws(AgentError) -> AgentConnectionStats {
        try await withLive(connection) { access, state throws(AgentError) in
            guard state.kind == .duplex else { throw .prohibited("switchConnection: not duplex") }
            guard !state.receiveQueues.contains(where: { $0.switchStatus != nil }) else {
                throw .prohibited("switchConnection: already switching")
            }
            guard !state.record.ratchetSync.prohibitsSending else { throw .prohibited("switchConnection: send prohibited") }
            var transition = Transition(state)
            let row = state.receiveQueues[0].row
            transition.updateReceiveQueue(row) { $0.switchStatus = .started }
            transition.start(.switchQueue(queue: row), core.context)
            try await access.commit(transition)
            return core.stats(try await access.state())
        }
    }

    /// Stays with the present queue, as long as the peer was not told to use the new one.
    package func abortSwitch(of connection: ConnectionID) async throws(AgentError) -> AgentConnectionStats {
        try await withLive(connection) { access, state throws(AgentError) in
            guard state.kind == .duplex, let old = state.receiveQueues.first(where: { $0.switchStatus != nil }) else {
                throw .prohibited("abortConnectionSwitch: not allowed")
            }
            guard old.switchStatus == .started || old.switchStatus == .sendingQADD else {
                throw .prohibited("abortConnectionSwitch: no rcv queues left")
            }
            guard !state.record.ratchetSync.prohibitsSending else { throw .prohibited("abortConnectionSwitch: send prohibited") }
            var transition = Transition(state)
            transition.updateReceiveQueue(old.row) { $0.switchStatus = nil }
            for queue in state.receiveQueues where queue.replaces == old.row {
                transition.updateReceiveQueue(queue.row) {
                    $0.replaces = nil
                    $0.status = .disabled
                }
                transition.start(.deleteQueue(queue: queue.row), core.context)
            }
            try await access.commit(transition)
            return core.stats(try await access.state())
        }
    }

    /// Agrees with the peer on new ratchet keys; `ratchetSync` reports the steps.
    ///
    /// - Parameter force: also when no message failed to be decrypted.
    /// - Throws: `CMD PROHIBITED` if it is not needed, or the peer cannot do it.
    package func synchronizeRatchet(
        of connection: ConnectionID, pqSupport: Bool, force: Bool = false
    ) async throws(AgentError) -> AgentConnectionStats {
        try core.checkActive()
        let core = core
        return try await core.withConnection(connection) { access throws(AgentError) in
            var transition = Transition(try await access.liveState())
            try transition.startRatchetSync(pqSupport: pqSupport, force: force, core.context)
            try await access.commit(transition)
            return core.stats(try await access.state())
        }
    }
}

extension AgentCore {
    func stats(_ state: ConnectionState) -> AgentConnectionStats {
        AgentConnectionStats(state, subscriptions: subscriptions.statuses(of: state.receiveQueues))
    }
}
