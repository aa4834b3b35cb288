import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore

// Sending messages.

/// A message to be sent, written or forwarded.
struct Composition: Sendable {
    var message: ComposedMessage
    var forwarded: ForwardedFrom?
    /// Mentions that a message keeps when it is forwarded within its group.
    var mentions: [String: MemberID] = [:]

    init(_ message: ComposedMessage, forwarded: ForwardedFrom? = nil, mentions: [String: MemberID] = [:]) {
        self.message = message
        self.forwarded = forwarded
        self.mentions = mentions
    }
}

/// Sends, edits and deletes messages, and reacts to them.
struct SentMessages: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Messages of this profile.
    var sentMessages: SentMessages { SentMessages(transaction: self) }
}

extension SentMessages {
    /// Adds the items of messages to a conversation and sends them.
    ///
    /// - Parameters:
    ///   - isLive: True for a message that is shown while it is typed.
    ///   - ttl: The time to live, in seconds; nil for that of the conversation.
    ///   - isReport: True for a report to moderators, which has a command of its own.
    ///   - asGroup: True for messages in the name of the group.
    ///   - isSigned: True for messages with a signature of this member, in channels.
    ///   - post: The post of a channel that the messages comment.
    func send(
        _ messages: [Composition], to chat: ChatReference, isLive: Bool, ttl: Int?, isReport: Bool = false, asGroup: Bool = false, isSigned: Bool = false,
        commenting post: ChatItemID? = nil, of user: User
    ) throws -> ChatResponse {
        if !isReport { for message in messages { try check(message.message.content) } }
        let prepared = try prepare(messages, for: chat, isLive: isLive, ttl: ttl, asGroup: asGroup, isSigned: isSigned, commenting: post, of: user)
        try transaction.outbox.send(prepared.outgoing, to: prepared.audience, in: prepared.conversation, asGroup: asGroup, of: user)
        return prepared.response
    }

    /// The items of a command that are stored, and the messages that are not sent yet.
    private struct PreparedMessages {
        var conversation: Conversation
        var audience: Audience
        var outgoing: [OutgoingMessage]
        var response: ChatResponse
    }

    /// - Parameter earlier: Messages for the same chat that come before these and are not sent yet either: the chat and the receivers are not read
    ///   again.
    private func prepare(
        _ messages: [Composition], for chat: ChatReference, isLive: Bool, ttl: Int?, asGroup: Bool = false, isSigned: Bool = false,
        commenting post: ChatItemID? = nil,
        behind earlier: PreparedMessages? = nil, of user: User
    ) throws -> PreparedMessages {
        try check(messages, isLive: isLive)
        var conversation = try earlier?.conversation ?? transaction.conversations.conversation(chat, of: user)
        if let post {
            conversation = .group(try transaction.conversations.comments(on: post, in: try transaction.conversations.group(GroupID(chat.id), of: user)))
        }
        if asGroup { try requireGroupsName(in: conversation) }
        let signing = try MessageSigning(isSigned, asGroup: asGroup, in: conversation)
        let mentions = try messages.map { try self.mentions(of: $0, in: conversation) }
        let audience = try earlier?.audience ?? transaction.outbox.audience(of: conversation, reports: messages.contains { $0.message.content.isReport })
        try check(messages, in: conversation)
        if transaction.refusesPostsWithoutRelay, case .group(let chat) = conversation, chat.post == nil { try db.relays.requireOne(for: chat.group) }
        let timer = conversation.sentTimer(ttl: ttl, isLive: isLive, at: time.steady)

        var items: [ItemInChat] = []
        var outgoing: [OutgoingMessage] = []
        var errors: [ChatError] = []
        // Quotes are found before anything is written: a missing one refuses the whole command.
        let quotes = try messages.map { try quote($0.message.quotedItemID, with: $0.message.content, in: conversation) }
        let files = try messages.map { try $0.message.fileSource.map { try transaction.sentFiles.prepare($0) } }
        for (index, (message, quote)) in zip(messages, quotes).enumerated() {
            var container = MessageContainer(content: message.message.content)
            container.file = files[index]?.invitation
            container.mentions = MessageMentions(mentions[index])
            if case .group(let chat) = conversation {
                container.scope = chat.messageScope
                container.parent = chat.postReference
            }
            container.quote = quote?.quoted
            container.forward = message.forwarded == nil ? nil : true
            container.ttl = timer?.ttl
            container.live = isLive ? true : nil
            container.asGroup = asGroup ? true : nil
            do {
                var draft = ItemDraft(.sentMessage(content: message.message.content), isSent: true)
                draft.timer = timer
                draft.isLive = isLive
                draft.forwarded = message.forwarded
                draft.quote = quote?.record
                draft.group.mentions = mentions[index]
                draft.group.isAsGroup = asGroup
                var sent = conversation.hasRecipients ? try OutgoingMessage(.newMessage(container), id: newSharedMessageID()) : nil
                try sent?.sign(signing)
                draft.sharedMessageID = sent?.id
                draft.group.verification = MessageVerification(sent?.signature)
                var item = try transaction.items.add(draft, to: &conversation, of: user)
                if let file = files[index] { item = try transaction.sentFiles.attach(file, to: item, sentTo: audience, in: conversation, of: user) }
                sent?.itemID = item.meta.itemID
                if let sent { outgoing.append(sent) }
                items.append(conversation.containing(item))
            } catch let refusal as Refusal {
                errors.append(refusal.error)
            }
        }
        if items.isEmpty, let error = errors.first { throw Refusal(error) }
        if !errors.isEmpty { emit(.chatErrors(errors: errors)) }
        return PreparedMessages(
            conversation: conversation, audience: audience, outgoing: outgoing, response: .newChatItems(user: user, chatItems: items))
    }

