import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore

// Comments on the posts of channels: the conversations that they are, and closing them.

/// Finds and changes comments on posts.
struct Comments: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Comments on posts.
    var comments: Comments { Comments(transaction: self) }
}

extension Comments {
    // MARK: Sending

    /// Refuses a comment of this profile that the members of the channel would refuse.
    func requireOpenComments(_ chat: GroupConversation) throws {
        try transaction.conversations.require(.commenter, in: chat.group)
        // Each subscriber has a copy of its own, made from the link: nobody else knows it by its id.
        if let id = chat.post?.item.meta.sharedMessageID, id == chat.group.preparedGroup?.welcomeSharedMessageID {
            throw Refusal.command(CommentRefusal.welcome.rawValue)
        }
        guard let post = chat.post, let refusal = CommentRules.refusal(on: post, by: chat.group.membership, in: chat.group, at: now) else { return }
        throw Refusal.command(refusal.rawValue)
    }

    /// Sends messages about items. Those about comments go only to members whose clients know comments.
    func send(_ messages: [(about: StoredItem, message: OutgoingMessage)], to members: [GroupMember], in group: GroupInfo) throws {
        try transaction.outbox.send(messages.filter { $0.about.item.meta.parentItemID == nil }.map(\.message), to: members, in: group)
        let comments = messages.filter { $0.about.item.meta.parentItemID != nil }
        if !comments.isEmpty {
            try transaction.outbox.send(comments.map(\.message), to: try members.filter(transaction.conversations.knowsComments), in: group)
        }
    }

    /// Closes a post for comments, or opens it again.
    func setComments(on post: ChatItemID, in id: GroupID, areDisabled: Bool) throws -> ChatResponse {
        let user = try transaction.user()
        let chat = try transaction.conversations.comments(on: post, in: try transaction.conversations.group(id, of: user))
        try transaction.conversations.require(.moderator, in: chat.group)
        guard let stored = chat.post, let shared = stored.item.meta.sharedMessageID, let content = stored.message, stored.item.meta.deleted == nil else {
            throw Refusal.store(.chatItemNotFound(itemID: post))
        }
        var update = MessageUpdate(messageID: shared, content: content)
        update.asGroup = chat.group.membership.role >= .owner ? true : nil
        update.preferences = MessagePreferences(commentsDisabled: areDisabled)
        let relays = try transaction.outbox.audience(of: chat, moderatorsSupporting: ChatVersions.groupKnocking)
        try transaction.outbox.send([OutgoingMessage(.updateMessage(update), id: newSharedMessageID())], to: relays, in: chat.group)
        try db.items.update(post, commentsDisabled: areDisabled, at: now)
        let main = GroupConversation(chat.group)
        return .chatItemUpdated(user: user, chatItem: main.containing(try transaction.conversations.item(post, in: .group(main)).item))
    }

    // MARK: Receiving

    /// The post that a received message comments, if the comment counts.
    ///
    /// - Parameter time: When it was sent.
    func commentedPost(
        _ reference: MessageReference, of container: MessageContainer, from member: GroupMember, in group: GroupInfo, at time: UTCTimestamp
    ) throws -> Result<StoredItem, CommentRefusal> {
        guard group.usesRelays else { return .failure(.noChannel) }
        guard !container.isAsGroup else { return .failure(.noAuthor) }
        guard container.scope == nil, !container.content.isReport else { return .failure(.content) }
        guard let id = reference.messageID, let post = try db.items.post(id, group: group.groupID, at: now) else { return .failure(.noPost) }
        guard post.author(in: .group(GroupConversation(group))) == reference.memberID else { return .failure(.forgedPost) }
        return CommentRules.refusal(on: post, by: member, in: group, at: time).map { .failure($0) } ?? .success(post)
    }

    /// Tells whether the quote of a received message counts: in comments, a quote from another post is not shown.
    func mayQuote(_ quote: QuotedMessage?, in chat: GroupConversation) throws -> Bool {
        guard chat.post != nil, let quote else { return true }
        guard let id = quote.reference.messageID,
            let stored = try db.items.find(group: chat.group, sharedMessageID: id, author: quote.reference.memberID, at: now)
        else { return false }
        return chat.mayQuote(stored)
    }

    /// A moderator closes a post for comments, or opens it again.
    func receivePreferences(
        _ preferences: MessagePreferences, _ update: MessageUpdate, _ received: GroupMessage, from member: GroupMember, in group: GroupInfo, of user: User
    ) throws -> ForwardAudience? {
        guard case .allow = RightDecision(.closeComments, by: ActingMember(member, isForwarded: true), inChannel: true) else {
            reportError("x.msg.update: member is not allowed to close comments", of: user)
            return nil
        }
        return try setPreferences(
            preferences, of: update.messageID, asChannel: update.asGroup == true && member.role >= .owner, in: group, of: user)
    }

    /// Sets whether a post takes comments. Nothing else of it changes.
    func setPreferences(
        _ preferences: MessagePreferences, of id: SharedMessageID, asChannel: Bool, in group: GroupInfo, of user: User
    ) throws -> ForwardAudience? {
        guard let post = try db.items.post(id, group: group.groupID, at: now) else {
            reportError("x.msg.update: channel post not found", severity: "warning", of: user)
            return nil
        }
        guard (post.item.meta.commentsDisabled ?? false) != preferences.commentsDisabled else { return .comments(asChannel: asChannel) }
        try db.items.update(post.id, commentsDisabled: preferences.commentsDisabled, at: now)
        let chat = GroupConversation(group)
        emit(.chatItemUpdated(user: user, chatItem: chat.containing(try transaction.conversations.item(post.id, in: .group(chat)).item)))
        return .comments(asChannel: asChannel)
    }

    /// Gives the role of commenters to all subscribers of a channel that begins to take comments. Each member does so for those that it knows.
    ///
    /// - Parameter profile: The new profile of the channel.
    func letComment(in profile: GroupProfile, before old: GroupInfo) throws {
        guard old.usesRelays, !old.allows(.comments), FullGroupPreferences(profile.groupPreferences).comments.enable == .on else { return }
        try db.members.letObserversComment(group: old.groupID, onlyKnowing: old.isServedHere)
    }
}
