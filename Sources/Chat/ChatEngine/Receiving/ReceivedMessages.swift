import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPAgent

// Received messages.

/// Receives messages of contacts.
struct ReceivedMessages: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Messages of contacts.
    var receivedMessages: ReceivedMessages { ReceivedMessages(transaction: self) }
}

extension ReceivedMessages {
    /// - Parameter isRetry: whether the message was quarantined before, when it counted as received.
    func receive(
        _ metadata: MessageMetadata, _ messages: [ReceivedChatMessage.ParsingResult], isRetry: Bool = false, in context: inout ReceivingContext
    ) throws {
        transaction.effects.sendsReceipt = asksForReceipt(messages, in: context)
        if !isRetry {
            guard metadata.messageID > context.record.lastReceivedMessageID else { return }
            try db.connections.update(context.record.id, lastReceived: metadata.messageID)
        }
        guard case .contact = context.peer else { return }
        if context.connection.status != .ready { try transaction.handshakes.beginChat(in: &context) }
        // How an old message was protected says nothing about now.
        if !isRetry { try receiveEncryption(metadata.pqEncryption, in: &context) }
        let brokerTime = UTCTimestamp(milliseconds: metadata.brokerTime)
        try transaction.connectionEvents.receiveIntegrity(metadata.integrity, brokerTime: brokerTime, in: &context)
        try transaction.connectionEvents.receiveEach(messages, in: &context) { received, context in
            try receive(received.message, brokerTime: brokerTime, in: &context)
        } unreadable: { text, context in
            try receiveGarbled(text, in: &context)
        }
    }

    private func asksForReceipt(_ messages: [ReceivedChatMessage.ParsingResult], in context: ReceivingContext) -> Bool {
        guard case .contact(let contact) = context.peer else { return false }
        guard contact.chatSettings.sendsReceipts ?? context.user.sendsReceiptsToContacts else { return false }
        return messages.contains { message in
            guard case .success(let received) = message else { return false }
            return received.message.tag.hasDeliveryReceipt
        }
    }

    private func receiveGarbled(_ text: String, in context: inout ReceivingContext) throws {
        guard var contact = context.contact else { return }
        try transaction.items.addInternal([.receivedMessageError(error: .parseError(error: text))], isSent: false, to: &contact, of: context.user)
        context.contact = contact
    }

    /// Stores whether the last received message was protected by post-quantum encryption; a change is shown.
    private func receiveEncryption(_ isPQ: Bool, in context: inout ReceivingContext) throws {
        guard var contact = context.contact, let connection = contact.activeConnection else { return }
        guard connection.pqReceiveEnabled != isPQ, connection.pqReceiveEnabled != nil || isPQ else { return }
        try db.connections.update(context.record.id, pqReceiving: isPQ)
        let wasEnabled = connection.pqSendEnabled == true && connection.pqReceiveEnabled == true
        contact.activeConnection?.pqReceiveEnabled = isPQ
        let isEnabled = connection.pqSendEnabled == true && isPQ
        if wasEnabled != isEnabled {
            let content: ItemContent =
                connection.pqReceiveEnabled == nil
                ? .receivedDirectEncryption(info: EncryptionInfo(pqEnabled: isPQ)) : .receivedConnectionEvent(event: .pqEnabled(enabled: isPQ))
            try transaction.items.addInternal([content], isSent: false, to: &contact, of: context.user)
            emit(.contactPQEnabled(user: context.user, contact: contact, pqEnabled: isPQ))
        }
        context.contact = contact
    }

