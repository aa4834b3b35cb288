import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import Logging
import Synchronization

// What commands do with chats.

/// Reads chats, marks them as read, and deletes them.
struct Chats: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Chats and their pages.
    var chats: Chats { Chats(transaction: self) }
}

extension Chats {
    // MARK: Lists and pages

    /// Chats of a profile, each with its newest item.
    func chats(
        of user: User, _ page: TimePagination, filter: ChatListQuery, withConnections: Bool
    ) throws -> [Chat] {
        try db.pages.chatList(user: user.userID, page: page, filter: filter, withConnections: withConnections).compactMap { entry in
            switch entry.kind {
            case .contact:
                let id = ContactID(entry.id)
                guard let contact = try db.contacts.find(id, of: user) else { return nil }
                return Chat(
                    chatInfo: .direct(contact: contact), chatItems: try newest(in: .chat(.contact(id))),
                    chatStats: try db.items.stats(ofContact: id))
            case .notes:
                let id = NoteFolderID(entry.id)
                guard let folder = try db.notes.find(id, user: user.userID) else { return nil }
                return Chat(
                    chatInfo: .local(noteFolder: folder), chatItems: try newest(in: .chat(.notes(id))),
                    chatStats: ChatStats(unreadChat: folder.isUnread))
            case .group:
                let id = GroupID(entry.id)
                guard let group = try db.groups.find(id, user: user.userID) else { return nil }
                return Chat(
                    chatInfo: .group(groupInfo: group, scope: nil), chatItems: try newest(in: .group(id, nil)), chatStats: try db.items.stats(ofGroup: id))
            case .connection:
                guard let connection = try db.connections.pendingConnection(ChatConnectionID(entry.id), user: user.userID) else { return nil }
                return Chat(chatInfo: .contactConnection(contactConnection: connection), chatItems: [])
            }
        }
    }

    private func newest(in scope: ItemScope) throws -> [ChatItem] {
        try db.pages.lastItem(in: scope, at: now).map { [$0.item] } ?? []
    }

    func page(
        of chat: ChatReference, commentsOn post: ChatItemID? = nil, content: MessageContentType?, _ pagination: ChatPagination, search: String?
    ) throws -> ChatResponse {
        let user = try transaction.user()
        var conversation = try transaction.conversations.conversation(chat, of: user)
        if let post { conversation = .group(try transaction.conversations.comments(on: post, in: chat, of: user)) }
        let filter = ItemFilter(search: search, messageKind: content?.code)
        guard let page = try db.pages.items(pagination, in: conversation.itemScope, filter: filter, at: now) else {
            throw Refusal.store(.chatItemNotFound(itemID: pagination.itemID ?? 0))
        }
        var stats = ChatStats()
        if page.navigation != nil {
            switch conversation {
            case .contact(let contact): stats = try db.items.stats(ofContact: contact.contactID)
            case .group(let chat): stats = try db.items.stats(ofGroup: chat.group.groupID, scope: chat.scope?.chatScope)
            case .notes: break
            }
        }
        let chat = Chat(chatInfo: conversation.info, chatItems: page.items.map { $0.item }, chatStats: stats)
        return .apiChat(user: user, chat: chat, navigation: page.navigation)
    }

    /// Items of all chats of a profile.
    func items(of user: User, _ pagination: ChatPagination, search: String?) throws -> [ItemInChat] {
        guard let page = try db.pages.items(pagination, in: .user(user.userID), filter: ItemFilter(search: search), at: now) else {
            throw Refusal.store(.chatItemNotFound(itemID: pagination.itemID ?? 0))
        }
        var infos: [ItemScope: ChatInfo] = [:]
        return try page.items.map { item in
            let info = try infos[item.chat] ?? transaction.conversations.conversation(of: item, user: user).info
            infos[item.chat] = info
            return ItemInChat(chatInfo: info, chatItem: item.item)
        }
    }

    func itemInfo(_ id: ChatItemID, in chat: ChatReference) throws -> ChatResponse {
        let user = try transaction.user()
        let conversation = try transaction.conversations.conversation(chat, of: user)
        let stored = try transaction.conversations.item(id, in: conversation)
        var versions = try db.items.versions(item: id)
        if versions.isEmpty, let message = stored.message {
            let meta = stored.item.meta
            versions = [
                ChatItemVersion(
                    versionID: ChatItemVersionID(id.rawValue), content: message, formattedText: Markdown.parse(message.text),
                    itemVersionTimestamp: meta.itemTimestamp,
                    createdAt: meta.createdAt)
            ]
        }
        let source = try stored.item.meta.forwarded.flatMap { try itemInChat($0, of: user) }
        let statuses = conversation.isGroup && stored.isSent ? try db.itemStatuses.statuses(ofItem: id) : []
        return .chatItemInfo(
            user: user, chatItem: ItemInChat(chatInfo: conversation.info, chatItem: stored.item),
            info: ChatItemInfo(
                versions: versions, memberDeliveryStatuses: statuses.isEmpty ? nil : statuses, forwardedFromChatItem: source))
    }

