import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore

// Items of groups.

/// Adds, changes and removes items of groups, and counts them.
struct GroupItems: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Items of groups.
    var groupItems: GroupItems { GroupItems(transaction: self) }
}

extension GroupItems {
    /// Adds an item to a group or a support chat, and counts it there if it asks for attention.
    ///
    /// - Parameter author: The member who wrote it, if the caller has it.
    func add(_ draft: ItemDraft, to chat: inout GroupConversation, of user: User, by author: GroupMember? = nil) throws -> ChatItem {
        var draft = draft
        draft.group.scope = chat.scope?.chatScope
        draft.group.parent = chat.post?.id
        // Comments neither bring the channel to the top of the list nor count as unread.
        if chat.post == nil, draft.content.requiresAttention(isSent: draft.isSent) {
            if chat.group.chatTimestamp != now {
                try db.groups.touch(chat.group.groupID, chatTime: now)
                chat.group.chatTimestamp = now
            }
            try count(draft, in: &chat)
        }
        return try transaction.items.add(draft, owner: .group(chat.group.groupID), user: user.userID, by: author)
    }

    /// Counts an item in the support chat that it is added to.
    private func count(_ draft: ItemDraft, in chat: inout GroupConversation) throws {
        guard case .memberSupport(let subject) = chat.scope else { return }
        let unread = draft.isSent || draft.content.initialStatus(isSent: false) != .receivedNew ? 0 : 1
        let attention: SupportAttention
        if draft.isSent || subject == nil {
            attention = .increase(0, lastFromMember: nil)
        } else if let subject, draft.group.memberID == subject.groupMemberID {
            attention = .increase(unread, lastFromMember: draft.timestamp)
        } else if let last = subject?.supportChat?.lastMessageFromMemberAt, let time = draft.timestamp, last < time {
            attention = .reset
        } else {
            attention = .increase(0, lastFromMember: nil)
        }
        let counted = subject ?? chat.group.membership
        try db.supportChats.update(
            member: counted.groupMemberID, unread: unread, attention: attention, mentions: draft.mentionsUser && !draft.isSent ? 1 : 0, at: now)
        guard let updated = try db.members.find(counted.groupMemberID) else { return }
        if subject != nil {
            chat.scope = .memberSupport(groupMember: updated)
            try noteAttention(before: counted, after: updated, in: &chat.group)
        } else if !draft.isSent {
            chat.group.membership = updated
        }
    }

    /// Keeps the number of members that moderators have something to do with.
    func noteAttention(before: GroupMember, after: GroupMember, in group: inout GroupInfo) throws {
        guard before.requiresAttention != after.requiresAttention else { return }
        let change = after.requiresAttention ? 1 : -1
        try db.groups.update(group.groupID, attentionBy: change)
        group.membersRequireAttention = max(0, group.membersRequireAttention + change)
    }

    /// Adds an item and reports it.
    ///
    /// - Parameter member: The author of a received item.
    @discardableResult
    func announce(
        _ draft: ItemDraft, from member: GroupMember? = nil, file: FileInvitation? = nil, in chat: inout GroupConversation, of user: User
    ) throws -> ChatItem {
        var draft = draft
        draft.group.memberID = member?.groupMemberID
        var item = try add(draft, to: &chat, of: user)
        if let file { item = try transaction.receivedFiles.attach(file, to: item, in: .group(chat), of: user) }
        // The present author is shown, with its connection.
        if let member { item.direction = .groupReceived(member: member) }
        emit(.newChatItems(user: user, chatItems: [chat.containing(item)]))
        return item
    }

    /// Adds an item that no message brought, and reports it.
    func addEvent(
        _ content: ItemContent, from member: GroupMember? = nil, at time: UTCTimestamp? = nil, id: SharedMessageID? = nil,
        signature: SignatureStatus? = nil, in chat: inout GroupConversation, of user: User
    ) throws {
        var draft = ItemDraft(content, isSent: member == nil)
        draft.timestamp = time
        draft.sharedMessageID = id
        draft.group.verification = MessageVerification(signature)
        try announce(draft, from: member, in: &chat, of: user)
    }

