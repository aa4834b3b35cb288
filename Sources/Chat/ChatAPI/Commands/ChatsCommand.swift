public import ChatProtocol

/// Commands about chats: lists, pages, tags and settings.
public enum ChatsCommand: Sendable, Hashable {
    /// Chats of a profile with their previews, the last active first.
    case list(
        user: UserID, pendingConnections: Bool = false, pagination: TimePagination = .last(5000), query: ChatListQuery = .all)
    /// A page of a chat, or of the comments on a post of a channel; only items of one kind, or with a text, if given.
    case page(
        ChatReference, commentsOn: ChatItemID? = nil, content: MessageContentType? = nil, pagination: ChatPagination, search: String? = nil)
    /// The kinds of content that a chat has.
    case contentTypes(ChatReference)
    /// Items of all chats of the active profile.
    case items(pagination: ChatPagination, search: String? = nil)
    /// History and delivery of an item.
    case itemInfo(ChatReference, ChatItemID)
    /// Marks all items of a chat as read.
    case markRead(ChatReference)
    /// Marks some items of a chat as read.
    case markItemsRead(ChatReference, [ChatItemID])
    /// Marks a chat as unread, or not.
    case markUnread(ChatReference, Bool)
    /// Deletes a chat.
    case delete(ChatReference, mode: ChatDeleteMode = .full())
    /// Deletes all items of a chat.
    case clear(ChatReference)
    /// Sets notifications, receipts and favourite.
    case setSettings(ChatReference, ChatSettings)
    /// Sets after how many seconds messages are deleted: 0 never, nil as the profile is set.
    case setMessageTTL(user: UserID, ChatReference, seconds: Int64?)
    /// Sets the colours of a chat.
    case setThemes(ChatReference, JSONValue?)
    /// Tags of a profile.
    case tags(user: UserID)
    /// Makes a tag.
    case createTag(ChatTagData)
    /// Sets the tags of a chat.
    case setTags(ChatReference, [ChatTagID])
    /// Deletes a tag.
    case deleteTag(ChatTagID)
    /// Changes a tag.
    case updateTag(ChatTagID, ChatTagData)
    /// Sets the order of the tags.
    case reorderTags([ChatTagID])
}

extension ChatsCommand {
    var commandString: String {
        switch self {
        case .list(let user, let pending, let pagination, let query):
            "/_get chats \(user)\(CommandText.option(" pcc=", pending)) \(pagination) \(CommandText.json(query))"
        case .page(let chat, let post, let content, let pagination, let search):
            "/_get chat \(chat)\(post.map { " parent=\($0)" } ?? "")\(content.map { " content=\($0.code)" } ?? "") \(pagination)"
                + (search.map { " search=\($0)" } ?? "")
        case .contentTypes(let chat): "/_get content types \(chat)"
        case .items(let pagination, let search): "/_get items \(pagination)" + (search.map { " search=\($0)" } ?? "")
        case .itemInfo(let chat, let item): "/_get item info \(chat) \(item)"
        case .markRead(let chat): "/_read chat \(chat)"
        case .markItemsRead(let chat, let items): "/_read chat items \(chat) \(CommandText.list(items))"
        case .markUnread(let chat, let unread): "/_unread chat \(chat) \(CommandText.flag(unread))"
        case .delete(let chat, let mode): "/_delete \(chat) \(mode)"
        case .clear(let chat): "/_clear chat \(chat)"
        case .setSettings(let chat, let settings): "/_settings \(chat) \(CommandText.json(settings))"
        case .setMessageTTL(let user, let chat, let seconds):
            "/_ttl \(user) \(chat) \(seconds.map { String($0) } ?? "default")"
        case .setThemes(let chat, let themes): "/_set theme \(chat)\(CommandText.json(themes))"
        case .tags(let user): "/_get tags \(user)"
        case .createTag(let tag): "/_create tag \(CommandText.json(tag))"
        case .setTags(let chat, let tags): "/_tags \(chat)" + (tags.isEmpty ? "" : " \(CommandText.list(tags))")
        case .deleteTag(let id): "/_delete tag \(id)"
        case .updateTag(let id, let tag): "/_update tag \(id) \(CommandText.json(tag))"
        case .reorderTags(let ids): "/_reorder tags \(CommandText.list(ids))"
        }
    }

