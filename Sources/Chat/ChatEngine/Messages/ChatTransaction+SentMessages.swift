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
    /// Adds the items of messages to a conversation and sends them.
    ///
    /// - Parameters:
    ///   - isLive: True for a message that is shown while it is typed.
    ///   - ttl: The time to live, in seconds; nil for that of the conversation.
    func send(_ messages: [Composition], to chat: ChatReference, isLive: Bool, ttl: Int?, of user: User) throws -> ChatResponse {
        let prepared = try prepare(messages, for: chat, isLive: isLive, ttl: ttl, of: user)
        try send(prepared.outgoing, over: prepared.recipients)
        return prepared.response
    }

    /// The items of a command that are stored, and the messages that are not sent yet.
    private struct PreparedMessages {
        var recipients: [ConnectionRecord]
        var outgoing: [OutgoingMessage]
        var response: ChatResponse
    }

    private func prepare(_ messages: [Composition], for chat: ChatReference, isLive: Bool, ttl: Int?, of user: User) throws -> PreparedMessages {
        try check(messages, isLive: isLive)
        var conversation = try conversation(chat, of: user)
        let recipients = try recipients(of: conversation)
        try check(messages, in: conversation)
        let timer = conversation.sentTimer(ttl: ttl, isLive: isLive, at: time.steady)

        var items: [ItemInChat] = []
        var outgoing: [OutgoingMessage] = []
        var errors: [ChatError] = []
        // Quotes are found before anything is written: one that is not there refuses the whole command.
        let quotes = try messages.map { try quote($0.message.quotedItemID, with: $0.message.content, in: conversation) }
        for (message, quote) in zip(messages, quotes) {
            var container = MessageContainer(content: message.message.content)
            container.quote = quote?.quoted
            container.forward = message.forwarded == nil ? nil : true
            container.ttl = timer?.ttl
            container.live = isLive ? true : nil
            do {
                var draft = ItemDraft(.sentMessage(content: message.message.content), isSent: true)
                draft.timer = timer
                draft.isLive = isLive
                draft.forwarded = message.forwarded
                draft.quote = quote?.record
                var sent = conversation.hasRecipients ? try OutgoingMessage(.newMessage(container), id: newSharedMessageID()) : nil
                draft.sharedMessageID = sent?.id
                let item = try addItem(draft, to: &conversation, of: user)
                sent?.itemID = item.meta.itemID
                if let sent { outgoing.append(sent) }
                items.append(conversation.containing(item))
            } catch let refusal as Refusal {
                errors.append(refusal.error)
            }
        }
        if items.isEmpty, let error = errors.first { throw Refusal(error) }
        if !errors.isEmpty { emit(.chatErrors(errors: errors)) }
        return PreparedMessages(recipients: recipients, outgoing: outgoing, response: .newChatItems(user: user, chatItems: items))
    }

    /// Refuses messages that no chat takes.
    private func check(_ messages: [Composition], isLive: Bool) throws {
        for message in messages { try check(message.message.content) }
        if messages.count > 1, isLive || messages.count(where: { $0.message.quotedItemID != nil }) > 1 {
            throw Refusal.command("invalid multi send: live and more than one quote not supported")
        }
        guard messages.allSatisfy({ $0.message.mentions.isEmpty }) else {
            throw Refusal.command("mentions are not supported in this chat")
        }
    }

    /// Refuses messages that a conversation does not take.
    private func check(_ messages: [Composition], in conversation: Conversation) throws {
        if !conversation.isAllowedForUser(.voice), messages.contains(where: { $0.message.content.isVoice }) {
            throw Refusal.command("feature not allowed " + ChatFeature.voice.name)
        }
        if case .notes = conversation, messages.contains(where: { $0.message.quotedItemID != nil }) {
            throw Refusal.command("createNoteFolderContentItems: quotes not supported")
        }
        guard messages.allSatisfy({ $0.message.fileSource == nil }) else {
            throw Refusal.unsupported(conversation.hasRecipients ? "sending files" : "files in notes")
        }
    }

    /// Refuses content that only other commands make.
    private func check(_ content: MessageContent) throws {
        if case .report = content { throw Refusal.command("sending reports via this API is not supported") }
    }

    /// Runs commands that send to the same contact, with as few bodies as all their messages fit in: a message by itself is a block of 16 KiB, a
    /// ratchet step and three commits, whatever its size.
    ///
    /// - Returns: The outcome of each. If they cannot be sent together, each is sent by itself.
    func sendJointly(_ commands: [JointSend], to id: ContactID) throws -> [Result<ChatResponse, Refusal>] {
        let user: User
        do { user = try self.user() } catch let refusal as Refusal { return commands.map { _ in .failure(refusal) } }
        let chat = ChatReference.direct(id)
        let together = try attempt {
            let prepared = try commands.map { try prepare($0.messages.map { Composition($0) }, for: chat, isLive: false, ttl: $0.ttl, of: user) }
            if let recipients = prepared.last?.recipients { try send(prepared.flatMap(\.outgoing), over: recipients) }
            return prepared.map(\.response)
        }
        if case .success(let responses) = together { return responses.map { .success($0) } }
        return try commands.map { command in
            try attempt { try send(command.messages.map { Composition($0) }, to: chat, isLive: false, ttl: command.ttl, of: user) }
        }
    }

    /// The quote of an item: as it is sent, and as it is stored.
    private func quote(
        _ id: ChatItemID?, with content: MessageContent, in conversation: Conversation
    ) throws -> (quoted: QuotedMessage, record: QuoteRecord)? {
        guard let id else { return nil }
        let stored = try item(id, in: conversation)
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

    // MARK: Editing

    func edit(_ id: ChatItemID, in chat: ChatReference, to message: UpdatedMessage, isLive: Bool) throws -> ChatResponse {
        let user = try user()
        try check(message.content)
        let conversation = try conversation(chat, of: user)
        guard message.mentions.isEmpty else { throw Refusal.command("mentions are not supported in this chat") }
        let recipients = try recipients(of: conversation)
        let stored = try item(id, in: conversation)
        switch EditDecision(stored, to: message.content, isLive: isLive, in: conversation) {
        case .refuse: throw Refusal.chat(.invalidChatItemUpdate)
        case .unchanged: return .chatItemNotChanged(user: user, chatItem: conversation.containing(stored.item))
        case .replace(let isEdited, let isLive):
            let item = try updateItem(stored, message: message.content, versionAt: now, isEdited: isEdited, isLive: isLive)
            if let sharedID = stored.item.meta.sharedMessageID, !recipients.isEmpty {
                var update = MessageUpdate(messageID: sharedID, content: message.content)
                update.ttl = stored.item.meta.timed?.ttl
                update.live = isLive ? true : nil
                try send([OutgoingMessage(.updateMessage(update), id: newSharedMessageID(), itemID: id)], over: recipients)
            }
            return .chatItemUpdated(user: user, chatItem: conversation.containing(item))
        }
    }

    // MARK: Deleting

    func deleteItems(_ ids: [ChatItemID], of chat: ChatReference, _ mode: DeleteMode) throws -> ChatResponse {
        let user = try user()
        let conversation = try conversation(chat, of: user)
        let items = try items(ids, in: conversation)
        let deletions: [ChatItemDeletion]
        switch DeletionDecision(items, mode, in: conversation, at: now) {
        case .remove: deletions = try removeItems(items, from: conversation)
        case .mark: deletions = try markItemsDeleted(items, at: now, in: conversation)
        case .unsupported: throw Refusal.command("not supported")
        case .refuse: throw Refusal.chat(.invalidChatItemDelete)
        case .broadcast(let removes):
            let messages = try items.compactMap(\.item.meta.sharedMessageID).map { id in
                try OutgoingMessage(.deleteMessage(MessageDeletion(messageID: id)), id: newSharedMessageID())
            }
            try send(messages, over: try recipients(of: conversation))
            deletions = removes ? try removeItems(items, from: conversation) : try markItemsDeleted(items, at: now, in: conversation)
        }
        return .chatItemsDeleted(user: user, deletions: deletions, byUser: true, timed: false)
    }

    // MARK: Reacting

    func react(to id: ChatItemID, in chat: ChatReference, with reaction: MessageReaction, isAdded: Bool) throws -> ChatResponse {
        let user = try user()
        guard chat.type == .direct else {
            if chat.type == .group { return try refuseGroup(chat) }
            throw Refusal.command("not supported")
        }
        let conversation = try conversation(chat, of: user)
        let stored = try item(id, in: conversation)
        guard let sharedID = stored.item.meta.sharedMessageID else {
            throw Refusal.command("reaction not possible - no shared item ID")
        }
        guard conversation.isAllowedForUser(.reactions) else {
            throw Refusal.command("feature not allowed " + ChatFeature.reactions.name)
        }
        guard ItemRules.acceptsReaction(stored.item) else {
            throw Refusal.command("reaction not allowed - chat item has no content")
        }
        let before = try db.reactions(contact: ContactID(chat.id), sharedMessageID: sharedID, byUser: true)
        try ReactionRules.check(reaction, isAdded: isAdded, after: before)
        let change = MessageReactionChange(messageID: sharedID, reaction: reaction, add: isAdded)
        try send([OutgoingMessage(.react(change), id: newSharedMessageID())], over: try recipients(of: conversation))
        try db.setReaction(contact: ContactID(chat.id), sharedMessageID: sharedID, byUser: true, reaction: reaction, isAdded: isAdded, at: now)
        let item = try item(id, in: conversation).item
        let shown = ItemReaction(direction: .directSent, chatItem: item, sentAt: now, reaction: reaction)
        return .chatItemReaction(user: user, added: isAdded, reaction: ReactionInChat(chatInfo: conversation.info, chatReaction: shown))
    }

    // MARK: Forwarding

    func planForward(_ ids: [ChatItemID], from chat: ChatReference) throws -> ChatResponse {
        let user = try user()
        let items = try items(ids, in: try conversation(chat, of: user))
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
        let origin = try conversation(source, of: user)
        let messages = try items(ids, in: origin).compactMap { stored -> Composition? in
            guard var content = stored.message, stored.item.meta.deleted == nil else { return nil }
            if stored.item.file != nil {
                guard stored.hasText else { return nil }
                content = .text(content.text)
            }
            return Composition(ComposedMessage(content: content), forwarded: stored.forwarded(from: origin))
        }
        guard !messages.isEmpty else { return .newChatItems(user: user, chatItems: []) }
        guard target.type == .direct || target.type == .local else { throw Refusal.command("not supported") }
        return try send(messages, to: target, isLive: false, ttl: ttl, of: user)
    }
}

extension StoredItem {
    fileprivate var hasText: Bool { message.map { !$0.text.isEmpty } ?? false }

    /// The origin that a forwarded message names: the first one, if it was forwarded before.
    fileprivate func forwarded(from conversation: Conversation) -> ForwardedFrom? {
        if let known = item.meta.forwarded, known != .unknown { return known }
        switch conversation {
        case .contact(let contact):
            let alias = contact.profile.localAlias
            return .contact(
                chatName: alias.isEmpty ? contact.profile.displayName : alias, messageDirection: isSent ? .sent : .received,
                contactID: contact.contactID, chatItemID: id)
        case .notes: return item.meta.forwarded
        }
    }
}
