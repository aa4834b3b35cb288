import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPAgent
import SMPProtocol
import SMPWire

// What becomes of sent messages, and of the connections they go over.

extension ChatTransaction {
    /// Items whose messages reached a state; those that were received stay so.
    func receiveStatus(
        _ status: ItemStatus, of messages: [AgentMessageID], in context: ReceivingContext
    ) throws {
        guard let contact = context.contact else { return }
        var changed: [ItemInChat] = []
        for message in messages {
            guard let delivery = try db.deliveries.find(connection: context.record.id, agentMessageID: message) else {
                effects.isPremature = true
                continue
            }
            for id in delivery.items {
                guard let item = try changeStatus(of: id, to: status, viaProxy: nil, contact: contact) else { continue }
                changed.append(ItemInChat(chatInfo: .direct(contact: contact), chatItem: item))
            }
        }
        if !changed.isEmpty { emit(.chatItemsStatusesUpdated(user: context.user, chatItems: changed)) }
    }

    /// - Returns: the item as it is now; nil if nothing changed.
    func changeStatus(of id: ChatItemID, to status: ItemStatus, viaProxy: Bool?, contact: Contact) throws -> ChatItem? {
        guard let stored = try db.items.find(id, owner: .contact(contact.contactID), at: now) else { return nil }
        var item = stored.item
        if case .sendReceived = item.meta.status { return nil }
        guard item.meta.status != status else { return nil }
        try db.items.update(id, status: status, viaProxy: viaProxy, at: now)
        item.meta.status = status
        item.meta.updatedAt = now
        if let viaProxy { item.meta.sentViaProxy = viaProxy }
        return item
    }

    func receiveReceipts(
        _ metadata: MessageMetadata, _ receipts: [MessageReceipt], in context: inout ReceivingContext
    ) throws {
        guard metadata.messageID > context.record.lastReceivedMessageID else { return }
        for receipt in receipts {
            let status: ReceiptStatus = receipt.status == .ok ? .ok : .badMessageHash
            try receiveStatus(.sendReceived(receipt: status, progress: .complete), of: [receipt.messageID], in: context)
        }
        guard try noteReceipts(metadata, in: context) else { return }
        try receiveIntegrity(metadata.integrity, brokerTime: UTCTimestamp(milliseconds: metadata.brokerTime), in: &context)
    }

    /// Counts receipts as received. A fast peer can confirm a message before the outbox has stored the number that the agent gave it; such receipts
    /// are received again after the hand-over.
    ///
    /// - Returns: False if they are received again.
    func noteReceipts(_ metadata: MessageMetadata, in context: ReceivingContext) throws -> Bool {
        guard !effects.isPremature else { return false }
        try db.connections.update(context.record.id, lastReceived: metadata.messageID)
        return true
    }

    /// Messages that the agent gave up.
    func receiveFailure(of messages: [AgentMessageID], _ fault: AgentError, in context: ReceivingContext) throws {
        try receiveStatus(.sendError(error: fault.sendError), of: messages, in: context)
        guard !effects.isPremature else { return }
        report(fault, in: context)
        try countErrors(fault, isFinal: true, in: context)
    }

    /// A queue that is gone, or stays full, makes the connection unusable in the end.
    func countErrors(_ fault: AgentError, isFinal: Bool, in context: ReceivingContext) throws {
        let connection = context.connection
        switch fault.reason {
        case .smp(_, .auth) where isFinal:
            let count = connection.authErrorCounter + 1
            try db.connections.update(connection.connectionID, authErrors: count, quotaErrors: connection.quotaErrorCounter)
            guard count >= Connection.disablingErrorCount else { return }
            if var contact = context.contact {
                contact.activeConnection?.authErrorCounter = count
                emit(.contactDisabled(user: context.user, contact: contact))
            } else {
                emit(.connectionDisabled(connectionEntity: context.entity))
            }
        case .smp(_, .quota):
            guard connection.quotaErrorCounter < Connection.inactiveErrorCount else { return }
            let count = isFinal ? Self.givenUpErrorCount : connection.quotaErrorCounter + 1
            try db.connections.update(connection.connectionID, authErrors: connection.authErrorCounter, quotaErrors: count)
            if count >= Connection.inactiveErrorCount { emit(.connectionInactive(connectionEntity: context.entity, inactive: true)) }
        default: break
        }
    }

