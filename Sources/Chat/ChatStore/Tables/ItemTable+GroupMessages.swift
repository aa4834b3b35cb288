package import ChatAPI
package import ChatProtocol
package import ChatRules
package import EncryptedSQLite
import GRDB
import SMPWire

extension GroupChatScope? {
    /// The condition on the items of a part of a group, for the table `i`.
    package func condition(_ arguments: inout SQLArguments) -> String {
        switch self {
        case nil: return " AND i.scope IS NULL AND i.scope_member_id IS NULL AND i.parent_item_id IS NULL"
        case .memberSupport(let member):
            arguments += [member]
            return " AND i.scope = '\(GroupItemDetails.supportScope)' AND i.scope_member_id IS ?"
        }
    }
}

extension ItemTable {
    // MARK: Items

    /// The newest item of a group that an author has sent under an id.
    ///
    /// - Parameter author: The member; nil for items in the name of the group.
    package func find(
        group: GroupInfo, sharedMessageID: SharedMessageID, author: MemberID?, at now: UTCTimestamp
    ) throws -> StoredItem? {
        let condition: String
        var arguments: SQLArguments = [group.groupID, sharedMessageID.bytes.blob]
        switch author {
        case nil: condition = "i.group_member_id IS NULL AND (i.sent = 0 OR i.as_group = 1)"
        case group.membership.memberID?: condition = "i.sent = 1"
        case let author?:
            condition = "i.group_member_id = (SELECT a.group_member_id FROM group_members a WHERE a.group_id = ? AND a.member_id = ?)"
            arguments += [group.groupID, author.bytes.blob]
        }
        return try storedItem(
            Self.itemSelection + " WHERE i.group_id = ? AND i.shared_msg_id = ? AND \(condition) ORDER BY i.chat_item_id DESC LIMIT 1", arguments,
            at: now)
    }

    /// The newest item of a group whose text begins so.
    ///
    /// - Parameter author: The local name of its author; nil for what this profile sent.
    package func id(group: GroupID, textPrefix: String, author: GroupMemberID?, isSent: Bool?) throws -> ChatItemID? {
        try db.number(
            """
            SELECT chat_item_id FROM chat_items WHERE group_id = ? AND (?2 IS NULL OR sent = ?2) AND (?3 IS NULL OR group_member_id = ?3)
                AND substr(item_text, 1, length(?4)) = ?4 ORDER BY item_ts DESC, chat_item_id DESC LIMIT 1
            """, [group, isSent, author, textPrefix]
        ).map { ChatItemID($0) }
    }

    /// The newest message of a member in a group.
    package func lastItem(ofMember id: GroupMemberID, at now: UTCTimestamp) throws -> StoredItem? {
        try storedItem(
            Self.itemSelection + " WHERE i.group_member_id = ? ORDER BY i.item_ts DESC, i.chat_item_id DESC LIMIT 1", [id], at: now)
    }

    /// Messages for a member who joins: the newest of what all members see, oldest first, without those that were sent to the member before.
    package func history(of group: GroupID, for member: GroupMemberID, limit: Int, at now: UTCTimestamp) throws -> [StoredItem] {
        try storedItems(
            Self.itemSelection + """
                 LEFT JOIN group_item_statuses s ON s.chat_item_id = i.chat_item_id AND s.group_member_id = ?
                WHERE i.group_id = ? AND i.scope IS NULL AND i.parent_item_id IS NULL AND i.message_kind IS NOT NULL AND i.message_kind <> 'report' AND i.deleted = 0
                    AND s.chat_item_id IS NULL
                ORDER BY i.item_ts DESC, i.chat_item_id DESC LIMIT ?
                """, [member, group, limit], at: now
        ).reversed()
    }

    /// Replaces an item by the note that a moderator deleted it.
    package func moderate(
        _ stored: StoredItem, by moderator: GroupMemberID, deletedAt: UTCTimestamp, at time: UTCTimestamp
    ) throws {
        let content: ItemContent = stored.isSent ? .sentModerated : .receivedModerated
        try db.run(
            """
            UPDATE chat_items SET content_kind = ?, message_kind = NULL, content_json = ?, item_text = ?, has_link = 0, mentions_json = NULL,
                deleted = ?, deleted_by = ?, deleted_ts = ?, updated_at = ? WHERE chat_item_id = ?
            """,
            [
                content.tag, content.jsonText, content.text, StoredDeletion.moderated.rawValue, moderator, deletedAt.stored, time.stored, stored.id,
            ])
        try db.run("DELETE FROM chat_item_versions WHERE chat_item_id = ?", [stored.id])
        try db.run("DELETE FROM files WHERE chat_item_id = ?", [stored.id])
    }

