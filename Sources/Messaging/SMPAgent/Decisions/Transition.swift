import SMPCrypto
import SMPProtocol
import SMPRatchet
import SMPWire

/// A step of a connection that is being decided: the state that it leads to, what must be stored for it, and what to do after that.
///
/// Nothing outside changes before the changes are stored: if that fails, the transition is dropped.
struct Transition: Sendable {
    /// The state that the connection will have.
    private(set) var state: ConnectionState
    private var changes: [StoreChange] = []
    /// Reported after the changes are stored, in order. Durable ones have no id before ``storeEvents(_:)``.
    private(set) var notifications: [(event: AgentEvent, durableID: DurableEventID?)] = []
    /// New messages for the queues' workers.
    private(set) var deliveries: [(queue: RowID, delivery: PendingDelivery)] = []
    /// New work.
    private(set) var commands: [CommandRecord] = []
    /// Send queues whose workers shall try again at once.
    private(set) var resumedQueues: [RowID] = []
    /// Send queues that are gone, or not used any more.
    private(set) var removedSendQueues: [RowID] = []
    /// Send queues whose waiting messages go to another queue as well from here on.
    private(set) var sharedSendQueues: [RowID] = []
    /// True if a queue that we receive from is new, gone or not as it was.
    private(set) var areReceiveQueuesChanged = false

    private var isRecordChanged = false
    private var areSentCountersChanged = false
    private var areReceivedCountersChanged = false
    private var isRatchetChanged = false
    /// The ratchet as it is in the store until the changes are made; nil if it will be another one.
    private var storedRatchet: Ratchet?

    init(_ state: ConnectionState) {
        self.state = state
        storedRatchet = state.ratchet
    }

    var record: ConnectionRecord { state.record }
    var connection: RowID { state.record.row }

    /// All changes, with the counters and the ratchet once, however often they changed.
    var storeChanges: [StoreChange] {
        var all = changes
        let record = state.record
        var changed = isRatchetChanged ? state.ratchet : nil
        var moved: Ratchet?
        if let ratchet = changed, storedRatchet?.isSameStep(as: ratchet) == true { (changed, moved) = (nil, ratchet) }
        if isRecordChanged {
            all.append(.updateConnection(record))
        } else {
            // One statement for the counters and the ratchet, of which a message changes both.
            if areSentCountersChanged {
                all.append(
                    .sentCounters(
                        record.row, lastMessageID: record.lastMessageID, sentID: record.lastSentID, hash: record.lastSentHash,
                        moved: moved.take()))
            }
            if areReceivedCountersChanged {
                all.append(
                    .receivedCounters(
                        record.row, lastMessageID: record.lastMessageID, receivedID: record.lastReceivedID,
                        hash: record.lastReceivedHash, moved: moved.take()))
            }
        }
        if let moved { all.append(.moveRatchet(record.row, moved)) }
        if let changed { all.append(.setRatchet(record.row, changed)) }
        return all
    }

    mutating func add(_ change: StoreChange) { changes.append(change) }

    // MARK: Events and work

    mutating func emit(_ event: AgentEvent) { notifications.append((event, nil)) }

    /// Stores the durable events with what they report: they are repeated after a restart until they are confirmed.
    mutating func storeEvents(_ random: any RandomSource) {
        for (index, notification) in notifications.enumerated() where notification.durableID == nil && notification.event.isDurable {
            let number = random.rowID()
            changes.append(.insertEvent(EventRecord(number: number, connection: connection, event: notification.event)))
            notifications[index].durableID = .event(number)
        }
    }

    mutating func fail(_ reason: AgentError.Reason) { emit(.failed(AgentError(reason))) }

    mutating func start(_ kind: CommandRecord.Kind, _ context: AgentContext) {
        let command = CommandRecord(row: context.random.rowID(), connection: connection, kind: kind, createdAt: context.now)
        // The peer may send keys for one queue as often as it likes: the newest counts.
        if let queue = kind.securedQueue {
            commands.removeAll { $0.kind.securedQueue == queue }
            changes.append(.deleteSecuringCommands(connection: connection, queue: queue))
        }
        changes.append(.insertCommand(command))
        commands.append(command)
    }

    mutating func share(_ queue: RowID) { sharedSendQueues.append(queue) }

    mutating func resume(_ queue: RowID) { resumedQueues.append(queue) }

    // MARK: Record

    mutating func updateRecord(_ update: (inout ConnectionRecord) -> Void) {
        update(&state.record)
        isRecordChanged = true
    }

    /// Takes the next number for a received message.
    mutating func nextReceivedMessage(id: Int64, hash: Bytes) -> AgentMessageID {
        state.record.lastMessageID += 1
        setReceived(id: id, hash: hash)
        return state.record.lastMessageID
    }

    /// Remembers the last received message, without a number of ours for it.
    mutating func setReceived(id: Int64, hash: Bytes) {
        state.record.lastReceivedID = id
        state.record.lastReceivedHash = hash
        areReceivedCountersChanged = true
    }