    /// Refuses messages that no chat takes.
    private func check(_ messages: [Composition], isLive: Bool) throws {
        if messages.count > 1, isLive || messages.count(where: { $0.message.quotedItemID != nil }) > 1 {
            throw Refusal.command("invalid multi send: live and more than one quote not supported")
        }
    }

    /// The mentions of a message, as members.
    private func mentions(of message: Composition, in conversation: Conversation) throws -> [String: MemberID] {
        if case .group(let chat) = conversation {
            return try transaction.conversations.mentions(message.message.mentions, in: message.message.content, group: chat.group).merging(message.mentions) {
                own, _ in own
            }
        }
        guard message.message.mentions.isEmpty else { throw Refusal.command("mentions are not supported in this chat") }
        return [:]
    }

    /// Refuses messages that a conversation does not take.
    private func check(_ messages: [Composition], in conversation: Conversation) throws {
        if case .group(let chat) = conversation {
            try requireRole(in: chat)
            for message in messages {
                let hasFile = message.message.fileSource != nil
                if let feature = GroupContentRules.forbidding(
                    message.message.content, hasFile: hasFile, by: chat.group.membership, in: chat, isSent: true)
                {
                    throw Refusal.command("feature not allowed " + feature.name)
                }
            }
        } else if !conversation.isAllowedForUser(.voice), messages.contains(where: { $0.message.content.isVoice }) {
            throw Refusal.command("feature not allowed " + ChatFeature.voice.name)
        }
        if case .notes = conversation, messages.contains(where: { $0.message.quotedItemID != nil }) {
            throw Refusal.command("createNoteFolderContentItems: quotes not supported")
        }
    }

    /// Refuses messages in the name of a group by all but its owners, and in support chats.
    private func requireGroupsName(in conversation: Conversation) throws {
        guard case .group(let chat) = conversation else { throw Refusal.command("not supported") }
        guard chat.scope == nil else { throw Refusal.command("cannot send as group in support scope") }
        try transaction.conversations.require(.author, in: chat.group)
        try transaction.conversations.require(.owner, in: chat.group)
    }

    /// Refuses a profile that may not write to a group, or to a support chat in it.
    private func requireRole(in chat: GroupConversation) throws {
        switch chat.scope {
        case nil, .other: try chat.post == nil ? transaction.conversations.require(.author, in: chat.group) : transaction.comments.requireOpenComments(chat)
        case .memberSupport(nil): if !chat.group.membership.status.isPending { try transaction.conversations.require(.observer, in: chat.group) }
        case .memberSupport: try transaction.conversations.require(.moderator, in: chat.group)
        }
    }

    /// Refuses content that only other commands make.
    private func check(_ content: MessageContent) throws {
        if content.isReport { throw Refusal.command("sending reports via this API is not supported") }
    }

