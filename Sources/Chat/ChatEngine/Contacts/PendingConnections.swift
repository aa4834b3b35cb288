import ChatAPI
import ChatRules
import ChatStore

/// Finds and removes connections whose peer is not known yet.
struct PendingConnections: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Connections whose peer is not known yet.
    var pendingConnections: PendingConnections { PendingConnections(transaction: self) }
}

extension PendingConnections {
    func find(_ id: ChatConnectionID, of user: User) throws -> PendingContactConnection {
        guard let connection = try db.connections.pendingConnection(id, user: user.userID) else {
            throw Refusal.store(.pendingConnectionNotFound(connectionID: id))
        }
        return connection
    }

    /// Deletes a connection that has no contact, here and in the agent.
    func remove(_ id: ChatConnectionID, of user: User) throws {
        guard let record = try db.connections.find(id) else { throw Refusal.store(.pendingConnectionNotFound(connectionID: id)) }
        try enqueue(.connection(.delete(connections: [record.agentConnectionID], after: [])), user: user)
        try db.connections.delete(id)
    }
}
