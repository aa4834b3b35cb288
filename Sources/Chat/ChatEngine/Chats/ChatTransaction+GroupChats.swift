import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore

// What commands do with the chats of groups and the support chats in them.

extension ChatTransaction {
    /// The profile whose group is read: with the official core this is the one that the group belongs to, whoever is active.
    private func reader(of id: GroupID) throws -> (User, GroupInfo) {
        guard let owner = try db.groups.userID(ofGroup: id), actor == nil || actor == owner else {
            throw Refusal.store(.userNotFoundByGroupID(groupID: id))
        }
        let user = try anyUser(owner)
        return (user, try group(id, of: user))
    }

    /// Marks all messages of a group, or of a support chat, as read.
    func markGroupRead(_ chat: ChatReference) throws -> ChatResponse {
        let (user, group) = try reader(of: GroupID(chat.id))
        try startTimers(try db.items.unreadTimedItems(group: group.groupID, scope: chat.scope))
        guard let scope = chat.scope else {
            try db.items.markRead(group: group.groupID, scope: nil, at: now)
            return .cmdOk(user: user)
        }
        let conversation = try groupConversation(group.groupID, scope: scope, of: user)
        let before = conversation.supportMember ?? group.membership
        try db.items.markRead(group: group.groupID, scope: scope, at: now)
        try db.supportChats.read(member: before.groupMemberID)
        var current = try self.group(group.groupID, of: user)
        guard let after = try db.members.find(before.groupMemberID) else { throw Refusal.store(.groupMemberNotFound(groupMemberID: before.groupMemberID)) }
        if conversation.supportMember != nil { try noteAttention(before: before, after: after, in: &current) }
        return .memberSupportChatRead(user: user, groupInfo: current, member: after)
    }

    /// Marks some messages of a group, or of a support chat, as read. Each counts in the chat that it is in, whichever the command names: reports are read
    /// by the group, and are in the support chats of their authors.
    func markGroupRead(_ chat: ChatReference, items ids: [ChatItemID]) throws -> ChatResponse {
        let (user, group) = try reader(of: GroupID(chat.id))
        _ = try groupConversation(group.groupID, scope: chat.scope, of: user)
        for id in ids {
            guard let stored = try db.items.find(id, owner: .group(group.groupID), at: now), try db.items.markRead(group: group.groupID, item: id, at: now)
            else { continue }
            if let timer = stored.item.meta.timed, timer.deleteAt == nil, stored.item.meta.isLive != true {
                try startTimers([(id: id, ttl: Int64(timer.ttl))])
            }
            try countRead(stored, in: try groupConversation(of: stored, in: group.groupID, of: user))
        }
        return .itemsReadForChat(user: user, chatInfo: .group(groupInfo: try self.group(group.groupID, of: user), scope: nil))
    }

    /// Takes an item that was read out of the counts of its support chat.
    private func countRead(_ stored: StoredItem, in conversation: GroupConversation) throws {
        guard case .memberSupport(let subject) = conversation.scope else { return }
        let counted = subject ?? conversation.group.membership
        guard let before = try db.members.find(counted.groupMemberID) else { return }
        var isBySubject = false
        if let subject, case .groupReceived(let author) = stored.item.direction { isBySubject = author.groupMemberID == subject.groupMemberID }
        try db.supportChats.update(
            member: before.groupMemberID, unread: -1, attention: .increase(isBySubject ? -1 : 0, lastFromMember: nil),
            mentions: stored.item.meta.userMention ? -1 : 0, at: before.supportChat?.chatTimestamp ?? now)
        guard subject != nil, let after = try db.members.find(before.groupMemberID) else { return }
        var group = conversation.group
        try noteAttention(before: before, after: after, in: &group)
    }

    /// Removes members who are gone once no item names them any more.
    func deleteFormerMembers(of group: GroupInfo, user: User) throws {
        for member in try db.members.members(of: group.groupID) where member.status.isRemoved {
            guard try !db.items.hasItems(member: member.groupMemberID) else { continue }
            try db.members.delete(member, user: user.userID)
        }
    }

    // MARK: Reports

    /// Marks all reports of a group as dealt with.
    func archiveReports(of id: GroupID) throws -> ChatResponse {
        let user = try user()
        let group = try group(id, of: user)
        let reports = try db.items.reports(group: id)
        for report in reports { try db.items.mark(report, .moderated, by: group.membership.groupMemberID, deletedAt: now, at: now) }
        return .groupChatItemsDeleted(user: user, groupInfo: group, chatItemIDs: reports, byUser: true, member: group.membership)
    }

    func deleteReports(_ ids: [ChatItemID], of id: GroupID, _ mode: DeleteMode) throws -> ChatResponse {
        let user = try user()
        let chat = GroupConversation(try group(id, of: user))
        let items = try items(ids, in: .group(chat))
        guard items.allSatisfy({ $0.message?.isReport == true && !$0.isSent }) else {
            throw Refusal.command("some items are not received reports")
        }
        let deletions: [ChatItemDeletion]
        switch mode {
        case .internal: deletions = try removeItems(items, from: chat, at: now)
        case .internalMark: deletions = try markItemsDeleted(items, in: chat, at: now)
        case .broadcast:
            deletions = try moderate(items, in: chat, to: try db.members.moderators(of: id).filter(\.status.isCurrent), of: user)
        default: throw Refusal.command("not supported")
        }
        return .chatItemsDeleted(user: user, deletions: deletions, byUser: true, timed: false)
    }

    /// Deletes messages of members for all, as a moderator.
    func moderate(_ ids: [ChatItemID], of id: GroupID) throws -> ChatResponse {
        let user = try user()
        let chat = GroupConversation(try group(id, of: user))
        let items = try items(ids, in: .group(chat))
        let members = try connectedMembers(of: chat.group).filter(\.status.isCurrent)
        return .chatItemsDeleted(user: user, deletions: try moderate(items, in: chat, to: members, of: user), byUser: true, timed: false)
    }

    /// Reports a message to the moderators.
    func report(_ item: ChatItemID, in id: GroupID, reason: ReportReason, text: String) throws -> ChatResponse {
        let message = ComposedMessage(content: .report(text: text, reason: reason), quotedItemID: item)
        return try send([Composition(message)], to: .group(id, scope: .memberSupport(nil)), isLive: false, ttl: nil, isReport: true, of: try user())
    }

    func reactionMembers(user id: UserID, group: GroupID, item: ChatItemID, reaction: MessageReaction) throws -> ChatResponse {
        let user = try user(id)
        let chat = GroupConversation(try self.group(group, of: user))
        guard let shared = try self.item(item, in: .group(chat)).item.meta.sharedMessageID else {
            throw Refusal.store(.chatItemSharedMessageIDNotFound(sharedMessageID: SharedMessageID([])))
        }
        return .reactionMembers(
            user: user, memberReactions: try db.reactions.reactionMembers(group: group, sharedMessageID: shared, reaction: reaction))
    }
}
