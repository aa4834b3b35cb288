package import ChatAPI
package import ChatProtocol
package import ChatRules
package import EncryptedSQLite
package import GRDB
package import SMPWire

// Messages of groups: what waits for members, what came before, how far items are, reactions, moderation.

extension Database {
    // MARK: Waiting

    /// Keeps messages until the connections of members take them. Each is stored once, whatever the number of members.
    ///
    /// - Parameter messages: The encoded messages, or the elements of forwarded ones.
    package func insertPendingMessages(_ messages: [(body: Bytes, itemID: ChatItemID?)], for members: [GroupMemberID], at time: UTCTimestamp) throws {
        guard !members.isEmpty else { return }
        for message in messages {
            let body = try insert("INSERT INTO pending_bodies (body) VALUES (?)", [message.body.blob])
            for member in members {
                try run(
                    "INSERT INTO pending_member_messages (group_member_id, chat_item_id, body_id, created_at) VALUES (?, ?, ?, ?)",
                    [member, message.itemID, body, time.stored])
            }
        }
    }

    /// The messages that wait for a member, oldest first. They are removed.
    package func takePendingMessages(member: GroupMemberID) throws -> [(body: Bytes, itemID: ChatItemID?)] {
        let messages = try all(
            """
            SELECT b.body, m.chat_item_id FROM pending_member_messages m JOIN pending_bodies b ON b.body_id = m.body_id
            WHERE m.group_member_id = ? ORDER BY m.pending_message_id
            """, [member]
        ) { (body: $0.bytes(), itemID: $0.optionalInt().map { ChatItemID($0) }) }
        if !messages.isEmpty { try deletePendingMessages(members: [member]) }
        return messages
    }

    /// Deletes messages that have waited for members since before a time.
    ///
    /// - Returns: How many, at most `limit`. Only the oldest are looked at.
    package func deletePendingMessages(before time: UTCTimestamp, limit: Int) throws -> Int {
        try run(
            """
            DELETE FROM pending_member_messages WHERE pending_message_id IN (
                SELECT pending_message_id FROM (
                    SELECT pending_message_id, created_at FROM pending_member_messages ORDER BY pending_message_id LIMIT ?)
                WHERE created_at < ?)
            """, [limit, time.stored])
        return changesCount
    }

    /// Those of the members for whom messages wait.
    package func membersWithPendingMessages(among members: [GroupMemberID]) throws -> Set<GroupMemberID> {
        Set(
            try all(
                "SELECT DISTINCT group_member_id FROM pending_member_messages WHERE group_member_id IN (SELECT value FROM json_each(?))",
                [Self.jsonList(members)]
            ) { $0.id() })
    }

    package func deletePendingMessages(members: Set<GroupMemberID>) throws {
        try run("DELETE FROM pending_member_messages WHERE group_member_id IN (SELECT value FROM json_each(?))", [Self.jsonList(members)])
    }

    private static func jsonList(_ members: some Collection<GroupMemberID>) -> String {
        "[" + members.map { "\($0.rawValue)" }.joined(separator: ",") + "]"
    }

    // MARK: Duplicates

    /// The author and the forwarder of a message that came before under the same id.
    package func receivedMessage(_ id: SharedMessageID, group: GroupID) throws -> (author: GroupMemberID?, forwardedBy: GroupMemberID?)? {
        try first(
            "SELECT author_id, forwarded_by FROM received_group_messages WHERE group_id = ? AND shared_msg_id = ?", [group, id.bytes.blob]
        ) { ($0.optionalInt().map { GroupMemberID($0) }, $0.optionalInt().map { GroupMemberID($0) }) }
    }

