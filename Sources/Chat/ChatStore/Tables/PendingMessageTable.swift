package import ChatAPI
package import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB
package import SMPWire

// Messages of groups: what waits for members, what came before, how far items are, reactions, moderation.

/// Messages that wait for the connection with a member.
package struct PendingMessageTable {
    let db: Database

    // MARK: Waiting

    /// Keeps messages until the connections of members take them. Each is stored once, whatever the number of members.
    ///
    /// - Parameter messages: The encoded messages, or the elements of forwarded ones.
    package func insert(_ messages: [(body: Bytes, itemID: ChatItemID?)], for members: [GroupMemberID], at time: UTCTimestamp) throws {
        guard !members.isEmpty else { return }
        for message in messages {
            let body = try db.insert("INSERT INTO pending_bodies (body) VALUES (?)", [message.body.blob])
            for member in members {
                try db.run(
                    "INSERT INTO pending_member_messages (group_member_id, chat_item_id, body_id, created_at) VALUES (?, ?, ?, ?)",
                    [member, message.itemID, body, time.stored])
            }
        }
    }

    /// The messages that wait for a member, oldest first. They are removed.
    package func take(member: GroupMemberID) throws -> [(body: Bytes, itemID: ChatItemID?)] {
        let messages = try db.all(
            """
            SELECT b.body, m.chat_item_id FROM pending_member_messages m JOIN pending_bodies b ON b.body_id = m.body_id
            WHERE m.group_member_id = ? ORDER BY m.pending_message_id
            """, [member]
        ) { (body: $0.bytes(), itemID: $0.optionalInt().map { ChatItemID($0) }) }
        if !messages.isEmpty { try delete(members: [member]) }
        return messages
    }

    /// Deletes messages that have waited for members since before a time.
    ///
    /// - Returns: How many, at most `limit`. Only the oldest are looked at.
    package func delete(before time: UTCTimestamp, limit: Int) throws -> Int {
        try db.run(
            """
            DELETE FROM pending_member_messages WHERE pending_message_id IN (
                SELECT pending_message_id FROM (
                    SELECT pending_message_id, created_at FROM pending_member_messages ORDER BY pending_message_id LIMIT ?)
                WHERE created_at < ?)
            """, [limit, time.stored])
        return db.changesCount
    }

    /// Those of the members for whom messages wait.
    package func members(among members: [GroupMemberID]) throws -> Set<GroupMemberID> {
        Set(
            try db.all(
                "SELECT DISTINCT group_member_id FROM pending_member_messages WHERE group_member_id IN (SELECT value FROM json_each(?))",
                [Self.jsonList(members)]
            ) { $0.id() })
    }

    package func delete(members: Set<GroupMemberID>) throws {
        try db.run("DELETE FROM pending_member_messages WHERE group_member_id IN (SELECT value FROM json_each(?))", [Self.jsonList(members)])
    }

    private static func jsonList(_ members: some Collection<GroupMemberID>) -> String {
        "[" + members.map { "\($0.rawValue)" }.joined(separator: ",") + "]"
    }
}