    /// The other side takes its messages again.
    func receiveContinuation(in context: ReceivingContext) throws {
        guard context.connection.quotaErrorCounter >= Connection.inactiveErrorCount else { return }
        try db.connections.update(context.record.id, authErrors: context.connection.authErrorCounter, quotaErrors: 0)
        emit(.connectionInactive(connectionEntity: context.entity, inactive: false))
    }

    // MARK: Changes of the connection

    func receiveSwitch(
        _ direction: QueueDirection, _ phase: AgentSwitchPhase, _ stats: AgentConnectionStats, in context: inout ReceivingContext
    ) throws {
        guard var contact = context.contact else { return }
        try addSwitch(direction, phase, stats, to: &contact, of: context.user)
        context.contact = contact
    }

    /// Tells of a queue that moves, and shows where that begins and ends.
    func addSwitch(
        _ direction: QueueDirection, _ phase: AgentSwitchPhase, _ stats: AgentConnectionStats, to contact: inout Contact, of user: User
    ) throws {
        emit(
            .contactSwitch(
                user: user, contact: contact,
                progress: SwitchProgress(
                    queueDirection: direction == .receive ? .received : .sent, phase: phase.api, connectionStats: stats.api)))
        guard phase == .started || phase == .completed else { return }
        // It is our address that changes when our receiving queue moves.
        let content: ItemContent =
            direction == .receive
            ? .sentConnectionEvent(event: .switchQueue(phase: phase.api, member: nil))
            : .receivedConnectionEvent(event: .switchQueue(phase: phase.api))
        try addInternalItems([content], isSent: direction == .receive, to: &contact, of: user)
    }

    func receiveRatchetSync(
        _ state: AgentRatchetSyncState, _ fault: AgentError.Crypto?, _ stats: AgentConnectionStats, in context: inout ReceivingContext
    ) throws {
        guard var contact = context.contact else { return }
        let user = context.user
        if state == .agreed, contact.activeConnection?.connectionCode != nil {
            try db.connections.update(context.record.id, securityCode: nil)
            contact.activeConnection?.connectionCode = nil
        }
        let progress = RatchetSyncProgress(status: state.api, connectionStats: stats.api)
        if let fault, state == .allowed || state == .required {
            try receiveDecryptionError(fault, progress: progress, contact: &contact, user: user)
        } else {
            let hadCode = context.contact?.activeConnection?.connectionCode != nil
            emit(.contactRatchetSync(user: user, contact: contact, progress: progress))
            try addInternalItems([.receivedConnectionEvent(event: .ratchetSync(status: state.api))], isSent: false, to: &contact, of: user)
            if state == .agreed, hadCode { try resetVerification(of: &contact, user: user) }
        }
        context.contact = contact
    }

    /// Tells that the security code of a contact changed.
    func resetVerification(of contact: inout Contact, user: User) throws {
        emit(.contactVerificationReset(user: user, contact: contact))
        try addInternalItems([.receivedConnectionEvent(event: .verificationCodeReset)], isSent: false, to: &contact, of: user)
    }

    /// Errors of one kind in a row are counted in one item.
    private func receiveDecryptionError(
        _ fault: AgentError.Crypto, progress: RatchetSyncProgress, contact: inout Contact, user: User
    ) throws {
        let (error, count) = fault.itemError
        if let last = try db.pages.lastItem(in: .chat(.contact(contact.contactID)), at: now),
            case .receivedDecryptionError(error, let before) = last.item.content
        {
            let content = ItemContent.receivedDecryptionError(error: error, messageCount: before + count)
            try db.items.update(
                last.id, content: content, text: content.text, hasLink: false, isEdited: false, isLive: false, deleteAt: nil, at: now)
            let item = try item(last.id, contact: contact.contactID).item
            emit(.chatItemUpdated(user: user, chatItem: ItemInChat(chatInfo: .direct(contact: contact), chatItem: item)))
            return
        }
        emit(.contactRatchetSync(user: user, contact: contact, progress: progress))
        try addInternalItems([.receivedDecryptionError(error: error, messageCount: count)], isSent: false, to: &contact, of: user)
    }
}
