import ChatAPI
import ChatProtocol
import EncryptedSQLite
import SMPWire

// Sending messages.

/// A message to be sent, written or forwarded.
struct Composition: Sendable {
    var message: ComposedMessage
    var forwarded: ForwardedFrom?

    init(_ message: ComposedMessage, forwarded: ForwardedFrom? = nil) {
        self.message = message
        self.forwarded = forwarded
    }
}

extension ChatTransaction {
    func send(_ messages: [Composition], to id: ContactID, isLive: Bool, ttl: Int?, of user: User) throws -> ChatResponse {
        let written = try write(messages, to: id, isLive: isLive, ttl: ttl, of: user)
        try send(written.outgoing, to: written.contact)
        return written.response
    }

    /// What became of a command before its messages are sent: items, and the messages that carry them.
    private struct Written {
        var contact: Contact
        var outgoing: [OutgoingMessage]
        var response: ChatResponse
    }

    private func write(_ messages: [Composition], to id: ContactID, isLive: Bool, ttl: Int?, of user: User) throws -> Written {
        try messages.forEach(check)
        if messages.count > 1, isLive || messages.count(where: { $0.message.quotedItemID != nil }) > 1 {
            throw Refusal.command("invalid multi send: live and more than one quote not supported")
        }
        guard messages.allSatisfy({ $0.message.mentions.isEmpty }) else {
            throw Refusal.command("mentions are not supported in this chat")
        }
        var contact = try contact(id, of: user)
        _ = try sendingConnection(contact)
        if !contact.mergedPreferences.isAllowedForUser(.voice), messages.contains(where: { $0.message.content.isVoice }) {
            throw Refusal.command("feature not allowed " + ChatFeature.voice.name)
        }
        guard messages.allSatisfy({ $0.message.fileSource == nil }) else { throw Refusal.unsupported("sending files") }
        let timer = ItemTiming.sent(to: contact, ttl: ttl, isLive: isLive, at: time.steady)

        var items: [ItemInChat] = []
        var outgoing: [OutgoingMessage] = []
        var errors: [ChatError] = []
        // Quotes are found before anything is written: one that is not there refuses the whole command.
        let quotes = try messages.map { try quote($0.message.quotedItemID, with: $0.message.content, in: contact) }
        for (message, quote) in zip(messages, quotes) {
            var container = MessageContainer(content: message.message.content)
            container.quote = quote?.quoted
            container.forward = message.forwarded == nil ? nil : true
            container.ttl = timer?.ttl
            container.live = isLive ? true : nil
            do {
                var sent = try OutgoingMessage(.newMessage(container), id: newSharedMessageID())
                var draft = ItemDraft(.sentMessage(content: message.message.content), isSent: true)
                draft.sharedMessageID = sent.id
                draft.timer = timer
                draft.isLive = isLive
                draft.forwarded = message.forwarded
                draft.quote = quote?.record
                let item = try addItem(draft, to: &contact, of: user)
                sent.itemID = item.meta.itemID
                outgoing.append(sent)
                items.append(ItemInChat(chatInfo: .direct(contact: contact), chatItem: item))
            } catch let refusal as Refusal {
                errors.append(refusal.error)
            }
        }
        if items.isEmpty, let error = errors.first { throw Refusal(error) }
        if !errors.isEmpty { emit(.chatErrors(errors: errors)) }
        return Written(contact: contact, outgoing: outgoing, response: .newChatItems(user: user, chatItems: items))
    }

