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

    /// The contact of that name. Gateways write the id of a contact in its place, as in `@4 hello`: the contact of that id is meant.
    ///
    /// - Throws: `contactNotFound`; `commandError` for a number that a contact with another id has as its name. People choose their names: one could take
    ///   the number of a contact that is there, or was, and get what is meant for it.
    func contact(named name: String, of user: User) throws -> ContactID {
        let named = try db.contacts.id(named: name, user: user.userID)
        // Written as ids are: without a sign or zeros before it.
        let number = Int64(name).flatMap { String($0) == name ? ContactID($0) : nil }
        let numbered = try number.flatMap { try db.contacts.find($0, of: user)?.contactID }
        if let named, let number, named != number {
            throw Refusal.command("\(name) is the name of a contact, and could be the id of another: use /_send @ID json")
        }
        guard let id = named ?? numbered else { throw Refusal.chat(.contactNotFound(contactName: name, suspectedMember: nil)) }
        return id
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
