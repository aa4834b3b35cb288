import ChatAPI
import ChatProtocol

// Finding the chats that commands name.

/// A chat with items: with a contact, or with oneself.
enum Conversation: Sendable {
    case contact(Contact)
    case notes(NoteFolder)

    var owner: ItemOwner {
        switch self {
        case .contact(let contact): .contact(contact.contactID)
        case .notes(let folder): .notes(folder.noteFolderID)
        }
    }

    var info: ChatInfo {
        switch self {
        case .contact(let contact): .direct(contact: contact)
        case .notes(let folder): .local(noteFolder: folder)
        }
    }
}

extension ChatTransaction {
    /// The chat that a command names, if chats of its kind have items here.
    func place(_ chat: ChatReference, of user: User) throws -> Conversation {
        switch chat.type {
        case .direct: return .contact(try contact(chat.id, of: user))
        case .local: return .notes(try noteFolder(chat.id, of: user))
        default: throw Self.refusal(of: chat)
        }
    }

    func noteFolder(_ id: NoteFolderID, of user: User) throws -> NoteFolder {
        guard let folder = try db.noteFolder(id, user: user.userID) else {
            throw Refusal.store(.noteFolderNotFound(noteFolderID: id))
        }
        return folder
    }

    func refuseGroup<T>(_ chat: ChatReference) throws -> T { throw Self.refusal(of: chat) }

    /// There are no groups yet, and what is not connected has neither items nor settings, so it is no chat.
    private static func refusal(of chat: ChatReference) -> Refusal {
        switch chat.type {
        case .group: .store(.groupNotFound(groupID: chat.id))
        case .contactRequest: .command("a contact request is no chat: accept it, and name the contact")
        case .contactConnection: .command("a connection that is being made is no chat: name the contact once it is connected")
        default: .command("not supported")
        }
    }

    /// An item of a chat.
    func item(_ id: ChatItemID, in place: Conversation) throws -> StoredItem {
        guard let item = try db.item(id, owner: place.owner, at: now) else {
            throw Refusal.store(.chatItemNotFound(itemID: id))
        }
        return item
    }

    /// The chat that an item stands in.
    func place(of item: StoredItem, user: User) throws -> Conversation {
        switch item.owner {
        case .contact(let id): .contact(try contact(id, of: user))
        case .notes(let id): .notes(try noteFolder(id, of: user))
        }
    }

    // MARK: Names

    func contact(named name: String, of user: User) throws -> Contact {
        guard let id = try db.contactID(named: name, user: user.userID) else {
            throw Refusal.store(.contactNotFoundByName(contactName: name))
        }
        return try contact(id, of: user)
    }

    func reference(_ name: ChatName, of user: User) throws -> ChatReference {
        switch name.chatType {
        case .direct: return .direct(try contact(named: name.name, of: user).contactID)
        case .local: return .local(try noteFolderID(of: user))
        case .group: throw Refusal.store(.groupNotFoundByName(groupName: name.name))
        default: throw Refusal.command("not supported")
        }
    }

    /// The one folder of notes that a profile has.
    func noteFolderID(of user: User) throws -> NoteFolderID {
        guard let id = try db.noteFolderID(user: user.userID) else { throw Refusal.store(.noteFolderNotFound(noteFolderID: 0)) }
        return id
    }
}
