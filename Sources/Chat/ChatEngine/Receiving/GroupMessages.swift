import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore

// Messages of members: new ones, edits, deletions, reactions.

/// Receives the contents of messages to groups.
struct GroupMessages: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Contents of messages to groups.
    var groupMessages: GroupMessages { GroupMessages(transaction: self) }
}

extension GroupMessages {
    /// - Returns: The members to whom the message is to be forwarded; nil for nobody.
    func receiveContent(
        _ container: MessageContainer, _ received: GroupMessage, from member: GroupMember, in group: GroupInfo, of user: User
    ) throws -> ForwardAudience? {
        guard !container.isAsGroup || GroupAction.writeAsGroup.right.permits(member.role) else {
            reportError("member is not allowed to send as group", of: user)
            return nil
        }
        let post: StoredItem?
        if let parent = container.parent {
            switch try transaction.comments.commentedPost(parent, of: container, from: member, in: group, at: received.sentAt) {
            case .success(let found): post = found
            case .failure(let refusal):
                reportError(refusal.rawValue, severity: "warning", of: user)
                return nil
            }
        } else if case .refuse(let reason) = WritingDecision(of: member, in: container.scope) {
            reportError(reason, of: user)
            return nil
        } else {
            post = nil
        }
        if container.isAsGroup, group.usesRelays {
            return try transaction.channelMessages.receiveContent(container, received, from: member, in: group, of: user)
        }
        // An edit that came before its message is the message.
        if let id = received.message.messageID, try db.items.find(group: group, sharedMessageID: id, author: member.memberID, at: now) != nil {
            reportError("x.msg.new ignored: message is already there", severity: "warning", of: user)
            return nil
        }
        let content = container.content.checkingOwnerSignature(by: member, in: group)
        var (member, chat) =
            try post.map { (member, GroupConversation(group, post: $0)) }
            ?? transaction.conversations.conversation(with: member, in: group, content: content, scope: container.scope)
        var draft = ItemDraft(.receivedMessage(content: content), isSent: false)
        draft.sharedMessageID = received.message.messageID
        draft.timestamp = received.sentAt
        draft.group.forwardedBy = received.forwardedBy?.groupMemberID
        draft.group.verification = MessageVerification(received.signature, of: member, in: group)
        let conversation = Conversation.group(chat)
        // History has the time to live that was set when it was sent.
        let timer =
            received.forwardedBy == nil
            ? conversation.receivedTimer(ttl: container.ttl) : ItemTiming.received(chatTTL: .some(nil), ttl: container.ttl)
        // The message with everything that belongs to it: what moderators hide keeps it, unless the group deletes in full.
        var whole = draft
        whole.timer = timer
        whole.forwarded = container.isForwarded ? .unknown : nil
        whole.quote = try transaction.comments.mayQuote(container.quote, in: chat) ? quote(container.quote, in: group) : nil
        fill(&whole, mentions: container.mentions, quote: container.quote, content: content, from: member, in: group)
        if member.blockedByAdmin {
            if group.allows(.fullDelete) {
                draft.content = .receivedBlocked
                draft.timer = timer
            } else {
                draft = whole
                // Hidden messages notify nobody.
                draft.mentionsUser = false
            }
            draft.deletion = .blockedByAdmin
            try transaction.groupItems.announce(draft, from: member, file: group.allows(.fullDelete) ? nil : container.file, in: &chat, of: user)
            return nil
        }
        if let feature = GroupContentRules.forbidding(content, hasFile: container.file != nil, by: member, in: chat, isSent: false) {
            guard chat.post == nil else {
                reportError("x.msg.new ignored: feature not allowed " + feature.name, severity: "warning", of: user)
                return nil
            }
            draft.content = .receivedGroupFeatureRejected(feature: feature)
            try transaction.groupItems.announce(draft, from: member, in: &chat, of: user)
            return nil
        }
        if let id = draft.sharedMessageID, let moderation = try earlyModeration(of: id, by: member, in: group) {
            try db.moderations.delete(group: group.groupID, author: member.memberID, sharedMessageID: id)
            try receiveModerated(whole, file: container.file, from: member, by: moderation.moderator, at: moderation.at, in: &chat, of: user)
            return nil
        }
        draft = whole
        draft.isLive = container.isLive
        if !member.settings.showsMessages { draft.deletion = .blocked }
        draft.group.memberID = member.groupMemberID
        var shown = try transaction.groupItems.add(draft, to: &chat, of: user, by: member)
        if !container.unknownMembers.isEmpty { try db.keptMembers.keep(container.unknownMembers, ofItem: shown.id) }
        shown.direction = .groupReceived(member: member)
        if let file = container.file { shown = try transaction.receivedFiles.attach(file, to: shown, in: .group(chat), of: user) }
        emit(.newChatItems(user: user, chatItems: [chat.containing(shown)]))
        // A file inside messages comes from its author only.
        return received.message.event.isForwardedInGroups ? ForwardAudience(chat) : nil
    }

