public import ChatAPI
internal import ChatModel
internal import ChatProtocol

/// The chats of a bot, as the core last reported them: read only, and always as new as the event that a handler was given.
///
/// Lists, last messages and counts are in memory; the items of a chat are read from the store page by page.
public struct BotChats: Sendable {
    private let model: ChatModel
    let userID: UserID

    init(model: ChatModel, userID: UserID) {
        self.model = model
        self.userID = userID
    }

    /// All chats, the last active first.
    public var all: [ChatSummary] {
        get async { await model.state.chats(of: userID).compactMap(ChatSummary.init) }
    }

    /// Unread messages of all chats, each counted as its notifications are set.
    public var unreadCount: Int {
        get async { await model.state.users[userID]?.unreadCount ?? 0 }
    }

    /// One chat; nil if there is none.
    public func summary(of chat: ChatReference) async -> ChatSummary? {
        await model.state.chat(chat, of: userID).flatMap(ChatSummary.init)
    }

    /// The chat with a contact or group of a name, as ``ChatSummary/name`` has it.
    public func summary(named name: String) async -> ChatSummary? { await all.first { $0.name == name } }

    /// Tells whether what comes to a chat with a contact is received: its router is connected and the chat's queue subscribed to. Nil while the core
    /// has not told, and for other chats.
    public func isSubscribed(_ chat: ChatReference) async -> Bool? {
        await model.state.subscription(of: chat, user: userID).map { $0 == .active }
    }

    /// A page of the items of a chat, oldest first.
    ///
    /// - Parameters:
    ///   - chat: The chat.
    ///   - post: A post of a channel, for the comments on it.
    ///   - page: The page; the 50 newest items by default.
    /// - Throws: `ChatCoreError`, for example `errorStore.contactNotFound` if there is no such chat.
    public func items(
        of chat: ChatReference, commentsOn post: ChatItemID? = nil, _ page: ChatPagination = .last(50)
    ) async throws(ChatCoreError) -> [ChatItem] {
        try await model.readItems(chat, of: userID, commentsOn: post, page).map(\.chatItem)
    }

    /// A new link by which one person can connect to the bot, once. Who connects is a contact, also of a bot with a business address.
    ///
    /// - Returns: the short link if there is one.
    public func makeInvitation() async throws(ChatCoreError) -> String {
        guard case .invitation(_, let link, _) = try await model.send(.connections(.add(user: userID)), as: userID) else {
            throw ChatCoreError(.invalidResponse, "The core did not show the link that it made.")
        }
        return link.shortLink ?? link.fullLink
    }

    /// A stream of the chats that have changed, for as long as the bot runs. One task may read a stream.
    ///
    /// Unread changes are combined, each chat once, so a slow reader does not fall behind. If more than 65,536 chats have changed, the reader
    /// receives all existing chats.
    public func changes() -> AsyncStream<Set<ChatReference>> {
        let changes = model.changes(), userID = userID
        // Taken when they are asked for: they wait where they are put together.
        return AsyncStream {
            var iterator = changes.makeAsyncIterator()
            while let batch = await iterator.next() {
                var chats: Set<ChatReference> = []
                for change in batch {
                    switch change {
                    case .chat(userID, let chat), .chatRemoved(userID, let chat): chats.insert(chat)
                    case .everything: chats.formUnion(await all.map(\.reference))
                    default: break
                    }
                }
                if !chats.isEmpty { return chats }
            }
            return nil
        }
    }
}

/// A chat in a list: whom it is with, its last message and what is unread.
public struct ChatSummary: Sendable, Hashable {
    /// The chat.
    public let reference: ChatReference
    /// The core's record of the chat.
    public let info: ChatInfo
    /// The last item; nil in an empty chat.
    public let lastItem: ChatItem?
    /// Items that were received and not read.
    public let unreadCount: Int
    /// True if the chat was marked as unread.
    public let isMarkedUnread: Bool

    /// Nil for what is listed beside the chats with others: connections that are being made, and the profile's own notes.
    init?(_ chat: Chat) {
        switch chat.chatInfo {
        case .direct, .group, .contactRequest: break
        case .local, .contactConnection, .other: return nil
        }
        guard let reference = chat.chatInfo.reference else { return nil }
        self.reference = reference
        info = chat.chatInfo
        lastItem = chat.chatItems.last
        unreadCount = chat.chatStats.unreadCount
        isMarkedUnread = chat.chatStats.unreadChat
    }

    /// The name of the contact or group as the bot's profile shows it.
    public var name: String { info.localDisplayName }

    /// The id of the contact, in a chat with one.
    public var contactID: ContactID? { info.contact?.contactID }

    /// The text of the last item; empty in an empty chat.
    public var preview: String { lastItem?.meta.text ?? "" }
}