    /// Runs commands that send to the same contact or group, with as few bodies as all their messages fit in: a message by itself is a block of 16 KiB, a
    /// ratchet step and three commits, whatever its size.
    ///
    /// - Returns: The outcome of each. If they cannot be sent together, each is sent by itself.
    func sendJointly(_ commands: [JointSend], to target: SendTarget) throws -> [Result<ChatResponse, Refusal>] {
        let user: User
        do { user = try transaction.user() } catch let refusal as Refusal { return commands.map { _ in .failure(refusal) } }
        let chat = target.chat, asGroup = target.isAsGroup
        let together = try attempt {
            var prepared: [PreparedMessages] = []
            for command in commands {
                for message in command.messages { try check(message.content) }
                prepared.append(
                    try prepare(
                        command.messages.map { Composition($0) }, for: chat, isLive: false, ttl: command.ttl, asGroup: asGroup, behind: prepared.last,
                        of: user))
            }
            if let last = prepared.last {
                try transaction.outbox.send(prepared.flatMap(\.outgoing), to: last.audience, in: last.conversation, asGroup: asGroup, of: user)
            }
            return prepared.map(\.response)
        }
        if case .success(let responses) = together { return responses.map { .success($0) } }
        return try commands.map { command in
            try attempt {
                try send(command.messages.map { Composition($0) }, to: chat, isLive: false, ttl: command.ttl, asGroup: asGroup, of: user)
            }
        }
    }

    /// The quote of an item, in the sent and in the stored form.
    private func quote(
        _ id: ChatItemID?, with content: MessageContent, in conversation: Conversation
    ) throws -> (quoted: QuotedMessage, record: QuoteRecord)? {
        guard let id else { return nil }
        let stored = try transaction.conversations.item(id, in: conversation)
        guard stored.item.meta.deleted == nil, let message = stored.message else { throw Refusal.store(.invalidQuote) }
        if case .group(let chat) = conversation, !chat.mayQuote(stored) { throw Refusal.command(CommentRefusal.foreignQuote.rawValue) }
        let meta = stored.item.meta
        let quoted = MentionRules.renamed(
            ItemRules.quoted(message, in: content, fileName: stored.item.file?.fileName), mentions: stored.item.mentions
        ).content
        let author = stored.author(in: conversation)
        return (
            QuotedMessage(
                reference: MessageReference(messageID: meta.sharedMessageID, sentAt: meta.itemTimestamp, sent: stored.isSent, memberID: author),
                content: quoted),
            QuoteRecord(isSent: stored.isSent, sharedMessageID: meta.sharedMessageID, sentAt: meta.itemTimestamp, content: quoted, memberID: author)
        )
    }

    // MARK: Editing

    func edit(_ id: ChatItemID, in chat: ChatReference, to message: UpdatedMessage, isLive: Bool) throws -> ChatResponse {
        let user = try transaction.user()
        try check(message.content)
        var conversation = try transaction.conversations.conversation(chat, of: user)
        if case .group(var chat) = conversation {
            if let stored = try db.items.find(id, owner: conversation.owner, at: now) { chat.post = try transaction.conversations.commentedPost(of: stored) }
            conversation = .group(chat)
            if chat.scope == nil { try requireRole(in: chat) }
            if GroupContentRules.forbidsLinks(message.content, by: chat.group.membership, in: chat.group) {
                throw Refusal.command("feature not allowed " + GroupFeature.simplexLinks.name)
            }
        } else if !message.mentions.isEmpty {
            throw Refusal.command("mentions are not supported in this chat")
        }
        // In chats with contacts, the connection is checked first, as in official cores.
        let receivers = conversation.isGroup ? nil : try transaction.outbox.audience(of: conversation)
        let stored = try transaction.conversations.item(id, in: conversation)
        switch EditDecision(stored, to: message.content, isLive: isLive, in: conversation) {
        case .refuse: throw Refusal.chat(.invalidChatItemUpdate)
        case .unchanged: return .chatItemNotChanged(user: user, chatItem: conversation.containing(stored.item))
        case .replace(let isEdited, let isLive):
            let audience = try receivers ?? transaction.outbox.audience(of: conversation)
            var mentions: [String: MemberID] = [:]
            if case .group(let chat) = conversation {
                mentions = try transaction.conversations.mentions(message.mentions, in: message.content, group: chat.group)
                try db.items.update(id, mentions: mentions, mentionsUser: false)
            }
            let item = try transaction.items.update(stored, message: message.content, versionAt: now, isEdited: isEdited, isLive: isLive)
            if let sharedID = stored.item.meta.sharedMessageID, conversation.hasRecipients {
                var update = MessageUpdate(messageID: sharedID, content: message.content)
                update.ttl = stored.item.meta.timed?.ttl
                update.live = isLive ? true : nil
                update.mentions = MessageMentions(mentions)
                if case .group(let chat) = conversation {
                    update.scope = chat.messageScope
                    update.asGroup = stored.item.meta.showGroupAsSender
                }
                var message = try OutgoingMessage(.updateMessage(update), id: newSharedMessageID(), itemID: conversation.isGroup ? nil : id)
                if conversation.isGroup {
                    let wasSigned = stored.item.meta.verification.status != nil
                    try message.sign(MessageSigning(wasSigned, asGroup: stored.item.meta.showGroupAsSender, in: conversation))
                    try db.items.update(id, verification: MessageVerification(message.signature))
                }
                try transaction.outbox.send(
                    [message], to: audience, in: conversation, asGroup: conversation.isGroup && stored.item.meta.showGroupAsSender, of: user)
            }
            return .chatItemUpdated(user: user, chatItem: conversation.containing(item))
        }
    }

