import ChatAPI
import ChatProtocol
import SMPAgent
import SMPWire

// Messages of contacts.

extension ChatTransaction {
    /// Bytes of the description of a received file that are kept at most: enough for files of more than 10 GB.
    static let longestFileDescription = 1 << 20

    /// - Parameter isRetry: whether it was set aside before, when it counted as received.
    func receiveMessage(
        _ metadata: MessageMetadata, _ messages: [ReceivedChatMessage.ParsingResult], isRetry: Bool = false, in context: inout ReceivingContext
    ) throws {
        effects.sendsReceipt = asksForReceipt(messages, in: context)
        if !isRetry {
            guard metadata.messageID > context.record.lastReceivedMessageID else { return }
            try db.updateConnection(context.record.id, lastReceived: metadata.messageID)
        }
        guard context.contact != nil else { return }
        if context.connection.status != .ready { try beginChat(in: &context) }
        // How an old message was protected says nothing about now.
        if !isRetry { try receiveEncryption(metadata.pqEncryption, in: &context) }
        try receiveIntegrity(metadata, in: &context)
        let brokerTime = UTCTimestamp(milliseconds: metadata.brokerTime)
        for message in messages {
            do {
                switch message {
                case .success(let received): try receive(received.message, brokerTime: brokerTime, in: &context)
                case .failure(let error): try receiveGarbled(error, in: &context)
                }
            } catch let refusal as Refusal {
                // One message of a batch does not hold up the others.
                emit(.chatError(error: refusal.error))
            }
        }
    }

    private func asksForReceipt(_ messages: [ReceivedChatMessage.ParsingResult], in context: ReceivingContext) -> Bool {
        guard let contact = context.contact else { return false }
        guard contact.chatSettings.sendsReceipts ?? context.user.sendsReceiptsToContacts else { return false }
        return messages.contains { message in
            guard case .success(let received) = message else { return false }
            return received.message.tag.hasDeliveryReceipt
        }
    }

    private func receiveIntegrity(_ metadata: MessageMetadata, in context: inout ReceivingContext) throws {
        guard let error = metadata.integrity.itemError, var contact = context.contact else { return }
        var draft = ItemDraft(.receivedIntegrityError(error: error), isSent: false)
        draft.timestamp = UTCTimestamp(milliseconds: metadata.brokerTime)
        let item = try addItem(draft, to: &contact, of: context.user)
        emit(.newChatItems(user: context.user, chatItems: [ItemInChat(chatInfo: .direct(contact: contact), chatItem: item)]))
        context.contact = contact
    }

    private func receiveGarbled(_ error: ChatProtocolError, in context: inout ReceivingContext) throws {
        guard var contact = context.contact else { return }
        try addInternalItems(
            [.receivedMessageError(error: .parseError(error: "\(error.code.rawValue): \(error.message)"))], isSent: false, to: &contact,
            of: context.user)
        context.contact = contact
    }

    /// Whether the last message was protected by post-quantum encryption; a change is shown.
    private func receiveEncryption(_ isPQ: Bool, in context: inout ReceivingContext) throws {
        guard var contact = context.contact, let connection = contact.activeConnection else { return }
        guard connection.pqReceiveEnabled != isPQ, connection.pqReceiveEnabled != nil || isPQ else { return }
        try db.updateConnection(context.record.id, pqReceiving: isPQ)
        let wasEnabled = connection.pqSendEnabled == true && connection.pqReceiveEnabled == true
        contact.activeConnection?.pqReceiveEnabled = isPQ
        let isEnabled = connection.pqSendEnabled == true && isPQ
        if wasEnabled != isEnabled {
            let content: ItemContent =
                connection.pqReceiveEnabled == nil
                ? .receivedDirectEncryption(info: EncryptionInfo(pqEnabled: isPQ)) : .receivedConnectionEvent(event: .pqEnabled(enabled: isPQ))
            try addInternalItems([content], isSent: false, to: &contact, of: context.user)
            emit(.contactPQEnabled(user: context.user, contact: contact, pqEnabled: isPQ))
        }
        context.contact = contact
    }

    private func receive(_ message: ChatMessage, brokerTime: UTCTimestamp, in context: inout ReceivingContext) throws {
        try updateVersions(message, in: &context)
        guard let contact = context.contact else { return }
        switch message.event {
        case .newMessage(let container): try receiveNew(container, id: message.messageID, brokerTime: brokerTime, in: &context)
        case .updateMessage(let update): try receiveUpdate(update, brokerTime: brokerTime, in: &context)
        case .deleteMessage(let deletion): try receiveDeletion(deletion.messageID, brokerTime: brokerTime, in: context)
        case .react(let change): try receiveReaction(change, brokerTime: brokerTime, in: context)
        case .info(let profile):
            context.contact = try updateProfile(of: contact, to: profile, createsItems: true, user: context.user)
        case .deleteContact: try receiveContactDeletion(id: message.messageID, brokerTime: brokerTime, in: &context)
        case .file(let invitation):
            try receiveNew(
                MessageContainer(content: .file(""), file: invitation), id: message.messageID, brokerTime: brokerTime, in: &context)
        case .callInvitation(let id, _): try receiveCall(id, brokerTime: brokerTime, in: &context)
        case .probe, .checkProbe, .confirmProbe, .ok, .endCall: break
        case .fileDescription(let id, let part): try keep(part, ofFileIn: id, in: context)
        default: reportUnsupported(message, in: context)
        }
    }

