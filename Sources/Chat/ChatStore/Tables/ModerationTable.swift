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

    /// Moderations of one moderator that wait for messages; the oldest make room for new ones.
    package static var earlyModerationLimit: Int { 1_000 }

    package func insert(
        group: GroupID, author: MemberID, sharedMessageID: SharedMessageID, moderator: GroupMemberID, moderatedAt: UTCTimestamp, at time: UTCTimestamp
    ) throws {
        try db.run(
            """
            INSERT OR IGNORE INTO item_moderations (group_id, author_member_id, shared_msg_id, moderator_id, moderated_at, created_at)
            VALUES (?, ?, ?, ?, ?, ?)
            """, [group, author.bytes.blob, sharedMessageID.bytes.blob, moderator, moderatedAt.stored, time.stored])
        try db.run(
            """
            DELETE FROM item_moderations WHERE (group_id, author_member_id, shared_msg_id) IN (
                SELECT group_id, author_member_id, shared_msg_id FROM item_moderations WHERE moderator_id = ?
                ORDER BY created_at DESC LIMIT -1 OFFSET ?)
            """, [moderator, Self.earlyModerationLimit])
    }

    /// Forgets moderations of messages that have not come since a time: no router has them any more.
    ///
    /// - Returns: How many, at most `limit`.
    package func delete(before time: UTCTimestamp, limit: Int) throws -> Int {
        try db.run(
            """
            DELETE FROM item_moderations WHERE (group_id, author_member_id, shared_msg_id) IN (
                SELECT group_id, author_member_id, shared_msg_id FROM item_moderations WHERE created_at < ? LIMIT ?)
            """, [time.stored, limit])
        return db.changesCount
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
