import SMPCrypto
import SMPProtocol
import SMPWire

// Moving a queue to another router (agent-protocol.md, "Rotating messaging queue"). The recipient of the old queue makes the new one and
// offers it (QADD); the sender answers with its keys (QKEY); the recipient secures the queue and says so (QUSE); the sender tries it
// (QTEST) and forgets the old one; the first message in the new queue makes the recipient delete the old one.
//
// So that messages meanwhile are neither lost nor out of order, whatever the other side's agent does:
//
// - The sender keeps a copy of every message since QKEY for the new queue, and sends all of them there before QTEST, which goes to both
//   queues. The recipient has read everything up to QKEY when it says QUSE, so that the new queue has all that it has not read, in order, also
//   if it deletes the old one unread or cannot reach it any more. What it has read already it knows by its hash.
// - The recipient takes a message that is not the next one, or the next one while one of the other queue waits for the user, only when the
//   other queue has nothing left (`EarlyMessages`), and deletes the old queue when its router says that it is empty: all that was in it is then
//   acknowledged. A sender that has not sent copies has put into the new queue only what comes after all that is in the old one.

extension Transition {
    private func checkRatchet() throws(AgentError) {
        guard !record.ratchetSync.prohibitsSending else { throw .peer(.queue("ratchet is not synchronized")) }
    }

    private func checkDuplex(_ name: String) throws(AgentError) {
        guard state.kind == .duplex else { throw .peer(.queue("\(name): message must be sent to duplex connection")) }
    }

    private func checkSwitch<Status: Equatable>(_ status: Status?, is expected: Status) throws(AgentError) {
        guard status == expected else {
            let actual = status.map { "\($0)" } ?? "none"
            throw AgentError(.internal("unexpected switch status, expected=\(expected), actual=\(actual)"))
        }
    }

    /// The first of what a message about queues names. More than a connection can have are one fault, and cost as much as one.
    private mutating func bounded<Element>(_ list: [Element], _ name: String) -> ArraySlice<Element> {
        let limit = AgentLimits.maximumQueues + AgentLimits.maximumReplacements
        if list.count > limit { fail(.agent(.queue("\(name): too many queues"))) }
        return list.prefix(limit)
    }

    private mutating func emitSwitch(_ direction: QueueDirection, _ phase: AgentSwitchPhase) {
        emit(.queueSwitch(direction, phase, AgentConnectionStats(state)))
    }

    // MARK: The recipient

    /// Offers a new queue that takes the place of `replaced`.
    mutating func offer(_ queue: ReceiveQueue, replacing replaced: RowID, _ context: AgentContext) throws(AgentError) {
        guard let old = state.receiveQueue(replaced) else { throw .peer(.queue("SWCH: replaced queue not found in connection")) }
        add(queue)
        let replacement = QueueReplacement(
            queue: SMPQueueURI(clientVersions: context.configuration.clientVersions, address: queue.senderAddress), replaced: old.address)
        try enqueue(OutgoingContent(.queueAdd([replacement])), flags: MessageFlags(), context)
        updateReceiveQueue(replaced) { $0.switchStatus = .sendingQADD }
        emitSwitch(.receive, .started)
    }

    /// `QKEY`: the sender's keys for new queues.
    mutating func receiveQueueKey(_ keys: [QueueSenderKey], _ context: AgentContext) throws(AgentError) {
        try checkDuplex("QKEY")
        try checkRatchet()
        for key in bounded(keys, "QKEY") { attempt { transition throws(AgentError) in try transition.receive(key, context) } }
    }

    private mutating func receive(_ key: QueueSenderKey, _ context: AgentContext) throws(AgentError) {
        guard context.configuration.clientVersions.contains(key.queue.clientVersion) else { throw .peer(.version) }
        let address = QueueAddress(server: key.queue.address.server, senderID: key.queue.address.senderID)
        guard let queue = state.receiveQueue(at: address), queue.replaces != nil || queue.isAddition, queue.status != .disabled else {
            throw .peer(.queue("QKEY: queue address not found in connection"))
        }
        guard queue.status == .new || queue.status == .confirmed else { throw .peer(.queue("QKEY: queue already secured")) }
        if let replaced = queue.replaces { try checkSwitch(state.receiveQueue(replaced)?.switchStatus, is: .sendingQADD) }
        let secret: BoxSecret
        do {
            secret = try BoxSecret(queue.encryptionKey, with: key.queue.address.encryptionKey)
        } catch {
            throw AgentError(receiving: error)
        }
        updateReceiveQueue(queue.row) {
            $0.peerSecret = secret
            $0.clientVersion = min($0.clientVersion, key.queue.clientVersion)
            $0.status = .confirmed
        }
        start(.secureNewQueue(queue: queue.row, key: key.senderKey.wireBytes), context)
        if queue.replaces != nil { emitSwitch(.receive, .confirmed) }
    }

