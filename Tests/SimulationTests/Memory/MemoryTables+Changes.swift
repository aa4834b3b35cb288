import SMPProtocol
import SMPRatchet
import SMPWire

@testable import SMPAgent

extension MemoryTables {
    /// Makes a change.
    mutating func apply(_ change: StoreChange) throws {
        switch change {
        case .insertConnection(let record):
            try Self.require(users[record.user] != nil && connections[record.row] == nil && rows[record.id] == nil, "a connection")
            set(\.connections, record.row, record)
            set(\.rows, record.id, record.row)
        case .updateConnection(let record):
            if connections[record.row] != nil { set(\.connections, record.row, record) }
        case .sentCounters(let row, let lastMessageID, let sentID, let hash, let moved):
            self.change(\.connections, row) { ($0.lastMessageID, $0.lastSentID, $0.lastSentHash) = (lastMessageID, sentID, hash) }
            if let moved { try applyKeyChange(.moveRatchet(row, moved)) }
        case .receivedCounters(let row, let lastMessageID, let receivedID, let hash, let moved):
            self.change(\.connections, row) { ($0.lastMessageID, $0.lastReceivedID, $0.lastReceivedHash) = (lastMessageID, receivedID, hash) }
            if let moved { try applyKeyChange(.moveRatchet(row, moved)) }
        case .deleteConnection(let row): delete(connection: row)
        case .setRatchet, .moveRatchet, .deleteRatchet, .addSkippedKeys, .removeSkippedKeys, .setAgreementKeys, .setSentParameters,
            .addProcessedRatchetKey:
            try applyKeyChange(change)
        case .insertReceiveQueue(let queue, let connection):
            try requireConnection(connection)
            try Self.require(receiveQueues[queue.row] == nil && !receiveQueues.values.contains { $0.queue.key == queue.key }, "a queue")
            set(\.receiveQueues, queue.row, Queue(queue: queue, connection: connection))
        case .updateReceiveQueue(let queue): self.change(\.receiveQueues, queue.row) { $0.queue = queue }
        case .deleteReceiveQueue(let row): delete(receiveQueue: row)
        case .setServices(let server, let queues, let service):
            for queue in queues { set(\.services, QueueKey(server: server, recipientID: queue), service) }
        case .setNotifier(let notifier, let queue):
            try Self.require(receiveQueues[queue] != nil, "a notifier of no queue")
            set(\.notifiers, queue, notifier)
        case .deleteNotifier(let queue): set(\.notifiers, queue, nil)
        case .insertSendQueue(let queue, let connection):
            try requireConnection(connection)
            try Self.require(sendQueues[queue.row] == nil, "a queue")
            set(\.sendQueues, queue.row, Queue(queue: queue, connection: connection))
        case .updateSendQueue(let queue): self.change(\.sendQueues, queue.row) { $0.queue = queue }
        case .deleteSendQueue(let row):
            set(\.sendQueues, row, nil)
            set(\.deliveries, row, nil)
        case .insertConfirmation, .acceptConfirmation, .deleteConfirmations, .insertInvitation, .replaceInvitation, .acceptInvitation, .deleteInvitation,
            .setInvitationLink, .deleteInvitationLink:
            try applyHandshakeChange(change)
        case .insertBody, .insertSentMessage, .deliveryDone, .deliverySent, .deleteDeliveries, .setSent, .forgetCopies, .setRetry, .setReceipt,
            .deleteReceipted, .insertReceivedMessage, .acknowledge, .countAttempt:
            try applyMessageChange(change)
        case .insertCommand(let command):
            try requireConnection(command.connection)
            try Self.require(commands[command.row] == nil, "a command")
            set(\.commands, command.row, positioned(command))
        case .deleteCommand(let row): set(\.commands, row, nil)
        case .deleteJoinCommands(let connection):
            for (row, command) in commands where command.value.connection == connection {
                if case .join = command.value.kind { set(\.commands, row, nil) }
            }
        case .deleteSecuringCommands(let connection, let queue):
            for (row, command) in commands where command.value.connection == connection && command.value.kind.securedQueue == queue {
                set(\.commands, row, nil)
            }
        // No process of a simulation dies of a command.
        case .setCrashWeight, .quarantineCommand, .releaseCommand: break
        case .insertEvent(let event):
            try requireConnection(event.connection)
            try Self.require(events[event.number] == nil, "an event")
            set(\.events, event.number, positioned(event))
        case .deleteEvent(let number): set(\.events, number, nil)
        case .insertSentEvent(let connection, let message, let proxy):
            try requireConnection(connection)
            set(\.sentEvents, MessageKey(connection: connection, number: message), SentEvent(proxy: proxy))
        case .deleteSentEvent(let connection, let message):
            set(\.sentEvents, MessageKey(connection: connection, number: message), nil)
        }
    }