    private func receive(_ message: ChatMessage, brokerTime: UTCTimestamp, in context: inout ReceivingContext) throws {
        try transaction.connectionEvents.updateVersions(message, in: &context)
        guard case .contact(let contact) = context.peer else { return }
        let user = context.user
        var conversation = Conversation.contact(contact)
        switch message.event {
        case .newMessage(var container):
            container.content = verified(container.content, in: context)
            try receiveNew(container, id: message.messageID, brokerTime: brokerTime, in: &conversation, of: user)
        case .file(let invitation):
            let container = MessageContainer(content: .file(""), file: invitation)
            try receiveNew(container, id: message.messageID, brokerTime: brokerTime, in: &conversation, of: user)
        case .updateMessage(let update): try receiveUpdate(update, brokerTime: brokerTime, in: &conversation, of: user)
        case .deleteMessage(let deletion): try receiveDeletion(deletion.messageID, brokerTime: brokerTime, in: conversation, of: user)
        case .react(let change): try receiveReaction(change, brokerTime: brokerTime, in: conversation, of: user)
        case .callInvitation(let id, _): try receiveCall(id, brokerTime: brokerTime, in: &conversation, of: user)
        case .info(let profile):
            conversation = .contact(try transaction.contacts.updateProfile(of: contact, to: profile, createsItems: true, user: user))
        case .deleteContact: return try transaction.contacts.receiveDeletion(id: message.messageID, brokerTime: brokerTime, in: &context)
        case .groupInvitation(let invitation):
            return try transaction.groupInvitations.receive(invitation, id: message.messageID, brokerTime: brokerTime, from: contact, in: &context)
        case .probe(let probe): return try transaction.probes.receive(probe, from: .contact(contact), of: user)
        case .checkProbe(let hash): return try transaction.probes.receive(hash, from: .contact(contact), of: user)
        case .confirmProbe(let probe): return try transaction.probes.receiveConfirmation(of: probe, from: .contact(contact), of: user)
        case .ok, .endCall: return
        case .fileDescription(let id, let part): return try transaction.receivedFiles.receive(part, ofFileIn: id, from: contact, of: user)
        case .cancelFile(let id): return try transaction.receivedFiles.receiveCancellation(ofFileIn: id, from: contact, of: user)
        case .fileChunk(let id, let chunk): return try transaction.inlineFiles.receive(chunk, ofFileIn: id, from: contact, of: user)
        case .acceptFileInvitation(let id, _, _):
            if try !transaction.inlineFiles.refuseChunks(ofFileIn: id, to: contact) { transaction.connectionEvents.reportUnsupported(message, in: context) }
            return
        default: return transaction.connectionEvents.reportUnsupported(message, in: context)
        }
        context.update(conversation)
    }

    private func receiveNew(
        _ container: MessageContainer, id: SharedMessageID?, brokerTime: UTCTimestamp, in conversation: inout Conversation, of user: User
    ) throws {
        guard try id.flatMap({ try storedItem($0, in: conversation) }) == nil else {
            return reportError("x.msg.new ignored: message is already there", severity: "warning", of: user)
        }
        var draft = draft(of: container.content, id: id, brokerTime: brokerTime, in: conversation)
        if draft.content.message != nil {
            draft.timer = conversation.receivedTimer(ttl: container.ttl)
            draft.isLive = container.isLive
            draft.forwarded = container.isForwarded ? .unknown : nil
            draft.quote = container.quote.map { quote in
                // The quote says whether its author wrote the quoted message: seen from here it is the other way round.
                QuoteRecord(
                    isSent: !quote.reference.sent, sharedMessageID: quote.reference.messageID, sentAt: quote.reference.sentAt,
                    content: quote.content)
            }
        }
        var item = try transaction.items.add(draft, to: &conversation, of: user)
        if let file = container.file, draft.content.message != nil { item = try transaction.receivedFiles.attach(file, to: item, in: conversation, of: user) }
        emit(.newChatItems(user: user, chatItems: [conversation.containing(item)]))
    }

    /// The item for a received message, or for one of a kind that the conversation does not allow.
    private func draft(of content: MessageContent, id: SharedMessageID?, brokerTime: UTCTimestamp, in conversation: Conversation) -> ItemDraft {
        let isProhibited = content.isVoice && !conversation.isAllowedForPeer(.voice)
        var draft = ItemDraft(
            isProhibited ? .receivedChatFeatureRejected(feature: .voice) : .receivedMessage(content: content), isSent: false)
        draft.sharedMessageID = id
        draft.timestamp = brokerTime
        return draft
    }

    /// A signature of a link's owner counts only if it is bound to this connection: a signature for another chat is dropped. Whose it is
    /// shows when the link is opened.
    private func verified(_ content: MessageContent, in context: ReceivingContext) -> MessageContent {
        guard case .chat(_, _, let signature?) = content.kind else { return content }
        if let hash = context.securityCodeHash, signature.chatBinding.bytes == ChatBinding.direct(securityCodeHash: hash).bytes { return content }
        return content.withoutOwnerSignature
    }

    /// Ends a call at once, as this core cannot take calls; the chat shows that there was one.
    private func receiveCall(_ id: CallID, brokerTime: UTCTimestamp, in conversation: inout Conversation, of user: User) throws {
        var draft = ItemDraft(.receivedCall(status: .missed, duration: 0), isSent: false)
        draft.timestamp = brokerTime
        try transaction.items.announce(draft, in: &conversation, of: user)
        try transaction.outbox.send(
            [OutgoingMessage(.endCall(id), id: newSharedMessageID())], to: try transaction.outbox.audience(of: conversation), in: conversation, of: user)
    }