    /// The new queue is secured: the sender may use it.
    mutating func securedNewQueue(_ row: RowID, _ context: AgentContext) throws(AgentError) {
        guard let queue = state.receiveQueue(row) else { throw AgentError(.internal("ICQSecure: queue address not found in connection")) }
        if queue.isAddition { return try securedAddition(queue, context) }
        guard let replaced = queue.replaces, state.receiveQueue(replaced) != nil else {
            throw AgentError(.internal("ICQSecure: no switching queue found"))
        }
        updateReceiveQueue(row) { $0.status = .secured }
        let use = QueueUse(queue: queue.address, isPrimary: true)
        try enqueue(OutgoingContent(.queueUse([use])), flags: MessageFlags(), context)
        updateReceiveQueue(replaced) { $0.switchStatus = .sendingQUSE }
        emitSwitch(.receive, .secured)
    }

    /// A new queue that cannot be secured is not used: the connection stays with those that it has, and the user can ask for another.
    mutating func abandonNewQueue(_ row: RowID, _ context: AgentContext) {
        guard let queue = state.receiveQueue(row), !queue.isPrimary, queue.status == .confirmed else { return }
        if let replaced = queue.replaces {
            guard state.receiveQueue(replaced)?.switchStatus == .sendingQADD else { return }
            updateReceiveQueue(replaced) { $0.switchStatus = nil }
        }
        updateReceiveQueue(row) {
            $0.replaces = nil
            $0.status = .disabled
        }
        start(.deleteQueue(queue: row), context)
    }

    /// A message came in a new queue: the old one is not used any more.
    mutating func receivedInNewQueue(_ queue: ReceiveQueue, replaced: RowID, _ context: AgentContext) {
        guard let old = state.receiveQueue(replaced) else { return fail(.agent(.queue("replaced RcvQueue not found in connection"))) }
        guard old.switchStatus == .sendingQUSE else { return }
        updateReceiveQueue(replaced) {
            $0.isPrimary = false
            $0.switchStatus = .receivedMessage
        }
        updateReceiveQueue(queue.row) {
            $0.isPrimary = true
            $0.replaces = nil
        }
        start(.deleteReplacedQueue(queue: replaced), context)
    }

    /// The old queue is deleted on its router, or given up.
    mutating func deletedReplacedQueue(_ row: RowID) {
        removeReceiveQueue(row)
        emitSwitch(.receive, .completed)
    }

    // MARK: The sender

    /// `QADD`: queues that take the place of others, or are there besides them.
    mutating func receiveQueueAdd(_ queues: [QueueReplacement], _ context: AgentContext) throws(AgentError) {
        try checkDuplex("QADD")
        try checkRatchet()
        var accepted: [SendQueue] = []
        for offer in bounded(queues, "QADD") {
            attempt { transition throws(AgentError) in accepted.append(try transition.accept(offer, besides: accepted, context)) }
        }
        // Earlier offers for the same queues are dropped, with those of queues in their place.
        var dropped = Set(state.sendQueues.filter { queue in accepted.contains { $0.replaces != nil && $0.replaces == queue.replaces } }.map(\.row))
        while let next = state.sendQueues.first(where: { !dropped.contains($0.row) && $0.replaces.map(dropped.contains) == true }) {
            dropped.insert(next.row)
        }
        let count = accepted.count
        accepted.removeAll { $0.replaces.map(dropped.contains) == true }
        if accepted.count < count { fail(.agent(.queue("QADD: replaced queue address is not found in connection"))) }
        guard !accepted.isEmpty else { return }
        makeRoom(for: accepted)
        for row in state.sendQueues.map(\.row) where dropped.contains(row) { removeSendQueue(row) }
        try enqueue(OutgoingContent(.queueKey(accepted.map(\.keysForRecipient))), flags: MessageFlags(), context)
        for var queue in accepted {
            if queue.isAddition { queue.status = .confirmed }
            add(queue)
            guard let replaced = queue.replaces else { continue }
            updateSendQueue(replaced) { $0.switchStatus = .sendingQKEY }
            emitSwitch(.send, .started)
        }
    }

    private func accept(_ offer: QueueReplacement, besides accepted: [SendQueue], _ context: AgentContext) throws(AgentError) -> SendQueue {
        guard let info = offer.queue.compatible(with: context.configuration.clientVersions) else { throw .peer(.version) }
        let address = QueueAddress(server: info.address.server, senderID: info.address.senderID)
        guard !(state.sendQueues + accepted).contains(where: { $0.address.isSame(as: address) }) else {
            throw .peer(.queue("QADD: queue address is already used in connection"))
        }
        var queue = try SendQueue(info, privateKey: nil, context)
        queue.isPrimary = false
        guard let replacedAddress = offer.replaced else {
            guard usedQueues(besides: accepted) < AgentLimits.maximumQueues else { throw .peer(.queue("QADD: too many queues")) }
            return queue
        }
        guard let replaced = state.sendQueue(at: replacedAddress), !accepted.contains(where: { $0.replaces == replaced.row }) else {
            throw .peer(.queue("QADD: replaced queue address is not found in connection"))
        }
        queue.replaces = replaced.row
        let others = (state.sendQueues + accepted).count { $0.replaces != nil && $0.replaces != replaced.row }
        let isRoom = replaced.isInUse || usedQueues(besides: accepted + [queue]) <= AgentLimits.maximumQueues
        guard isRoom, others < AgentLimits.maximumReplacements else { throw .peer(.queue("QADD: too many queues")) }
        return queue
    }

