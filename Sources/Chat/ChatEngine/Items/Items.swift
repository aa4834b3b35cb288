import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore

// Making and changing items of chats with contacts.

/// The values of a new item of a chat, before its position is known.
struct ItemDraft: Sendable {
    var content: ItemContent
    var isSent: Bool
    var sharedMessageID: SharedMessageID?
    /// When it was sent; the moment of the transaction if nil.
    var timestamp: UTCTimestamp?
    var timer: ItemTimer?
    var isLive = false
    var forwarded: ForwardedFrom?
    var quote: QuoteRecord?
    /// The part of the group that the item is in, and its author.
    var group = GroupItemDetails()
    var mentionsUser = false
    /// A mark that the item carries from the beginning, because its author is blocked.
    var deletion = StoredDeletion.none

    init(_ content: ItemContent, isSent: Bool) {
        self.content = content
        self.isSent = isSent
    }
}

/// Adds, changes and removes items of chats.
struct Items: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Items of chats.
    var items: Items { Items(transaction: self) }
}

extension Items {
    /// Adds an item to a conversation, and brings that to the top of the list if the item asks for it.
    func add(_ draft: ItemDraft, to conversation: inout Conversation, of user: User) throws -> ChatItem {
        switch conversation {
        case .contact(var contact):
            let item = try add(draft, to: &contact, of: user)
            conversation = .contact(contact)
            return item
        case .group(var chat):
            let item = try transaction.groupItems.add(draft, to: &chat, of: user)
            conversation = .group(chat)
            return item
        case .notes(let folder):
            try db.notes.touch(folder.noteFolderID, chatTime: now)
            return try add(draft, owner: conversation.owner, user: user.userID)
        }
    }

    /// Adds an item to the chat with a contact, and brings the chat to the top of the list if the item asks for it.
    func add(_ draft: ItemDraft, to contact: inout Contact, of user: User) throws -> ChatItem {
        // One of the items of the transaction is enough: the first.
        if (draft.content.requiresAttention(isSent: draft.isSent) && contact.chatTimestamp != now) || contact.chatDeleted {
            try db.contacts.touch(contact.contactID, chatTime: now)
            contact.chatTimestamp = now
            contact.chatDeleted = false
        }
        return try add(draft, owner: .contact(contact.contactID), user: user.userID)
    }

    /// - Parameter author: The member who wrote it, if the caller has it.
    func add(_ draft: ItemDraft, owner: ItemOwner, user: UserID, by author: GroupMember? = nil) throws -> ChatItem {
        var draft = draft
        var status = draft.content.initialStatus(isSent: draft.isSent)
        if draft.group.parent != nil, status == .receivedNew {
            // Nobody is asked to read comments. Those that disappear do so after they came.
            status = .receivedRead
            if !draft.isLive, let ttl = draft.timer?.ttl, draft.timer?.deleteAt == nil {
                draft.timer?.deleteAt = time.steady.adding(seconds: Int64(ttl))
            }
        }
        var record = ItemRecord(
            userID: user, owner: owner, isSent: draft.isSent, content: draft.content,
            status: status, sharedMessageID: draft.sharedMessageID,
            isLive: draft.isLive ? true : nil, timer: draft.timer, hasLink: draft.content.message.map(ItemRules.hasLink) ?? false,
            forwarded: draft.forwarded, quote: draft.quote, itemTimestamp: draft.timestamp ?? now, createdAt: now, updatedAt: now)
        record.mentionsUser = draft.mentionsUser
        record.group = draft.group
        if draft.deletion != .none { (record.deletion, record.deletedAt) = (draft.deletion, now) }
        if draft.timer?.deleteAt != nil { transaction.effects.hasNewExpiry = true }
        let stored = try db.items.insert(record)
        return StoredItem(stored, at: now, members: owner.groupID == nil ? ItemMembers() : try db.members.members(of: [stored], known: author)).item
    }

    /// Adds items that no message brought, and reports them: one event for all.
    func addInternal(_ contents: [ItemContent], isSent: Bool, to contact: inout Contact, of user: User) throws {
        var items: [ItemInChat] = []
        for content in contents {
            let item = try add(ItemDraft(content, isSent: isSent), to: &contact, of: user)
            items.append(ItemInChat(chatInfo: .direct(contact: contact), chatItem: item))
        }
        emit(.newChatItems(user: user, chatItems: items))
    }