    // MARK: Changes of messages

    private func receiveUpdate(_ update: MessageUpdate, brokerTime: UTCTimestamp, in conversation: inout Conversation, of user: User) throws {
        let stored = try storedItem(update.messageID, in: conversation)
        switch (ReceivedEditDecision(update, of: stored), stored) {
        case (.insert, _), (_, nil): try receiveUpdateOfUnknown(update, brokerTime: brokerTime, in: &conversation, of: user)
        case (.refuse, _):
            emit(.messageError(user: user, severity: "error", message: "x.msg.update: contact attempted invalid message update"))
        case (.unchanged, let stored?): emit(.chatItemNotChanged(user: user, chatItem: conversation.containing(stored.item)))
        case (.replace(let isEdited, let isLive), let stored?):
            let item = try transaction.items.update(stored, message: update.content, versionAt: brokerTime, isEdited: isEdited, isLive: isLive)
            emit(.chatItemUpdated(user: user, chatItem: conversation.containing(item)))
        }
    }

    private func receiveUpdateOfUnknown(
        _ update: MessageUpdate, brokerTime: UTCTimestamp, in conversation: inout Conversation, of user: User
    ) throws {
        var draft = draft(of: update.content, id: update.messageID, brokerTime: brokerTime, in: conversation)
        let isProhibited = draft.content.message == nil
        if !isProhibited {
            draft.timer = conversation.receivedTimer(ttl: update.ttl)
            draft.isLive = update.live == true
        }
        var item = try transaction.items.add(draft, to: &conversation, of: user)
        if !isProhibited {
            try db.items.insertVersion(item: item.meta.itemID, content: update.content, versionAt: brokerTime, createdAt: now)
            try db.items.update(
                item.meta.itemID, content: item.content, text: item.content.text, hasLink: item.meta.hasLink, isEdited: true,
                isLive: update.live == true, deleteAt: nil, at: now)
            item = try transaction.conversations.item(item.meta.itemID, in: conversation).item
        }
        emit(.chatItemUpdated(user: user, chatItem: conversation.containing(item)))
    }

    private func receiveDeletion(_ id: SharedMessageID, brokerTime: UTCTimestamp, in conversation: Conversation, of user: User) throws {
        let stored = try storedItem(id, in: conversation)
        let deletions: [ChatItemDeletion]
        switch (ReceivedDeletionDecision(of: stored, in: conversation, at: brokerTime), stored) {
        case (.notFound, _), (_, nil):
            if case .contact(let contact) = conversation {
                emit(.chatItemDeletedNotFound(user: user, contact: contact, sharedMessageID: id))
            }
            return
        case (.refuse, _):
            return emit(.messageError(user: user, severity: "error", message: "x.msg.del: contact attempted invalid message delete"))
        case (.remove, let stored?): deletions = try transaction.items.remove([stored], from: conversation)
        case (.mark, let stored?): deletions = try transaction.items.markDeleted([stored], at: brokerTime, in: conversation)
        }
        emit(.chatItemsDeleted(user: user, deletions: deletions, byUser: false, timed: false))
    }

    private func receiveReaction(_ change: MessageReactionChange, brokerTime: UTCTimestamp, in conversation: Conversation, of user: User) throws {
        guard let contact = conversation.owner.contactID else { return }
        let before = try db.reactions.reactions(contact: contact, sharedMessageID: change.messageID, byUser: false)
        let stored = try storedItem(change.messageID, in: conversation)
        let decision = ReceivedReactionDecision(change, to: stored, after: before, in: conversation)
        guard decision != .ignore else { return }
        try db.reactions.set(
            contact: contact, sharedMessageID: change.messageID, byUser: false, reaction: change.reaction, isAdded: change.add, isEarly: decision == .keep,
            at: brokerTime)
        guard decision == .apply, let stored else { return }
        let item = try transaction.conversations.item(stored.id, in: conversation).item
        let reaction = ItemReaction(direction: .directReceived, chatItem: item, sentAt: brokerTime, reaction: change.reaction)
        emit(.chatItemReaction(user: user, added: change.add, reaction: ReactionInChat(chatInfo: conversation.info, chatReaction: reaction)))
    }

    /// The newest item of a conversation under the id by which both sides know a message.
    private func storedItem(_ id: SharedMessageID, in conversation: Conversation) throws -> StoredItem? {
        guard let contact = conversation.owner.contactID else { return nil }
        return try db.items.find(contact: contact, sharedMessageID: id, at: now)
    }
}
