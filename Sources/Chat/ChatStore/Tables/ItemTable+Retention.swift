package import ChatAPI
package import ChatProtocol
package import ChatRules
import EncryptedSQLite
import GRDB
import SMPWire
import SystemSupport

extension ItemTable {
    /// Seconds for which items of groups are kept in any case, counted from when they came.
    private static let historyPeriod: Int64 = 12 * 3_600

    /// Chats whose messages are kept for a time only.
    package func chatsWithRetention(user: UserID? = nil) throws -> [ItemOwner] {
        let contacts = try db.all(
            """
            SELECT contact_id FROM contacts c JOIN users u ON u.user_id = c.user_id
            WHERE coalesce(c.item_ttl, u.item_ttl) > 0 AND (?1 IS NULL OR c.user_id = ?1) ORDER BY contact_id
            """, [user]
        ) { ItemOwner.contact(ContactID($0.int())) }
        let groups = try db.all(
            """
            SELECT group_id FROM groups c JOIN users u ON u.user_id = c.user_id
            WHERE coalesce(c.item_ttl, u.item_ttl) > 0 AND (?1 IS NULL OR c.user_id = ?1) ORDER BY group_id
            """, [user]
        ) { ItemOwner.group(GroupID($0.int())) }
        return contacts + groups
    }

    /// Deletes a chat's oldest items whose time is over, as it is set now.
    ///
    /// - Returns: the number of deleted items, at most `limit`.
    package func deleteAll(of chat: ItemOwner, keptUntil now: UTCTimestamp, limit: Int) throws -> Int {
        let table: String, reactions: String
        switch chat {
        case .contact: (table, reactions) = ("contacts", "reactions")
        case .group: (table, reactions) = ("groups", "group_reactions")
        case .notes: return 0
        }
        let (column, id) = chat.column
        let seconds = try db.number(
            "SELECT coalesce(c.item_ttl, u.item_ttl) FROM \(table) c JOIN users u ON u.user_id = c.user_id WHERE c.\(column) = ?", [id])
        guard let seconds, seconds > 0 else { return 0 }
        let limitTime = now.adding(seconds: -seconds).stored
        // The history that a member gets when it joins is older than its stay: such items are kept for half a day at least.
        let (time, latest) = chat.groupID == nil ? ("created_at", limitTime) : ("item_ts", now.adding(seconds: -Self.historyPeriod).stored)
        let items = try db.all(
            """
            SELECT chat_item_id FROM chat_items WHERE \(column) = ? AND \(time) <= ? AND created_at <= ? AND content_kind <> 'chatBanner'
            ORDER BY \(time) LIMIT ?
            """, [id, limitTime, latest, limit]
        ) { ChatItemID($0.int()) }
        for item in items { try db.run("DELETE FROM chat_items WHERE chat_item_id = ?", [item]) }
        // Reactions come after their messages: what is older than the limit belongs to none that is left.
        if items.count < limit { try db.run("DELETE FROM \(reactions) WHERE \(column) = ? AND created_at <= ?", [id, limitTime]) }
        return items.count
    }
}