    /// Carries out commands that send to the same contact, with as few bodies as all their messages fit in: a message by itself is a
    /// block of 16 KiB on its way, a step of the ratchet and three commits, whatever is in it.
    ///
    /// - Returns: what became of each. If they cannot be sent together, each is sent by itself.
    func sendJointly(_ commands: [JointSend], to id: ContactID) throws -> [Result<ChatResponse, Refusal>] {
        let user: User
        do { user = try self.user() } catch let refusal as Refusal { return commands.map { _ in .failure(refusal) } }
        let together = try attempt {
            let written = try commands.map { try write($0.messages.map { Composition($0) }, to: id, isLive: false, ttl: $0.ttl, of: user) }
            if let contact = written.last?.contact { try send(written.flatMap(\.outgoing), to: contact) }
            return written.map(\.response)
        }
        if case .success(let responses) = together { return responses.map { .success($0) } }
        return try commands.map { command in
            try attempt { try send(command.messages.map { Composition($0) }, to: id, isLive: false, ttl: command.ttl, of: user) }
        }
    }

    /// Does all of it, or nothing if it is refused.
    private func attempt<T>(_ body: () throws -> T) throws -> Result<T, Refusal> {
        let before = effects
        do {
            return .success(try db.savepoint(body))
        } catch let refusal as Refusal {
            effects = before
            return .failure(refusal)
        }
    }

    /// Refuses content that only other commands make.
    private func check(_ composition: Composition) throws {
        try check(composition.message.content)
    }

    private func check(_ content: MessageContent) throws {
        if case .report = content { throw Refusal.command("sending reports via this API is not supported") }
    }

    /// What a message answers: as it is sent, and as it is stored.
    private func quote(
        _ id: ChatItemID?, with content: MessageContent, in contact: Contact
    ) throws -> (quoted: QuotedMessage, record: QuoteRecord)? {
        guard let id else { return nil }
        let stored = try item(id, contact: contact.contactID)
        guard stored.item.meta.deleted == nil, let message = stored.message else { throw Refusal.store(.invalidQuote) }
        let meta = stored.item.meta
        let quoted = ItemRules.quoted(message, in: content, fileName: stored.item.file?.fileName)
        return (
            QuotedMessage(
                reference: MessageReference(messageID: meta.sharedMessageID, sentAt: meta.itemTimestamp, sent: stored.isSent),
                content: quoted),
            QuoteRecord(isSent: stored.isSent, sharedMessageID: meta.sharedMessageID, sentAt: meta.itemTimestamp, content: quoted)
        )
    }

    // MARK: Notes to oneself

    func addNotes(_ messages: [Composition], to id: NoteFolderID, of user: User) throws -> ChatResponse {
        try messages.forEach(check)
        guard messages.allSatisfy({ $0.message.mentions.isEmpty }) else {
            throw Refusal.command("mentions are not supported in this chat")
        }
        let folder = try noteFolder(id, of: user)
        guard messages.allSatisfy({ $0.message.quotedItemID == nil }) else { throw Refusal.command("createNoteFolderContentItems: quotes not supported") }
        guard messages.allSatisfy({ $0.message.fileSource == nil }) else { throw Refusal.unsupported("files in notes") }
        try db.touchNoteFolder(id, chatTime: now)
        let items = try messages.map { message in
            var draft = ItemDraft(.sentMessage(content: message.message.content), isSent: true)
            draft.forwarded = message.forwarded
            let item = try addItem(draft, owner: .notes(id), user: user.userID)
            return ItemInChat(chatInfo: .local(noteFolder: folder), chatItem: item)
        }
        return .newChatItems(user: user, chatItems: items)
    }

    // MARK: Editing

    func edit(_ id: ChatItemID, in chat: ChatReference, to message: UpdatedMessage, isLive: Bool) throws -> ChatResponse {
        let user = try user()
        try check(message.content)
        switch try place(chat, of: user) {
        case .contact(let contact):
            guard message.mentions.isEmpty else { throw Refusal.command("mentions are not supported in this chat") }
            return try edit(id, to: message.content, isLive: isLive, contact: contact, user: user)
        case .notes(let folder):
            guard message.mentions.isEmpty else { throw Refusal.command("mentions are not supported in this chat") }
            let stored = try item(id, in: .notes(folder))
            guard stored.isSent, let old = stored.message else { throw Refusal.chat(.invalidChatItemUpdate) }
            let info = ChatInfo.local(noteFolder: folder)
            guard old != message.content else {
                return .chatItemNotChanged(user: user, chatItem: ItemInChat(chatInfo: info, chatItem: stored.item))
            }
            let item = try updateItem(stored, message: message.content, versionAt: now, isEdited: true, isLive: false)
            return .chatItemUpdated(user: user, chatItem: ItemInChat(chatInfo: info, chatItem: item))
        }
    }

