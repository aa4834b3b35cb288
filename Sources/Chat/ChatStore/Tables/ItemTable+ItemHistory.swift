package import ChatAPI
package import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB
import SMPWire

// What belongs to items: earlier versions, reactions, reading, times to live.

extension ItemTable {
    package func insertVersion(item id: ChatItemID, content: MessageContent, versionAt: UTCTimestamp, createdAt: UTCTimestamp) throws {
        try db.run(
            "INSERT INTO chat_item_versions (chat_item_id, message_json, version_ts, created_at) VALUES (?, ?, ?, ?)",
            [id, content.jsonText, versionAt.stored, createdAt.stored])
        try db.run(
            """
            DELETE FROM chat_item_versions WHERE chat_item_version_id IN (
                SELECT chat_item_version_id FROM chat_item_versions WHERE chat_item_id = ?1 ORDER BY chat_item_version_id DESC LIMIT -1 OFFSET ?2)
                AND chat_item_version_id > (SELECT min(chat_item_version_id) FROM chat_item_versions WHERE chat_item_id = ?1)
            """, [id, Self.versionLimit - 1])
    }

    /// Versions of one item that are kept: the first, and the newest.
    package static var versionLimit: Int { 250 }

    package func hasVersions(item id: ChatItemID) throws -> Bool {
        try db.number("SELECT 1 FROM chat_item_versions WHERE chat_item_id = ? LIMIT 1", [id]) != nil
    }

    /// The versions of an item, newest first.
    package func versions(item id: ChatItemID) throws -> [ChatItemVersion] {
        try db.all(
            """
            SELECT chat_item_version_id, message_json, version_ts, created_at FROM chat_item_versions WHERE chat_item_id = ?
            ORDER BY chat_item_version_id DESC
            """, [id]
        ) { row in
            let versionID = row.id(ChatItemVersionID.self)
            let content = try MessageContent(parsing: row.text())
            return ChatItemVersion(
                versionID: versionID, content: content, formattedText: Markdown.parse(content.text),
                itemVersionTimestamp: UTCTimestamp(stored: row.int()), createdAt: UTCTimestamp(stored: row.int()))
        }
    }

    // MARK: Reading

    /// Unread items of a chat that disappear some time after they were read.
    package func unreadTimedItems(contact: ContactID, only ids: [ChatItemID]? = nil) throws -> [(id: ChatItemID, ttl: Int64)] {
        let items = try db.all(
            """
            SELECT chat_item_id, ttl FROM chat_items
            WHERE contact_id = ? AND status = 'rcvNew' AND ttl IS NOT NULL AND delete_at IS NULL AND coalesce(live, 0) = 0
            """, [contact]
        ) { (id: $0.id(ChatItemID.self), ttl: $0.int()) }
        guard let ids else { return items }
        return items.filter { ids.contains($0.id) }
    }

    /// Unread items of all chats of a profile that disappear some time after they were read.
    package func unreadTimedItems(user: UserID) throws -> [(id: ChatItemID, ttl: Int64)] {
        try db.all(
            """
            SELECT chat_item_id, ttl FROM chat_items
            WHERE user_id = ? AND status = 'rcvNew' AND ttl IS NOT NULL AND delete_at IS NULL AND coalesce(live, 0) = 0
            """, [user]
        ) { (id: $0.id(ChatItemID.self), ttl: $0.int()) }
    }

    package func markRead(contact: ContactID, at time: UTCTimestamp) throws {
        try db.run(
            "UPDATE chat_items SET status = 'rcvRead', updated_at = ? WHERE contact_id = ? AND status = 'rcvNew'", [time.stored, contact])
        try db.run("UPDATE contacts SET unread_chat = 0 WHERE contact_id = ?", [contact])
    }

    package func markRead(contact: ContactID, items: [ChatItemID], at time: UTCTimestamp) throws {
        for id in items {
            try db.run(
                """
                UPDATE chat_items SET status = 'rcvRead', updated_at = ? WHERE chat_item_id = ? AND contact_id = ? AND status = 'rcvNew'
                """, [time.stored, id, contact])
        }
    }

    package func markAllRead(user: UserID, at time: UTCTimestamp) throws {
        try db.run("UPDATE chat_items SET status = 'rcvRead', updated_at = ? WHERE user_id = ? AND status = 'rcvNew'", [time.stored, user])
        try db.run("UPDATE contacts SET unread_chat = 0 WHERE user_id = ? AND unread_chat = 1", [user])
        try db.run("UPDATE groups SET unread_chat = 0 WHERE user_id = ? AND unread_chat = 1", [user])
        try db.run(
            "UPDATE group_members SET support_unread = 0, support_attention = 0, support_mentions = 0 WHERE user_id = ? AND support_chat_ts IS NOT NULL",
            [user])
        try db.run(
            """
            UPDATE groups SET members_require_attention = (SELECT count(*) FROM group_members m WHERE m.group_id = groups.group_id
                AND m.category <> 'user' AND m.status IN ('pending_approval', 'pending_review')) WHERE user_id = ?
            """, [user])
        try db.run("UPDATE note_folders SET unread_chat = 0 WHERE user_id = ?", [user])
    }

    // MARK: Times to live

    /// The items that are due to disappear until a moment, the earliest first.
    package func expiring(until time: UTCTimestamp, limit: Int) throws -> [(id: ChatItemID, user: UserID)] {
        try db.all(
            "SELECT chat_item_id, user_id FROM chat_items WHERE delete_at IS NOT NULL AND delete_at <= ? ORDER BY delete_at LIMIT ?",
            [time.stored, limit]
        ) { (id: ChatItemID($0.int()), user: UserID($0.int())) }
    }

    /// When the next item disappears.
    package func nextExpiry() throws -> UTCTimestamp? {
        try db.number("SELECT min(delete_at) FROM chat_items WHERE delete_at IS NOT NULL").map(UTCTimestamp.init(stored:))
    }
}
