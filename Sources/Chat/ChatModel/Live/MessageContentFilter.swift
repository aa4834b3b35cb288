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

extension ChatModelState {
    /// Forgets a window.
    mutating func close(_ key: ItemsKey, of user: UserID) { users[user]?.windows[key] = nil }
}