    /// `QUSE`: new queues are ready.
    mutating func receiveQueueUse(_ queues: [QueueUse], _ context: AgentContext) throws(AgentError) {
        try checkDuplex("QUSE")
        try checkRatchet()
        for use in bounded(queues, "QUSE") { attempt { transition throws(AgentError) in try transition.receive(use, context) } }
    }

    private mutating func receive(_ use: QueueUse, _ context: AgentContext) throws(AgentError) {
        guard let queue = state.sendQueue(at: use.queue), queue.replaces != nil || queue.isAddition else {
            throw .peer(.queue("QUSE: switched queue address not found in connection"))
        }
        guard let replaced = queue.replaces else { return try useAddition(queue, context) }
        guard let old = state.sendQueue(replaced) else {
            throw .peer(.queue("QUSE: switching SndQueue not found in connection"))
        }
        try checkSwitch(old.switchStatus, is: .sendingQKEY)
        updateSendQueue(queue.row) { $0.status = .secured }
        share(replaced)
        // In all other queues, too, so that no number is missing there.
        try enqueue(OutgoingContent(.queueTest([use.queue])), flags: MessageFlags(), context)
        updateSendQueue(replaced) { $0.switchStatus = .sendingQTEST }
        emitSwitch(.send, .secured)
    }

    /// The test message is in a queue. If that is the new one, so are all messages that its recipient may not have read, or they wait for it:
    /// the old one is forgotten, and one that the old one has not quite taken the place of.
    mutating func sentQueueTest(_ queue: SendQueue) throws(AgentError) {
        guard let replaced = queue.replaces else { return testedAddition(queue) }
        guard let old = state.sendQueue(replaced) else { throw AgentError(.internal("sent QTEST: replaced queue not in connection")) }
        try checkSwitch(old.switchStatus, is: .sendingQTEST)
        var left: SendQueue? = old
        var isPrimary = false
        while let queue = left {
            isPrimary = isPrimary || queue.isPrimary
            removeSendQueue(queue.row)
            left = queue.replaces.flatMap { state.sendQueue($0) }
        }
        updateSendQueue(queue.row) {
            $0.status = .active
            $0.isPrimary = isPrimary
            $0.replaces = nil
        }
        emitSwitch(.send, .completed)
    }
}

extension ReceiveQueue {
    /// The address that the queue's sender gets.
    var senderAddress: SMPQueueAddress {
        SMPQueueAddress(server: server, senderID: senderID, encryptionKey: encryptionKey.publicKey, mode: mode)
    }
}

extension AgentConnectionStats {
    /// - Parameter subscriptions: of the queues, by row; queues that are missing have none.
    init(_ state: ConnectionState, subscriptions: [RowID: AgentSubscriptionStatus] = [:]) {
        let receiveQueues = state.receiveQueues.map { queue in
            ReceiveQueueStats(
                row: queue.row, server: queue.server, status: queue.status, switchStatus: queue.switchStatus,
                canAbortSwitch: queue.switchStatus == .started || queue.switchStatus == .sendingQADD,
                subscription: subscriptions[queue.row] ?? .noSubscription)
        }
        self.init(
            agentVersion: state.record.agentVersion, receiveQueues: receiveQueues,
            sendQueues: state.sendQueues.map { SendQueueStats(server: $0.server, status: $0.status, switchStatus: $0.switchStatus) },
            ratchetSyncState: state.record.ratchetSync,
            ratchetSyncSupported: state.record.agentVersion >= AgentVersion.ratchetSync,
            subscription: receiveQueues.best)
    }

    /// The same, with the current subscriptions.
    func with(_ subscriptions: SubscriptionRegistry) -> AgentConnectionStats {
        var stats = self
        for index in stats.receiveQueues.indices {
            stats.receiveQueues[index].subscription = subscriptions.status(of: stats.receiveQueues[index].row) ?? .noSubscription
        }
        stats.subscription = stats.receiveQueues.best
        return stats
    }
}

extension [ReceiveQueueStats] {
    /// The queue with the best state counts.
    fileprivate var best: AgentSubscriptionStatus? { map(\.subscription).max { $0.order < $1.order } }
}

extension AgentEvent {
    /// The same, with the current subscriptions.
    func with(_ subscriptions: SubscriptionRegistry) -> AgentEvent {
        switch self {
        case .queueSwitch(let direction, let phase, let stats): .queueSwitch(direction, phase, stats.with(subscriptions))
        case .ratchetSync(let state, let error, let stats): .ratchetSync(state, error, stats.with(subscriptions))
        default: self
        }
    }
}

extension AgentSubscriptionStatus {
    fileprivate var order: Int {
        switch self {
        case .active: 3
        case .pending: 2
        case .removed: 1
        case .noSubscription: 0
        }
    }
}