    /// Records a message under its id.
    ///
    /// - Parameter isKept: True for a message that a relay could repeat at any time: its id is never forgotten.
    /// - Returns: False if one came before under that id.
    @discardableResult
    package func insertReceivedMessage(
        _ id: SharedMessageID, group: GroupID, author: GroupMemberID?, forwardedBy: GroupMemberID?, isKept: Bool = false, at time: UTCTimestamp
    ) throws -> Bool {
        try run(
            """
            INSERT INTO received_group_messages (group_id, shared_msg_id, author_id, forwarded_by, is_kept, received_at) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """, [group, id.bytes.blob, author, forwardedBy, isKept, time.stored])
        return changesCount > 0
    }

    /// Records a message under an id that another author has used before.
    ///
    /// - Parameter author: Nil for the channel itself.
    /// - Returns: False if one of this author came before.
    package func insertReusedMessageID(_ id: SharedMessageID, group: GroupID, author: GroupMemberID?) throws -> Bool {
        try run(
            "INSERT INTO reused_group_message_ids (group_id, shared_msg_id, author_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            [group, id.bytes.blob, author?.rawValue ?? 0])
        return changesCount > 0
    }

    /// Tells whether a message of an author came before under an id that another one has used, too.
    package func hasReusedMessageID(_ id: SharedMessageID, group: GroupID, author: GroupMemberID) throws -> Bool {
        try number(
            "SELECT 1 FROM reused_group_message_ids WHERE group_id = ? AND shared_msg_id = ? AND author_id = ?", [group, id.bytes.blob, author]
        ) != nil
    }

    /// Records a message of this profile under its id, so that it is known if it comes back.
    package func noteSentMessage(_ id: SharedMessageID, group: GroupID, author: GroupMemberID, at time: UTCTimestamp) throws {
        try run(
            "INSERT OR IGNORE INTO received_group_messages (group_id, shared_msg_id, author_id, received_at) VALUES (?, ?, ?, ?)",
            [group, id.bytes.blob, author, time.stored])
    }

    /// Notes that the author's own copy of a forwarded message has come.
    package func replaceForwarded(_ id: SharedMessageID, group: GroupID) throws {
        try run("UPDATE received_group_messages SET forwarded_by = NULL WHERE group_id = ? AND shared_msg_id = ?", [group, id.bytes.blob])
        try run("UPDATE chat_items SET forwarded_by = NULL WHERE group_id = ? AND shared_msg_id = ?", [group, id.bytes.blob])
    }

    /// Forgets messages that came before a time: nothing forwards them any more. Those that are kept stay.
    ///
    /// - Returns: How many, at most `limit`.
    package func deleteReceivedMessages(before time: UTCTimestamp, limit: Int) throws -> Int {
        try run(
            """
            DELETE FROM received_group_messages WHERE (group_id, shared_msg_id) IN (
                SELECT group_id, shared_msg_id FROM received_group_messages WHERE received_at < ? AND is_kept = 0 LIMIT ?)
            """, [time.stored, limit])
        return changesCount
    }

    // MARK: Statuses

    package func setStatus(_ status: GroupSendStatus, ofItem item: ChatItemID, at member: GroupMemberID) throws {
        let (word, json) = status.stored
        try run(
            """
            INSERT INTO group_item_statuses (chat_item_id, group_member_id, status, status_json) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (chat_item_id, group_member_id) DO UPDATE SET status = ?3, status_json = ?4
            """, [item, member, word, json])
    }

    package func setViaProxy(_ viaProxy: Bool, ofItem item: ChatItemID, at member: GroupMemberID) throws {
        try run("UPDATE group_item_statuses SET via_proxy = ? WHERE chat_item_id = ? AND group_member_id = ?", [viaProxy, item, member])
    }

    package func status(ofItem item: ChatItemID, at member: GroupMemberID) throws -> GroupSendStatus? {
        try first(
            "SELECT status, status_json FROM group_item_statuses WHERE chat_item_id = ? AND group_member_id = ?", [item, member]
        ) { try GroupSendStatus(stored: $0.text(), json: $0.optionalText()) }
    }

    /// The members by how far an item is at them.
    package func statusCounts(ofItem item: ChatItemID) throws -> [(status: GroupSendStatus, count: Int)] {
        try all(
            "SELECT status, status_json, count(*) FROM group_item_statuses WHERE chat_item_id = ? GROUP BY status, status_json", [item]
        ) { (try GroupSendStatus(stored: $0.text(), json: $0.optionalText()), Int($0.int())) }
    }

    package func statuses(ofItem item: ChatItemID) throws -> [MemberDeliveryStatus] {
        try all(
            """
            SELECT group_member_id, status, status_json, via_proxy FROM group_item_statuses WHERE chat_item_id = ? ORDER BY group_member_id
            """, [item]
        ) {
            let member = GroupMemberID($0.int())
            let status = try GroupSendStatus(stored: $0.text(), json: $0.optionalText())
            return MemberDeliveryStatus(groupMemberID: member, status: status, sentViaProxy: $0.optionalFlag())
        }
    }

    // MARK: Items

    /// The newest item of a group that an author has sent under an id.
    ///
    /// - Parameter author: The member; nil for items in the name of the group.
    package func item(
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
    package func itemID(group: GroupID, textPrefix: String, author: GroupMemberID?, isSent: Bool?) throws -> ChatItemID? {
        try number(
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
    package func moderateItem(
        _ stored: StoredItem, by moderator: GroupMemberID, deletedAt: UTCTimestamp, at time: UTCTimestamp
    ) throws {
        let content: ItemContent = stored.isSent ? .sentModerated : .receivedModerated
        try run(
            """
            UPDATE chat_items SET content_kind = ?, message_kind = NULL, content_json = ?, item_text = ?, has_link = 0, mentions_json = NULL,
                deleted = ?, deleted_by = ?, deleted_ts = ?, updated_at = ? WHERE chat_item_id = ?
            """,
            [
                content.tag, content.jsonText, content.text, StoredDeletion.moderated.rawValue, moderator, deletedAt.stored, time.stored, stored.id,
            ])
        try run("DELETE FROM chat_item_versions WHERE chat_item_id = ?", [stored.id])
        try run("DELETE FROM files WHERE chat_item_id = ?", [stored.id])
    }

    /// The messages of a member in a group, of which a removal takes away all.
    package func messages(ofMember member: GroupMember, group: GroupInfo, at now: UTCTimestamp) throws -> [StoredItem] {
        let isUser = member.groupMemberID == group.membership.groupMemberID
        return try storedItems(
            Self.itemSelection + """
                 WHERE i.group_id = ? AND i.message_kind IS NOT NULL AND CASE WHEN ? THEN i.sent = 1 ELSE i.group_member_id = ? END
                """, [group.groupID, isUser, member.groupMemberID], at: now)
    }

    package func updateItem(_ id: ChatItemID, mentions: [String: MemberID], mentionsUser: Bool) throws {
        try run(
            "UPDATE chat_items SET mentions_json = ?, user_mention = ? WHERE chat_item_id = ?",
            [mentions.isEmpty ? nil : MessageMentions(mentions).json.text, mentionsUser, id])
    }

    /// Reports that wait for a moderator in a group: all, or those about one message.
    package func reports(group: GroupID, about shared: SharedMessageID? = nil) throws -> [ChatItemID] {
        try all(
            """
            SELECT chat_item_id FROM chat_items WHERE group_id = ? AND message_kind = 'report' AND sent = 0 AND deleted = 0
                AND (?2 IS NULL OR quoted_shared_msg_id = ?2) ORDER BY chat_item_id
            """, [group, shared?.bytes.blob]
        ) { ChatItemID($0.int()) }
    }

    // MARK: Moderation of messages that come later

    package func insertModeration(
        group: GroupID, author: MemberID, sharedMessageID: SharedMessageID, moderator: GroupMemberID, moderatedAt: UTCTimestamp, at time: UTCTimestamp
    ) throws {
        try run(
            """
            INSERT OR IGNORE INTO item_moderations (group_id, author_member_id, shared_msg_id, moderator_id, moderated_at, created_at)
            VALUES (?, ?, ?, ?, ?, ?)
            """, [group, author.bytes.blob, sharedMessageID.bytes.blob, moderator, moderatedAt.stored, time.stored])
    }

    /// The moderation that waits for a message.
    package func moderation(group: GroupID, author: MemberID, sharedMessageID: SharedMessageID) throws -> (moderator: GroupMemberID, at: UTCTimestamp)? {
        try first(
            "SELECT moderator_id, moderated_at FROM item_moderations WHERE group_id = ? AND author_member_id = ? AND shared_msg_id = ?",
            [group, author.bytes.blob, sharedMessageID.bytes.blob]
        ) { (GroupMemberID($0.int()), UTCTimestamp(stored: $0.int())) }
    }

    package func deleteModeration(group: GroupID, author: MemberID, sharedMessageID: SharedMessageID) throws {
        try run(
            "DELETE FROM item_moderations WHERE group_id = ? AND author_member_id = ? AND shared_msg_id = ?",
            [group, author.bytes.blob, sharedMessageID.bytes.blob])
    }

    // MARK: Reactions

    /// The reactions of a member to a message.
    package func reactions(
        group: GroupID, sharedMessageID: SharedMessageID, author: MemberID?, by member: GroupMemberID
    ) throws -> [MessageReaction] {
        try all(
            """
            SELECT reaction_json FROM group_reactions
            WHERE group_id = ? AND shared_msg_id = ? AND author_member_id = ? AND group_member_id = ?
            """, [group, sharedMessageID.bytes.blob, (author?.bytes ?? []).blob, member]
        ) { try MessageReaction(parsing: $0.text()) }
    }

    package func setReaction(
        _ reaction: MessageReaction, isAdded: Bool, isEarly: Bool = false, group: GroupInfo, sharedMessageID: SharedMessageID, author: MemberID?,
        by member: GroupMember,
        at time: UTCTimestamp
    ) throws {
        let author = (author?.bytes ?? []).blob
        if isAdded {
            try run(
                """
                INSERT OR IGNORE INTO group_reactions (group_id, shared_msg_id, author_member_id, group_member_id, by_user, reaction_json,
                    is_early, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    group.groupID, sharedMessageID.bytes.blob, author, member.groupMemberID,
                    member.groupMemberID == group.membership.groupMemberID, reaction.jsonText, isEarly, time.stored,
                ])
            guard isEarly else { return }
            try run(
                """
                DELETE FROM group_reactions WHERE group_member_id = ? AND is_early = 1
                    AND (group_id, shared_msg_id, author_member_id, reaction_json) IN (
                        SELECT group_id, shared_msg_id, author_member_id, reaction_json FROM group_reactions WHERE group_member_id = ? AND is_early = 1
                        ORDER BY created_at DESC LIMIT -1 OFFSET ?)
                """, [member.groupMemberID, member.groupMemberID, Self.earlyReactionLimit])
        } else {
            try run(
                """
                DELETE FROM group_reactions WHERE group_id = ? AND shared_msg_id = ? AND author_member_id = ? AND group_member_id = ?
                    AND reaction_json = ?
                """, [group.groupID, sharedMessageID.bytes.blob, author, member.groupMemberID, reaction.jsonText])
        }
    }

    /// The members who reacted to a message in one way.
    package func reactionMembers(group: GroupID, sharedMessageID: SharedMessageID, reaction: MessageReaction) throws -> [MemberReaction] {
        let found = try all(
            """
            SELECT group_member_id, created_at FROM group_reactions WHERE group_id = ? AND shared_msg_id = ? AND reaction_json = ?
            ORDER BY created_at
            """, [group, sharedMessageID.bytes.blob, reaction.jsonText]
        ) { (GroupMemberID($0.int()), UTCTimestamp(stored: $0.int())) }
        return try found.compactMap { id, time in try member(id).map { MemberReaction(member: $0, reactionTimestamp: time) } }
    }

    // MARK: Reading

    /// Counts of a group, or of a support chat in it.
    package func stats(ofGroup id: GroupID, scope: GroupChatScope? = nil) throws -> ChatStats {
        var arguments: SQLArguments = [id]
        let condition = scope.condition(&arguments)
        let (unread, mentions, oldest) =
            try first(
                """
                SELECT count(*), coalesce(sum(i.user_mention), 0), min(i.chat_item_id) FROM chat_items i
                WHERE i.group_id = ?\(condition) AND i.status = 'rcvNew'
                """, arguments
            ) { (Int($0.int()), Int($0.int()), $0.optionalInt()) } ?? (0, 0, nil)
        guard scope == nil else {
            return ChatStats(unreadCount: unread, unreadMentions: mentions, minUnreadItemID: oldest.map { ChatItemID($0) } ?? 0)
        }
        let reports = try reports(group: id).count
        let isUnread = try number("SELECT unread_chat FROM groups WHERE group_id = ?", [id]) == 1
        return ChatStats(
            unreadCount: unread, unreadMentions: mentions, reportsCount: reports, minUnreadItemID: oldest.map { ChatItemID($0) } ?? 0,
            unreadChat: isUnread)
    }

    /// Unread items of a group, or of a support chat in it, that disappear some time after they were read.
    package func unreadTimedItems(group: GroupID, scope: GroupChatScope?) throws -> [(id: ChatItemID, ttl: Int64)] {
        var arguments: SQLArguments = [group]
        let condition = scope.condition(&arguments)
        return try all(
            """
            SELECT i.chat_item_id, i.ttl FROM chat_items i WHERE i.group_id = ?\(condition) AND i.status = 'rcvNew' AND i.ttl IS NOT NULL
                AND i.delete_at IS NULL AND coalesce(i.live, 0) = 0
            """, arguments
        ) { (id: ChatItemID($0.int()), ttl: $0.int()) }
    }

    package func markRead(group: GroupID, scope: GroupChatScope?, at time: UTCTimestamp) throws {
        var arguments: SQLArguments = [time.stored, group]
        let condition = scope.condition(&arguments)
        try run(
            "UPDATE chat_items AS i SET status = 'rcvRead', updated_at = ? WHERE i.group_id = ?\(condition) AND i.status = 'rcvNew'", arguments)
        if scope == nil { try run("UPDATE groups SET unread_chat = 0 WHERE group_id = ?", [group]) }
    }

    /// Marks one item as read.
    ///
    /// - Returns: False if it was not unread.
    package func markRead(group: GroupID, item: ChatItemID, at time: UTCTimestamp) throws -> Bool {
        try run(
            "UPDATE chat_items SET status = 'rcvRead', updated_at = ? WHERE chat_item_id = ? AND group_id = ? AND status = 'rcvNew'",
            [time.stored, item, group])
        return changesCount > 0
    }
}

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

extension GroupSendStatus {
    /// The word in the column, and the whole status where the word is not enough.
    fileprivate var stored: (word: String, json: String?) {
        switch self {
        case .new: ("new", nil)
        case .forwarded: ("forwarded", nil)
        case .inactive: ("inactive", nil)
        case .sent: ("sent", nil)
        case .received(let receipt): ("received", receipt == .ok ? nil : jsonText)
        default: ("other", jsonText)
        }
    }

    fileprivate init(stored word: String, json: String?) throws(JSONError) {
        if let json {
            try self.init(parsing: json)
            return
        }
        switch word {
        case "new": self = .new
        case "forwarded": self = .forwarded
        case "inactive": self = .inactive
        case "sent": self = .sent
        case "received": self = .received(receipt: .ok)
        default: self = .invalid(text: word)
        }
    }
}
