internal import ChatAPI
internal import ChatProtocol
internal import Hosting

/// Lines about comments on the posts of a channel.
extension ChatSession {
    /// Comments that `:comments` shows at the most: the newest.
    private static let shownComments = 50

    /// Comments a post of the open channel: the newest one, unless its number is given.
    func comment(_ text: String, on id: ChatItemID?) async throws {
        let (channel, post) = try await self.post(id)
        try await deliverOrSay(text, as: .comment(channel.groupID, post.id))
    }

    /// Shows a post of the open channel and the comments on it.
    func showComments(on id: ChatItemID?) async throws {
        let (channel, post) = try await self.post(id)
        let page = ChatsCommand.page(.group(channel.groupID), commentsOn: post.id, pagination: .last(Self.shownComments))
        guard case .apiChat(_, let thread, _) = try await core.send(.chats(page), as: user.userID) else {
            throw Outcome.Failed("core.invalidResponse", description: "the comments were not shown")
        }
        printer.show(post, in: thread.chatInfo, from: user, withTime: true)
        for comment in thread.chatItems.inConversationOrder where comment.isWorthShowing {
            printer.show(comment, in: thread.chatInfo, from: user, withTime: true)
        }
    }

    private func post(_ id: ChatItemID?) async throws -> (channel: GroupInfo, item: ChatItem) {
        guard case .group(let channel, nil)? = openInfo, channel.usesRelays else {
            throw Outcome.BadInput("chat.noChannel", description: "comments are on the posts of a channel, and none is open: :open NAME")
        }
        let item = try await target(id, in: .group(channel.groupID), "a post to comment") { $0.meta.parentItemID == nil }
        return (channel, item)
    }
}
