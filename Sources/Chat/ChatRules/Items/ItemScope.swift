package import ChatAPI

/// The items that a page is taken from.
package enum ItemScope: Sendable, Hashable {
    case chat(ItemOwner)
    /// A group without comments, or a support chat in it; nil for what all members see.
    case group(GroupID, GroupChatScope?)
    /// The comments on a post of a channel.
    case comments(GroupID, on: ChatItemID)
    case user(UserID)
}