    /// The banner is the first item of a chat, whenever it is made.
    func addBanner(to contact: inout Contact, of user: User) throws -> ChatItem {
        var draft = ItemDraft(.chatBanner, isSent: true)
        draft.timestamp = UTCTimestamp(seconds: 0)
        return try add(draft, to: &contact, of: user)
    }

    /// The items at the head of the chat with a contact that is prepared: they are not reported one by one.
    func addOpening(to contact: inout Contact, pqEnabled: Bool?, of user: User) throws {
        _ = try addBanner(to: &contact, of: user)
        let contents =
            [.receivedDirectEncryption(info: EncryptionInfo(pqEnabled: pqEnabled))]
            + FeatureItems.initial(contact.mergedPreferences)
        for content in contents { _ = try add(ItemDraft(content, isSent: false), to: &contact, of: user) }
    }

    /// An item of the chat with a contact.
    func item(_ id: ChatItemID, contact: ContactID) throws -> StoredItem {
        guard let item = try db.items.find(id, owner: .contact(contact), at: now) else {
            throw Refusal.store(.chatItemNotFound(itemID: id))
        }
        return item
    }

    /// Replaces the content of an item and keeps the earlier content.
    ///
    /// - Parameters:
    ///   - versionAt: When the new text was written.
    ///   - isEdited: Whether the item is marked as edited: finishing a live message is not an edit.
    ///   - isLive: Whether the item is still being typed: a finished item stays finished.
    /// - Returns: the updated item.
    func update(
        _ stored: StoredItem, message: MessageContent, versionAt: UTCTimestamp, isEdited: Bool, isLive: Bool
    ) throws -> ChatItem {
        if let old = stored.message, old != message {
            if try !db.items.hasVersions(item: stored.id) {
                try db.items.insertVersion(item: stored.id, content: old, versionAt: stored.item.meta.itemTimestamp, createdAt: now)
            }
            try db.items.insertVersion(item: stored.id, content: message, versionAt: versionAt, createdAt: now)
        }
        let content: ItemContent = stored.isSent ? .sentMessage(content: message) : .receivedMessage(content: message)
        // The clock of a message that was typed live starts when it is finished, or when it is read after that.
        var deleteAt: UTCTimestamp?
        let meta = stored.item.meta
        if meta.isLive == true, !isLive, meta.status != .receivedNew, let timer = meta.timed, timer.deleteAt == nil {
            deleteAt = time.steady.adding(seconds: Int64(timer.ttl))
            transaction.effects.hasNewExpiry = true
        }
        try db.items.update(
            stored.id, content: content, text: content.text, hasLink: ItemRules.hasLink(message), isEdited: isEdited, isLive: isLive && meta.isLive == true,
            deleteAt: deleteAt, at: now)
        guard let updated = try db.items.find(stored.id, owner: stored.owner, at: now) else {
            throw Refusal.store(.chatItemNotFound(itemID: stored.id))
        }
        return updated.item
    }

    /// Removes items of a conversation.
    func remove(_ items: [StoredItem], from conversation: Conversation) throws -> [ChatItemDeletion] {
        if items.contains(where: { $0.item.file != nil }) { transaction.effects.removesFiles = true }
        return try items.map { stored in
            try db.items.delete(stored)
            return ChatItemDeletion(deletedChatItem: conversation.containing(stored.item))
        }
    }

    /// Marks items of a conversation as deleted and keeps them.
    func markDeleted(_ items: [StoredItem], at time: UTCTimestamp, in conversation: Conversation) throws -> [ChatItemDeletion] {
        try transaction.fileTransfers.cancelAll(of: items)
        return try items.map { stored in
            try db.items.mark(stored.id, deletedAt: time, at: now)
            let marked = try transaction.conversations.item(stored.id, in: conversation)
            return ChatItemDeletion(deletedChatItem: conversation.containing(stored.item), toChatItem: conversation.containing(marked.item))
        }
    }
}

extension Items {
    /// Adds an item and reports it.
    @discardableResult
    func announce(_ draft: ItemDraft, in conversation: inout Conversation, of user: User) throws -> ChatItem {
        let item = try add(draft, to: &conversation, of: user)
        emit(.newChatItems(user: user, chatItems: [conversation.containing(item)]))
        return item
    }
}
