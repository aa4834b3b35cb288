public import ChatAPI
public import ChatProtocol

/// A relay of a channel that changed, as its owner sees it: it takes subscribers now, refused the channel, or left.
public struct RelayContext: ChatContext {
    /// The channel.
    public let chat: BotChat
    /// The relay as a member of the channel.
    public let member: GroupMember
    /// The relay and its state.
    public let relay: GroupRelay

    /// The relay.
    public var person: PersonID { PersonID(description: "\(chat.scopeText)/\(member.groupMemberID)") }
    /// The name of the relay.
    public var name: String { member.profile.displayName }
    /// True if subscribers can come by the relay.
    public var isActive: Bool { relay.status == .active }
}

extension Trigger where Context == MessageContext {
    /// A post of a channel: what all subscribers see, in the name of the channel or of a member, and no comment.
    public static var post: Self { Self(.message, in: .groups) { incoming in incoming.openMessage.flatMap { $0.isPost ? $0 : nil } } }

    /// A comment on a post of a channel. In a public group whose members do not know comments, a message that quotes another counts as a comment on it.
    ///
    /// Handlers of other messages in groups get comments as well, and take them first if they are above this one.
    public static var comment: Self { Self(.message, in: .groups) { incoming in incoming.openMessage.flatMap { $0.isComment ? $0 : nil } } }
}

extension Trigger where Context == ReactionContext {
    /// Somebody added a reaction to a post of a channel, or took it back. Channels do not tell who.
    public static var postReaction: Self {
        Self(.reaction, in: .groups) { incoming in incoming.reaction.flatMap { $0.chat.group?.isChannel == true && !$0.isToComment ? $0 : nil } }
    }

    /// Somebody added a reaction to a comment, or took it back.
    public static var commentReaction: Self {
        Self(.reaction, in: .groups) { incoming in incoming.reaction.flatMap { $0.isToComment ? $0 : nil } }
    }
}

extension Trigger where Context == RelayContext {
    /// A relay of a channel that the bot owns changed. To one who relays, ``Trigger/groupJoined`` tells that it serves a channel.
    public static var relayChanged: Self { Self(.relay, in: .all) { $0.relay } }
}

extension Filter where Context == MessageContext {
    /// The message is a comment on a post of a channel.
    public static var isComment: Self { Self { $0.isComment } }
    /// The message is a post of a channel.
    public static var isPost: Self { Self { $0.isPost } }
}

extension MessageContext {
    /// The post that the message comments; nil for a message that is no comment.
    public var commentedPost: ChatItemID? { chat.post ?? quotedPost }

    /// True for a comment on a post of a channel.
    public var isComment: Bool { commentedPost != nil }

    /// True for a post of a channel.
    public var isPost: Bool { chat.kind == .groups && chat.group?.isChannel == true && !isComment }

    /// The message that a member of a public group quotes. Moderators quote earlier posts in new ones.
    private var quotedPost: ChatItemID? {
        guard chat.kind == .groups, chat.group?.isChannel == true, let member, !member.isModerator else { return nil }
        return item.quotedItem?.itemID
    }

    /// Comments the post, or answers a comment among those on its post. The bot must be a commenter or more.
    ///
    /// - Throws: `ChatCoreError` with the code `core.unsupported` outside of channels; a code `error.…` if the post is closed for comments.
    @discardableResult
    public func comment(_ text: String) async throws -> SentMessage { try await comment(.text(text)) }

    /// Comments the post, or answers a comment among those on its post. The bot must be a commenter or more.
    @discardableResult
    public func comment(_ content: MessageContent) async throws -> SentMessage {
        guard let group = chat.group, group.isChannel else { throw ChatCoreError(.unsupported, "only posts of channels can be commented") }
        // Quoted where comments are not known, a message is answered as it came.
        guard chat.post == nil else { return try await reply(content) }
        return isComment ? try await reply(content) : try await group.comments(on: item.id).send(content)
    }

    /// Closes the post for comments, or opens it again; of a comment, its post. The bot must be a moderator or more.
    public func setComments(areOpen: Bool) async throws {
        guard let group = chat.group, group.isChannel else { throw ChatCoreError(.unsupported, "only posts of channels can be commented") }
        try await group.setComments(on: commentedPost ?? item.id, areOpen: areOpen)
    }
}

extension ReactionContext {
    /// True for a reaction to a comment.
    public var isToComment: Bool { chat.post != nil }
}

extension SentMessage {
    /// The comments on the message, which is a post of a channel; nil elsewhere.
    public var comments: BotChat? { chat.group.flatMap { $0.isChannel && chat.post == nil ? $0.comments(on: item.id) : nil } }
}