    /// Takes the next numbers for a message to send.
    mutating func nextSentMessage() -> (messageID: AgentMessageID, header: AgentMessageHeader) {
        state.record.lastMessageID += 1
        state.record.lastSentID += 1
        areSentCountersChanged = true
        return (state.record.lastMessageID, AgentMessageHeader(id: state.record.lastSentID, previousHash: state.record.lastSentHash))
    }

    mutating func setLastSent(hash: Bytes) { state.record.lastSentHash = hash }

    // MARK: Keys

    mutating func setRatchet(_ ratchet: Ratchet?) {
        state.ratchet = ratchet
        isRatchetChanged = true
        guard ratchet == nil else { return }
        state.skippedKeys = SkippedMessageKeys()
        storedRatchet = nil
        changes.append(.deleteRatchet(connection))
    }

    mutating func setSkippedKeys(_ keys: SkippedMessageKeys, added: [SkippedMessageKey], removed: [SkippedMessageKey]) {
        state.skippedKeys = keys
        if !added.isEmpty { changes.append(.addSkippedKeys(connection, added)) }
        if !removed.isEmpty { changes.append(.removeSkippedKeys(connection, removed)) }
    }

    mutating func setAgreementKeys(_ keys: AgreementKeys) {
        state.agreementKeys = keys
        changes.append(.setAgreementKeys(connection, keys))
    }

    mutating func setSentParameters(_ parameters: RatchetParameters) {
        state.sentParameters = parameters
        changes.append(.setSentParameters(connection, parameters))
    }

    mutating func addProcessedRatchetKey(_ hash: Bytes, at time: Int64) {
        state.processedRatchetKeys[hash] = time
        changes.append(.addProcessedRatchetKey(connection, hash: hash, at: time))
    }

    // MARK: Queues

    mutating func add(_ queue: ReceiveQueue) {
        var queue = queue
        let notifier = queue.newNotifier
        queue.newNotifier = nil
        state.receiveQueues.append(queue)
        areReceiveQueuesChanged = true
        changes.append(.insertReceiveQueue(queue, connection: connection))
        if let notifier { changes.append(.setNotifier(notifier, queue: queue.row)) }
    }

    mutating func add(_ queue: SendQueue) {
        state.sendQueues.append(queue)
        changes.append(.insertSendQueue(queue, connection: connection))
    }

    mutating func updateReceiveQueue(_ row: RowID, _ update: (inout ReceiveQueue) -> Void) {
        guard let index = state.receiveQueues.firstIndex(where: { $0.row == row }) else { return }
        update(&state.receiveQueues[index])
        areReceiveQueuesChanged = true
        changes.append(.updateReceiveQueue(state.receiveQueues[index]))
        if state.receiveQueues[index].isPrimary, index > 0 { state.receiveQueues.swapAt(0, index) }
    }

    mutating func updateSendQueue(_ row: RowID, _ update: (inout SendQueue) -> Void) {
        guard let index = state.sendQueues.firstIndex(where: { $0.row == row }) else { return }
        update(&state.sendQueues[index])
        changes.append(.updateSendQueue(state.sendQueues[index]))
        if state.sendQueues[index].isPrimary, index > 0 { state.sendQueues.swapAt(0, index) }
    }

    mutating func removeReceiveQueue(_ row: RowID) {
        state.receiveQueues.removeAll { $0.row == row }
        areReceiveQueuesChanged = true
        changes.append(.deleteReceiveQueue(row))
    }

    mutating func removeSendQueue(_ row: RowID) {
        state.sendQueues.removeAll { $0.row == row }
        changes.append(.deleteSendQueue(row))
        removedSendQueues.append(row)
    }

    /// Deletes the messages that wait for a queue.
    mutating func stopSending(to row: RowID) {
        changes.append(.deleteDeliveries(queue: row))
        removedSendQueues.append(row)
    }

    // MARK: Messages

    mutating func add(_ message: SentMessage, to queues: [RowID]) {
        if let key = message.requestKey { state.lastRequestKey = max(state.lastRequestKey, key) }
        changes.append(.insertSentMessage(message, connection: connection, queues: queues))
        let isShared = queues.count { state.sendQueue($0)?.isOffered != true } > 1
        for row in queues {
            // What is kept for a queue is read from the store once it may be used.
            guard let queue = state.sendQueue(row), queue.isOffered, let replaced = queue.replaces else {
                deliveries.append((row, PendingDelivery(message: message, retry: nil, isShared: isShared)))
                continue
            }
            if message.sentID % Self.copyBatch == 0 { changes.append(.forgetCopies(queue: row, of: replaced, keeping: Self.unreadMessages)) }
        }
    }

    /// Copies that are not needed are looked for once in so many messages.
    private static let copyBatch: Int64 = 16
    /// Messages that a router keeps for the recipient of a queue, by the official default.
    private static let unreadMessages: Int64 = 128
}