    private func edit(
        _ id: ChatItemID, to content: MessageContent, isLive: Bool, contact: Contact, user: User
    ) throws -> ChatResponse {
        _ = try sendingConnection(contact)
        let stored = try item(id, contact: contact.contactID)
        guard stored.isSent, let old = stored.message, let sharedID = stored.item.meta.sharedMessageID, stored.item.meta.isEditable else {
            throw Refusal.chat(.invalidChatItemUpdate)
        }
        let info = ChatInfo.direct(contact: contact)
        let wasLive = stored.item.meta.isLive == true
        guard content != old || wasLive else {
            return .chatItemNotChanged(user: user, chatItem: ItemInChat(chatInfo: info, chatItem: stored.item))
        }
        var update = MessageUpdate(messageID: sharedID, content: content)
        update.ttl = stored.item.meta.timed?.ttl
        update.live = wasLive && isLive ? true : nil
        let item = try updateItem(stored, message: content, versionAt: now, isEdited: !wasLive, isLive: wasLive && isLive)
        try send(.updateMessage(update), to: contact, itemID: id)
        return .chatItemUpdated(user: user, chatItem: ItemInChat(chatInfo: info, chatItem: item))
    }

    // MARK: Deleting

    func deleteItems(_ ids: [ChatItemID], of chat: ChatReference, _ mode: DeleteMode) throws -> ChatResponse {
        let user = try user()
        let place = try place(chat, of: user)
        let items = try found(ids, in: place)
        switch place {
        case .contact(let contact):
            let deletions =
                switch mode {
                case .internal: try removeItems(items, of: contact)
                case .internalMark: try markItemsDeleted(items, at: now, of: contact)
                case .broadcast: try deleteForBoth(items, of: contact)
                default: throw Refusal.command("not supported")
                }
            return .chatItemsDeleted(user: user, deletions: deletions, byUser: true, timed: false)
        case .notes:
            let deletions = try items.map { stored in
                try db.deleteItem(stored)
                return ChatItemDeletion(deletedChatItem: ItemInChat(chatInfo: place.info, chatItem: stored.item))
            }
            return .chatItemsDeleted(user: user, deletions: deletions, byUser: true, timed: false)
        }
    }

    /// Items by their ids; of those that are not there an event tells.
    private func found(_ ids: [ChatItemID], in place: Conversation) throws -> [StoredItem] {
        var items: [StoredItem] = []
        var errors: [ChatError] = []
        for id in ids {
            if let item = try db.item(id, owner: place.owner, at: now) {
                items.append(item)
            } else {
                errors.append(.store(error: .chatItemNotFound(itemID: id)))
            }
        }
        if !errors.isEmpty { emit(.chatErrors(errors: errors)) }
        return items
    }

    private func deleteForBoth(_ items: [StoredItem], of contact: Contact) throws -> [ChatItemDeletion] {
        guard items.allSatisfy({ ItemRules.canDeleteForBoth($0.item, at: now) }) else {
            throw Refusal.chat(.invalidChatItemDelete)
        }
        _ = try sendingConnection(contact)
        let messages = try items.compactMap { stored in
            try stored.item.meta.sharedMessageID.map { id in
                try OutgoingMessage(.deleteMessage(MessageDeletion(messageID: id)), id: newSharedMessageID())
            }
        }
        try send(messages, to: contact)
        return contact.mergedPreferences.isAllowedForUser(.fullDelete)
            ? try removeItems(items, of: contact) : try markItemsDeleted(items, at: now, of: contact)
    }

    // MARK: Reacting

