import ChatAPI
import ChatProtocol

/// A chat that has items, with the rules of its kind.
///
/// Messages are sent, edited, deleted, reacted to and received once, over a conversation; where kinds of chats differ, the difference is here.
enum Conversation: Sendable {
    case contact(Contact)
    case group(GroupConversation)
    case notes(NoteFolder)

    /// The owner of the conversation's items.
    var owner: ItemOwner {
        switch self {
        case .contact(let contact): .contact(contact.contactID)
        case .group(let chat): .group(chat.group.groupID)
        case .notes(let folder): .notes(folder.noteFolderID)
        }
    }

    /// The items that a page of the conversation shows.
    var itemScope: ItemScope {
        switch self {
        case .group(let chat): chat.post.map { .comments(chat.group.groupID, on: $0.id) } ?? .group(chat.group.groupID, chat.scope?.chatScope)
        case .contact, .notes: .chat(owner)
        }
    }

    /// The conversation as the API shows it.
    var info: ChatInfo {
        switch self {
        case .contact(let contact): .direct(contact: contact)
        case .group(let chat): chat.info
        case .notes(let folder): .local(noteFolder: folder)
        }
    }

    /// An item with the conversation that it is in.
    func containing(_ item: ChatItem) -> ItemInChat { ItemInChat(chatInfo: info, chatItem: item) }

    // MARK: Rules

    /// True if messages of this profile go to others.
    var hasRecipients: Bool {
        switch self {
        case .contact, .group: true
        case .notes: false
        }
    }

    var isGroup: Bool { if case .group = self { true } else { false } }

    /// Tells whether this profile may use a feature.
    func isAllowedForUser(_ feature: ChatFeature) -> Bool {
        switch self {
        case .contact(let contact): contact.mergedPreferences.isAllowedForUser(feature)
        case .group(let chat): chat.isAllowedForUser(feature)
        case .notes: true
        }
    }

    /// Tells whether the other side may use a feature. In groups that depends on the member: see ``GroupInfo/allows(_:_:)``.
    func isAllowedForPeer(_ feature: ChatFeature) -> Bool {
        switch self {
        case .contact(let contact): contact.mergedPreferences.isAllowedForContact(feature)
        case .group, .notes: false
        }
    }

    /// The timer of a message that this profile sends.
    ///
    /// - Parameters:
    ///   - ttl: The time to live that the command asks for, in seconds; nil for that of the conversation.
    ///   - isLive: True for a message that is still being typed: its time begins when it is finished.
    func sentTimer(ttl: Int?, isLive: Bool, at now: UTCTimestamp) -> ItemTimer? {
        switch self {
        case .contact(let contact): ItemTiming.sent(chatTTL: ItemTiming.ttl(of: contact), ttl: ttl, isLive: isLive, at: now)
        case .group(let chat): ItemTiming.sent(chatTTL: chat.timeToLive, ttl: ttl, isLive: isLive, at: now)
        case .notes: nil
        }
    }

    /// The timer of a received message. Its time begins when the message is read.
    func receivedTimer(ttl: Int?) -> ItemTimer? {
        switch self {
        case .contact(let contact): ItemTiming.received(chatTTL: ItemTiming.ttl(of: contact), ttl: ttl)
        case .group(let chat): ItemTiming.received(chatTTL: chat.timeToLive, ttl: ttl)
        case .notes: nil
        }
    }
}

extension ChatTransaction {
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
        guard let folder = try db.noteFolder(id, user: user.userID) else {
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
        guard let item = try db.item(id, owner: conversation.owner, at: now) else {
            throw Refusal.store(.chatItemNotFound(itemID: id))
        }
        return item
    }

    /// The items with these ids. An event reports those that are not there.
    func items(_ ids: [ChatItemID], in conversation: Conversation) throws -> [StoredItem] {
        var items: [StoredItem] = []
        var errors: [ChatError] = []
        for id in ids {
            if let item = try db.item(id, owner: conversation.owner, at: now) {
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
        guard let id = try db.contactID(named: name, user: user.userID) else {
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
        guard let id = try db.noteFolderID(user: user.userID) else { throw Refusal.store(.noteFolderNotFound(noteFolderID: 0)) }
        return id
    }
}
