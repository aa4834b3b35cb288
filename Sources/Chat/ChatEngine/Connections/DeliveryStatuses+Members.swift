import ChatAPI
import ChatRules
import ChatStore
import GRDB

// Messages to members that routers have. A post comes to as many routers' answers as there are members: what is stored in one transaction reads the
// group and the item once.

/// The items of groups of which routers have taken messages in one transaction.
struct SentGroupItems {
    /// The items, in the order in which they were first taken, with their profiles and groups.
    fileprivate private(set) var items: [(id: ChatItemID, user: UserID, group: GroupID)] = []
    private var known: Set<ChatItemID> = []

    fileprivate mutating func add(_ id: ChatItemID, of connection: MemberConnectionRow) {
        if known.insert(id).inserted { items.append((id, connection.user, connection.group)) }
    }
}

extension DeliveryStatuses {
    /// Records that routers have messages to a member.
    ///
    /// - Returns: Those that the store does not know.
    func receiveSent(_ messages: [SentDelivery], over origin: MemberConnectionRow, _ changed: inout SentGroupItems) throws -> [SentDelivery] {
        var unknown: [SentDelivery] = []
        for sent in messages {
            guard let items = try db.deliveries.items(ofMessage: sent.message, connection: origin.connection) else {
                unknown.append(sent)
                continue
            }
            for item in items where try db.itemStatuses.markSent(item, at: origin.member, viaProxy: sent.viaProxy) { changed.add(item, of: origin) }
        }
        return unknown
    }

    /// Combines the statuses of items, and reports the changed ones.
    func updateStatuses(of sent: SentGroupItems) throws {
        var changed: [(user: UserID, items: [StoredItem])] = []
        for (id, userID, group) in sent.items {
            guard var stored = try db.items.find(id, owner: .group(group), at: now) else { continue }
            let status = GroupStatusSummary(try db.itemStatuses.statusCounts(ofItem: id)).itemStatus
            guard status != stored.item.meta.status else { continue }
            try db.items.update(id, status: status, at: now)
            stored.item.meta.status = status
            stored.item.meta.updatedAt = now
            if let last = changed.last?.items.first, last.owner == stored.owner, last.scope == stored.scope {
                changed[changed.count - 1].items.append(stored)
            } else {
                changed.append((userID, [stored]))
            }
        }
        for (userID, items) in changed {
            guard let user = try db.users.find(userID), let first = items.first, case .group(let group) = first.owner else { continue }
            let chat = try transaction.conversations.groupConversation(group, scope: first.scope, of: user)
            emit(.chatItemsStatusesUpdated(user: user, chatItems: items.map { chat.containing($0.item) }))
        }
    }
}