    private mutating func positioned<Value>(_ value: Value) -> Positioned<Value> {
        set(\.lastPosition, lastPosition + 1)
        return Positioned(position: lastPosition, value: value)
    }

    private mutating func delete(receiveQueue row: RowID) {
        guard let entry = receiveQueues[row] else { return }
        set(\.receiveQueues, row, nil)
        set(\.services, entry.queue.key, nil)
        set(\.notifiers, row, nil)
    }

    private func requireConnection(_ row: RowID) throws { try Self.require(connections[row] != nil, "what belongs to no connection") }

    /// With all that belongs to it.
    private mutating func delete(connection row: RowID) {
        guard let record = connections[row] else { return }
        set(\.connections, row, nil)
        set(\.rows, record.id, nil)
        set(\.ratchets, row, nil)
        set(\.skippedKeys, row, nil)
        set(\.agreementKeys, row, nil)
        set(\.sentParameters, row, nil)
        set(\.processedKeys, row, nil)
        set(\.lastRequests, row, nil)
        for (queue, entry) in receiveQueues where entry.connection == row { delete(receiveQueue: queue) }
        for (queue, entry) in sendQueues where entry.connection == row {
            set(\.sendQueues, queue, nil)
            set(\.deliveries, queue, nil)
        }
        for (id, confirmation) in confirmations where confirmation.connection == row { set(\.confirmations, id, nil) }
        for (id, invitation) in invitations where invitation.record.contactConnection == row {
            let old = invitation.record
            let record = InvitationRecord(
                id: id, contactConnection: nil, request: old.request, senderInfo: old.senderInfo, brokerID: old.brokerID,
                isAccepted: old.isAccepted)
            set(\.invitations, id, Invitation(record: record, createdAt: invitation.createdAt))
        }
        for key in sent.keys where key.connection == row { delete(sent: key) }
        for key in sentEvents.keys where key.connection == row { set(\.sentEvents, key, nil) }
        for key in received.keys where key.connection == row { delete(received: key) }
        for (command, entry) in commands where entry.value.connection == row { set(\.commands, command, nil) }
        for (event, entry) in events where entry.value.connection == row { set(\.events, event, nil) }
    }

    // MARK: Keys

    private mutating func applyKeyChange(_ change: StoreChange) throws {
        switch change {
        case .setRatchet(let row, let ratchet):
            try requireConnection(row)
            set(\.ratchets, row, ratchet)
        case .moveRatchet(let row, let ratchet):
            if ratchets[row] != nil { set(\.ratchets, row, ratchet) }
        case .deleteRatchet(let row):
            set(\.ratchets, row, nil)
            set(\.skippedKeys, row, nil)
        case .addSkippedKeys(let row, let keys):
            try requireConnection(row)
            // One of the same message is replaced, and counts as new.
            set(\.skippedKeys, row, Self.without(keys, skippedKeys[row] ?? []) + keys)
        case .removeSkippedKeys(let row, let keys): self.change(\.skippedKeys, row) { $0 = Self.without(keys, $0) }
        case .setAgreementKeys(let row, let keys):
            try requireConnection(row)
            set(\.agreementKeys, row, keys)
        case .setSentParameters(let row, let parameters):
            try requireConnection(row)
            set(\.sentParameters, row, parameters)
        case .addProcessedRatchetKey(let row, let hash, let time):
            try requireConnection(row)
            var hashes = processedKeys[row] ?? [:]
            if hashes[hash] == nil { hashes[hash] = time }
            set(\.processedKeys, row, hashes)
        default: break
        }
    }

