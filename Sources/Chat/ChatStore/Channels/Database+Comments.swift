package import ChatAPI
package import ChatProtocol
package import ChatRules
import EncryptedSQLite
package import GRDB
import SMPWire

// Comments: the posts, the comments on them, and who knows comments.

extension Database {
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

    package func updateItem(_ id: ChatItemID, commentsDisabled: Bool, at time: UTCTimestamp) throws {
        try run("UPDATE chat_items SET comments_disabled = ?, updated_at = ? WHERE chat_item_id = ?", [commentsDisabled, time.stored, id])
    }

    // MARK: Capability

    /// Notes that the client at the other end of a connection knows comments.
    package func noteComments(_ id: ChatConnectionID) throws {
        try run("UPDATE connections SET knows_comments = 1 WHERE connection_id = ?", [id])
    }

    package func knowsComments(_ id: ChatConnectionID) throws -> Bool {
        try number("SELECT knows_comments FROM connections WHERE connection_id = ?", [id]) == 1
    }

    /// Makes the observers of a channel commenters.
    ///
    /// - Parameter onlyKnowing: True for only those whose clients are known to know comments, and this profile.
    package func letObserversComment(group: GroupID, onlyKnowing: Bool) throws {
        try run(
            """
            UPDATE group_members SET role = 'commenter' WHERE group_id = ? AND role = 'observer' AND (NOT ? OR category = 'user' OR EXISTS (
                SELECT 1 FROM connections cn WHERE cn.group_member_id = group_members.group_member_id AND cn.knows_comments = 1))
            """, [group, onlyKnowing])
    }
}
