public import ChatAPI

/// The state of the profiles of a core and their chats, from the events of the core.
///
/// A value without behaviour of its own: ``apply(_:)`` takes an event, ``apply(_:to:)`` what became of a command. Both return what
/// changed. The same inputs in the same order make the same state.
public struct ChatModelState: Sendable, Hashable {
    /// The profiles that are known, hidden ones only after they were opened.
    public internal(set) var users: [UserID: UserState] = [:]
    /// The profile that is active in the core; commands without a profile mean it.
    public internal(set) var activeUserID: UserID?
    /// True if the core sends and receives; nil while that is not known.
    public internal(set) var isRunning: Bool?
    /// The subscription states of connections, by the agent's ids, as far as the core has reported them.
    public internal(set) var subscriptions: [String: SubscriptionStatus] = [:]
    /// The maximum number of items in the window of a chat.
    public var windowLimit = 1000

    /// Nothing is known.
    public init() {}

    /// The profile that is active in the core.
    public var activeUser: User? { activeUserID.flatMap { users[$0]?.user } }

    /// Unread messages of all profiles, each chat counted as its notifications are set. Muted profiles are not counted.
    public var totalUnreadCount: Int {
        users.values.reduce(0) { $0 + ($1.user.showsNotifications ? $1.unreadCount : 0) }
    }

    /// The chat of a profile.
    public func chat(_ reference: ChatReference, of user: UserID) -> Chat? { users[user]?.chats[reference] }

    /// The chats of a profile, the last active first.
    public func chats(of user: UserID) -> [Chat] { users[user]?.sortedChats ?? [] }

    /// The subscription state of the connection of a chat: whether messages are received. Nil before the core has reported it, and for chats
    /// without a connection of their own.
    public func subscription(of reference: ChatReference, user: UserID) -> SubscriptionStatus? {
        chat(reference, of: user)?.agentConnectionID.flatMap { subscriptions[$0] }
    }

    /// The members of a group; nil unless they were asked for.
    public func members(of group: GroupID, user: UserID) -> GroupMembers? { users[user]?.members[group] }

    /// The items of a chat that are loaded.
    public func items(_ key: ItemsKey, of user: UserID) -> ItemsWindow? { users[user]?.windows[key] }
}

extension Chat {
    /// The connection by which the chat's messages come; nil for chats without one of their own.
    var agentConnectionID: String? {
        guard case .direct(let contact) = chatInfo else { return nil }
        return contact.activeConnection?.agentConnectionID
    }
}