    private static func without(_ removed: [SkippedMessageKey], _ keys: [SkippedMessageKey]) -> [SkippedMessageKey] {
        keys.filter { key in !removed.contains { $0.number == key.number && $0.headerKey == key.headerKey } }
    }

    // MARK: Handshake

    private mutating func applyHandshakeChange(_ change: StoreChange) throws {
        switch change {
        case .insertConfirmation(let record):
            try requireConnection(record.connection)
            try Self.require(confirmations[record.id] == nil, "a confirmation")
            set(\.confirmations, record.id, record)
        case .acceptConfirmation(let id, let ownInfo): self.change(\.confirmations, id) { $0.ownInfo = ownInfo }
        case .deleteConfirmations(let connection):
            for (id, record) in confirmations where record.connection == connection { set(\.confirmations, id, nil) }
        case .insertInvitation(let record, let time):
            let isThere = invitations[record.id] != nil || record.contactConnection.map { hasInvitation($0, record.brokerID) } ?? false
            if isThere { return }
            if let contact = record.contactConnection { try requireConnection(contact) }
            set(\.invitations, record.id, Invitation(record: record, createdAt: time))
        case .replaceInvitation(let record):
            self.change(\.invitations, record.id) {
                ($0.record.request, $0.record.senderInfo, $0.record.brokerID) = (record.request, record.senderInfo, record.brokerID)
            }
        case .acceptInvitation(let id): self.change(\.invitations, id) { $0.record.isAccepted = true }
        case .deleteInvitation(let id): set(\.invitations, id, nil)
        case .setInvitationLink(let link): set(\.links, LinkKey(server: link.server, linkID: link.linkID), link)
        case .deleteInvitationLink(let server, let linkID): set(\.links, LinkKey(server: server, linkID: linkID), nil)
        default: break
        }
    }

    func unansweredInvitations(_ contact: RowID) -> Int {
        invitations.values.count { $0.record.contactConnection == contact && !$0.record.isAccepted }
    }

    func hasInvitation(_ contact: RowID, _ brokerID: Bytes) -> Bool {
        invitations.values.contains { $0.record.contactConnection == contact && $0.record.brokerID == brokerID }
    }

    func invitation(_ contact: RowID, offering request: ConnectionRequestURI) -> InvitationRecord? {
        guard let digest = request.queueDigest else { return nil }
        return invitations.values.first { $0.record.contactConnection == contact && $0.record.request.queueDigest == digest }?.record
    }

    // MARK: Messages

    private mutating func applyMessageChange(_ change: StoreChange) throws {
        switch change {
        case .insertBody(let row, let content):
            try Self.require(bodies[row] == nil, "a body")
            set(\.bodies, row, content)
        case .insertSentMessage(let message, let connection, let queues): try insert(message, connection, queues)
        case .deliveryDone(let queue, let connection, let messageID, let keepRecord):
            guard let done = deliveries[queue]?.first(where: { $0.message.messageID == messageID }) else { return }
            self.change(\.deliveries, queue) { $0.removeAll { $0.message.messageID == messageID } }
            forget(MessageKey(connection: connection, number: done.message.sentID), unlessReceiptIsMissing: keepRecord)
            if let body = done.body { deleteUnusedBody(body) }
        case .deliverySent(let queue, let messageID):
            guard let done = deliveries[queue]?.first(where: { $0.message.messageID == messageID }) else { return }
            self.change(\.deliveries, queue) { $0.removeAll { $0.message.messageID == messageID } }
            if let body = done.body { deleteUnusedBody(body) }
        case .deleteDeliveries(let queue): set(\.deliveries, queue, nil)
        case .setSent(let connection, let sentID):
            self.change(\.sent, MessageKey(connection: connection, number: sentID)) { $0.isSent = true }
        case .forgetCopies(let queue, let original, let count):
            let first = deliveries[original]?.first.map { $0.message.sentID - 1 }
            guard let last = first ?? deliveries[queue]?.last?.message.sentID else { return }
            self.change(\.deliveries, queue) { $0.removeAll { $0.message.sentID <= last - count } }
        case .setRetry(let queue, let messageID, let retry):
            self.change(\.deliveries, queue) { waiting in
                for index in waiting.indices where waiting[index].message.messageID == messageID { waiting[index].retry = retry }
            }
        case .setReceipt(let connection, let sentID, let status):
            self.change(\.sent, MessageKey(connection: connection, number: sentID)) { $0.receipt = status }
        case .deleteReceipted(let connection, let sentID):
            forget(MessageKey(connection: connection, number: sentID), unlessReceiptIsMissing: true)
        case .insertReceivedMessage(let record, let connection):
            try requireConnection(connection)
            let key = MessageKey(connection: connection, number: record.messageID)
            try Self.require(received[key] == nil, "a received message")
            set(\.received, key, record)
            let ciphertext = CiphertextKey(connection: connection, hash: record.encryptedHash)
            set(\.receivedByHash, ciphertext, record.messageID)
            oldestMessage = min(oldestMessage, record.metadata.receivedAt)
        case .acknowledge(let connection, let messageID):
            self.change(\.received, MessageKey(connection: connection, number: messageID)) { ($0.isAcknowledged, $0.body) = (true, []) }
        case .countAttempt(let connection, let messageID):
            self.change(\.received, MessageKey(connection: connection, number: messageID)) { $0.attempts += 1 }
        default: break
        }
    }

