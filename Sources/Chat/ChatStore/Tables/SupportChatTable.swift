package import ChatAPI
package import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB
import SMPCrypto
import SMPWire

/// Chats of moderators with one member.
package struct SupportChatTable {
    let db: Database

    // MARK: Support chats

    /// Opens the support chat of a member, if it is not.
    package func open(member id: GroupMemberID, at time: UTCTimestamp) throws {
        try db.run("UPDATE group_members SET support_chat_ts = ? WHERE group_member_id = ? AND support_chat_ts IS NULL", [time.stored, id])
    }

    /// Counts what came to a support chat.
    ///
    /// - Parameter lastFromMember: When the member wrote last; nil keeps what is stored.
    package func update(
        member id: GroupMemberID, unread: Int, attention: SupportAttention, mentions: Int, at time: UTCTimestamp
    ) throws {
        let (change, last): (Int?, UTCTimestamp?) =
            switch attention {
            case .increase(let count, let time): (count, time)
            case .reset: (nil, nil)
            }
        try db.run(
            """
            UPDATE group_members SET support_chat_ts = ?, support_unread = max(0, support_unread + ?),
                support_attention = CASE WHEN ?3 IS NULL THEN 0 ELSE max(0, support_attention + ?3) END,
                support_mentions = max(0, support_mentions + ?), support_last_member_ts = coalesce(?, support_last_member_ts)
            WHERE group_member_id = ?
            """, [time.stored, unread, change, mentions, last?.stored, id])
    }

    /// The number of messages that came last to a member's support chat, that the member has written and nobody has read.
    ///
    /// The order is that in which they came: a router's clock that is slow would place a message before the answer to an earlier one.
    package func unansweredMessages(of member: GroupMember) throws -> Int {
        var arguments: SQLArguments = [member.groupID]
        let chat = "FROM chat_items i WHERE i.group_id = ?" + GroupChatScope?.some(.memberSupport(member.groupMemberID)).condition(&arguments)
        // The plus keeps the index of the chat in use, whose items may be few among all.
        let last = try db.number(
            "SELECT max(+i.chat_item_id) \(chat) AND NOT (i.status = 'rcvNew' AND i.group_member_id IS ?)", arguments + [member.groupMemberID])
        return Int(try db.number("SELECT count(*) \(chat) AND +i.chat_item_id > ?", arguments + [last ?? 0]) ?? 0)
    }

    /// Replaces the count of messages of a member that no moderator has answered.
    package func update(member id: GroupMemberID, unanswered: Int, at time: UTCTimestamp) throws {
        try db.run("UPDATE group_members SET support_attention = ?, updated_at = ? WHERE group_member_id = ?", [unanswered, time.stored, id])
    }

    package func read(member id: GroupMemberID) throws {
        try db.run("UPDATE group_members SET support_unread = 0, support_attention = 0, support_mentions = 0 WHERE group_member_id = ?", [id])
    }

    package func delete(member id: GroupMemberID, group: GroupID) throws {
        try db.run("DELETE FROM chat_items WHERE group_id = ? AND scope = 'support' AND scope_member_id = ?", [group, id])
        try db.run(
            """
            UPDATE group_members SET support_chat_ts = NULL, support_unread = 0, support_attention = 0, support_mentions = 0,
                support_last_member_ts = NULL WHERE group_member_id = ?
            """, [id])
    }
}