    static let forms: [CommandForm] = [
        CommandForm("/_get chats ") { r throws(CommandMismatch) in
            let user = try r.id(UserID.self)
            let pending = r.flag(after: " pcc=")
            let pagination = r.optional(" ") { r throws(CommandMismatch) in try r.timePagination() }
            let query: ChatListQuery? = r.optional { r throws(CommandMismatch) in try r.spaceJSON() }
            return .chats(
                .list(user: user, pendingConnections: pending, pagination: pagination ?? .last(5000), query: query ?? .all))
        },
        CommandForm("/_get chat ") { r throws(CommandMismatch) in
            let chat = try r.chatReference()
            let post = r.optional(" parent=") { r throws(CommandMismatch) in try r.id(ChatItemID.self) }
            let content = r.optional(" content=") { r throws(CommandMismatch) in try r.contentType() }
            try r.expect(" ")
            return .chats(
                .page(chat, commentsOn: post, content: content, pagination: try r.chatPagination(), search: r.search()))
        },
        CommandForm("/_get content types ") { r throws(CommandMismatch) in .chats(.contentTypes(try r.chatReference())) },
        CommandForm("/_get items ") { r throws(CommandMismatch) in
            .chats(.items(pagination: try r.chatPagination(), search: r.search()))
        },
        CommandForm("/_get item info ") { r throws(CommandMismatch) in
            .chats(.itemInfo(try r.chatReferenceSpace(), try r.id()))
        },
        CommandForm("/_read chat items ") { r throws(CommandMismatch) in
            .chats(.markItemsRead(try r.chatReferenceSpace(), try r.ids()))
        },
        CommandForm("/_read chat ") { r throws(CommandMismatch) in .chats(.markRead(try r.chatReference())) },
        CommandForm("/_unread chat ") { r throws(CommandMismatch) in
            .chats(.markUnread(try r.chatReferenceSpace(), try r.flag()))
        },
        CommandForm("/_delete ") { r throws(CommandMismatch) in
            .chats(.delete(try r.chatReference(), mode: r.chatDeleteMode()))
        },
        CommandForm("/_clear chat ") { r throws(CommandMismatch) in .chats(.clear(try r.chatReference())) },
        CommandForm("/_settings ") { r throws(CommandMismatch) in
            let chat = try r.chatReferenceSpace()
            let settings: ChatSettings = try r.json()
            guard settings.notifications.isKnown else { throw CommandMismatch() }
            return .chats(.setSettings(chat, settings))
        },
        CommandForm("/_ttl ") { r throws(CommandMismatch) in
            let user = try r.idSpace(UserID.self)
            let chat = try r.chatReferenceSpace()
            if r.skip("default") { return .chats(.setMessageTTL(user: user, chat, seconds: nil)) }
            return .chats(.setMessageTTL(user: user, chat, seconds: try r.decimal()))
        },
        CommandForm("/_set theme ") { r throws(CommandMismatch) in
            let chat = try r.chatReference()
            return .chats(.setThemes(chat, try r.themes()))
        },
        CommandForm("/_get tags ") { r throws(CommandMismatch) in .chats(.tags(user: try r.id())) },
        CommandForm("/_create tag ") { r throws(CommandMismatch) in .chats(.createTag(try r.json())) },
        CommandForm("/_tags ") { r throws(CommandMismatch) in
            let chat = try r.chatReference()
            return .chats(.setTags(chat, r.optional(" ") { r throws(CommandMismatch) in try r.ids() } ?? []))
        },
        CommandForm("/_delete tag ") { r throws(CommandMismatch) in .chats(.deleteTag(try r.id())) },
        CommandForm("/_update tag ") { r throws(CommandMismatch) in
            .chats(.updateTag(try r.idSpace(), try r.json()))
        },
        CommandForm("/_reorder tags ") { r throws(CommandMismatch) in .chats(.reorderTags(try r.ids())) },
    ]
}

extension CommandReader {
    /// A chat and a space.
    mutating func chatReferenceSpace() throws(CommandMismatch) -> ChatReference {
        let chat = try chatReference()
        try expect(" ")
        return chat
    }

    /// A kind of content.
    fileprivate mutating func contentType() throws(CommandMismatch) -> MessageContentType {
        let word = word()
        guard !word.isEmpty else { throw CommandMismatch() }
        return MessageContentType(code: word)
    }

    /// ` search=` and a text, which is all that is left.
    fileprivate mutating func search() -> String? { skip(" search=") ? rest() : nil }
}