    private mutating func insert(_ message: SentMessage, _ connection: RowID, _ queues: [RowID]) throws {
        try requireConnection(connection)
        let key = MessageKey(connection: connection, number: message.sentID)
        let delivery = Delivery(message: message)
        try Self.require(
            sent[key] == nil && delivery.body.map { bodies[$0] != nil } ?? true && queues.allSatisfy { sendQueues[$0] != nil }
                && !queues.contains { deliveries[$0, default: []].contains { $0.message.messageID == message.messageID } }, "a sent message")
        let row = Sent(
            messageID: message.messageID, kind: message.kind, hash: message.hash, pqEncryption: message.pqEncryption,
            createdAt: message.createdAt, requestKey: message.requestKey)
        set(\.sent, key, row)
        if let request = message.requestKey {
            let requestKey = MessageKey(connection: connection, number: request)
            set(\.sentByRequest, requestKey, message.sentID)
            if requestKey.number > lastRequests[connection]?.number ?? .min { set(\.lastRequests, connection, requestKey) }
        }
        for queue in queues {
            var waiting = deliveries[queue] ?? []
            waiting.insert(delivery, at: waiting.firstIndex { $0.message.messageID > message.messageID } ?? waiting.endIndex)
            set(\.deliveries, queue, waiting)
        }
        oldestMessage = min(oldestMessage, message.createdAt)
    }

    /// Deletes the message's record, unless a queue still waits for it, or the user has a number for it.
    private mutating func forget(_ key: MessageKey, unlessReceiptIsMissing: Bool) {
        guard let row = sent[key], row.requestKey == nil, row.receipt == .ok || !unlessReceiptIsMissing else { return }
        let isWaiting = deliveries.contains { queue, waiting in
            sendQueues[queue]?.connection == key.connection && waiting.contains { $0.message.messageID == row.messageID }
        }
        if !isWaiting { delete(sent: key) }
    }

    mutating func deleteUnusedBody(_ row: RowID) {
        if !deliveries.values.contains(where: { $0.contains { $0.body == row } }) { set(\.bodies, row, nil) }
    }

    mutating func delete(sent key: MessageKey) {
        guard let row = sent[key] else { return }
        set(\.sent, key, nil)
        guard let request = row.requestKey else { return }
        let requestKey = MessageKey(connection: key.connection, number: request)
        if sentByRequest[requestKey] == key.number { set(\.sentByRequest, requestKey, nil) }
        guard lastRequests[key.connection] == requestKey else { return }
        let last = sent.filter { $0.key.connection == key.connection }.compactMap(\.value.requestKey).max()
        set(\.lastRequests, key.connection, last.map { MessageKey(connection: key.connection, number: $0) })
    }

    mutating func delete(received key: MessageKey) {
        guard let record = received[key] else { return }
        set(\.received, key, nil)
        let ciphertext = CiphertextKey(connection: key.connection, hash: record.encryptedHash)
        if receivedByHash[ciphertext] == key.number { set(\.receivedByHash, ciphertext, nil) }
    }
}
