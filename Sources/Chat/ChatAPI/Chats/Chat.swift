public import ChatProtocol

/// A chat with some of its items: in lists one, the preview.
public struct Chat: JSONObjectConvertible, Hashable {
    /// Whom or what it is with.
    public var chatInfo: ChatInfo
    /// Items, oldest first.
    public var chatItems: [ChatItem]
    /// Counts.
    public var chatStats: ChatStats

    /// Makes the value from its parts.
    public init(chatInfo: ChatInfo, chatItems: [ChatItem], chatStats: ChatStats = ChatStats()) {
        self.chatInfo = chatInfo
        self.chatItems = chatItems
        self.chatStats = chatStats
    }
}

extension Chat {
    public init(object: JSONObject) throws(JSONError) {
        chatInfo = try object.required("chatInfo")
        chatItems = try object.required("chatItems")
        chatStats = try object.optional("chatStats") ?? ChatStats()
    }

    public func write(into object: inout JSONObjectWriter) {
        object["chatInfo"] = chatInfo
        object["chatItems"] = chatItems
        object["chatStats"] = chatStats
    }
}

/// Counts of a chat.
public struct ChatStats: JSONObjectConvertible, Hashable {
    /// Unread items.
    public var unreadCount: Int
    /// Unread items that mention this profile.
    public var unreadMentions: Int
    /// Reports that no moderator has dealt with.
    public var reportsCount: Int
    /// The oldest unread item; 0 for none.
    public var minUnreadItemID: ChatItemID
    /// Whether the chat is marked as unread.
    public var unreadChat: Bool

    /// Makes the value from its parts.
    public init(
        unreadCount: Int = 0, unreadMentions: Int = 0, reportsCount: Int = 0, minUnreadItemID: ChatItemID = 0,
        unreadChat: Bool = false
    ) {
        self.unreadCount = unreadCount
        self.unreadMentions = unreadMentions
        self.reportsCount = reportsCount
        self.minUnreadItemID = minUnreadItemID
        self.unreadChat = unreadChat
    }
}

extension ChatStats {
    public init(object: JSONObject) throws(JSONError) {
        unreadCount = try object.optional("unreadCount") ?? 0
        unreadMentions = try object.optional("unreadMentions") ?? 0
        reportsCount = try object.optional("reportsCount") ?? 0
        minUnreadItemID = try object.optional("minUnreadItemId") ?? 0
        unreadChat = try object.optional("unreadChat") ?? false
    }

    public func write(into object: inout JSONObjectWriter) {
        object["unreadCount"] = unreadCount
        object["unreadMentions"] = unreadMentions
        object["reportsCount"] = reportsCount
        object["minUnreadItemId"] = minUnreadItemID
        object["unreadChat"] = unreadChat
    }
}

/// What lies beyond the newest item of a page.
public struct NavigationInfo: JSONObjectConvertible, Hashable {
    /// Unread items after it.
    public var afterUnread: Int
    /// Items after it.
    public var afterTotal: Int

    /// Makes the value from its parts.
    public init(afterUnread: Int = 0, afterTotal: Int = 0) {
        self.afterUnread = afterUnread
        self.afterTotal = afterTotal
    }
}

extension NavigationInfo {
    public init(object: JSONObject) throws(JSONError) {
        afterUnread = try object.optional("afterUnread") ?? 0
        afterTotal = try object.optional("afterTotal") ?? 0
    }

    public func write(into object: inout JSONObjectWriter) {
        object["afterUnread"] = afterUnread
        object["afterTotal"] = afterTotal
    }
}

/// An item together with the chat it belongs to.
public struct ItemInChat: JSONObjectConvertible, Hashable {
    /// The chat.
    public var chatInfo: ChatInfo
    /// The item.
    public var chatItem: ChatItem

    /// Makes the value from its parts.
    public init(chatInfo: ChatInfo, chatItem: ChatItem) {
        self.chatInfo = chatInfo
        self.chatItem = chatItem
    }
}

extension ItemInChat {
    public init(object: JSONObject) throws(JSONError) {
        chatInfo = try object.required("chatInfo")
        chatItem = try object.required("chatItem")
    }

    public func write(into object: inout JSONObjectWriter) {
        object.add("chatInfo", repeated: chatInfo)
        object["chatItem"] = chatItem
    }
}

/// A reaction together with the chat it belongs to.
public struct ReactionInChat: JSONObjectConvertible, Hashable {
    /// The chat.
    public var chatInfo: ChatInfo
    /// The reaction.
    public var chatReaction: ItemReaction

    /// Makes the value from its parts.
    public init(chatInfo: ChatInfo, chatReaction: ItemReaction) {
        self.chatInfo = chatInfo
        self.chatReaction = chatReaction
    }
}

extension ReactionInChat {
    public init(object: JSONObject) throws(JSONError) {
        chatInfo = try object.required("chatInfo")
        chatReaction = try object.required("chatReaction")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["chatInfo"] = chatInfo
        object["chatReaction"] = chatReaction
    }
}

/// A tag that groups chats.
public struct ChatTag: JSONObjectConvertible, Hashable, Identifiable {
    /// Database id.
    public var chatTagID: ChatTagID
    /// Name.
    public var text: String
    /// Symbol.
    public var emoji: String?

    /// Equal to `chatTagID`.
    public var id: ChatTagID { chatTagID }

    /// Makes the value from its parts.
    public init(chatTagID: ChatTagID, text: String, emoji: String? = nil) {
        self.chatTagID = chatTagID
        self.text = text
        self.emoji = emoji
    }
}

extension ChatTag {
    public init(object: JSONObject) throws(JSONError) {
        chatTagID = try object.required("chatTagId")
        text = try object.required("chatTagText")
        emoji = try object.optional("chatTagEmoji")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["chatTagId"] = chatTagID
        object["chatTagText"] = text
        object["chatTagEmoji"] = emoji
    }
}

/// An item that was deleted, and what stands in its place.
public struct ChatItemDeletion: JSONObjectConvertible, Hashable {
    /// The item as it was.
    public var deletedChatItem: ItemInChat
    /// The item as it is now, when it was marked and not removed.
    public var toChatItem: ItemInChat?

    /// Makes the value from its parts.
    public init(deletedChatItem: ItemInChat, toChatItem: ItemInChat? = nil) {
        self.deletedChatItem = deletedChatItem
        self.toChatItem = toChatItem
    }
}

extension ChatItemDeletion {
    public init(object: JSONObject) throws(JSONError) {
        deletedChatItem = try object.required("deletedChatItem")
        toChatItem = try object.optional("toChatItem")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["deletedChatItem"] = deletedChatItem
        object["toChatItem"] = toChatItem
    }
}
