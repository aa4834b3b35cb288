import ChatRules
import SMPAgent
import SMPProtocol
import SMPWire

// Messages and events of simulated connections.

extension ConnectionSimulator.State {
    /// Reports something that comes again at every start until it is confirmed.
    mutating func reportDurably(_ event: AgentEvent, of id: ConnectionID) {
        guard let device = connections[id]?.device else { return }
        lastEvent += 1
        let notification = AgentNotification(connection: id, event: event, durableID: .event(lastEvent))
        devices[device]?.unconfirmed.append(notification)
        devices[device]?.report(notification)
    }

    /// Forgets a durable event that the core has stored.
    mutating func confirm(_ event: DurableEventID, of device: String) {
        devices[device]?.unconfirmed.removeAll { $0.durableID == event }
        finishedCount += 1
    }

    /// Takes a message for the peer.
    ///
    /// - Parameter now: Milliseconds since 1970.
    mutating func send(_ request: AgentSendRequest, at now: Int64) throws(AgentError) -> AcceptedMessage {
        guard var connection = connections[request.connection] else { throw .noConnection(request.connection) }
        guard connection.stage == .duplex, let peer = connection.peer else {
            throw AgentError(.connection(.simplex, context: "sendMessages: \(connection.stage.rawValue)"))
        }
        if let key = request.key, let accepted = connection.accepted[key] { return accepted }
        guard request.body.count <= AgentLimits.messageBodyLength(agentVersion: SMPAgentVersion.supported.max, pqSupport: false) else {
            throw AgentError(.command(.large, context: "sendMessages"))
        }
        connection.lastID += 1
        connection.lastSent += 1
        let accepted = AcceptedMessage(messageID: connection.lastID, pqEncryption: false)
        if let key = request.key { connection.accepted[key] = accepted }
        connections[request.connection] = connection
        guard connections[peer] != nil else {
            reportDurably(.messageFailed(accepted.messageID, .gone(connection.server)), of: request.connection)
            return accepted
        }
        connections[peer]?.inbox.append(.message(request.body, request.flags, number: connection.lastSent, id: accepted.messageID, sentAt: now))
        reportDurably(.sent(accepted.messageID, proxy: nil), of: request.connection)
        deliver(to: peer)
        return accepted
    }

    /// Reports the next message of a connection, if none is being received.
    mutating func deliver(to id: ConnectionID) {
        guard var connection = connections[id], connection.isConnected, connection.delivery == nil, !connection.inbox.isEmpty,
            devices[connection.device]?.isRunning == true
        else { return }
        connection.lastID += 1
        let messageID = connection.lastID
        func metadata(number: Int64, at time: Int64) -> MessageMetadata {
            MessageMetadata(
                integrity: .ok, messageID: messageID, receivedAt: time, brokerID: Bytes("\(id)/\(messageID)".utf8), brokerTime: time, senderMessageID: number,
                pqEncryption: false)
        }
        switch connection.inbox.removeFirst() {
        case .message(let body, let flags, let number, let sentID, let time):
            connection.delivery = .init(id: messageID, event: .message(metadata(number: number, at: time), flags, body), sentID: sentID)
        case .receipt(let sentID):
            let receipt = MessageReceipt(messageID: sentID, status: .ok)
            connection.delivery = .init(id: messageID, event: .receipts(metadata(number: 0, at: 0), [receipt]), sentID: nil)
        }
        connections[id] = connection
        reportDelivery(of: id)
    }

    /// Reports what is being received, again if necessary.
    func reportDelivery(of id: ConnectionID) {
        guard let connection = connections[id], let delivery = connection.delivery else { return }
        devices[connection.device]?.report(AgentNotification(connection: id, event: delivery.event))
    }

    mutating func acknowledge(_ message: AgentMessageID, of id: ConnectionID, isReceiptWanted: Bool) throws(AgentError) {
        guard let connection = connections[id] else { throw .noConnection(id) }
        // Acknowledged before a restart.
        guard let delivery = connection.delivery, delivery.id == message else { return }
        connections[id]?.delivery = nil
        finishedCount += 1
        if isReceiptWanted, let sent = delivery.sentID, let peer = connection.peer, connections[peer] != nil {
            connections[peer]?.inbox.append(.receipt(sent))
            deliver(to: peer)
        }
        deliver(to: id)
    }

    /// Deletes connections. Peers notice when they send.
    mutating func delete(_ ids: [ConnectionID], of device: String) {
        let known = ids.filter { connections[$0]?.device == device }
        guard !known.isEmpty else { return }
        finishedCount += known.count
        for id in known {
            let connection = connections.removeValue(forKey: id)
            if let queue = connection?.request?.request.queues.first?.address.senderID { queues[queue] = nil }
            if let link = connection?.link { links[link] = nil }
        }
        devices[device]?.unconfirmed.removeAll { $0.connection.map(known.contains) ?? false }
        devices[device]?.report(AgentNotification(connection: nil, event: .connectionsDeleted(known)))
    }

    /// The connections of an agent, in the order of their ids.
    func connections(of device: String, user: AgentUserID? = nil) -> [ConnectionID] {
        connections.values.filter { $0.device == device && (user == nil || $0.user == user) }.map(\.id).sorted {
            $0.bytes.lexicographicallyPrecedes($1.bytes)
        }
    }
}
