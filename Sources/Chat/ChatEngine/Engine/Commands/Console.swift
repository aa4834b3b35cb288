import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore

/// Finds what commands of the console mean.
struct Console: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Commands of the console, translated into those of the API.
    var console: Console { Console(transaction: self) }
}

extension Console {
    /// A message as a person writes it: in a group, names after an `@` mention members.
    func message(_ text: String, in chat: ChatReference) throws -> ComposedMessage {
        let mentions = chat.type == .group ? try transaction.conversations.mentions(in: text, group: GroupID(chat.id)) : [:]
        return ComposedMessage(content: .text(text), mentions: mentions)
    }

    /// The newest item with that text.
    func itemID(_ owner: ItemOwner, text: String, isSent: Bool?) throws -> ChatItemID {
        guard let id = try db.items.id(owner: owner, textPrefix: text, isSent: isSent) else {
            throw Refusal.store(.chatItemNotFoundByText(text: text))
        }
        return id
    }

    func lastItems(_ count: Int, of chat: ChatName?, search: String?, user: User) throws -> [ItemInChat] {
        guard let chat else { return try transaction.chats.items(of: user, .last(count), search: search) }
        let conversation = try transaction.conversations.conversation(try transaction.conversations.reference(chat, of: user), of: user)
        let page = try db.pages.items(.last(count), in: conversation.itemScope, filter: ItemFilter(search: search), at: now)
        return (page?.items ?? []).map { ItemInChat(chatInfo: conversation.info, chatItem: $0.item) }
    }

    /// Sends a message to all contacts that can be written to.
    func broadcast(_ content: MessageContent) throws -> ChatResponse {
        let user = try transaction.user()
        var successes = 0
        var failures = 0
        for var contact in try db.contacts.contacts(of: user) where contact.contactUsed && (try? transaction.outbox.sendingConnection(contact)) != nil {
            do {
                _ = try transaction.contactRequests.sendMessage(MessageContainer(content: content), to: &contact, of: user)
                successes += 1
            } catch is Refusal {
                failures += 1
            }
        }
        return .broadcastSent(user: user, content: content, successes: successes, failures: failures, timestamp: now)
    }

    /// True for a channel that the profile owns: its messages at the console are posts of the channel.
    func sendsAsGroup(_ chat: ChatReference, of user: User) throws -> Bool {
        guard chat.type == .group, chat.scope == nil else { return false }
        return try transaction.conversations.group(GroupID(chat.id), of: user).sendsAsGroup
    }
}
