import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore

// What commands do with the chats of groups and the support chats in them.

extension Chats {
    /// The profile whose group is read: with the official core this is the one that the group belongs to, whichever profile is active.
    private func reader(of id: GroupID) throws -> (User, GroupInfo) {
        guard let owner = try db.groups.userID(ofGroup: id), transaction.actor == nil || transaction.actor == owner else {
            throw Refusal.store(.userNotFoundByGroupID(groupID: id))
        }
        let user = try transaction.anyUser(owner)
        return (user, try transaction.conversations.group(id, of: user))
    }

    /// Marks all messages of a group, or of a support chat, as read.
    func markGroupRead(_ chat: ChatReference) throws -> ChatResponse {
        let (user, group) = try reader(of: GroupID(chat.id))
        try startTimers(try db.items.unreadTimedItems(group: group.groupID, scope: chat.scope))
        guard let scope = chat.scope else {
            try db.items.markRead(group: group.groupID, scope: nil, at: now)
            return .cmdOk(user: user)
        }
        let conversation = try transaction.conversations.groupConversation(group.groupID, scope: scope, of: user)
        let before = conversation.supportMember ?? group.membership
        try db.items.markRead(group: group.groupID, scope: scope, at: now)
        try db.supportChats.read(member: before.groupMemberID)
        var current = try transaction.conversations.group(group.groupID, of: user)
        guard let after = try db.members.find(before.groupMemberID) else { throw Refusal.store(.groupMemberNotFound(groupMemberID: before.groupMemberID)) }
        if conversation.supportMember != nil { try transaction.groupItems.noteAttention(before: before, after: after, in: &current) }
        return .memberSupportChatRead(user: user, groupInfo: current, member: after)
    }

    /// Marks some messages of a group, or of a support chat, as read. Each counts in the chat that it is in, whichever the command names: reports are read
    /// by the group, and are in the support chats of their authors.
    func markGroupRead(_ chat: ChatReference, items ids: [ChatItemID]) throws -> ChatResponse {
        let (user, group) = try reader(of: GroupID(chat.id))
        _ = try transaction.conversations.groupConversation(group.groupID, scope: chat.scope, of: user)
        for id in ids {
            guard let stored = try db.items.find(id, owner: .group(group.groupID), at: now), try db.items.markRead(group: group.groupID, item: id, at: now)
            else { continue }
            if let timer = stored.item.meta.timed, timer.deleteAt == nil, stored.item.meta.isLive != true {
                try startTimers([(id: id, ttl: Int64(timer.ttl))])
            }
            try countRead(stored, in: try transaction.conversations.groupConversation(of: stored, in: group.groupID, of: user))
        }
        return .itemsReadForChat(user: user, chatInfo: .group(groupInfo: try transaction.conversations.group(group.groupID, of: user), scope: nil))
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
        try transaction.groupItems.noteAttention(before: before, after: after, in: &group)
    }

    /// Removes members who are gone once no item names them any more.
    func deleteFormerMembers(of group: GroupInfo, user: User) throws {
        for member in try db.members.members(of: group.groupID) where member.status.isRemoved {
            guard try !db.items.hasItems(member: member.groupMemberID) else { continue }
            try db.members.delete(member, user: user.userID)
        }
    }

    func reactionMembers(user id: UserID, group: GroupID, item: ChatItemID, reaction: MessageReaction) throws -> ChatResponse {
        let user = try transaction.user(id)
        let chat = GroupConversation(try transaction.conversations.group(group, of: user))
        guard let shared = try transaction.conversations.item(item, in: .group(chat)).item.meta.sharedMessageID else {
            throw Refusal.store(.chatItemSharedMessageIDNotFound(sharedMessageID: SharedMessageID([])))
        }
        return .reactionMembers(
            user: user, memberReactions: try db.reactions.reactionMembers(group: group, sharedMessageID: shared, reaction: reaction))
    }
}
