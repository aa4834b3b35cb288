import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore

// Messages in the name of a channel. A relay knows which owner has sent them, and does not tell; all others learn that the channel says so.

/// Receives messages in the name of a channel.
struct ChannelMessages: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Messages in the name of channels.
    var channelMessages: ChannelMessages { ChannelMessages(transaction: self) }
}

extension ChannelMessages {
    /// - Parameter owner: The owner who has sent the message; nil where a relay does not tell.
    /// - Returns: The members to whom the message is to be forwarded; nil for nobody.
    func receiveContent(
        _ container: MessageContainer, _ received: GroupMessage, from owner: GroupMember?, in group: GroupInfo, of user: User
    ) throws -> ForwardAudience? {
        guard container.parent == nil else {
            reportError(CommentRefusal.noAuthor.rawValue, of: user)
            return nil
        }
        var chat = GroupConversation(group)
        let content = container.content.checkingOwnerSignature(by: nil, in: group)
        var draft = ItemDraft(.receivedMessage(content: content), isSent: false)
        draft.sharedMessageID = received.message.messageID
        draft.timestamp = received.sentAt
        draft.group.forwardedBy = received.forwardedBy?.groupMemberID
        draft.group.isAsGroup = true
        draft.group.verification = MessageVerification(received.signature)
        if let owner {
            if owner.blockedByAdmin {
                draft.deletion = .blockedByAdmin
                if group.allows(.fullDelete) { draft.content = .receivedBlocked }
                try transaction.groupItems.announce(draft, in: &chat, of: user)
                return nil
            }
            if let feature = GroupContentRules.forbidding(content, hasFile: container.file != nil, by: owner, in: chat, isSent: false) {
                draft.content = .receivedGroupFeatureRejected(feature: feature)
                try transaction.groupItems.announce(draft, in: &chat, of: user)
                return nil
            }
        }
        draft.timer =
            received.forwardedBy == nil
            ? Conversation.group(chat).receivedTimer(ttl: container.ttl) : ItemTiming.received(chatTTL: .some(nil), ttl: container.ttl)
        draft.isLive = container.isLive
        draft.forwarded = container.isForwarded ? .unknown : nil
        draft.quote = try quote(container.quote, in: group)
        let counted = MentionRules.counted(container.mentions.members, in: content.text)
        draft.group.mentions = counted
        draft.mentionsUser =
            container.quote?.reference.memberID == group.membership.memberID || counted.values.contains(group.membership.memberID)
        var shown = try transaction.groupItems.add(draft, to: &chat, of: user)
        if let file = container.file { shown = try transaction.receivedFiles.attach(file, to: shown, in: .group(chat), of: user) }
        emit(.newChatItems(user: user, chatItems: [chat.containing(shown)]))
        return .channel
    }

    private func quote(_ quoted: QuotedMessage?, in group: GroupInfo) throws -> QuoteRecord? {
        guard let quoted else { return nil }
        let author = quoted.reference.memberID
        return QuoteRecord(
            isSent: author.map { $0 == group.membership.memberID } ?? false, sharedMessageID: quoted.reference.messageID,
            sentAt: quoted.reference.sentAt, content: quoted.content, memberID: author)
    }