    /// Adds an item for an event, in the conversation that events of a member are shown in.
    func addEvent(
        _ event: ReceivedGroupEvent, from member: GroupMember, at time: UTCTimestamp? = nil, id: SharedMessageID? = nil,
        signature: SignatureStatus? = nil, in group: inout GroupInfo, of user: User
    ) throws {
        var (_, chat) = try transaction.conversations.conversation(with: member, in: group)
        try addEvent(.receivedGroupEvent(event: event), from: member, at: time, id: id, signature: signature, in: &chat, of: user)
        group = chat.group
    }

    // MARK: Features

    /// The items at the head of a group: one for each feature.
    ///
    /// - Parameter author: The host of a joined group; nil for a group of this profile, or in the name of the group.
    func featureItems(_ preferences: FullGroupPreferences, isSent: Bool) -> [ItemContent] {
        GroupFeature.shown.map { Self.featureItem($0, preferences, isSent: isSent) }
    }

    /// The items for what changed in the preferences of a group.
    func featureItems(changedFrom old: FullGroupPreferences, to new: FullGroupPreferences, isSent: Bool) -> [ItemContent] {
        GroupFeature.shown.filter { old[$0] != new[$0] }.map { Self.featureItem($0, new, isSent: isSent) }
    }

    private static func featureItem(_ feature: GroupFeature, _ preferences: FullGroupPreferences, isSent: Bool) -> ItemContent {
        let state = preferences[feature]
        let preference = GroupPreference(enable: state.enable)
        let parameter = state.enable == .on ? state.parameter : nil
        return isSent
            ? .sentGroupFeature(feature: feature, preference: preference, parameter: parameter, memberRole: state.role)
            : .receivedGroupFeature(feature: feature, preference: preference, parameter: parameter, memberRole: state.role)
    }

    /// Adds the items for features, with one event for all.
    func addFeatureItems(_ contents: [ItemContent], from member: GroupMember?, in chat: inout GroupConversation, of user: User) throws {
        var items: [ItemInChat] = []
        for content in contents {
            var draft = ItemDraft(content, isSent: member == nil)
            draft.group.memberID = member?.groupMemberID
            var item = try add(draft, to: &chat, of: user)
            if let member { item.direction = .groupReceived(member: member) }
            items.append(chat.containing(item))
        }
        if !items.isEmpty { emit(.newChatItems(user: user, chatItems: items)) }
    }

    /// The banner is the first item of a group; no event reports it.
    func addBanner(to group: inout GroupInfo, of user: User) throws {
        var chat = GroupConversation(group)
        var draft = ItemDraft(.chatBanner, isSent: true)
        draft.timestamp = UTCTimestamp(seconds: 0)
        _ = try add(draft, to: &chat, of: user)
        group = chat.group
    }

    // MARK: Deleting

    /// Removes items of a group. Those that a moderator deletes become a note of that.
    func remove(
        _ items: [StoredItem], from chat: GroupConversation, moderator: GroupMember? = nil, at time: UTCTimestamp
    ) throws -> [ChatItemDeletion] {
        var chat = chat
        if items.contains(where: { $0.item.file != nil }) { transaction.effects.removesFiles = true }
        for stored in items { try uncount(stored, in: &chat) }
        return try items.map { stored in
            guard let moderator else {
                try db.items.delete(stored)
                return ChatItemDeletion(deletedChatItem: chat.containing(stored.item))
            }
            try db.items.moderate(stored, by: moderator.groupMemberID, deletedAt: time, at: now)
            let moderated = try transaction.conversations.item(stored.id, in: .group(chat))
            return ChatItemDeletion(deletedChatItem: chat.containing(stored.item), toChatItem: chat.containing(moderated.item))
        }
    }

