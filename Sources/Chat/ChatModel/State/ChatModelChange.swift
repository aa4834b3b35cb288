public import ChatAPI

/// Something in a ``ChatModelState`` that is not as it was.
public enum ChatModelChange: Sendable, Hashable {
    /// A profile, or which one is active.
    case user(UserID)
    /// A profile is gone.
    case userRemoved(UserID)
    /// A chat: whom it is with, its preview, its counts or its place in the list.
    case chat(UserID, ChatReference)
    /// The subscription state of the connection of a chat.
    case subscription(UserID, ChatReference)
    /// A chat is gone.
    case chatRemoved(UserID, ChatReference)
    /// A chat lost its preview and the model does not know the one before: a page of one item should be loaded.
    case previewMissing(UserID, ChatReference)
    /// Items of a window; `added` if there is a new one at its end.
    case items(UserID, ItemsKey, added: Bool)
    /// Members of a group whose members are kept, or the counts of their support chats.
    case members(UserID, GroupID)
    /// The tags of a profile.
    case tags(UserID)
    /// The address of a profile.
    case address(UserID)
    /// The core has started or stopped.
    case running
    /// More than a subscriber's changes can name while they wait to be read: what is known should be read anew.
    case everything
}
