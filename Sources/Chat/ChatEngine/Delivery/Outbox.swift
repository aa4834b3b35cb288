import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPWire

// Sending: the stored messages until the agent has them.

/// Stores messages to contacts and members until the agent has them.
struct Outbox: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Messages to contacts and members.
    var outbox: Outbox { Outbox(transaction: self) }
}

extension Outbox {
    /// The connection over which a contact can be written to.
    func sendingConnection(_ contact: Contact) throws -> Connection {
        guard let connection = contact.activeConnection else { throw Refusal.chat(.contactNotReady(contact: contact)) }
        guard connection.status == .ready || connection.status == .sendReady else {
            throw Refusal.chat(.contactNotReady(contact: contact))
        }
        guard contact.status == .active else { throw Refusal.chat(.contactNotActive(contact: contact)) }
        guard connection.authErrorCounter < Connection.disablingErrorCount else {
            throw Refusal.chat(.contactDisabled(contact: contact))
        }
        return connection
    }

    /// Sends messages to one contact, in as few bodies as they fit in.
    func send(_ messages: [OutgoingMessage], to contact: Contact) throws {
        guard !messages.isEmpty else { return }
        let connection = try sendingConnection(contact)
        guard let record = try db.connections.find(connection.connectionID) else {
            throw Refusal.store(.connectionNotFoundByID(connectionID: connection.connectionID))
        }
        try send(messages, over: [record])
    }

    /// Sends one event to a contact.
    func send(_ event: ChatMessageEvent, to contact: Contact, itemID: ChatItemID? = nil) throws {
        try send([OutgoingMessage(event, id: newSharedMessageID(), itemID: itemID)], to: contact)
    }

    /// Sends messages over any number of connections. Peers of the same version and encryption get the same bodies, each of which is stored once.
    func send(_ messages: [OutgoingMessage], over connections: [ConnectionRecord]) throws {
        let notifies = messages.contains(where: \.notifies)
        var encoder = OutgoingBodyEncoder(messages)
        for connection in connections {
            for body in try encoder.bodies(for: connection.connection, store: db.deliveries.insertBody) {
                let delivery = try db.deliveries.insert(to: DeliveryTarget(connection.connection), body: body.stored, notifies: notifies, at: now)
                for item in body.items { try db.deliveries.linkDelivery(delivery.id, item: item) }
                transaction.effects.deliveries.append(delivery)
            }
        }
    }

    /// The first message of a connection: it travels with the connection's keys.
    ///
    /// - Parameters:
    ///   - inChannel: True for connections between the members of a channel, who exchange their capabilities.
    ///   - signer: Signs the message, to prove that this profile has a key; nil where nothing has to be proved.
    func connectionInfo(
        _ event: ChatMessageEvent, pqSupport: Bool, peerVersion: ChatVersion, inChannel: Bool = false, signer: ChannelSigner? = nil
    ) throws -> Bytes {
        var message = ChatMessage(event: event)
        if inChannel { message.capabilities = [.comments] }
        do {
            return try MessageCompression.fit(
                signer?.proof(of: message.body) ?? message.body, as: .info, postQuantum: pqSupport, peerVersion: peerVersion)
        } catch {
            throw Refusal(
                .agent(error: .command(error: .large, context: "connection information"), agentConnectionID: "", entity: nil))
        }
    }

    /// Deletes the connections of a contact at the agent.
    ///
    /// - Parameter parting: A last event, which is delivered before, with all that was written earlier.
    func deleteAgentConnections(of contact: Contact, parting: ChatMessageEvent? = nil, user: User) throws {
        let records = try db.connections.connections(ofContact: contact.contactID)
        guard !records.isEmpty else { return }
        var last: [Delivery] = []
        if let parting, let record = records.first(where: { $0.id == contact.activeConnection?.connectionID }) {
            // The rows are deleted with the connection: the work contains the messages that are not handed over yet.
            try send(parting, to: contact)
            transaction.effects.deliveries.removeAll { $0.connectionID == record.id }
            last = try db.deliveries.waiting(connection: record.id)
        }
        try enqueue(.connection(.delete(connections: records.map(\.agentConnectionID), after: last)), user: user)
    }
}
