import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore

/// Reports messages of a group, and moderates them.
struct Moderation: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Reports and moderated messages of groups.
    var moderation: Moderation { Moderation(transaction: self) }
}

extension Moderation {
    /// Marks all reports of a group as dealt with.
    func archiveReports(of id: GroupID) throws -> ChatResponse {
        let user = try transaction.user()
        let group = try transaction.conversations.group(id, of: user)
        let reports = try db.items.reports(group: id)
        for report in reports { try db.items.mark(report, .moderated, by: group.membership.groupMemberID, deletedAt: now, at: now) }
        return .groupChatItemsDeleted(user: user, groupInfo: group, chatItemIDs: reports, byUser: true, member: group.membership)
    }

    func deleteReports(_ ids: [ChatItemID], of id: GroupID, _ mode: DeleteMode) throws -> ChatResponse {
        let user = try transaction.user()
        let chat = GroupConversation(try transaction.conversations.group(id, of: user))
        let items = try transaction.conversations.items(ids, in: .group(chat))
        guard items.allSatisfy({ $0.message?.isReport == true && !$0.isSent }) else {
            throw Refusal.command("some items are not received reports")
        }
        let deletions: [ChatItemDeletion]
        switch mode {
        case .internal: deletions = try transaction.groupItems.remove(items, from: chat, at: now)
        case .internalMark: deletions = try transaction.groupItems.markDeleted(items, in: chat, at: now)
        case .broadcast:
            deletions = try transaction.groupItems.moderate(items, in: chat, to: try db.members.moderators(of: id).filter(\.status.isCurrent), of: user)
        default: throw Refusal.command("not supported")
        }
        return .chatItemsDeleted(user: user, deletions: deletions, byUser: true, timed: false)
    }

    /// Deletes messages of members for all, as a moderator.
    func moderate(_ ids: [ChatItemID], of id: GroupID) throws -> ChatResponse {
        let user = try transaction.user()
        let chat = GroupConversation(try transaction.conversations.group(id, of: user))
        let items = try transaction.conversations.items(ids, in: .group(chat))
        let members = try transaction.conversations.connectedMembers(of: chat.group).filter(\.status.isCurrent)
        return .chatItemsDeleted(user: user, deletions: try transaction.groupItems.moderate(items, in: chat, to: members, of: user), byUser: true, timed: false)
    }

    /// Reports a message to the moderators.
    func report(_ item: ChatItemID, in id: GroupID, reason: ReportReason, text: String) throws -> ChatResponse {
        let message = ComposedMessage(content: .report(text: text, reason: reason), quotedItemID: item)
        return try transaction.sentMessages.send(
            [Composition(message)], to: .group(id, scope: .memberSupport(nil)), isLive: false, ttl: nil, isReport: true, of: try transaction.user())
    }
}