    // MARK: Deleting

    func delete(_ ids: [ChatItemID], of chat: ChatReference, _ mode: DeleteMode) throws -> ChatResponse {
        let user = try transaction.user()
        let conversation = try transaction.conversations.conversation(chat, of: user)
        let items = try transaction.conversations.items(ids, in: conversation)
        if case .group(let chat) = conversation { return try transaction.groupItems.delete(items, of: chat, mode, user: user) }
        let deletions: [ChatItemDeletion]
        switch DeletionDecision(items, mode, in: conversation, at: now) {
        case .remove: deletions = try transaction.items.remove(items, from: conversation)
        case .mark: deletions = try transaction.items.markDeleted(items, at: now, in: conversation)
        case .unsupported: throw Refusal.command("not supported")
        case .refuse: throw Refusal.chat(.invalidChatItemDelete)
        case .broadcast(let removes):
            let messages = try items.compactMap(\.item.meta.sharedMessageID).map { id in
                try OutgoingMessage(.deleteMessage(MessageDeletion(messageID: id)), id: newSharedMessageID())
            }
            try transaction.outbox.send(messages, to: try transaction.outbox.audience(of: conversation), in: conversation, of: user)
            deletions = removes ? try transaction.items.remove(items, from: conversation) : try transaction.items.markDeleted(items, at: now, in: conversation)
        }
        return .chatItemsDeleted(user: user, deletions: deletions, byUser: true, timed: false)
    }

    // MARK: Reacting

    func react(to id: ChatItemID, in chat: ChatReference, with reaction: MessageReaction, isAdded: Bool) throws -> ChatResponse {
        let user = try transaction.user()
        if chat.type == .group { return try transaction.groupItems.react(to: id, in: chat, with: reaction, isAdded: isAdded, of: user) }
        guard chat.type == .direct else { throw Refusal.command("not supported") }
        let conversation = try transaction.conversations.conversation(chat, of: user)
        let stored = try transaction.conversations.item(id, in: conversation)
        guard let sharedID = stored.item.meta.sharedMessageID else {
            throw Refusal.command("reaction not possible - no shared item ID")
        }
        guard conversation.isAllowedForUser(.reactions) else {
            throw Refusal.command("feature not allowed " + ChatFeature.reactions.name)
        }
        guard ItemRules.acceptsReaction(stored.item) else {
            throw Refusal.command("reaction not allowed - chat item has no content")
        }
        let contact = ContactID(chat.id)
        let before = try db.reactions.reactions(contact: contact, sharedMessageID: sharedID, byUser: true)
        try ReactionRules.check(reaction, isAdded: isAdded, after: before)
        let change = MessageReactionChange(messageID: sharedID, reaction: reaction, add: isAdded)
        try transaction.outbox.send(
            [OutgoingMessage(.react(change), id: newSharedMessageID())], to: try transaction.outbox.audience(of: conversation), in: conversation, of: user)
        try db.reactions.set(contact: contact, sharedMessageID: sharedID, byUser: true, reaction: reaction, isAdded: isAdded, at: now)
        let item = try transaction.conversations.item(id, in: conversation).item
        let shown = ItemReaction(direction: .directSent, chatItem: item, sentAt: now, reaction: reaction)
        return .chatItemReaction(user: user, added: isAdded, reaction: ReactionInChat(chatInfo: conversation.info, chatReaction: shown))
    }
}