    /// Sets whom a message mentions, and whether that is this profile. Messages of blocked members mention nobody.
    private func fill(
        _ draft: inout ItemDraft, mentions: MessageMentions, quote: QuotedMessage?, content: MessageContent, from member: GroupMember,
        in group: GroupInfo
    ) {
        let counted = member.isBlocked ? [:] : MentionRules.counted(mentions.members, in: content.text)
        let isReply = quote?.reference.memberID == group.membership.memberID
        draft.group.mentions = counted
        draft.mentionsUser = isReply || counted.values.contains(group.membership.memberID)
    }

    /// The quote of a received message. The message names the author of the quoted text.
    private func quote(_ quoted: QuotedMessage?, in group: GroupInfo) throws -> QuoteRecord? {
        guard let quoted else { return nil }
        let author = quoted.reference.memberID
        return QuoteRecord(
            isSent: author.map { $0 == group.membership.memberID } ?? false, sharedMessageID: quoted.reference.messageID,
            sentAt: quoted.reference.sentAt, content: quoted.content, memberID: author)
    }

    /// The deletion of a message by a moderator who was faster than the message.
    ///
    /// - Returns: nil if there is none, or if the moderator may not delete what this author writes.
    private func earlyModeration(
        of id: SharedMessageID, by author: GroupMember, in group: GroupInfo
    ) throws -> (moderator: GroupMember, at: UTCTimestamp)? {
        guard let moderation = try db.moderations.find(group: group.groupID, author: author.memberID, sharedMessageID: id),
            let moderator = try db.members.find(moderation.moderator),
            RightDecision(.moderate, by: ActingMember(moderator, isForwarded: true), over: [author.role]) == .allow
        else { return nil }
        return (moderator, moderation.at)
    }

    /// Adds a message that a moderator has deleted before it came.
    private func receiveModerated(
        _ draft: ItemDraft, file: FileInvitation?, from member: GroupMember, by moderator: GroupMember, at time: UTCTimestamp,
        in chat: inout GroupConversation, of user: User
    ) throws {
        var draft = draft
        draft.group.memberID = member.groupMemberID
        draft.mentionsUser = false
        let item = try transaction.groupItems.add(draft, to: &chat, of: user)
        if let file, !chat.group.allows(.fullDelete, moderator) { _ = try transaction.receivedFiles.attach(file, to: item, in: .group(chat), of: user) }
        let stored = try transaction.conversations.item(item.id, in: .group(chat))
        guard chat.group.allows(.fullDelete, moderator) else {
            let deletions = try transaction.groupItems.markDeleted([stored], in: chat, moderator: moderator, at: time)
            emit(.chatItemsDeleted(user: user, deletions: deletions, byUser: false, timed: false))
            return
        }
        try db.items.moderate(stored, by: moderator.groupMemberID, deletedAt: time, at: now)
        emit(.newChatItems(user: user, chatItems: [chat.containing(try transaction.conversations.item(item.id, in: .group(chat)).item)]))
    }

    // MARK: Changes

