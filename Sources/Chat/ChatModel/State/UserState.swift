public import ChatAPI
import ChatProtocol

/// The state of one profile.
public struct UserState: Sendable, Hashable {
    /// The profile.
    public internal(set) var user: User
    /// The chats by whom they are with. The scope of a group is never part of a key here: its parts have windows, not chats.
    public internal(set) var chats: [ChatReference: Chat] = [:]
    /// Pages of chats that were loaded.
    public internal(set) var windows: [ItemsKey: ItemsWindow] = [:]
    /// Members of groups, kept from when they are first asked for.
    public internal(set) var members: [GroupID: GroupMembers] = [:]
    /// Tags that the profile has, in its order.
    public internal(set) var tags: [ChatTag] = []
    /// The address of the profile, if it is known to have one.
    public internal(set) var address: UserContactLink?
    /// Chats that were deleted here: later events about them are ignored.
    public internal(set) var deletedChats: Set<ChatReference> = []
    /// True if all chats were loaded. Until then, ``unreadCount`` is the core's number.
    public internal(set) var isLoaded = false
    var reportedUnreadCount = 0
    /// The newest item that a list of chats had when it showed a chat: its counts have all items up to that one.
    var counted: [ChatReference: ChatItemID] = [:]
    /// True if events were lost since all chats were loaded.
    var missesEvents = false

    init(user: User) { self.user = user }

    /// The chats, the last active first.
    public var sortedChats: [Chat] {
        chats.map { (key: $0, chat: $1) }.sorted { left, right in
            let (one, other) = (left.chat.chatInfo.timestamp, right.chat.chatInfo.timestamp)
            if one != other { return (one ?? .init(seconds: 0)) > (other ?? .init(seconds: 0)) }
            return (left.key.type.rawValue, left.key.id) < (right.key.type.rawValue, right.key.id)
        }.map(\.chat)
    }

    /// Unread messages, each chat counted as its notifications are set.
    public var unreadCount: Int {
        isLoaded ? chats.values.reduce(0) { $0 + $1.countedUnread } : reportedUnreadCount
    }
}

extension Chat {
    /// Unread messages as the notifications of the chat are set: all, those that mention the profile, or none.
    public var countedUnread: Int {
        switch chatInfo.settings?.notifications {
        case .some(.none): 0
        case .mentions: chatStats.unreadMentions
        default: chatStats.unreadCount
        }
    }

    /// True if the chat counts as unread in lists and tags: it is marked so, or something that notifies is unread.
    public var isUnread: Bool { chatStats.unreadChat || countedUnread > 0 }

    /// Unread messages of support chats: for moderators the members that need attention, for others their own chat.
    public var supportUnreadCount: Int {
        guard let group = chatInfo.groupInfo else { return 0 }
        return group.membership.role >= .moderator ? group.membersRequireAttention : group.membership.supportChat?.unread ?? 0
    }
}