    /// The item that a message was forwarded from; nil if it, or its chat, is not there any more.
    private func itemInChat(_ origin: ForwardedFrom, of user: User) throws -> ItemInChat? {
        switch origin {
        case .contact(_, _, let contactID?, let itemID?):
            guard let contact = try db.contacts.find(contactID, of: user), let item = try db.items.find(itemID, owner: .contact(contactID), at: now) else {
                return nil
            }
            return ItemInChat(chatInfo: .direct(contact: contact), chatItem: item.item)
        case .group(_, _, let groupID?, let itemID?):
            guard let group = try db.groups.find(groupID, user: user.userID), let item = try db.items.find(itemID, owner: .group(groupID), at: now) else {
                return nil
            }
            return GroupConversation(group).containing(item.item)
        default: return nil
        }
    }

    // MARK: Reading

    func markRead(_ chat: ChatReference) throws -> ChatResponse {
        _ = try transaction.user()
        switch chat.type {
        case .direct:
            let (user, contact) = try reader(of: ContactID(chat.id))
            try startTimers(of: contact, only: nil)
            try db.items.markRead(contact: contact.contactID, at: now)
            return .cmdOk(user: user)
        case .local:
            let user = try transaction.user()
            try db.notes.update(try transaction.conversations.noteFolder(NoteFolderID(chat.id), of: user).noteFolderID, isUnread: false)
            return .cmdOk(user: user)
        case .group: return try markGroupRead(chat)
        default: throw Refusal.command("not supported")
        }
    }

    func markRead(_ chat: ChatReference, items: [ChatItemID]) throws -> ChatResponse {
        _ = try transaction.user()
        if chat.type == .group { return try markGroupRead(chat, items: items) }
        guard chat.type == .direct else { throw Refusal.command("not supported") }
        let (user, contact) = try reader(of: ContactID(chat.id))
        try startTimers(of: contact, only: items)
        try db.items.markRead(contact: contact.contactID, items: items, at: now)
        return .itemsReadForChat(user: user, chatInfo: .direct(contact: contact))
    }

    /// The profile whose chat is read: with the official core this is the one that the contact belongs to, whichever profile is active.
    private func reader(of id: ContactID) throws -> (User, Contact) {
        guard let owner = try db.contacts.userID(ofContact: id), transaction.actor == nil || transaction.actor == owner else {
            throw Refusal.store(.userNotFoundByContactID(contactID: id))
        }
        let user = try transaction.anyUser(owner)
        return (user, try transaction.conversations.contact(id, of: user))
    }

    /// Marks everything as read in all chats of a profile.
    func markAllRead(of user: User) throws {
        try startTimers(try db.items.unreadTimedItems(user: user.userID))
        try db.items.markAllRead(user: user.userID, at: now)
    }

    /// Messages that disappear begin to when they are read.
    private func startTimers(of contact: Contact, only ids: [ChatItemID]?) throws {
        try startTimers(try db.items.unreadTimedItems(contact: contact.contactID, only: ids))
    }

    /// - Parameter items: Unread items, each with its time to live in seconds.
    func startTimers(_ items: [(id: ChatItemID, ttl: Int64)]) throws {
        for item in items { try db.items.update(item.id, deleteAt: time.steady.adding(seconds: item.ttl)) }
        if !items.isEmpty { transaction.effects.hasNewExpiry = true }
    }

    func markUnread(_ chat: ChatReference, _ isUnread: Bool) throws -> ChatResponse {
        let user = try transaction.user()
        switch chat.type {
        case .direct: try db.contacts.update(try transaction.conversations.contact(ContactID(chat.id), of: user).contactID, unreadChat: isUnread)
        case .local: try db.notes.update(try transaction.conversations.noteFolder(NoteFolderID(chat.id), of: user).noteFolderID, isUnread: isUnread)
        case .group where chat.scope == nil: try db.groups.update(try transaction.conversations.group(GroupID(chat.id), of: user).groupID, unreadChat: isUnread)
        default: throw Refusal.command("not supported")
        }
        return .cmdOk(user: user)
    }

    // MARK: Settings

    func set(_ settings: ChatSettings, of chat: ChatReference) throws -> ChatResponse {
        let user = try transaction.user()
        switch chat.type {
        case .direct: try db.contacts.update(try transaction.conversations.contact(ContactID(chat.id), of: user).contactID, settings: settings)
        // Notes notify nobody and send no receipts: whether they are a favourite is all that can be set.
        case .local:
            try db.notes.update(try transaction.conversations.noteFolder(NoteFolderID(chat.id), of: user).noteFolderID, isFavorite: settings.isFavorite)
        case .group: try db.groups.update(try transaction.conversations.group(GroupID(chat.id), of: user).groupID, settings: settings)
        default: throw Refusal.command("not supported")
        }
        return .cmdOk(user: user)
    }

