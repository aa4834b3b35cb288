import ChatAPI
import ChatRules
import ChatStore
import GRDB

/// Finds the contacts, groups, members and items that commands and messages name.
struct Conversations: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Contacts, groups, members and items by their names and ids.
    var conversations: Conversations { Conversations(transaction: self) }
}

extension Conversations {
    /// The conversation of a chat that a command names.
    ///
    /// - Throws: An error of the store if there is none; `commandError` for a kind of chat that has no items.
    func conversation(_ chat: ChatReference, of user: User) throws -> Conversation {
        switch chat.type {
        case .direct: return .contact(try contact(ContactID(chat.id), of: user))
        case .group: return .group(try groupConversation(GroupID(chat.id), scope: chat.scope, of: user))
        case .local: return .notes(try noteFolder(NoteFolderID(chat.id), of: user))
        default: throw Self.refusal(of: chat)
        }
    }

    /// The conversation that an item is in.
    func conversation(of item: StoredItem, user: User) throws -> Conversation {
        switch item.owner {
        case .contact(let id): .contact(try contact(id, of: user))
        case .group(let id): .group(try groupConversation(of: item, in: id, of: user))
        case .notes(let id): .notes(try noteFolder(id, of: user))
        }
    }

    func noteFolder(_ id: NoteFolderID, of user: User) throws -> NoteFolder {
        guard let folder = try db.notes.find(id, user: user.userID) else {
            throw Refusal.store(.noteFolderNotFound(noteFolderID: id))
        }
        return folder
    }

    /// The error for a chat without items: requests and pending connections are no chats.
    static func refusal(of chat: ChatReference) -> Refusal {
        switch chat.type {
        case .contactRequest: .command("a contact request is no chat: accept it, and name the contact")
        case .contactConnection: .command("a connection that is being made is no chat: name the contact once it is connected")
        default: .command("not supported")
        }
    }

    /// An item of a conversation.
    func item(_ id: ChatItemID, in conversation: Conversation) throws -> StoredItem {
        guard let item = try db.items.find(id, owner: conversation.owner, at: now) else {
            throw Refusal.store(.chatItemNotFound(itemID: id))
        }
        return item
    }

    /// The items with these ids. An event reports those that are not there.
    func items(_ ids: [ChatItemID], in conversation: Conversation) throws -> [StoredItem] {
        var items: [StoredItem] = []
        var errors: [ChatError] = []
        for id in ids {
            if let item = try db.items.find(id, owner: conversation.owner, at: now) {
                items.append(item)
            } else {
                errors.append(.store(error: .chatItemNotFound(itemID: id)))
            }
        }
        if !errors.isEmpty { emit(.chatErrors(errors: errors)) }
        return items
    }

    // MARK: Names

    func contact(named name: String, of user: User) throws -> Contact {
        guard let id = try db.contacts.id(named: name, user: user.userID) else {
            throw Refusal.store(.contactNotFoundByName(contactName: name))
        }
        return try contact(id, of: user)
    }

    func reference(_ name: ChatName, of user: User) throws -> ChatReference {
        switch name.chatType {
        case .direct: return .direct(try contact(named: name.name, of: user).contactID)
        case .local: return .local(try noteFolderID(of: user))
        case .group: return .group(try group(named: name.name, of: user).groupID)
        default: throw Refusal.command("not supported")
        }
    }

    /// The folder of notes that every profile has.
    func noteFolderID(of user: User) throws -> NoteFolderID {
        guard let id = try db.notes.id(user: user.userID) else { throw Refusal.store(.noteFolderNotFound(noteFolderID: 0)) }
        return id
    }
}

extension Conversations {
    // MARK: Contacts

    func contact(_ id: ContactID, of user: User) throws -> Contact {
        guard let contact = try db.contacts.find(id, of: user) else { throw Refusal.store(.contactNotFound(contactID: id)) }
        return contact
    }
}
