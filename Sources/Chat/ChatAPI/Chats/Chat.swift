public import ChatProtocol

/// A chat with some of its items: in lists one, the preview.
@JSONMembers
public struct Chat: JSONObjectConvertible, Hashable {
    /// The kind of the chat, with its contact, group or folder.
    public var chatInfo: ChatInfo
    /// Items, oldest first.
    public var chatItems: [ChatItem]
    /// Counts.
    public var chatStats: ChatStats = ChatStats()
}

/// Counts of a chat.
@JSONMembers
public struct ChatStats: JSONObjectConvertible, Hashable {
    /// Unread items.
    public var unreadCount: Int = 0
    /// Unread items that mention this profile.
    public var unreadMentions: Int = 0
    /// Reports that no moderator has dealt with.
    public var reportsCount: Int = 0
    /// The oldest unread item; 0 for none.
    public var minUnreadItemID: ChatItemID = 0
    /// True if the chat is marked as unread.
    public var unreadChat: Bool = false
}

/// The items beyond the newest item of a page, counted.
@JSONMembers
public struct NavigationInfo: JSONObjectConvertible, Hashable {
    /// Unread items after it.
    public var afterUnread: Int = 0
    /// Items after it.
    public var afterTotal: Int = 0
}

/// An item together with the chat it belongs to.
@JSONMembers
public struct ItemInChat: JSONObjectConvertible, Hashable {
    /// The chat.
    @JSONRepeated public var chatInfo: ChatInfo
    /// The item.
    public var chatItem: ChatItem
}

/// A reaction together with the chat it belongs to.
@JSONMembers
public struct ReactionInChat: JSONObjectConvertible, Hashable {
    /// The chat.
    public var chatInfo: ChatInfo
    /// The reaction.
    public var chatReaction: ItemReaction
}

/// A tag that groups chats.
@JSONMembers
public struct ChatTag: JSONObjectConvertible, Hashable, Identifiable {
    /// Database id.
    public var chatTagID: ChatTagID
    /// Name.
    @JSONName("chatTagText") public var text: String
    /// Symbol.
    @JSONName("chatTagEmoji") public var emoji: String?

    /// Equal to `chatTagID`.
    public var id: ChatTagID { chatTagID }
}

/// A deleted item, and the item in its place.
@JSONMembers
public struct ChatItemDeletion: JSONObjectConvertible, Hashable {
    /// The item as it was.
    public var deletedChatItem: ItemInChat
    /// The item after the deletion, if it was marked and not removed.
    public var toChatItem: ItemInChat?
}
