package import ChatAPI
package import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB
import SMPWire

/// Deletions by moderators of messages that have not come.
package struct ModerationTable {
    let db: Database

    // MARK: Moderation of messages that come later

    package func insert(
        group: GroupID, author: MemberID, sharedMessageID: SharedMessageID, moderator: GroupMemberID, moderatedAt: UTCTimestamp, at time: UTCTimestamp
    ) throws {
        try db.run(
            """
            INSERT OR IGNORE INTO item_moderations (group_id, author_member_id, shared_msg_id, moderator_id, moderated_at, created_at)
            VALUES (?, ?, ?, ?, ?, ?)
            """, [group, author.bytes.blob, sharedMessageID.bytes.blob, moderator, moderatedAt.stored, time.stored])
    }

    /// The moderation that waits for a message.
    package func find(group: GroupID, author: MemberID, sharedMessageID: SharedMessageID) throws -> (moderator: GroupMemberID, at: UTCTimestamp)? {
        try db.first(
            "SELECT moderator_id, moderated_at FROM item_moderations WHERE group_id = ? AND author_member_id = ? AND shared_msg_id = ?",
            [group, author.bytes.blob, sharedMessageID.bytes.blob]
        ) { (GroupMemberID($0.int()), UTCTimestamp(stored: $0.int())) }
    }

    package func delete(group: GroupID, author: MemberID, sharedMessageID: SharedMessageID) throws {
        try db.run(
            "DELETE FROM item_moderations WHERE group_id = ? AND author_member_id = ? AND shared_msg_id = ?",
            [group, author.bytes.blob, sharedMessageID.bytes.blob])
    }
}