    func receiveUpdate(
        _ update: MessageUpdate, _ received: GroupMessage, from owner: GroupMember?, in group: GroupInfo, of user: User
    ) throws -> ForwardAudience? {
        if let preferences = update.preferences {
            return try transaction.comments.setPreferences(preferences, of: update.messageID, asChannel: true, in: group, of: user)
        }
        var chat = GroupConversation(group)
        guard let stored = try db.items.find(group: group, sharedMessageID: update.messageID, author: nil, at: now) else {
            // The message was deleted here, or never came: its new text is a new message.
            var draft = ItemDraft(.receivedMessage(content: update.content), isSent: false)
            draft.sharedMessageID = update.messageID
            draft.timestamp = received.sentAt
            draft.group.forwardedBy = received.forwardedBy?.groupMemberID
            draft.group.isAsGroup = true
            draft.group.verification = MessageVerification(received.signature)
            draft.timer = Conversation.group(chat).receivedTimer(ttl: update.ttl)
            draft.isLive = update.live == true
            draft.group.mentions = MentionRules.counted(update.mentions.members, in: update.content.text)
            let item = try transaction.groupItems.add(draft, to: &chat, of: user)
            // The message itself may still come: from another relay, or from a relay that changes the order.
            try db.receivedMessages.insert(
                update.messageID, group: group.groupID, author: owner?.groupMemberID, forwardedBy: received.forwardedBy?.groupMemberID, at: now)
            try db.items.insertVersion(item: item.id, content: update.content, versionAt: received.sentAt, createdAt: now)
            try db.items.update(
                item.id, content: item.content, text: item.content.text, hasLink: item.meta.hasLink, isEdited: true, isLive: update.live == true,
                deleteAt: nil, at: now)
            emit(.chatItemUpdated(user: user, chatItem: chat.containing(try transaction.conversations.item(item.id, in: .group(chat)).item)))
            return .channel
        }
        guard case .channelReceived = stored.item.direction, let old = stored.message else {
            reportError("x.msg.update: invalid message update", of: user)
            return nil
        }
        let wasLive = stored.item.meta.isLive == true
        guard old != update.content || wasLive else {
            emit(.chatItemNotChanged(user: user, chatItem: chat.containing(stored.item)))
            return nil
        }
        try db.items.update(
            stored.id, mentions: MentionRules.counted(update.mentions.members, in: update.content.text),
            mentionsUser: stored.item.meta.userMention)
        // The signature of the earlier text says nothing about this one.
        try db.items.update(stored.id, verification: MessageVerification(received.signature))
        let item = try transaction.items.update(
            stored, message: update.content, versionAt: received.sentAt, isEdited: !wasLive, isLive: update.live == true)
        emit(.chatItemUpdated(user: user, chatItem: chat.containing(item)))
        return .channel
    }

    func receiveDeletion(
        _ deletion: MessageDeletion, _ received: GroupMessage, from sender: GroupMember?, in group: GroupInfo, of user: User
    ) throws -> ForwardAudience? {
        guard let stored = try db.items.find(group: group, sharedMessageID: deletion.messageID, author: nil, at: now) else {
            reportError("x.msg.del: channel message not found", of: user)
            return nil
        }
        guard case .channelReceived = stored.item.direction, deletion.memberID == nil,
            sender.map({ GroupAction.deleteAsGroup.right.permits($0.role, inChannel: true) }) ?? true
        else {
            reportError("x.msg.del: invalid channel message delete", of: user)
            return nil
        }
        let chat = GroupConversation(group)
        let deletions =
            group.allows(.fullDelete)
            ? try transaction.groupItems.remove([stored], from: chat, at: received.sentAt)
            : try transaction.groupItems.markDeleted([stored], in: chat, at: received.sentAt)
        emit(.chatItemsDeleted(user: user, deletions: deletions, byUser: false, timed: false))
        return deletion.onlyHistory == true ? nil : .channel
    }
}

extension MessageContent {
    /// The content without the proof that its author owns the link in it, unless that was made for this author in this channel.
    ///
    /// - Parameter author: The author; nil for the channel itself.
    func checkingOwnerSignature(by author: GroupMember?, in group: GroupInfo) -> MessageContent {
        guard case .chat(_, _, let signature?) = kind else { return self }
        if let id = group.groupProfile.publicGroup?.publicGroupID {
            let binding = author.map { ChatBinding.group(publicGroupID: id.bytes, member: $0.memberID) } ?? .channel(publicGroupID: id.bytes)
            if signature.chatBinding.bytes == binding.bytes { return self }
        }
        return withoutOwnerSignature
    }
}
