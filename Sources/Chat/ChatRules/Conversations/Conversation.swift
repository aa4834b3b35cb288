package import ChatAPI
package import ChatProtocol

/// A chat that has items, with the rules of its kind.
///
/// Messages are sent, edited, deleted, reacted to and received once, over a conversation; where kinds of chats differ, the difference is here.
package enum Conversation: Sendable {
    case contact(Contact)
    case group(GroupConversation)
    case notes(NoteFolder)

    /// The owner of the conversation's items.
    package var owner: ItemOwner {
        switch self {
        case .contact(let contact): .contact(contact.contactID)
        case .group(let chat): .group(chat.group.groupID)
        case .notes(let folder): .notes(folder.noteFolderID)
        }
    }

    /// The items that a page of the conversation shows.
    package var itemScope: ItemScope {
        switch self {
        case .group(let chat): chat.post.map { .comments(chat.group.groupID, on: $0.id) } ?? .group(chat.group.groupID, chat.scope?.chatScope)
        case .contact, .notes: .chat(owner)
        }
    }

    /// The conversation as the API shows it.
    package var info: ChatInfo {
        switch self {
        case .contact(let contact): .direct(contact: contact)
        case .group(let chat): chat.info
        case .notes(let folder): .local(noteFolder: folder)
        }
    }

    /// An item with the conversation that it is in.
    package func containing(_ item: ChatItem) -> ItemInChat { ItemInChat(chatInfo: info, chatItem: item) }

    // MARK: Rules

    /// True if messages of this profile go to others.
    package var hasRecipients: Bool {
        switch self {
        case .contact, .group: true
        case .notes: false
        }
    }

    package var isGroup: Bool { if case .group = self { true } else { false } }

    /// Tells whether this profile may use a feature.
    package func isAllowedForUser(_ feature: ChatFeature) -> Bool {
        switch self {
        case .contact(let contact): contact.mergedPreferences.isAllowedForUser(feature)
        case .group(let chat): chat.isAllowedForUser(feature)
        case .notes: true
        }
    }

    /// Tells whether the other side may use a feature. In groups that depends on the member: see ``GroupInfo/allows(_:_:)``.
    package func isAllowedForPeer(_ feature: ChatFeature) -> Bool {
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
    package func sentTimer(ttl: Int?, isLive: Bool, at now: UTCTimestamp) -> ItemTimer? {
        switch self {
        case .contact(let contact): ItemTiming.sent(chatTTL: ItemTiming.ttl(of: contact), ttl: ttl, isLive: isLive, at: now)
        case .group(let chat): ItemTiming.sent(chatTTL: chat.timeToLive, ttl: ttl, isLive: isLive, at: now)
        case .notes: nil
        }
    }

    /// The timer of a received message. Its time begins when the message is read.
    package func receivedTimer(ttl: Int?) -> ItemTimer? {
        switch self {
        case .contact(let contact): ItemTiming.received(chatTTL: ItemTiming.ttl(of: contact), ttl: ttl)
        case .group(let chat): ItemTiming.received(chatTTL: chat.timeToLive, ttl: ttl)
        case .notes: nil
        }
    }
}

extension StoredItem {
    /// The author as the members of a group know it; nil in other chats, and for items in the name of the group.
    package func author(in conversation: Conversation) -> MemberID? {
        guard case .group(let chat) = conversation else { return nil }
        switch item.direction {
        case .groupSent: return item.meta.showGroupAsSender ? nil : chat.group.membership.memberID
        case .groupReceived(let member): return member.memberID
        default: return nil
        }
    }
}
