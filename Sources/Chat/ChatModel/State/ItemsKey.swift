public import ChatAPI
public import ChatProtocol

/// Which items a window shows: those of a chat or of a part of a group, all of them or of one kind.
public struct ItemsKey: Sendable, Hashable {
    /// The chat, with the part of a group.
    public var chat: ChatReference
    /// Which of its items.
    public var filter: Filter

    /// Which items of a chat.
    public enum Filter: Sendable, Hashable {
        /// All; in channels all but comments.
        case all
        /// Those with one kind of content; in channels without comments.
        case content(MessageContentType)
        /// Comments on a post.
        case comments(ChatItemID)
    }

    /// The items of a chat that pass a filter.
    public init(_ chat: ChatReference, filter: Filter = .all) {
        self.chat = chat
        self.filter = filter
    }

    /// The items of the support chat of a member of a group; of this profile's own if `member` is nil.
    public static func supportChat(of member: GroupMemberID?, in group: GroupID) -> ItemsKey {
        ItemsKey(.group(group, scope: .memberSupport(member)))
    }

    /// Checks whether an item of the chat belongs here.
    public func contains(_ item: ChatItem) -> Bool {
        switch filter {
        case .all: item.meta.parentItemID == nil
        case .content(let type): item.meta.parentItemID == nil && item.content.messageContent?.type == type
        case .comments(let parent): item.meta.parentItemID == parent
        }
    }
}