    /// The messages of a member in a group, of which a removal takes away all.
    package func messages(ofMember member: GroupMember, group: GroupInfo, at now: UTCTimestamp) throws -> [StoredItem] {
        let isUser = member.groupMemberID == group.membership.groupMemberID
        return try storedItems(
            Self.itemSelection + """
                 WHERE i.group_id = ? AND i.message_kind IS NOT NULL AND CASE WHEN ? THEN i.sent = 1 ELSE i.group_member_id = ? END
                """, [group.groupID, isUser, member.groupMemberID], at: now)
    }

    package func update(_ id: ChatItemID, mentions: [String: MemberID], mentionsUser: Bool) throws {
        try db.run(
            "UPDATE chat_items SET mentions_json = ?, user_mention = ? WHERE chat_item_id = ?",
            [mentions.isEmpty ? nil : MessageMentions(mentions).json.text, mentionsUser, id])
    }

    package func update(_ id: ChatItemID, verification: MessageVerification) throws {
        try db.run("UPDATE chat_items SET signature = ? WHERE chat_item_id = ?", [verification.storedText, id])
    }

    /// Reports that wait for a moderator in a group: all, or those about one message.
    package func reports(group: GroupID, about shared: SharedMessageID? = nil) throws -> [ChatItemID] {
        try db.all(
            """
            SELECT chat_item_id FROM chat_items WHERE group_id = ? AND message_kind = 'report' AND sent = 0 AND deleted = 0
                AND (?2 IS NULL OR quoted_shared_msg_id = ?2) ORDER BY chat_item_id
            """, [group, shared?.bytes.blob]
        ) { ChatItemID($0.int()) }
    }

    // MARK: Reading

    /// Counts of a group, or of a support chat in it.
    package func stats(ofGroup id: GroupID, scope: GroupChatScope? = nil) throws -> ChatStats {
        var arguments: SQLArguments = [id]
        let condition = scope.condition(&arguments)
        let (unread, mentions, oldest) =
            try db.first(
                """
                SELECT count(*), coalesce(sum(i.user_mention), 0), min(i.chat_item_id) FROM chat_items i
                WHERE i.group_id = ?\(condition) AND i.status = 'rcvNew'
                """, arguments
            ) { (Int($0.int()), Int($0.int()), $0.optionalInt()) } ?? (0, 0, nil)
        guard scope == nil else {
            return ChatStats(unreadCount: unread, unreadMentions: mentions, minUnreadItemID: oldest.map { ChatItemID($0) } ?? 0)
        }
        let reports = try reports(group: id).count
        let isUnread = try db.number("SELECT unread_chat FROM groups WHERE group_id = ?", [id]) == 1
        return ChatStats(
            unreadCount: unread, unreadMentions: mentions, reportsCount: reports, minUnreadItemID: oldest.map { ChatItemID($0) } ?? 0,
            unreadChat: isUnread)
    }

    /// Unread items of a group, or of a support chat in it, that disappear some time after they were read.
    package func unreadTimedItems(group: GroupID, scope: GroupChatScope?) throws -> [(id: ChatItemID, ttl: Int64)] {
        var arguments: SQLArguments = [group]
        let condition = scope.condition(&arguments)
        return try db.all(
            """
            SELECT i.chat_item_id, i.ttl FROM chat_items i WHERE i.group_id = ?\(condition) AND i.status = 'rcvNew' AND i.ttl IS NOT NULL
                AND i.delete_at IS NULL AND coalesce(i.live, 0) = 0
            """, arguments
        ) { (id: ChatItemID($0.int()), ttl: $0.int()) }
    }

    package func markRead(group: GroupID, scope: GroupChatScope?, at time: UTCTimestamp) throws {
        var arguments: SQLArguments = [time.stored, group]
        let condition = scope.condition(&arguments)
        try db.run(
            "UPDATE chat_items AS i SET status = 'rcvRead', updated_at = ? WHERE i.group_id = ?\(condition) AND i.status = 'rcvNew'", arguments)
        if scope == nil { try db.run("UPDATE groups SET unread_chat = 0 WHERE group_id = ?", [group]) }
    }

    /// Marks one item as read.
    ///
    /// - Returns: False if it was not unread.
    package func markRead(group: GroupID, item: ChatItemID, at time: UTCTimestamp) throws -> Bool {
        try db.run(
            "UPDATE chat_items SET status = 'rcvRead', updated_at = ? WHERE chat_item_id = ? AND group_id = ? AND status = 'rcvNew'",
            [time.stored, item, group])
        return db.changesCount > 0
    }
}
