import ChatAPI
import ChatProtocol

/// The part of a command that chooses the items of a window.
struct MessageContentFilter {
    /// The kind of content; nil for all.
    var type: MessageContentType?
    /// The post whose comments the window shows; nil for the chat itself.
    var post: ChatItemID?

    init(_ key: ItemsKey) {
        switch key.filter {
        case .all: break
        case .content(let type): self.type = type
        case .comments(let post): self.post = post
        }
    }
}

extension ItemsKey.Filter {
    /// The filter that a command for a page asks for; nil if no window has it.
    init?(content: MessageContentType?, commentsOn post: ChatItemID?) {
        switch (content, post) {
        case (nil, nil): self = .all
        case (let type?, nil): self = .content(type)
        case (nil, let post?): self = .comments(post)
        case (_?, _?): return nil
        }
    }
}

extension ItemsKey {
    /// The command for a page of the window.
    func page(_ pagination: ChatPagination) -> ChatCommand {
        let filter = MessageContentFilter(self)
        return .chats(.page(chat, commentsOn: filter.post, content: filter.type, pagination: pagination))
    }
}

extension ChatModelState {
    /// The windows that are open, in an order that is always the same for the chats of a profile.
    var openWindows: [(user: UserID, key: ItemsKey)] {
        users.sorted { $0.key < $1.key }.flatMap { user, state in state.windows.keys.map { (user, $0) } }
    }

    /// Takes in that events were lost: counts no longer go back to a list of all chats.
    mutating func missEvents() { for user in users.keys { users[user]?.missesEvents = true } }

    /// Forgets a window.
    mutating func close(_ key: ItemsKey, of user: UserID) { users[user]?.windows[key] = nil }
}
