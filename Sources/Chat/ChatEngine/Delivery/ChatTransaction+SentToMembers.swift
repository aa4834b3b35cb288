import ChatAPI
import ChatRules
import EncryptedSQLite
import GRDB
import SMPWire

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

/// The member behind a connection.
struct MemberConnectionRow {
    var connection: ChatConnectionID
    var user: UserID
    var group: GroupID
    var member: GroupMemberID
}

extension ChatTransaction {
    /// Records that routers have messages to a member.
    ///
    /// - Returns: Those that the store does not know.
    func receiveSent(_ messages: [SentDelivery], over origin: MemberConnectionRow, _ changed: inout SentGroupItems) throws -> [SentDelivery] {
        var unknown: [SentDelivery] = []
        for sent in messages {
            guard let items = try db.items(ofMessage: sent.message, connection: origin.connection) else {
                unknown.append(sent)
                continue
            }
            for item in items where try db.markSent(item, at: origin.member, viaProxy: sent.viaProxy) { changed.add(item, of: origin) }
        }
        return unknown
    }

    /// Sums up how far items are, and tells of those whose status is another one now.
    func updateStatuses(of sent: SentGroupItems) throws {
        var changed: [(user: UserID, items: [StoredItem])] = []
        for (id, userID, group) in sent.items {
            guard var stored = try db.item(id, owner: .group(group), at: now) else { continue }
            let status = GroupStatusSummary(try db.statusCounts(ofItem: id)).itemStatus
            guard status != stored.item.meta.status else { continue }
            try db.updateItem(id, status: status, at: now)
            stored.item.meta.status = status
            stored.item.meta.updatedAt = now
            if let last = changed.last?.items.first, last.owner == stored.owner, last.scope == stored.scope {
                changed[changed.count - 1].items.append(stored)
            } else {
                changed.append((userID, [stored]))
            }
        }
        for (userID, items) in changed {
            guard let user = try db.user(userID), let first = items.first, case .group(let group) = first.owner else { continue }
            let chat = try groupConversation(group, scope: first.scope, of: user)
            emit(.chatItemsStatusesUpdated(user: user, chatItems: items.map { chat.containing($0.item) }))
        }
    }
}

extension Database {
    /// The member behind a connection of the agent; nil if it is not that of a member.
    func memberConnection(agentID: Bytes) throws -> MemberConnectionRow? {
        try first(
            """
            SELECT cn.connection_id, m.user_id, m.group_id, m.group_member_id FROM connections cn
            JOIN group_members m ON m.group_member_id = cn.group_member_id WHERE cn.agent_connection_id = ?
            """, [agentID.blob]
        ) { MemberConnectionRow(connection: $0.id(), user: $0.id(), group: $0.id(), member: $0.id()) }
    }

    /// The items that a message of the agent is about; nil if no delivery has become this message.
    fileprivate func items(ofMessage message: Int64, connection: ChatConnectionID) throws -> [ChatItemID]? {
        let found = try all(
            """
            SELECT i.chat_item_id FROM deliveries d LEFT JOIN delivery_items i ON i.delivery_id = d.delivery_id
            WHERE d.connection_id = ? AND d.agent_msg_id = ? ORDER BY i.chat_item_id
            """, [connection, message]
        ) { $0.optionalInt().map { ChatItemID($0) } }
        return found.isEmpty ? nil : found.compactMap(\.self)
    }

    /// Records that a router has the message of an item for a member.
    ///
    /// - Returns: False if that was known, or the member has it.
    fileprivate func markSent(_ item: ChatItemID, at member: GroupMemberID, viaProxy: Bool) throws -> Bool {
        try run(
            """
            UPDATE group_item_statuses SET status = 'sent', status_json = NULL, via_proxy = ?
            WHERE chat_item_id = ? AND group_member_id = ? AND status NOT IN ('sent', 'received')
            """, [viaProxy, item, member])
        if changesCount > 0 { return true }
        try setViaProxy(viaProxy, ofItem: item, at: member)
        return false
    }
}