    func react(to id: ChatItemID, in chat: ChatReference, with reaction: MessageReaction, isAdded: Bool) throws -> ChatResponse {
        let user = try user()
        guard chat.type == .direct else {
            if chat.type == .group { return try refuseGroup(chat) }
            throw Refusal.command("not supported")
        }
        let contact = try contact(chat.id, of: user)
        let stored = try item(id, contact: contact.contactID)
        guard let sharedID = stored.item.meta.sharedMessageID else {
            throw Refusal.command("reaction not possible - no shared item ID")
        }
        guard contact.mergedPreferences.isAllowedForUser(.reactions) else {
            throw Refusal.command("feature not allowed " + ChatFeature.reactions.name)
        }
        guard ItemRules.acceptsReaction(stored.item) else {
            throw Refusal.command("reaction not allowed - chat item has no content")
        }
        let before = try db.reactions(contact: contact.contactID, sharedMessageID: sharedID, byUser: true)
        try ReactionRules.check(reaction, isAdded: isAdded, after: before)
        _ = try sendingConnection(contact)
        try send(.react(MessageReactionChange(messageID: sharedID, reaction: reaction, add: isAdded)), to: contact)
        try db.setReaction(
            contact: contact.contactID, sharedMessageID: sharedID, byUser: true, reaction: reaction, isAdded: isAdded, at: now)
        let item = try item(id, contact: contact.contactID).item
        let change = ItemReaction(direction: .directSent, chatItem: item, sentAt: now, reaction: reaction)
        return .chatItemReaction(
            user: user, added: isAdded, reaction: ReactionInChat(chatInfo: .direct(contact: contact), chatReaction: change))
    }

    // MARK: Forwarding

    func planForward(_ ids: [ChatItemID], from chat: ChatReference) throws -> ChatResponse {
        let user = try user()
        let items = try found(ids, in: try place(chat, of: user))
        let forwardable = items.filter { $0.message != nil && $0.item.meta.deleted == nil }
        // Files cannot be forwarded: of messages with one only the text is.
        let withFiles = forwardable.filter { $0.item.file != nil }
        let waiting = withFiles.compactMap { $0.item.file?.fileID }
        return .forwardPlan(
            user: user, itemsCount: ids.count, chatItemIDs: forwardable.filter { $0.item.file == nil || $0.hasText }.map(\.id),
            confirmation: waiting.isEmpty ? nil : .filesNotAccepted(fileIDs: waiting))
    }

    func forward(_ ids: [ChatItemID], from source: ChatReference, to target: ChatReference, ttl: Int?) throws -> ChatResponse {
        let user = try user()
        if target.type == .group { return try refuseGroup(target) }
        let place = try place(source, of: user)
        let messages = try found(ids, in: place).compactMap { stored -> Composition? in
            guard var content = stored.message, stored.item.meta.deleted == nil else { return nil }
            if stored.item.file != nil {
                guard stored.hasText else { return nil }
                content = .text(content.text)
            }
            return Composition(ComposedMessage(content: content), forwarded: stored.forwarded(from: place))
        }
        guard !messages.isEmpty else { return .newChatItems(user: user, chatItems: []) }
        switch target.type {
        case .direct: return try send(messages, to: target.id, isLive: false, ttl: ttl, of: user)
        case .local: return try addNotes(messages, to: target.id, of: user)
        default: throw Refusal.command("not supported")
        }
    }
}

extension StoredItem {
    fileprivate var hasText: Bool { message.map { !$0.text.isEmpty } ?? false }

    /// Where a message says it was forwarded from: where it was first, if it was forwarded before.
    fileprivate func forwarded(from place: Conversation) -> ForwardedFrom? {
        if let known = item.meta.forwarded, known != .unknown { return known }
        switch place {
        case .contact(let contact):
            let alias = contact.profile.localAlias
            return .contact(
                chatName: alias.isEmpty ? contact.profile.displayName : alias, messageDirection: isSent ? .sent : .received,
                contactID: contact.contactID, chatItemID: id)
        case .notes: return item.meta.forwarded
        }
    }
}