    func setTTL(_ seconds: Int64?, of chat: ChatReference, user id: UserID) throws -> ChatResponse {
        let user = try transaction.user(id)
        // Official cores do not mind chats that are not there, either; chats of other profiles count as missing.
        switch chat.type {
        case .direct:
            if let contact = try db.contacts.find(ContactID(chat.id), of: user) { try db.contacts.update(contact.contactID, itemTTL: seconds) }
        case .group:
            if let group = try db.groups.find(GroupID(chat.id), user: user.userID) { try db.groups.update(group.groupID, itemTTL: seconds) }
        default: throw Refusal.command("not supported")
        }
        return .cmdOk(user: user)
    }

    // MARK: Deleting

    func clear(_ chat: ChatReference) throws -> ChatResponse {
        let user = try transaction.user()
        if chat.type == .group, chat.scope != nil { throw Refusal.command("not supported") }
        let conversation = try transaction.conversations.conversation(chat, of: user)
        try db.items.deleteAll(owner: conversation.owner)
        transaction.effects.removesFiles = true
        if case .group(let chat) = conversation { try deleteFormerMembers(of: chat.group, user: user) }
        return .chatCleared(user: user, chatInfo: conversation.info)
    }

    func delete(_ chat: ChatReference, _ mode: ChatDeleteMode) throws -> ChatResponse {
        let user = try transaction.user()
        switch chat.type {
        case .direct: return .contactDeleted(user: user, contact: try deleteContact(ContactID(chat.id), mode, of: user))
        case .contactConnection:
            let id = ChatConnectionID(chat.id)
            guard let connection = try db.connections.pendingConnection(id, user: user.userID), let record = try db.connections.find(id) else {
                throw Refusal.store(.pendingConnectionNotFound(connectionID: id))
            }
            try enqueue(.connection(.delete(connections: [record.agentConnectionID], after: [])), user: user)
            try db.connections.delete(id)
            return .contactConnectionDeleted(user: user, connection: connection)
        case .group where chat.scope == nil: return try transaction.groups.delete(GroupID(chat.id))
        default: throw Refusal.command("not supported")
        }
    }

    private func deleteContact(_ id: ContactID, _ mode: ChatDeleteMode, of user: User) throws -> Contact {
        let contact = try transaction.conversations.contact(id, of: user)
        switch mode {
        case .full(let notify):
            try takeLeave(of: contact, notify: notify, user: user)
            try db.contacts.delete(contact, user: user.userID)
            transaction.effects.removesFiles = true
            return contact
        case .entity(let notify):
            try transaction.fileTransfers.cancelAll(in: .contact(id))
            try takeLeave(of: contact, notify: notify, user: user)
            try db.connections.deleteAll(ofContact: id)
            try db.contacts.update(id, status: .deletedByUser, at: now)
            return try transaction.conversations.contact(id, of: user)
        case .messages:
            try db.items.deleteAll(owner: .contact(id))
            transaction.effects.removesFiles = true
            try db.contacts.update(id, chatDeleted: true)
            var deleted = contact
            deleted.chatDeleted = true
            return deleted
        }
    }

    /// Tells a contact that it is deleted, if asked to, and then ends the connection.
    private func takeLeave(of contact: Contact, notify: Bool, user: User) throws {
        let tells = notify && contact.activeConnection?.status == .ready && (try? transaction.outbox.sendingConnection(contact)) != nil
        try transaction.outbox.deleteAgentConnections(of: contact, parting: tells ? .deleteContact : nil, user: user)
    }
}

extension ChatPagination {
    /// The item that a page is relative to.
    var itemID: ChatItemID? {
        switch self {
        case .after(let id, _), .before(let id, _), .around(let id, _): id
        case .last, .initial: nil
        }
    }
}

extension Chats {
    /// Removes items whose time to live is over.
    ///
    /// - Returns: Their number.
    func removeExpiredItems(until now: UTCTimestamp, limit: Int) throws -> Int {
        let expired = try db.items.expiring(until: now, limit: limit)
        for entry in expired {
            guard let user = try db.users.find(entry.user), let stored = try db.items.find(entry.id, user: entry.user, at: self.now) else { continue }
            let conversation = try transaction.conversations.conversation(of: stored, user: user)
            let deletions: [ChatItemDeletion]
            if case .group(let chat) = conversation {
                deletions = try transaction.groupItems.remove([stored], from: chat, at: self.now)
            } else {
                deletions = try transaction.items.remove([stored], from: conversation)
            }
            emit(.chatItemsDeleted(user: user, deletions: deletions, byUser: true, timed: true))
        }
        return expired.count
    }
}