    /// Takes a deleted item out of the counts of its support chat.
    private func uncount(_ stored: StoredItem, in chat: inout GroupConversation) throws {
        guard case .memberSupport(let subject) = chat.scope, stored.item.meta.status == .receivedNew else { return }
        let counted = subject ?? chat.group.membership
        var isBySubject = false
        if let subject, case .groupReceived(let author) = stored.item.direction { isBySubject = author.groupMemberID == subject.groupMemberID }
        try db.supportChats.update(
            member: counted.groupMemberID, unread: -1, attention: .increase(isBySubject ? -1 : 0, lastFromMember: nil),
            mentions: stored.item.meta.userMention ? -1 : 0, at: counted.supportChat?.chatTimestamp ?? now)
        guard let updated = try db.members.find(counted.groupMemberID) else { return }
        if subject == nil {
            chat.group.membership = updated
        } else {
            chat.scope = .memberSupport(groupMember: updated)
            try noteAttention(before: counted, after: updated, in: &chat.group)
        }
    }

    /// Marks items of a group as deleted, or as moderated, and keeps them.
    func markDeleted(
        _ items: [StoredItem], in chat: GroupConversation, moderator: GroupMember? = nil, at time: UTCTimestamp
    ) throws -> [ChatItemDeletion] {
        try transaction.fileTransfers.cancelAll(of: items)
        return try items.map { stored in
            try db.items.mark(stored.id, moderator == nil ? .deleted : .moderated, by: moderator?.groupMemberID, deletedAt: time, at: now)
            let marked = try transaction.conversations.item(stored.id, in: .group(chat))
            return ChatItemDeletion(deletedChatItem: chat.containing(stored.item), toChatItem: chat.containing(marked.item))
        }
    }

    /// Removes the messages of a member who is removed, or marks them.
    func moderateMessages(of member: GroupMember, by moderator: GroupMember, in group: GroupInfo) throws {
        let removes = group.allows(.fullDelete, moderator)
        let messages = try db.items.messages(ofMember: member, group: group, at: now)
        if removes { transaction.effects.removesFiles = true } else { try transaction.fileTransfers.cancelAll(of: messages) }
        for stored in messages {
            if removes {
                try db.items.moderate(stored, by: moderator.groupMemberID, deletedAt: now, at: now)
            } else if stored.item.meta.deleted == nil {
                try db.items.mark(stored.id, .moderated, by: moderator.groupMemberID, deletedAt: now, at: now)
            }
        }
    }

    /// Marks the reports about messages that a moderator has deleted.
    func archiveReports(about items: [StoredItem], by moderator: GroupMember, in group: GroupInfo, byUser: Bool, at time: UTCTimestamp, of user: User) throws {
        var archived: [ChatItemID] = []
        for shared in items.compactMap(\.item.meta.sharedMessageID) { archived += try db.items.reports(group: group.groupID, about: shared) }
        guard !archived.isEmpty else { return }
        for id in archived { try db.items.mark(id, .moderated, by: moderator.groupMemberID, deletedAt: time, at: now) }
        emit(.groupChatItemsDeleted(user: user, groupInfo: group, chatItemIDs: archived, byUser: byUser, member: moderator))
    }

    // MARK: Commands

    /// Deletes items of a group by command.
    func delete(_ items: [StoredItem], of chat: GroupConversation, _ mode: DeleteMode, user: User) throws -> ChatResponse {
        let deletions: [ChatItemDeletion]
        let isEditor = ChannelRules.isEditor(chat.group.membership, in: chat.group)
        switch mode {
        // The history of a channel is that of its editors: what they remove only here would be sent to new subscribers all the same.
        case .internal:
            guard !isEditor else { throw Refusal.chat(.invalidChatItemDelete) }
            deletions = try remove(items, from: chat, at: now)
        case .internalMark: deletions = try markDeleted(items, in: chat, at: now)
        case .broadcast, .history:
            let members = try transaction.outbox.audience(of: chat, moderatorsSupporting: ChatVersions.groupKnocking)
            let isAllowed = mode == .history ? isEditor : items.allSatisfy { ItemRules.canDeleteForBoth($0.item, at: now) }
            guard isAllowed else { throw Refusal.chat(.invalidChatItemDelete) }
            try transaction.conversations.require(.observer, in: chat.group)
            let messages = try items.compactMap { stored -> (StoredItem, OutgoingMessage)? in
                guard let id = stored.item.meta.sharedMessageID else { return nil }
                let deletion = MessageDeletion(messageID: id, scope: chat.messageScope, onlyHistory: mode == .history ? true : nil)
                return (stored, try OutgoingMessage(.deleteMessage(deletion), id: newSharedMessageID()))
            }
            try transaction.comments.send(messages, to: members, in: chat.group)
            deletions =
                chat.group.allowsUser(.fullDelete) ? try remove(items, from: chat, at: now) : try markDeleted(items, in: chat, at: now)
        default: throw Refusal.command("not supported")
        }
        return .chatItemsDeleted(user: user, deletions: deletions, byUser: true, timed: false)
    }

