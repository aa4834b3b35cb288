import SMPCrypto
import SMPProtocol
import SMPWire

// Several queues side by side ("redundancy"): every message goes to each of them, and is taken from whichever has it first.
//
// The protocol has room for lists of queues: in invitations, in the confirmation of the joining side, and in `QADD`, whose offer may be to replace no
// queue. What is in them beyond the first queue of a handshake is taken as an offer of a queue besides the others, and agreed on as in a move
// (`QKEY`, `QUSE`, `QTEST`), through the queues that work already. Official agents read the first queue of each list and pass over the rest, and
// answer an offer that replaces nothing with an error of their own: a connection with them stays what it was.

extension Transition {
    /// Does one of several things that do not depend on each other: what fails changes nothing, and is reported.
    mutating func attempt(_ body: (inout Transition) throws(AgentError) -> Void) {
        let before = self
        do throws(AgentError) {
            try body(&self)
        } catch {
            self = before
            emit(.failed(error))
        }
    }

    // MARK: The recipient

    /// Offers a queue besides the others.
    mutating func offer(addition queue: ReceiveQueue, _ context: AgentContext) throws(AgentError) {
        let offer = QueueReplacement(
            queue: SMPQueueURI(clientVersions: context.configuration.clientVersions, address: queue.senderAddress), replaced: nil)
        try enqueue(OutgoingContent(.queueAdd([offer])), flags: MessageFlags(), context)
        add(queue)
    }

    /// The queue is secured with its sender's key: the sender may use it.
    mutating func securedAddition(_ queue: ReceiveQueue, _ context: AgentContext) throws(AgentError) {
        updateReceiveQueue(queue.row) { $0.status = .secured }
        let use = QueueUse(queue: queue.address, isPrimary: false)
        try enqueue(OutgoingContent(.queueUse([use])), flags: MessageFlags(), context)
    }

    /// Leaves a queue. Another takes its part if it was the primary one.
    mutating func leave(receiveQueue row: RowID) {
        let queue = state.receiveQueue(row)
        removeReceiveQueue(row)
        let others = state.receiveQueues.filter(\.isSecuredAddition)
        if queue?.isPrimary == true, let next = others.first(where: { $0.status == .active }) ?? others.first {
            updateReceiveQueue(next.row) { $0.isPrimary = true }
        }
        emit(.queuesChanged(.receive, AgentConnectionStats(state)))
    }

    // MARK: The sender

    /// Keeps the queues that the peer announced besides the first one, until the connection works.
    mutating func announced(_ queues: some Sequence<SMPQueueInfo>, _ context: AgentContext) throws(AgentError) {
        for info in queues where state.sendQueues.count < AgentLimits.maximumQueues {
            let address = QueueAddress(server: info.address.server, senderID: info.address.senderID)
            guard state.sendQueue(at: address) == nil else { continue }
            var queue = try SendQueue(info, privateKey: nil, context)
            queue.isPrimary = false
            add(queue)
        }
    }

    /// Both directions work: the peer gets our keys for the other queues that it has announced.
    mutating func connected(pqEncryption: Bool, _ context: AgentContext) {
        emit(.connected(pqEncryption: pqEncryption))
        let announced = state.sendQueues.filter { $0.isAddition && $0.status == .new }
        guard !announced.isEmpty else { return }
        attempt { transition throws(AgentError) in
            try transition.enqueue(OutgoingContent(.queueKey(announced.map(\.keysForRecipient))), flags: MessageFlags(), context)
            for queue in announced { transition.updateSendQueue(queue.row) { $0.status = .confirmed } }
        }
    }

    /// The queue is ready: from here on all messages go to it, too.
    mutating func useAddition(_ queue: SendQueue, _ context: AgentContext) throws(AgentError) {
        guard queue.status == .confirmed else { throw .peer(.queue("QUSE: queue is \(queue.status.rawValue)")) }
        updateSendQueue(queue.row) { $0.status = .secured }
        try enqueue(OutgoingContent(.queueTest([queue.address])), flags: MessageFlags(), context)
    }

    /// The test message is in a queue.
    mutating func testedAddition(_ queue: SendQueue) {
        guard queue.isAddition, queue.status == .secured else { return }
        updateSendQueue(queue.row) { $0.status = .active }
        emit(.queuesChanged(.send, AgentConnectionStats(state)))
    }

    /// Checks whether messages continue through other queues when this one takes none.
    func isDispensable(_ row: RowID) -> Bool {
        guard let queue = state.sendQueue(row), queue.replaces == nil, queue.switchStatus == nil else { return false }
        return state.sendQueues.contains { $0.row != row && $0.isInUse }
    }

    /// The number of queues besides each other that are used or will be, when these are added.
    func usedQueues(besides accepted: [SendQueue]) -> Int {
        let replaced = Set((state.sendQueues + accepted).compactMap(\.replaces))
        return state.sendQueues.count { $0.isInUse || $0.replaces == nil && replaced.contains($0.row) } + accepted.count { $0.replaces == nil }
    }

    /// Makes room for more queues besides each other. Those that are out of use are kept as long as there is room, as the peer may replace
    /// them: a queue that is gone, or was offered and is not used yet, which may never be.
    mutating func makeRoom(for accepted: [SendQueue]) {
        let replaced = Set((state.sendQueues + accepted).compactMap(\.replaces))
        let idle = state.sendQueues.filter { $0.isAddition && !$0.isActive && !replaced.contains($0.row) }
        let surplus = (state.sendQueues + accepted).count { $0.replaces == nil } - AgentLimits.maximumQueues
        guard surplus > 0 else { return }
        // Those that are gone first.
        for queue in (idle.filter { $0.status == .disabled } + idle.filter { $0.status != .disabled }).prefix(surplus) {
            removeSendQueue(queue.row)
        }
    }

    /// A queue is permanently gone, and others are left. It is kept as one that is not used, so that the peer can replace it.
    mutating func leave(sendQueue row: RowID, because error: AgentError) {
        guard let queue = state.sendQueue(row) else { return }
        updateSendQueue(row) {
            $0.status = .disabled
            $0.isPrimary = false
        }
        stopSending(to: row)
        if queue.isPrimary, let next = state.sendQueues.first(where: { $0.row != row && $0.isInUse }) {
            updateSendQueue(next.row) { $0.isPrimary = true }
        }
        emit(.failed(error))
        emit(.queuesChanged(.send, AgentConnectionStats(state)))
    }
}

extension SendQueue {
    /// Our keys for the queue, for its recipient.
    var keysForRecipient: QueueSenderKey {
        let address = SMPQueueAddress(server: server, senderID: senderID, encryptionKey: encryptionKey, mode: mode)
        return QueueSenderKey(queue: SMPQueueInfo(clientVersion: clientVersion, address: address), senderKey: privateKey.publicKey)
    }
}

extension AgentError {
    /// Checks whether the answer to `SEND` is that of the queue's router, not of a proxy on the way to it, and says that the queue will never take
    /// messages of ours again.
    func saysIsGone(_ queue: SendQueue) -> Bool {
        switch reason {
        case .smp(let server, .auth), .smp(let server, .blocked): server == queue.server.wireString
        default: false
        }
    }
}
