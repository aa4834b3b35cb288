package import SMPProtocol
import Synchronization

extension SMPAgent {
    /// Gives a connection another queue to receive through, besides those that it has: messages come through each of them and are reported
    /// once, and a router that dies takes none with it that is in another.
    ///
    /// The queue is made and offered when the call returns; `queuesChanged` tells that the peer uses it. An official agent does not: it answers
    /// that adding queues is not supported, reports that to its user as an error, and the connection continues with the queues that it has.
    ///
    /// - Parameter server: its router; nil for one of the user's that the connection does not use.
    /// - Throws: `CMD PROHIBITED` if the connection is not duplex, is out of step, has ``AgentLimits/maximumQueues`` or the user no other router.
    package func addQueue(
        to connection: ConnectionID, on server: SMPServerWithAuth? = nil
    ) async throws(AgentError) -> AgentConnectionStats {
        try await withLive(connection) { access, state throws(AgentError) in
            guard state.kind == .duplex else { throw .prohibited("addQueue: not duplex") }
            guard !state.record.ratchetSync.prohibitsSending else { throw .prohibited("addQueue: send prohibited") }
            guard state.receiveQueues.count(where: \.isCounted) < AgentLimits.maximumQueues else {
                throw .prohibited("addQueue: too many queues")
            }
            let used = state.receiveQueues.map(\.server)
            guard let next = server ?? core.users.withLock({ $0[state.record.user] })?.another(than: used, core.random) else {
                throw .prohibited("addQueue: no other router")
            }
            let queue = try await core.createAddition(
                on: next, for: state.record.owner, clientVersions: core.configuration.clientVersions, subscription: .subscribe)
            try await core.storing([queue], of: state.record, .subscribe) { () throws(AgentError) in
                var transition = Transition(state)
                try transition.offer(addition: queue, core.context)
                try await access.commit(transition)
            }
            return core.stats(try await access.state())
        }
    }

    /// Deletes one of several queues that a connection receives through; what its router has not delivered comes through the others. The peer
    /// stops to use it when its router refuses the next message.
    ///
    /// - Parameter isGone: forget it although its router cannot be reached, with what only it may have.
    /// - Throws: `CMD PROHIBITED` for the last queue that the peer is known to use, while queues move, and while a message from it is not
    ///   acknowledged, which nobody else may have.
    package func removeQueue(
        _ queue: ReceiveQueueStats, of connection: ConnectionID, isGone: Bool = false
    ) async throws(AgentError) -> AgentConnectionStats {
        try await withLive(connection) { access, state throws(AgentError) in
            guard let queue = state.receiveQueue(queue.row) else { throw .notFound("no queue of connection \(connection)") }
            guard state.receiveQueues.allSatisfy({ $0.switchStatus == nil && $0.replaces == nil }) else {
                throw .prohibited("removeQueue: switching")
            }
            // A queue from which a message was taken in its turn has all that come after it. Of one that the peer was told to use that is not
            // known: until it knows the new queue, it sends to this one alone.
            let hasOther = state.receiveQueues.contains { $0.isSecuredAddition && ($0.status == .active || isGone) }
            guard !queue.isPrimary || hasOther else { throw .prohibited("removeQueue: the last queue") }
            if !isGone, try await core.hasUnacknowledgedMessages(queue, of: state.record.row) {
                throw .prohibited("removeQueue: a message is not acknowledged")
            }
            do throws(AgentError) {
                try await core.send(
                    .del, name: "DEL", entity: queue.recipientID, key: queue.privateKey, to: queue.server, for: state.record.owner)
                core.statistics.add(.connDeleted, state.record.user, queue.server)
            } catch {
                // A queue that the router refuses no longer exists.
                if error.isTemporary || error.isHostError, !isGone { throw error }
            }
            await core.unsubscribe([queue], for: state.record.owner)
            var transition = Transition(state)
            transition.leave(receiveQueue: queue.row)
            try await access.commit(transition)
            return core.stats(try await access.state())
        }
    }
}
