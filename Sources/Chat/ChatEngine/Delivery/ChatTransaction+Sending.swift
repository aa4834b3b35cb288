import ChatAPI
import ChatProtocol
import SMPWire

// Writing messages for contacts: what the store keeps of them until the agent has them.

extension ChatTransaction {
    /// Failed deliveries after which nothing more is sent over a connection: its queue is gone.
    static let disablingErrorCount = 10
    /// Deliveries refused because the queue is full, after which the connection counts as inactive.
    static let inactiveErrorCount = 5
    /// What that counter is set to when a message was given up.
    static let givenUpErrorCount = 999

    /// The connection over which a contact can be written to.
    func sendingConnection(_ contact: Contact) throws -> ChatAPI.Connection {
        guard let connection = contact.activeConnection else { throw Refusal.chat(.contactNotReady(contact: contact)) }
        guard connection.status == .ready || connection.status == .sendReady else {
            throw Refusal.chat(.contactNotReady(contact: contact))
        }
        guard contact.status == .active else { throw Refusal.chat(.contactNotActive(contact: contact)) }
        guard connection.authErrorCounter < Self.disablingErrorCount else {
            throw Refusal.chat(.contactDisabled(contact: contact))
        }
        return connection
    }

    /// A message ready to be sent, with the id that both sides know it by.
    struct OutgoingMessage {
        var id: SharedMessageID
        var event: ChatMessageEvent
        /// The item that follows the delivery.
        var itemID: ChatItemID?
        var body: Bytes

        init(_ event: ChatMessageEvent, id: SharedMessageID, itemID: ChatItemID? = nil) throws {
            self.id = id
            self.event = event
            self.itemID = itemID
            do {
                body = try ChatMessage(messageID: id, event: event).body(limit: ChatLimits.encodedMessage)
            } catch {
                throw Refusal.store(.largeMessage)
            }
        }
    }

    /// Writes messages to a contact, as few bodies as they fit in.
    func send(_ messages: [OutgoingMessage], to contact: Contact) throws {
        guard !messages.isEmpty else { return }
        let connection = try sendingConnection(contact)
        guard let record = try db.connection(connection.connectionID) else {
            throw Refusal.store(.connectionNotFoundByID(connectionID: connection.connectionID))
        }
        let notifies = messages.contains { $0.event.tag.hasNotification }
        if connection.chatVersion >= Int(ChatVersions.directBatching) {
            for outcome in MessageBatching.batches(of: messages.map(\.body), mode: .json) {
                guard case .batch(let body, let range) = outcome else { throw Refusal.store(.largeMessage) }
                try enqueue(body, for: messages[range], over: record, notifies: notifies)
            }
        } else {
            for message in messages { try enqueue(message.body, for: [message], over: record, notifies: notifies) }
        }
    }

    /// Writes one event to a contact.
    func send(_ event: ChatMessageEvent, to contact: Contact, itemID: ChatItemID? = nil) throws {
        try send([OutgoingMessage(event, id: newSharedMessageID(), itemID: itemID)], to: contact)
    }

    private func enqueue(
        _ body: Bytes, for messages: some Sequence<OutgoingMessage>, over record: ConnectionRecord, notifies: Bool
    ) throws {
        let fitted: Bytes
        do {
            fitted = try MessageCompression.fit(
                body, as: .message, postQuantum: record.connection.pqSupport, peerVersion: ChatVersion(clamping: record.connection.chatVersion))
        } catch {
            throw Refusal.chat(.exception(message: "large compressed message"))
        }
        let delivery = try db.insertDelivery(connection: record, body: fitted, notifies: notifies, at: now)
        for message in messages { if let item = message.itemID { try db.linkDelivery(delivery.id, item: item) } }
        effects.deliveries.append(delivery)
    }

    /// The first message of a connection: it travels with the connection's keys.
    func connectionInfo(_ event: ChatMessageEvent, pqSupport: Bool, peerVersion: ChatVersion) throws -> Bytes {
        do {
            return try MessageCompression.fit(
                ChatMessage(event: event).body, as: .info, postQuantum: pqSupport, peerVersion: peerVersion)
        } catch {
            throw Refusal(
                .agent(error: .command(error: .large, context: "connection information"), agentConnectionID: "", entity: nil))
        }
    }

    // MARK: Other work of the agent

    func enqueue(_ task: AgentWork.Task, connection: Bytes? = nil, user: User?) throws {
        let work = try db.insertAgentWork(
            task, connection: connection, agentUserID: user.flatMap { Int64($0.agentUserID) }, user: user?.userID, at: now)
        effects.work.append(work)
    }

    /// Has the agent delete the connections of a contact.
    ///
    /// - Parameter parting: A last event, which is delivered before, with all that was written earlier.
    func deleteAgentConnections(of contact: Contact, parting: ChatMessageEvent? = nil, user: User) throws {
        let records = try db.connections(ofContact: contact.contactID)
        guard !records.isEmpty else { return }
        var last: [Delivery] = []
        if let parting, let record = records.first(where: { $0.id == contact.activeConnection?.connectionID }) {
            // The rows go with the connection: what is not handed over yet travels with the work.
            try send(parting, to: contact)
            effects.deliveries.removeAll { $0.connectionID == record.id }
            last = try db.waitingDeliveries(connection: record.id)
        }
        try enqueue(.delete(connections: records.map(\.agentConnectionID), after: last), user: user)
    }
}