    /// Keeps a part of the description by which a file is fetched. Files are not received yet; the item shows that there is one.
    private func keep(_ part: FileDescription, ofFileIn id: SharedMessageID, in context: ReceivingContext) throws {
        guard let contact = context.contact, let item = try db.item(contact: contact.contactID, sharedMessageID: id, at: now) else { return }
        try db.append(part.text, toDescriptionOfFileIn: item.id, limit: Self.longestFileDescription)
    }

    /// Tells of a message that this version does not act on. It is not kept: nothing could be done with it later.
    func reportUnsupported(_ message: ChatMessage, in context: ReceivingContext) {
        if case .fileChunk = message.event { return }
        emit(
            .messageError(
                user: context.user, severity: "error", message: "unsupported message: \(message.tag.rawValue)"))
    }

    // MARK: New messages

    private func receiveNew(
        _ container: MessageContainer, id: SharedMessageID?, brokerTime: UTCTimestamp, in context: inout ReceivingContext
    ) throws {
        guard var contact = context.contact else { return }
        let isProhibited = container.content.isVoice && !contact.mergedPreferences.isAllowedForContact(.voice)
        var draft = ItemDraft(
            isProhibited ? .receivedChatFeatureRejected(feature: .voice) : .receivedMessage(content: verified(container.content, in: context)),
            isSent: false)
        draft.sharedMessageID = id
        draft.timestamp = brokerTime
        if !isProhibited {
            draft.timer = ItemTiming.received(from: contact, ttl: container.ttl)
            draft.isLive = container.isLive
            draft.forwarded = container.isForwarded ? .unknown : nil
            draft.quote = container.quote.map { quote in
                // The quote says whether its author wrote the quoted message: seen from here it is the other way round.
                QuoteRecord(
                    isSent: !quote.reference.sent, sharedMessageID: quote.reference.messageID, sentAt: quote.reference.sentAt,
                    content: quote.content)
            }
        }
        var item = try addItem(draft, to: &contact, of: context.user)
        if let file = container.file, !isProhibited { item = try addFile(file, to: item, contact: contact, user: context.user) }
        emit(.newChatItems(user: context.user, chatItems: [ItemInChat(chatInfo: .direct(contact: contact), chatItem: item)]))
        context.contact = contact
    }

    /// A signature of a link's owner counts only if it is bound to this connection: one that was made for another chat is dropped. Whose it is
    /// shows when the link is opened.
    private func verified(_ content: MessageContent, in context: ReceivingContext) -> MessageContent {
        guard case .chat(let text, let link, let signature?) = content else { return content }
        if let hash = context.securityCodeHash, signature.chatBinding.bytes == ChatBinding.direct(securityCodeHash: hash).bytes { return content }
        return .chat(text: text, link: link, ownerSignature: nil)
    }

    private func addFile(_ file: FileInvitation, to item: ChatItem, contact: Contact, user: User) throws -> ChatItem {
        let name = FileNames.safe(file.name)
        _ = try db.insertFile(
            user: user.userID, item: item.meta.itemID, name: name, size: file.size,
            fileProtocol: file.fileDescription == nil ? .smp : .xftp, status: .receiveInvitation, invitation: file.json, at: now)
        return try self.item(item.meta.itemID, contact: contact.contactID).item
    }

    /// We cannot take calls: the caller is told at once, and the chat shows that there was one.
    private func receiveCall(_ id: CallID, brokerTime: UTCTimestamp, in context: inout ReceivingContext) throws {
        guard var contact = context.contact else { return }
        var draft = ItemDraft(.receivedCall(status: .missed, duration: 0), isSent: false)
        draft.timestamp = brokerTime
        let item = try addItem(draft, to: &contact, of: context.user)
        emit(.newChatItems(user: context.user, chatItems: [ItemInChat(chatInfo: .direct(contact: contact), chatItem: item)]))
        context.contact = contact
        try send(.endCall(id), to: contact)
    }

    // MARK: Changes of messages

