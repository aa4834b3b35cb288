package import ChatAPI
package import ChatProtocol
package import ChatRules
import EncryptedSQLite
import GRDB
import SMPWire

// Comments: the posts, the comments on them, and who knows comments.

extension ItemTable {
    /// The newest message under an id that is no comment.
    package func post(_ id: SharedMessageID, group: GroupID, at now: UTCTimestamp) throws -> StoredItem? {
        try storedItem(
            Self.itemSelection + """
                 WHERE i.group_id = ? AND i.shared_msg_id = ? AND i.parent_item_id IS NULL AND i.scope IS NULL AND i.message_kind IS NOT NULL
                ORDER BY i.chat_item_id DESC LIMIT 1
                """, [group, id.bytes.blob], at: now)
    }

    /// The newest comments on some posts, without deleted ones.
    package func comments(on posts: [ChatItemID], limit: Int, at now: UTCTimestamp) throws -> [StoredItem] {
        guard !posts.isEmpty else { return [] }
        let marks = Array(repeating: "?", count: posts.count).joined(separator: ", ")
        return try storedItems(
            Self.itemSelection + """
                 WHERE i.parent_item_id IN (\(marks)) AND i.message_kind IS NOT NULL AND i.deleted = 0
                ORDER BY i.item_ts DESC, i.chat_item_id DESC LIMIT ?
                """, SQLArguments(posts.map(\.rawValue)) + [limit], at: now)
    }

    package func update(_ id: ChatItemID, commentsDisabled: Bool, at time: UTCTimestamp) throws {
        try db.run("UPDATE chat_items SET comments_disabled = ?, updated_at = ? WHERE chat_item_id = ?", [commentsDisabled, time.stored, id])
    }
}
