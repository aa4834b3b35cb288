import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPAgent

// What becomes of sent messages, and of the connections they go over.

/// Stores what becomes of sent messages.
struct DeliveryStatuses: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Statuses of sent messages: sent, received, failed.
    var deliveryStatuses: DeliveryStatuses { DeliveryStatuses(transaction: self) }
}

extension DeliveryStatuses {
    /// Items whose messages reached a state; those that were received stay so.
    func receiveStatus(
        _ status: ItemStatus, of messages: [AgentMessageID], in context: ReceivingContext
    ) throws {
        guard let contact = context.contact else { return }
        var changed: [ItemInChat] = []
        for message in messages {
            guard let delivery = try db.deliveries.find(connection: context.record.id, agentMessageID: message) else {
                transaction.effects.isPremature = true
                continue
            }
            for id in delivery.items {
                guard let item = try changeStatus(of: id, to: status, viaProxy: nil, contact: contact) else { continue }
                changed.append(ItemInChat(chatInfo: .direct(contact: contact), chatItem: item))
            }
        }
        if !changed.isEmpty { emit(.chatItemsStatusesUpdated(user: context.user, chatItems: changed)) }
    }

    /// - Returns: the updated item; nil if nothing changed.
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
        try transaction.connectionEvents.receiveIntegrity(metadata.integrity, brokerTime: UTCTimestamp(milliseconds: metadata.brokerTime), in: &context)
    }

    /// Counts receipts as received. A fast peer can confirm a message before the outbox has stored the number that the agent gave it; such receipts
    /// are received again after the hand-over.
    ///
    /// - Returns: False if they are received again.
    func noteReceipts(_ metadata: MessageMetadata, in context: ReceivingContext) throws -> Bool {
        guard !transaction.effects.isPremature else { return false }
        try db.connections.update(context.record.id, lastReceived: metadata.messageID)
        return true
    }

    /// Messages that the agent gave up.
    func receiveFailure(of messages: [AgentMessageID], _ fault: AgentError, in context: ReceivingContext) throws {
        try receiveStatus(.sendError(error: fault.sendError), of: messages, in: context)
        guard !transaction.effects.isPremature else { return }
        transaction.connectionEvents.report(fault, in: context)
        try transaction.connectionEvents.countErrors(fault, isFinal: true, in: context)
    }
}