    private func receiveUpdate(_ update: MessageUpdate, brokerTime: UTCTimestamp, in context: inout ReceivingContext) throws {
        guard var contact = context.contact else { return }
        let user = context.user
        guard let stored = try db.item(contact: contact.contactID, sharedMessageID: update.messageID, at: now) else {
            // The message was deleted here, or never came: its new text is a new message.
            var container = MessageContainer(content: update.content)
            container.ttl = update.ttl
            let isProhibited = update.content.isVoice && !contact.mergedPreferences.isAllowedForContact(.voice)
            var draft = ItemDraft(
                isProhibited ? .receivedChatFeatureRejected(feature: .voice) : .receivedMessage(content: update.content), isSent: false)
            draft.sharedMessageID = update.messageID
            draft.timestamp = brokerTime
            if !isProhibited {
                draft.timer = ItemTiming.received(from: contact, ttl: update.ttl)
                draft.isLive = update.live == true
            }
            var item = try addItem(draft, to: &contact, of: user)
            if !isProhibited {
                try db.insertVersion(item: item.meta.itemID, content: update.content, versionAt: brokerTime, createdAt: now)
                try db.updateItem(
                    item.meta.itemID, content: item.content, text: item.content.text, hasLink: item.meta.hasLink, isEdited: true,
                    isLive: update.live == true, deleteAt: nil, at: now)
                item = try self.item(item.meta.itemID, contact: contact.contactID).item
            }
            emit(.chatItemUpdated(user: user, chatItem: ItemInChat(chatInfo: .direct(contact: contact), chatItem: item)))
            context.contact = contact
            return
        }
        guard !stored.isSent, let old = stored.message else {
            emit(.messageError(user: user, severity: "error", message: "x.msg.update: contact attempted invalid message update"))
            return
        }
        guard stored.item.meta.forwarded == nil else {
            emit(.messageError(user: user, severity: "error", message: "x.msg.update: contact attempted invalid message update"))
            return
        }
        let info = ChatInfo.direct(contact: contact)
        let wasLive = stored.item.meta.isLive == true
        guard old != update.content || wasLive else {
            emit(.chatItemNotChanged(user: user, chatItem: ItemInChat(chatInfo: info, chatItem: stored.item)))
            return
        }
        let item = try updateItem(
            stored, message: update.content, versionAt: brokerTime, isEdited: !wasLive, isLive: update.live == true)
        emit(.chatItemUpdated(user: user, chatItem: ItemInChat(chatInfo: info, chatItem: item)))
    }

    private func receiveDeletion(_ id: SharedMessageID, brokerTime: UTCTimestamp, in context: ReceivingContext) throws {
        guard let contact = context.contact else { return }
        guard let stored = try db.item(contact: contact.contactID, sharedMessageID: id, at: now) else {
            emit(.chatItemDeletedNotFound(user: context.user, contact: contact, sharedMessageID: id))
            return
        }
        guard !stored.isSent, ItemRules.acceptsDeletion(of: stored.item, at: brokerTime) else {
            emit(.messageError(user: context.user, severity: "error", message: "x.msg.del: contact attempted invalid message delete"))
            return
        }
        let deletions =
            contact.mergedPreferences.isAllowedForContact(.fullDelete)
            ? try removeItems([stored], of: contact) : try markItemsDeleted([stored], at: brokerTime, of: contact)
        emit(.chatItemsDeleted(user: context.user, deletions: deletions, byUser: false, timed: false))
    }

    private func receiveReaction(_ change: MessageReactionChange, brokerTime: UTCTimestamp, in context: ReceivingContext) throws {
        guard let contact = context.contact, contact.mergedPreferences.isAllowedForContact(.reactions) else { return }
        let before = try db.reactions(contact: contact.contactID, sharedMessageID: change.messageID, byUser: false)
        guard ReactionRules.isAllowed(change.reaction, isAdded: change.add, after: before) else { return }
        let stored = try db.item(contact: contact.contactID, sharedMessageID: change.messageID, at: now)
        if let stored, !ItemRules.acceptsReaction(stored.item) { return }
        // A reaction to a message that is not there is kept: the message may still come.
        try db.setReaction(
            contact: contact.contactID, sharedMessageID: change.messageID, byUser: false, reaction: change.reaction,
            isAdded: change.add, at: brokerTime)
        guard let stored else { return }
        let item = try item(stored.id, contact: contact.contactID).item
        let reaction = ItemReaction(direction: .directReceived, chatItem: item, sentAt: brokerTime, reaction: change.reaction)
        emit(
            .chatItemReaction(
                user: context.user, added: change.add,
                reaction: ReactionInChat(chatInfo: .direct(contact: contact), chatReaction: reaction)))
    }
}

extension UTCTimestamp {
    /// The moment that many milliseconds after 1970-01-01T00:00:00Z.
    init(milliseconds: Int64) {
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
        self.init(seconds: rest < 0 ? seconds - 1 : seconds, nanoseconds: UInt32((rest < 0 ? rest + 1_000 : rest) * 1_000_000))
    }
}

/// Names of files that came from others.
enum FileNames {
    /// The last part of a name, without what could leave a folder; never empty, at most 255 bytes.
    static func safe(_ name: String) -> String {
        let last = name.split(whereSeparator: { $0 == "/" || $0 == "\\" || $0 == "\0" }).last.map(String.init) ?? ""
        var kept = String(last.unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint && $0.value >= 0x20 }.map(Character.init))
        while kept.utf8.count > 255 { kept.removeLast() }
        return kept.isEmpty || kept == "." || kept == ".." ? "file" : kept
    }
}