    func receiveUpdate(
        _ update: MessageUpdate, _ received: GroupMessage, from member: GroupMember, in group: GroupInfo, of user: User
    ) throws -> ForwardAudience? {
        if let preferences = update.preferences, group.usesRelays {
            return try transaction.comments.receivePreferences(preferences, update, received, from: member, in: group, of: user)
        }
        guard update.asGroup != true || GroupAction.editAsGroup.right.permits(member.role) else {
            reportError("member is not allowed to send as group", of: user)
            return nil
        }
        let known = try db.items.find(group: group, sharedMessageID: update.messageID, author: member.memberID, at: now)
        let post = try known.flatMap(transaction.conversations.commentedPost)
        // The store decides about the place of the message, and whether it is hidden: the sender can name any place.
        let writing = known.map { WritingDecision(editing: $0, by: member, in: group) } ?? WritingDecision(of: member, in: update.scope)
        if update.asGroup == true, case .refuse(let reason) = WritingDecision(.editAsGroup, by: member, inChannel: group.usesRelays) {
            reportError(reason, of: user)
            return nil
        }
        if update.asGroup == true, group.usesRelays {
            // The item of the channel is found below.
        } else if let post {
            if let refusal = CommentRules.refusal(on: post, by: member, in: group, at: received.sentAt) {
                reportError(refusal.rawValue, severity: "warning", of: user)
                return nil
            }
            if case .refuse(let reason) = writing {
                reportError(reason, of: user)
                return nil
            }
        } else if case .refuse(let reason) = writing {
            reportError(reason, of: user)
            return nil
        }
        guard !GroupContentRules.forbidsLinks(update.content, by: member, in: group) else {
            reportError("x.msg.update ignored: feature not allowed " + GroupFeature.simplexLinks.name, severity: "warning", of: user)
            return nil
        }
        if update.asGroup == true, group.usesRelays {
            return try transaction.channelMessages.receiveUpdate(update, received, from: member, in: group, of: user)
        }
        let stored = known
        switch (GroupEditDecision(update, by: member, of: stored), stored) {
        case (.refuse(let reason), _):
            reportError(reason, of: user)
            return nil
        case (.insert, _), (_, nil): return try receiveUpdateOfUnknown(update, received, from: member, in: group, of: user)
        case (.unchanged, let stored?):
            let chat = try transaction.conversations.groupConversation(of: stored, in: group.groupID, of: user)
            emit(.chatItemNotChanged(user: user, chatItem: chat.containing(stored.item)))
            return nil
        case (.replace(let isEdited, let isLive), let stored?):
            let chat = try transaction.conversations.groupConversation(of: stored, in: group.groupID, of: user)
            let mentions = MentionRules.counted(update.mentions.members, in: update.content.text)
            try db.items.update(stored.id, mentions: mentions, mentionsUser: stored.item.meta.userMention)
            // The signature of the earlier text says nothing about this one.
            try db.items.update(stored.id, verification: MessageVerification(received.signature, of: member, in: group))
            try db.keptMembers.keep(update.unknownMembers, ofItem: stored.id)
            let item = try transaction.items.update(stored, message: update.content, versionAt: received.sentAt, isEdited: isEdited, isLive: isLive)
            emit(.chatItemUpdated(user: user, chatItem: chat.containing(item)))
            return ForwardAudience(chat)
        }
    }

    /// An edit of a message that was deleted here, or never came: its new text is a new message.
    private func receiveUpdateOfUnknown(
        _ update: MessageUpdate, _ received: GroupMessage, from member: GroupMember, in group: GroupInfo, of user: User
    ) throws -> ForwardAudience? {
        // The deletion waits on for the message: an edit does not take its place.
        guard try earlyModeration(of: update.messageID, by: member, in: group) == nil else {
            reportError("x.msg.update: the message was deleted by a moderator", severity: "warning", of: user)
            return nil
        }
        var (member, chat) = try transaction.conversations.conversation(with: member, in: group, content: update.content, scope: update.scope)
        var draft = ItemDraft(.receivedMessage(content: update.content), isSent: false)
        draft.sharedMessageID = update.messageID
        draft.timestamp = received.sentAt
        draft.group.forwardedBy = received.forwardedBy?.groupMemberID
        draft.group.verification = MessageVerification(received.signature, of: member, in: group)
        draft.timer = Conversation.group(chat).receivedTimer(ttl: update.ttl)
        if let feature = GroupContentRules.forbidding(update.content, hasFile: false, by: member, in: chat, isSent: false) {
            draft.content = .receivedGroupFeatureRejected(feature: feature)
            try transaction.groupItems.announce(draft, from: member, in: &chat, of: user)
            return nil
        }
        draft.isLive = update.live == true
        fill(&draft, mentions: update.mentions, quote: nil, content: update.content, from: member, in: group)
        if member.blockedByAdmin { draft.deletion = .blockedByAdmin } else if !member.settings.showsMessages { draft.deletion = .blocked }
        draft.group.memberID = member.groupMemberID
        let item = try transaction.groupItems.add(draft, to: &chat, of: user)
        if group.usesRelays {
            // The message itself may still come: from another relay, or from a relay that changes the order.
            try db.receivedMessages.insert(
                update.messageID, group: group.groupID, author: member.groupMemberID, forwardedBy: received.forwardedBy?.groupMemberID, at: now)
        }
        try db.items.insertVersion(item: item.id, content: update.content, versionAt: received.sentAt, createdAt: now)
        try db.items.update(
            item.id, content: item.content, text: item.content.text, hasLink: item.meta.hasLink, isEdited: true, isLive: update.live == true,
            deleteAt: nil, at: now)
        emit(.chatItemUpdated(user: user, chatItem: chat.containing(try transaction.conversations.item(item.id, in: .group(chat)).item)))
        return ForwardAudience(chat)
    }

