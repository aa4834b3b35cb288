import ChatAPI
import ChatRules
import ChatStore
import GRDB

// Commands about chats.

/// Commands about chats, their pages and tags.
struct ChatCommands: CommandFeature {
    let runner: CommandRunner
}

extension CommandRunner {
    /// Commands about chats.
    var chatCommands: ChatCommands { ChatCommands(runner: self) }
}

extension ChatCommands {
    func run(_ command: ChatsCommand) async throws(ChatCoreError) -> ChatResponse {
        switch command {
        case .list(let id, let pending, let pagination, let filter):
            try await query(isLong: true) { transaction in
                let user = try transaction.user(id)
                let chats = try transaction.chats.chats(of: user, pagination, filter: filter, withConnections: pending)
                return .apiChats(user: user, chats: chats)
            }
        case .page(let chat, let post, let content, let pagination, let search):
            try await page { try $0.chats.page(of: chat, commentsOn: post, content: content, pagination, search: search) }
        case .contentTypes(let chat):
            try await query(isLong: true) { transaction in
                let conversation = try transaction.conversations.conversation(chat, of: try transaction.user())
                return .chatContentTypes(contentTypes: try transaction.db.pages.messageKinds(in: conversation.itemScope))
            }
        case .items(let pagination, let search):
            try await query(isLong: true) { transaction in
                let user = try transaction.user()
                let items = try transaction.chats.items(of: user, pagination, search: search)
                return .chatItems(user: user, chatName: nil, chatItems: items)
            }
        case .itemInfo(let chat, let id): try await query { try $0.chats.itemInfo(id, in: chat) }
        case .markRead(let chat): try await answer { try $0.chats.markRead(chat) }
        case .markItemsRead(let chat, let ids): try await answer { try $0.chats.markRead(chat, items: ids) }
        case .markUnread(let chat, let isUnread): try await answer { try $0.chats.markUnread(chat, isUnread) }
        case .delete(let chat, let mode): try await answer { try $0.chats.delete(chat, mode) }
        case .clear(let chat): try await answer { try $0.chats.clear(chat) }
        case .setSettings(let chat, let settings): try await answer { try $0.chats.set(settings, of: chat) }
        case .setMessageTTL(let id, let chat, let seconds): try await setMessageTTL(seconds, of: chat, user: id)
        case .setThemes(let chat, let themes):
            try await answer { transaction in
                let user = try transaction.user()
                switch chat.type {
                case .direct:
                    try transaction.db.contacts.update(try transaction.conversations.contact(ContactID(chat.id), of: user).contactID, uiThemes: themes)
                case .group: try transaction.db.groups.update(try transaction.conversations.group(GroupID(chat.id), of: user).groupID, uiThemes: themes)
                default: throw Refusal.command("not supported")
                }
                return .cmdOk(user: user)
            }
        case .tags(let id):
            try await query { transaction in
                let user = try transaction.user(id)
                return .chatTags(user: user, userTags: try transaction.db.tags.tags(user: user.userID))
            }
        case .createTag(let tag):
            try await answer { transaction in
                let user = try transaction.user()
                try transaction.db.tags.insert(user: user.userID, text: tag.text, emoji: tag.emoji)
                return .chatTags(user: user, userTags: try transaction.db.tags.tags(user: user.userID))
            }
        case .setTags(let chat, let ids):
            try await answer { transaction in
                let user = try transaction.user()
                let tags: [ChatTagID]
                switch chat.type {
                case .direct:
                    let contact = try transaction.conversations.contact(ContactID(chat.id), of: user).contactID
                    try transaction.db.tags.setTags(ids, contact: contact, user: user.userID)
                    tags = try transaction.db.tags.tags(contact: contact)
                case .group:
                    try transaction.db.tags.setTags(ids, group: try transaction.conversations.group(GroupID(chat.id), of: user).groupID, user: user.userID)
                    tags = try transaction.conversations.group(GroupID(chat.id), of: user).chatTags
                default: throw Refusal.command("not supported")
                }
                return .tagsUpdated(user: user, userTags: try transaction.db.tags.tags(user: user.userID), chatTags: tags)
            }
        case .deleteTag(let id): try await changeTags { try $0.tags.delete(id, user: $1) }
        case .updateTag(let id, let tag): try await changeTags { try $0.tags.update(id, user: $1, text: tag.text, emoji: tag.emoji) }
        case .reorderTags(let ids): try await changeTags { try $0.tags.reorderTags(ids, user: $1) }
        }
    }

    /// Reads a page of a chat. In a support chat, the count of messages that no moderator has answered is corrected.
    private func page(_ read: @escaping @Sendable (ChatTransaction) throws -> ChatResponse) async throws(ChatCoreError) -> ChatResponse {
        let (response, isCounted) = try await query(isLong: true) { transaction in
            let response = try read(transaction)
            return (response, try transaction.chats.isCounted(response))
        }
        // Reading a page changes nothing but for the rare case that the count is wrong: only then it waits for its turn to write.
        if isCounted { return response }
        return try await transaction { try $0.chats.correctAttention(read($0)) }
    }

    /// Sets how long a chat's messages are kept, and deletes those that are older.
    private func setMessageTTL(_ seconds: Int64?, of chat: ChatReference, user id: UserID) async throws(ChatCoreError) -> ChatResponse {
        let response = try await answer { try $0.chats.setTTL(seconds, of: chat, user: id) }
        switch chat.type {
        case .direct: try await core.transactions.applyRetention(to: .contact(ContactID(chat.id)))
        case .group: try await core.transactions.applyRetention(to: .group(GroupID(chat.id)))
        default: break
        }
        return response
    }

    private func changeTags(
        _ change: @escaping @Sendable (Database, UserID) throws -> Void
    ) async throws(ChatCoreError) -> ChatResponse {
        try await answer { transaction in
            let user = try transaction.user()
            try change(transaction.db, user.userID)
            return .cmdOk(user: user)
        }
    }
}