    /// Deletes messages of other members for all, as a moderator.
    func moderate(_ items: [StoredItem], in chat: GroupConversation, to members: [GroupMember], of user: User) throws -> [ChatItemDeletion] {
        let group = chat.group
        let isAllowed = items.allSatisfy { stored in
            guard stored.item.meta.sharedMessageID != nil else { return false }
            switch stored.item.direction {
            case .groupReceived(let author): return group.membership.role >= author.role
            case .groupSent: return true
            case .channelReceived: return group.membership.role == .owner
            default: return false
            }
        }
        guard isAllowed else { throw Refusal.chat(.invalidChatItemDelete) }
        try transaction.conversations.require(.moderator, in: group)
        let messages = try items.compactMap { stored -> (StoredItem, OutgoingMessage)? in
            guard let id = stored.item.meta.sharedMessageID else { return nil }
            let deletion = MessageDeletion(messageID: id, memberID: stored.author(in: .group(chat)), scope: chat.messageScope)
            return (stored, try OutgoingMessage(.deleteMessage(deletion), id: newSharedMessageID()))
        }
        try transaction.comments.send(messages, to: members, in: group)
        try archiveReports(about: items, by: group.membership, in: group, byUser: true, at: now, of: user)
        return group.allowsUser(.fullDelete)
            ? try remove(items, from: chat, moderator: group.membership, at: now)
            : try markDeleted(items, in: chat, moderator: group.membership, at: now)
    }

    /// Reacts to a message of a group.
    func react(
        to id: ChatItemID, in reference: ChatReference, with reaction: MessageReaction, isAdded: Bool, of user: User
    ) throws -> ChatResponse {
        var chat = try transaction.conversations.groupConversation(GroupID(reference.id), scope: reference.scope, of: user)
        let group = chat.group
        let stored = try transaction.conversations.item(id, in: .group(chat))
        chat.post = try transaction.conversations.commentedPost(of: stored)
        let members = try transaction.outbox.audience(of: chat, moderatorsSupporting: ChatVersions.groupKnocking)
        guard let sharedID = stored.item.meta.sharedMessageID else { throw Refusal.command("invalid reaction") }
        guard group.allows(.reactions) else { throw Refusal.command("feature not allowed " + ChatFeature.reactions.name) }
        guard ItemRules.acceptsReaction(stored.item) else { throw Refusal.command("reaction not allowed - chat item has no content") }
        let author = stored.author(in: .group(chat))
        let before = try db.reactions.reactions(group: group.groupID, sharedMessageID: sharedID, author: author, by: group.membership.groupMemberID)
        try ReactionRules.check(reaction, isAdded: isAdded, after: before)
        if chat.scope == nil { try transaction.outbox.sendProfileIfChanged(to: members, in: group, of: user) }
        let change = MessageReactionChange(messageID: sharedID, memberID: author, scope: chat.messageScope, reaction: reaction, add: isAdded)
        try transaction.outbox.send(.react(change), to: members, in: group)
        try db.reactions.set(reaction, isAdded: isAdded, group: group, sharedMessageID: sharedID, author: author, by: group.membership, at: now)
        let item = try transaction.conversations.item(id, in: .group(chat)).item
        let shown = ItemReaction(direction: .groupSent, chatItem: item, sentAt: now, reaction: reaction)
        return .chatItemReaction(user: user, added: isAdded, reaction: ReactionInChat(chatInfo: chat.info, chatReaction: shown))
    }
}

extension GroupFeature {
    /// The features that groups show, in their order.
    static let shown: [GroupFeature] = [
        .timedMessages, .directMessages, .fullDelete, .reactions, .voice, .files, .simplexLinks, .reports, .history, .support,
    ]
}