    func receiveDeletion(
        _ deletion: MessageDeletion, _ received: GroupMessage, from member: GroupMember, in group: GroupInfo, of user: User
    ) throws -> ForwardAudience? {
        let stored = try db.items.find(group: group, sharedMessageID: deletion.messageID, author: deletion.memberID ?? member.memberID, at: now)
        if stored == nil, deletion.memberID == nil, group.usesRelays,
            try db.items.find(group: group, sharedMessageID: deletion.messageID, author: nil, at: now) != nil
        {
            let decision = RightDecision(
                .deleteAsGroup, by: ActingMember(member, isForwarded: received.forwardedBy != nil), inChannel: true)
            if let refusal = decision.refusalOfStanding {
                reportError(refusal.text(.deleteMessage), of: user)
                return nil
            }
            return try transaction.channelMessages.receiveDeletion(deletion, received, from: member, in: group, of: user)
        }
        switch GroupDeletionDecision(deletion, by: member, of: stored, in: group, at: received.sentAt) {
        case .refuse(let reason):
            reportError(reason, of: user)
            return nil
        case .wait(let author):
            try db.moderations.insert(
                group: group.groupID, author: author, sharedMessageID: deletion.messageID, moderator: member.groupMemberID,
                moderatedAt: received.sentAt, at: now)
            guard case .member(let id)? = deletion.scope else { return .group(includesPending: false) }
            return try db.members.find(id, group: group.groupID).map { .support($0.groupMemberID) }
        case .delete:
            let audience = try delete(stored, received, from: member, moderator: nil, in: group, of: user)
            // Those who have the message keep it.
            return deletion.onlyHistory == true ? nil : audience
        case .moderate: return try delete(stored, received, from: member, moderator: member, in: group, of: user)
        }
    }

    private func delete(
        _ stored: StoredItem?, _ received: GroupMessage, from member: GroupMember, moderator: GroupMember?, in group: GroupInfo, of user: User
    ) throws -> ForwardAudience? {
        guard let stored else { return nil }
        let chat = try transaction.conversations.groupConversation(of: stored, in: group.groupID, of: user)
        let deletions =
            group.allows(.fullDelete, member)
            ? try transaction.groupItems.remove([stored], from: chat, moderator: moderator, at: received.sentAt)
            : try transaction.groupItems.markDeleted([stored], in: chat, moderator: moderator, at: received.sentAt)
        emit(.chatItemsDeleted(user: user, deletions: deletions, byUser: false, timed: false))
        if let moderator { try transaction.groupItems.archiveReports(about: [stored], by: moderator, in: group, byUser: false, at: received.sentAt, of: user) }
        return ForwardAudience(chat)
    }

    func receiveReaction(
        _ change: MessageReactionChange, _ received: GroupMessage, from member: GroupMember, in group: GroupInfo, of user: User
    ) throws -> ForwardAudience? {
        guard group.allows(.reactions) else { return nil }
        let acting = ActingMember(member, isForwarded: received.forwardedBy != nil)
        func mayReact(in place: ItemPlace) -> Bool {
            guard case .refuse(let refusal) = RightDecision(.react(place), by: acting, inChannel: group.usesRelays) else { return true }
            reportError(refusal.text(.react), severity: "warning", of: user)
            return false
        }
        let before = try db.reactions.reactions(
            group: group.groupID, sharedMessageID: change.messageID, author: change.memberID, by: member.groupMemberID)
        guard ReactionRules.isAllowed(change.reaction, isAdded: change.add, after: before) else { return nil }
        func store(isEarly: Bool) throws {
            try db.reactions.set(
                change.reaction, isAdded: change.add, isEarly: isEarly, group: group, sharedMessageID: change.messageID, author: change.memberID,
                by: member, at: received.sentAt)
        }
        guard let stored = try db.items.find(group: group, sharedMessageID: change.messageID, author: change.memberID, at: now) else {
            // The message may still come.
            guard case .member(let id)? = change.scope else {
                guard mayReact(in: .group) else { return nil }
                try store(isEarly: true)
                return .group(includesPending: false)
            }
            guard mayReact(in: ItemPlace(change.scope, of: member)), let subject = try db.members.find(id, group: group.groupID) else { return nil }
            try store(isEarly: true)
            return .support(subject.groupMemberID)
        }
        guard ItemRules.acceptsReaction(stored.item), mayReact(in: ItemPlace(of: stored, for: member, in: group)) else { return nil }
        try store(isEarly: false)
        let chat = try transaction.conversations.groupConversation(of: stored, in: group.groupID, of: user)
        let item = try transaction.conversations.item(stored.id, in: .group(chat)).item
        let reaction = ItemReaction(
            direction: .groupReceived(member: member), chatItem: item, sentAt: received.sentAt, reaction: change.reaction)
        emit(.chatItemReaction(user: user, added: change.add, reaction: ReactionInChat(chatInfo: chat.info, chatReaction: reaction)))
        return ForwardAudience(chat)
    }
}
