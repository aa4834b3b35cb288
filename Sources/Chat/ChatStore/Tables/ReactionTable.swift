package import ChatAPI
package import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB
import SMPWire

/// Reactions to items.
package struct ReactionTable {
    let db: Database

    // MARK: Reactions

    /// The reactions of a member to a message.
    package func reactions(
        group: GroupID, sharedMessageID: SharedMessageID, author: MemberID?, by member: GroupMemberID
    ) throws -> [MessageReaction] {
        try db.all(
            """
            SELECT reaction_json FROM group_reactions
            WHERE group_id = ? AND shared_msg_id = ? AND author_member_id = ? AND group_member_id = ?
            """, [group, sharedMessageID.bytes.blob, (author?.bytes ?? []).blob, member]
        ) { try MessageReaction(parsing: $0.text()) }
    }

    package func set(
        _ reaction: MessageReaction, isAdded: Bool, isEarly: Bool = false, group: GroupInfo, sharedMessageID: SharedMessageID, author: MemberID?,
        by member: GroupMember,
        at time: UTCTimestamp
    ) throws {
        let author = (author?.bytes ?? []).blob
        if isAdded {
            try db.run(
                """
                INSERT OR IGNORE INTO group_reactions (group_id, shared_msg_id, author_member_id, group_member_id, by_user, reaction_json,
                    is_early, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    group.groupID, sharedMessageID.bytes.blob, author, member.groupMemberID,
                    member.groupMemberID == group.membership.groupMemberID, reaction.jsonText, isEarly, time.stored,
                ])
            guard isEarly else { return }
            try db.run(
                """
                DELETE FROM group_reactions WHERE group_member_id = ? AND is_early = 1
                    AND (group_id, shared_msg_id, author_member_id, reaction_json) IN (
                        SELECT group_id, shared_msg_id, author_member_id, reaction_json FROM group_reactions WHERE group_member_id = ? AND is_early = 1
                        ORDER BY created_at DESC LIMIT -1 OFFSET ?)
                """, [member.groupMemberID, member.groupMemberID, Self.earlyReactionLimit])
        } else {
            try db.run(
                """
                DELETE FROM group_reactions WHERE group_id = ? AND shared_msg_id = ? AND author_member_id = ? AND group_member_id = ?
                    AND reaction_json = ?
                """, [group.groupID, sharedMessageID.bytes.blob, author, member.groupMemberID, reaction.jsonText])
        }
    }

    /// The members who reacted to a message in one way.
    package func reactionMembers(group: GroupID, sharedMessageID: SharedMessageID, reaction: MessageReaction) throws -> [MemberReaction] {
        let found = try db.all(
            """
            SELECT group_member_id, created_at FROM group_reactions WHERE group_id = ? AND shared_msg_id = ? AND reaction_json = ?
            ORDER BY created_at
            """, [group, sharedMessageID.bytes.blob, reaction.jsonText]
        ) { (GroupMemberID($0.int()), UTCTimestamp(stored: $0.int())) }
        return try found.compactMap { id, time in try db.members.find(id).map { MemberReaction(member: $0, reactionTimestamp: time) } }
    }

    // MARK: Reactions

    /// The reactions of one side to a message.
    package func reactions(contact: ContactID, sharedMessageID: SharedMessageID, byUser: Bool) throws -> [MessageReaction] {
        try db.all(
            "SELECT reaction_json FROM reactions WHERE contact_id = ? AND shared_msg_id = ? AND by_user = ?",
            [contact, sharedMessageID.bytes.blob, byUser]
        ) { try MessageReaction(parsing: $0.text()) }
    }

    /// Reactions of one contact or member that are kept although the messages that they are about have not come; the oldest make room for new ones.
    package static var earlyReactionLimit: Int { 100 }

    /// - Parameter isEarly: Whether the message has not come: see ``earlyReactionLimit``.
    package func set(
        contact: ContactID, sharedMessageID: SharedMessageID, byUser: Bool, reaction: MessageReaction, isAdded: Bool, isEarly: Bool = false,
        at time: UTCTimestamp
    ) throws {
        if isAdded {
            try db.run(
                """
                INSERT OR IGNORE INTO reactions (contact_id, shared_msg_id, by_user, reaction_json, is_early, created_at) VALUES (?, ?, ?, ?, ?, ?)
                """, [contact, sharedMessageID.bytes.blob, byUser, reaction.jsonText, isEarly, time.stored])
            guard isEarly else { return }
            try db.run(
                """
                DELETE FROM reactions WHERE contact_id = ? AND is_early = 1 AND (shared_msg_id, by_user, reaction_json) IN (
                    SELECT shared_msg_id, by_user, reaction_json FROM reactions WHERE contact_id = ? AND is_early = 1
                    ORDER BY created_at DESC LIMIT -1 OFFSET ?)
                """, [contact, contact, Self.earlyReactionLimit])
        } else {
            try db.run(
                "DELETE FROM reactions WHERE contact_id = ? AND shared_msg_id = ? AND by_user = ? AND reaction_json = ?",
                [contact, sharedMessageID.bytes.blob, byUser, reaction.jsonText])
        }
    }

    /// The reactions to a message, as ``ReactionRules`` counts them.
    static func reactions(contact: String, sharedID: String) -> String {
        "SELECT group_concat(r.by_user || r.reaction_json, char(31)) FROM reactions r WHERE r.contact_id = \(contact) AND r.shared_msg_id = \(sharedID)"
    }

    static func reactions(group: String, sharedID: String, author: String) -> String {
        """
        SELECT group_concat(r.by_user || r.reaction_json, char(31)) FROM group_reactions r
        WHERE r.group_id = \(group) AND r.shared_msg_id = \(sharedID) AND r.author_member_id = \(author)
        """
    }
}
