package import ChatAPI
package import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB
import SMPWire

/// Identifiers of group messages, by which a copy is known.
package struct ReceivedMessageTable {
    let db: Database

    // MARK: Duplicates

    /// The author and the forwarder of a message that came before under the same id.
    package func find(_ id: SharedMessageID, group: GroupID) throws -> (author: GroupMemberID?, forwardedBy: GroupMemberID?)? {
        try db.first(
            "SELECT author_id, forwarded_by FROM received_group_messages WHERE group_id = ? AND shared_msg_id = ?", [group, id.bytes.blob]
        ) { ($0.optionalInt().map { GroupMemberID($0) }, $0.optionalInt().map { GroupMemberID($0) }) }
    }

    /// Records a message under its id.
    ///
    /// - Parameters:
    ///   - author: Nil for the channel itself.
    ///   - isKept: True for a message that a relay could repeat at any time: its id is never forgotten, up to ``keptIDLimit`` of an author.
    /// - Returns: False if one came before under that id.
    package func insert(
        _ id: SharedMessageID, group: GroupID, author: GroupMember?, forwardedBy: GroupMemberID?, isKept: Bool, at time: UTCTimestamp
    ) throws -> Bool {
        var isKept = isKept
        if isKept, let author, author.role < .moderator { isKept = try hasRoomForKeptID(group: group, author: author.groupMemberID) }
        return try insert(id, group: group, author: author?.groupMemberID, forwardedBy: forwardedBy, isKept: isKept, at: time)
    }

    /// Records a message under its id.
    ///
    /// - Returns: False if one came before under that id.
    @discardableResult
    package func insert(
        _ id: SharedMessageID, group: GroupID, author: GroupMemberID?, forwardedBy: GroupMemberID?, isKept: Bool = false, at time: UTCTimestamp
    ) throws -> Bool {
        try db.run(
            """
            INSERT INTO received_group_messages (group_id, shared_msg_id, author_id, forwarded_by, is_kept, received_at) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """, [group, id.bytes.blob, author, forwardedBy, isKept, time.stored])
        return db.changesCount > 0
    }

    /// Records a message under an id that another author has used before.
    ///
    /// - Parameters:
    ///   - author: Nil for the channel itself.
    ///   - isKept: True for a message that a relay could repeat at any time: its id is never forgotten.
    /// - Returns: False if one of this author came before, or if there is no room for more of this author (``reusedIDLimit``).
    package func insertReusedMessageID(_ id: SharedMessageID, group: GroupID, author: GroupMemberID?, isKept: Bool, at time: UTCTimestamp) throws -> Bool {
        let limit = author == nil ? Self.reusedIDLimitOfChannel : Self.reusedIDLimit
        // What nobody has signed can be forged, and does not take the room of what is signed.
        let isFull = try db.number(
            "SELECT 1 FROM reused_group_message_ids WHERE group_id = ? AND author_id = ? AND is_kept = ? LIMIT 1 OFFSET ?",
            [group, author?.rawValue ?? 0, isKept, limit - 1])
        guard isFull == nil else { return false }
        try db.run(
            """
            INSERT INTO reused_group_message_ids (group_id, shared_msg_id, author_id, is_kept, received_at) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """, [group, id.bytes.blob, author?.rawValue ?? 0, isKept, time.stored])
        return db.changesCount > 0
    }

    /// Ids of one author in a group that another one has used before: of what is signed, and as many of what is not. Further messages under such ids are
    /// dropped.
    package static var reusedIDLimit: Int { 1_000 }
    /// The same for posts in the name of a channel.
    package static var reusedIDLimitOfChannel: Int { 10_000 }

    /// Ids of signed messages of one author below moderator that are never forgotten. Further ones are forgotten like those of other messages.
    package static var keptIDLimit: Int { 1_000 }

    /// True if the id of one more signed message of an author can be kept for ever.
    private func hasRoomForKeptID(group: GroupID, author: GroupMemberID) throws -> Bool {
        try db.number(
            "SELECT 1 FROM received_group_messages WHERE group_id = ? AND author_id = ? AND is_kept = 1 LIMIT 1 OFFSET ?",
            [group, author, Self.keptIDLimit - 1]) == nil
    }

    /// Forgets ids that several authors have used, with the messages themselves. Those that are kept stay.
    ///
    /// - Returns: How many, at most `limit`.
    package func deleteReusedMessageIDs(before time: UTCTimestamp, limit: Int) throws -> Int {
        try db.run(
            """
            DELETE FROM reused_group_message_ids WHERE (group_id, shared_msg_id, author_id) IN (
                SELECT group_id, shared_msg_id, author_id FROM reused_group_message_ids WHERE received_at < ? AND is_kept = 0 LIMIT ?)
            """, [time.stored, limit])
        return db.changesCount
    }

    /// Tells whether a message of an author came before under an id that another one has used, too.
    package func hasReusedMessageID(_ id: SharedMessageID, group: GroupID, author: GroupMemberID) throws -> Bool {
        try db.number(
            "SELECT 1 FROM reused_group_message_ids WHERE group_id = ? AND shared_msg_id = ? AND author_id = ?", [group, id.bytes.blob, author]
        ) != nil
    }

    /// Records a message of this profile under its id, so that it is known if it comes back.
    package func noteSentMessage(_ id: SharedMessageID, group: GroupID, author: GroupMemberID, at time: UTCTimestamp) throws {
        try db.run(
            "INSERT OR IGNORE INTO received_group_messages (group_id, shared_msg_id, author_id, received_at) VALUES (?, ?, ?, ?)",
            [group, id.bytes.blob, author, time.stored])
    }

    /// Notes that the author's own copy of a forwarded message has come.
    package func replaceForwarded(_ id: SharedMessageID, group: GroupID) throws {
        try db.run("UPDATE received_group_messages SET forwarded_by = NULL WHERE group_id = ? AND shared_msg_id = ?", [group, id.bytes.blob])
        try db.run("UPDATE chat_items SET forwarded_by = NULL WHERE group_id = ? AND shared_msg_id = ?", [group, id.bytes.blob])
    }

    /// Forgets messages that came before a time: nothing forwards them any more. Those that are kept stay.
    ///
    /// - Returns: How many, at most `limit`.
    package func delete(before time: UTCTimestamp, limit: Int) throws -> Int {
        try db.run(
            """
            DELETE FROM received_group_messages WHERE (group_id, shared_msg_id) IN (
                SELECT group_id, shared_msg_id FROM received_group_messages WHERE received_at < ? AND is_kept = 0 LIMIT ?)
            """, [time.stored, limit])
        return db.changesCount
    }
}
