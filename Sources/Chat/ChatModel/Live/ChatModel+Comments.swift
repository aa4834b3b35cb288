public import ChatAPI
public import ChatProtocol

/// The post whose comments a window shows. It is kept here and has no place in the JSON of the API.
public struct CommentedPost: Sendable, Hashable {
    /// The post, as it was when its comments were opened.
    public let item: ChatItem
    /// The id by which other members know the post.
    public let sharedMessageID: SharedMessageID

    /// - Throws: `notFound` while the post has no id yet by which others know it.
    init(_ item: ChatItem) throws(ChatCoreError) {
        guard let id = item.meta.sharedMessageID else {
            throw ChatCoreError(.unsupported, "The post cannot be commented before it is sent. Try again when it has been.")
        }
        self.item = item
        sharedMessageID = id
    }
}

extension ChatModel {
    /// Opens the comments on a post of a channel: from now on their window follows new comments. Any number of posts can be open.
    ///
    /// - Returns: The post, and the key of the window with its newest comments. ``closeItems(_:of:)`` closes it.
    /// - Throws: `unsupported` if the post is not sent yet; an error of the core if it does not know comments.
    public func openComments(
        on post: ChatItem, in group: GroupID, of user: UserID, _ pagination: ChatPagination = .last(50)
    ) async throws(ChatCoreError) -> (post: CommentedPost, key: ItemsKey) {
        let commented = try CommentedPost(post)
        let key = ItemsKey(.group(group), filter: .comments(post.id))
        try await loadItems(key, of: user, pagination)
        return (commented, key)
    }
}
