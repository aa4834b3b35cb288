import ChatAPI
import ChatProtocol

/// The part of a command that chooses the items of a window.
struct MessageContentFilter {
    /// The kind of content; nil for all.
    let type: MessageContentType?

    /// - Throws: `unsupported` for comments: no released core can page through them.
    init(_ key: ItemsKey) throws(ChatCoreError) {
        switch key.filter {
        case .all: type = nil
        case .content(let type): self.type = type
        case .comments: throw ChatCoreError(.unsupported, "This core cannot list the comments on a post.")
        }
    }
}

extension ChatModelState {
    /// Forgets a window.
    mutating func close(_ key: ItemsKey, of user: UserID) { users[user]?.windows[key] = nil }
}
