package import ChatAPI
package import ChatProtocol
package import ChatRules
package import EncryptedSQLite
import GRDB
import SMPCrypto
import SMPWire

// Chat items: what was written and what happened in chats.

extension ItemOwner {
    /// The column that names the owner, and its id.
    package var column: (name: String, id: Int64) {
        switch self {
        case .contact(let id): ("contact_id", id.rawValue)
        case .group(let id): ("group_id", id.rawValue)
        case .notes(let id): ("note_folder_id", id.rawValue)
        }
    }
}

extension ItemStatus {
    /// The word in the column, and the whole status where the word is not enough.
    package var stored: (word: String, json: String?) {
        switch self {
        case .sent(.complete), .sendReceived(receipt: .ok, progress: .complete): (tag, nil)
        case .sendNew, .receivedNew, .receivedRead, .sendErrorAuth: (tag, nil)
        default: (tag, json.text)
        }
    }

    package init(stored word: String, json: String?) throws(JSONError) {
        if let json {
            try self.init(parsing: json)
            return
        }
        switch word {
        case "sndNew": self = .sendNew
        case "sndSent": self = .sent(progress: .complete)
        case "sndRcvd": self = .sendReceived(receipt: .ok, progress: .complete)
        case "sndErrorAuth": self = .sendErrorAuth
        case "rcvNew": self = .receivedNew
        case "rcvRead": self = .receivedRead
        default: self = .invalid(text: word)
        }
    }
}

/// Items of chats.
package struct ItemTable {
    let db: Database

    private static let itemColumns = """
        i.chat_item_id, i.user_id, i.contact_id, i.note_folder_id, i.sent, i.content_json, i.status, i.status_json,
        i.shared_msg_id, i.deleted, i.deleted_ts, i.edited, i.live, i.ttl, i.delete_at, i.via_proxy, i.user_mention, i.has_link,
        i.forwarded_json, i.quoted_sent, i.quoted_shared_msg_id, i.quoted_sent_at, i.quoted_content_json, i.item_ts, i.created_at,
        i.updated_at,
        CASE WHEN i.quoted_shared_msg_id IS NULL THEN NULL
            WHEN i.group_id IS NULL THEN (\(newestItem(contact: "i.contact_id", sharedID: "i.quoted_shared_msg_id")))
            ELSE (\(newestItem(group: "i.group_id", sharedID: "i.quoted_shared_msg_id")))
        END,
        CASE WHEN i.shared_msg_id IS NULL THEN NULL
            WHEN i.group_id IS NULL THEN (\(ReactionTable.reactions(contact: "i.contact_id", sharedID: "i.shared_msg_id")))
            ELSE (\(ReactionTable.reactions(group: "i.group_id", sharedID: "i.shared_msg_id", author: author)))
        END,
        f.file_id, f.file_name, f.file_size, f.protocol, f.status_json, f.path, f.file_key, f.file_nonce,
        i.group_id, i.group_member_id, i.scope, i.scope_member_id, i.as_group, i.forwarded_by, i.deleted_by, i.quoted_member_id,
        i.mentions_json, i.signature, i.parent_item_id, i.comments_total, i.comments_disabled
        """

    /// The member id of an item's author; empty for what was sent in the name of the group.
    private static let author = """
        CASE WHEN i.as_group = 1 THEN x'' ELSE (SELECT a.member_id FROM group_members a WHERE a.group_id = i.group_id
            AND CASE WHEN i.sent = 1 THEN a.category = 'user' ELSE a.group_member_id = i.group_member_id END LIMIT 1) END
        """

    /// The newest item of a chat with a shared id.
    private static func newestItem(contact: String, sharedID: String) -> String {
        "SELECT max(q.chat_item_id) FROM chat_items q WHERE q.contact_id = \(contact) AND q.shared_msg_id = \(sharedID)"
    }

    private static func newestItem(group: String, sharedID: String) -> String {
        "SELECT max(q.chat_item_id) FROM chat_items q WHERE q.group_id = \(group) AND q.shared_msg_id = \(sharedID)"
    }

    private static let newestItemQuery = newestItem(contact: "?", sharedID: "?")

    private static let newestGroupItemQuery = newestItem(group: "?", sharedID: "?")

    private static let reactionsQuery = ReactionTable.reactions(contact: "?", sharedID: "?")

    private static let groupReactionsQuery = ReactionTable.reactions(group: "?", sharedID: "?", author: "?")

    package static let itemSelection = "SELECT \(itemColumns) FROM chat_items i LEFT JOIN files f ON f.chat_item_id = i.chat_item_id"

    /// The items that a query with ``itemSelection`` finds, at a given time.
    package func storedItems(_ sql: String, _ arguments: SQLArguments, at now: UTCTimestamp) throws -> [StoredItem] {
        let records = try db.all(sql, arguments) { try Self.record(&$0) }
        let members = try db.members.members(of: records)
        return records.map { StoredItem($0, at: now, members: members) }
    }

    /// The first item that a query with ``itemSelection`` finds.
    package func storedItem(_ sql: String, _ arguments: SQLArguments, at now: UTCTimestamp) throws -> StoredItem? {
        guard let record = try db.first(sql, arguments, { try Self.record(&$0) }) else { return nil }
        return StoredItem(record, at: now, members: try db.members.members(of: [record]))
    }

    private static func record(_ row: inout RowReader) throws -> ItemRecord {
        let id = row.id(ChatItemID.self)
        let userID = row.id(UserID.self)
        let contactID = row.optionalID(ContactID.self)
        let folderID = row.optionalID(NoteFolderID.self)
        let isSent = row.flag()
        let content = try ItemContent(parsing: row.text())
        let status = try ItemStatus(stored: row.text(), json: row.optionalText())
        let sharedID = SharedMessageID(stored: row.optionalBytes())
        let deletion = StoredDeletion(rawValue: row.int()) ?? .deleted
        let deletedAt = row.optionalInt().map(UTCTimestamp.init(stored:))
        let isEdited = row.flag()
        let isLive = row.optionalFlag()
        let ttl = row.optionalInt()
        let deleteAt = row.optionalInt().map(UTCTimestamp.init(stored:))
        let viaProxy = row.optionalFlag()
        let mentionsUser = row.flag()
        let hasLink = row.flag()
        let forwarded = try row.optionalText().map { try ForwardedFrom(parsing: $0) }
        let quotedSent = row.optionalFlag()
        let quotedID = SharedMessageID(stored: row.optionalBytes())
        let quotedAt = row.optionalInt()
        let quotedContent = try row.optionalText().map { try MessageContent(parsing: $0) }
        let timestamp = UTCTimestamp(stored: row.int())
        let createdAt = UTCTimestamp(stored: row.int())
        let updatedAt = UTCTimestamp(stored: row.int())
        let quotedItemID = row.optionalID(ChatItemID.self)
        let reactions = try ReactionRules.counts(stored: row.optionalText())
        let file = try FileTable.file(&row)
        let groupID = row.optionalInt()
        let details = try GroupItemDetails(&row)
        let quote = quotedContent.map {
            QuoteRecord(
                isSent: quotedSent, sharedMessageID: quotedID, sentAt: UTCTimestamp(stored: quotedAt ?? 0), content: $0,
                memberID: details.quotedMember)
        }
        return ItemRecord(
            id: id, userID: userID, owner: contactID.map(ItemOwner.contact) ?? groupID.map { .group(GroupID($0)) } ?? .notes(folderID ?? 0),
            isSent: isSent, content: content, status: status, sharedMessageID: sharedID, deletion: deletion, deletedAt: deletedAt, isEdited: isEdited,
            isLive: isLive,
            timer: ttl.map { ItemTimer(ttl: Int($0), deleteAt: deleteAt) }, viaProxy: viaProxy, mentionsUser: mentionsUser, hasLink: hasLink,
            forwarded: forwarded, quote: quote, itemTimestamp: timestamp, createdAt: createdAt, updatedAt: updatedAt,
            quotedItemID: quotedItemID, reactions: reactions, file: file, group: details)
    }

    package func find(_ id: ChatItemID, owner: ItemOwner, at now: UTCTimestamp) throws -> StoredItem? {
        let (column, ownerID) = owner.column
        return try storedItem(Self.itemSelection + " WHERE i.chat_item_id = ? AND i.\(column) = ?", [id, ownerID], at: now)
    }

    package func find(_ id: ChatItemID, user: UserID, at now: UTCTimestamp) throws -> StoredItem? {
        try storedItem(Self.itemSelection + " WHERE i.chat_item_id = ? AND i.user_id = ?", [id, user], at: now)
    }

    /// The newest item of a chat with a contact that has this shared id.
    package func find(contact: ContactID, sharedMessageID: SharedMessageID, at now: UTCTimestamp) throws -> StoredItem? {
        try storedItem(
            Self.itemSelection + " WHERE i.contact_id = ? AND i.shared_msg_id = ? ORDER BY i.chat_item_id DESC LIMIT 1",
            [contact, sharedMessageID.bytes.blob], at: now)
    }

    /// The newest item of a chat whose text begins so; `isSent` limits it to one direction.
    package func id(owner: ItemOwner, textPrefix: String, isSent: Bool?) throws -> ChatItemID? {
        let (column, ownerID) = owner.column
        return try db.firstID(
            """
            SELECT chat_item_id FROM chat_items WHERE \(column) = ? AND (? IS NULL OR sent = ?)
                AND substr(item_text, 1, length(?)) = ? ORDER BY chat_item_id DESC LIMIT 1
            """, [ownerID, isSent, isSent, textPrefix, textPrefix])
    }

    package func lastItemID(owner: ItemOwner) throws -> ChatItemID? {
        let (column, ownerID) = owner.column
        return try db.firstID("SELECT max(chat_item_id) FROM chat_items WHERE \(column) = ?", [ownerID])
    }

    package func lastItemID(user: UserID) throws -> ChatItemID? {
        try db.firstID("SELECT max(chat_item_id) FROM chat_items WHERE user_id = ?", [user])
    }

    package func hasItems(contact: ContactID) throws -> Bool {
        try db.number("SELECT 1 FROM chat_items WHERE contact_id = ? LIMIT 1", [contact]) != nil
    }

    /// Whether a contact has written. The welcome message of its link does not count.
    package func hasReceivedMessages(from contact: Contact) throws -> Bool {
        try db.number(
            "SELECT 1 FROM chat_items WHERE contact_id = ? AND content_kind = 'rcvMsgContent' AND shared_msg_id IS NOT ? LIMIT 1",
            [contact.contactID, contact.preparedContact?.welcomeSharedMessageID?.bytes.blob]) != nil
    }

    /// Stores a new item.
    ///
    /// - Returns: what its row says: reading it back would cost as much as storing it.
    package func insert(_ new: ItemRecord) throws -> ItemRecord {
        var stored = new
        let (status, statusJSON) = new.status.stored
        stored.id = try db.insert(
            """
            INSERT INTO chat_items (user_id, contact_id, note_folder_id, sent, content_kind, message_kind, content_json, item_text,
                status, status_json, shared_msg_id, deleted, deleted_ts, live, ttl, delete_at, user_mention, has_link, forwarded_json,
                quoted_sent, quoted_shared_msg_id, quoted_sent_at, quoted_content_json, item_ts, created_at, updated_at, group_id,
                group_member_id, scope, scope_member_id, as_group, forwarded_by, deleted_by, quoted_member_id, mentions_json, signature,
                parent_item_id)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                new.userID, new.owner.contactID, new.owner.folderID, new.isSent, new.content.tag, new.content.message?.type.code,
                new.content.jsonText, new.content.text, status, statusJSON, new.sharedMessageID?.bytes.blob, new.deletion.rawValue,
                new.deletedAt?.stored, new.isLive, new.timer?.ttl, new.timer?.deleteAt?.stored, new.mentionsUser, new.hasLink, new.forwarded?.jsonText,
                new.quote?.isSent,
                new.quote?.sharedMessageID?.bytes.blob, new.quote?.sentAt.stored, new.quote?.content.jsonText,
                new.itemTimestamp.stored, new.createdAt.stored, new.updatedAt.stored, new.owner.groupID, new.group.memberID,
                new.group.scope.map { _ in GroupItemDetails.supportScope }, new.group.scopeMember, new.group.isAsGroup, new.group.forwardedBy,
                new.group.deletedBy, new.quote?.memberID?.bytes.blob, new.group.mentionsText, new.group.verification.storedText, new.group.parent,
            ])
        if let group = new.owner.groupID { try complete(&stored, in: group) }
        guard let contact = new.owner.contactID else { return stored }
        if let quoted = new.quote?.sharedMessageID {
            stored.quotedItemID = try db.firstID(Self.newestItemQuery, [contact, quoted.bytes.blob])
        }
        // Nobody reacts to what was not sent yet, but reactions can be here before the message that they are about.
        if !new.isSent, let shared = new.sharedMessageID {
            let text: String?? = try db.first(Self.reactionsQuery, [contact, shared.bytes.blob]) { $0.optionalText() }
            stored.reactions = try ReactionRules.counts(stored: text ?? nil)
            if !stored.reactions.isEmpty {
                try db.run("UPDATE reactions SET is_early = 0 WHERE contact_id = ? AND shared_msg_id = ?", [contact, shared.bytes.blob])
            }
        }
        return stored
    }

    /// Adds to a new item of a group what is known of it from other rows.
    private func complete(_ stored: inout ItemRecord, in group: GroupID) throws {
        if let quoted = stored.quote?.sharedMessageID {
            stored.quotedItemID = try db.number(Self.newestGroupItemQuery, [group, quoted.bytes.blob]).map { ChatItemID($0) }
        }
        guard !stored.isSent, let shared = stored.sharedMessageID else { return }
        let author = try stored.group.memberID.flatMap { try db.members.memberIdentifier($0)?.bytes } ?? []
        let text: String?? = try db.first(Self.groupReactionsQuery, [group, shared.bytes.blob, author.blob]) { $0.optionalText() }
        stored.reactions = try ReactionRules.counts(stored: text ?? nil)
        if !stored.reactions.isEmpty {
            try db.run(
                "UPDATE group_reactions SET is_early = 0 WHERE group_id = ? AND shared_msg_id = ? AND author_member_id = ?",
                [group, shared.bytes.blob, author.blob])
        }
    }

    /// Replaces what an item says.
    package func update(
        _ id: ChatItemID, content: ItemContent, text: String, hasLink: Bool, isEdited: Bool, isLive: Bool, deleteAt: UTCTimestamp?,
        at time: UTCTimestamp
    ) throws {
        try db.run(
            """
            UPDATE chat_items SET content_kind = ?, message_kind = ?, content_json = ?, item_text = ?, has_link = ?, edited = edited OR ?,
                live = CASE WHEN ? THEN 1 WHEN live IS NULL THEN NULL ELSE 0 END, delete_at = coalesce(?, delete_at), updated_at = ? WHERE chat_item_id = ?
            """,
            [
                content.tag, content.message?.type.code, content.jsonText, text, hasLink, isEdited, isLive,
                deleteAt?.stored, time.stored, id,
            ])
    }

    /// - Parameter viaProxy: Whether the message went through a proxy; nil leaves what is known.
    package func update(_ id: ChatItemID, status: ItemStatus, viaProxy: Bool? = nil, at time: UTCTimestamp) throws {
        let (word, json) = status.stored
        try db.run(
            "UPDATE chat_items SET status = ?, status_json = ?, via_proxy = coalesce(?, via_proxy), updated_at = ? WHERE chat_item_id = ?",
            [word, json, viaProxy, time.stored, id])
    }

    package func update(_ id: ChatItemID, sharedMessageID: SharedMessageID) throws {
        try db.run("UPDATE chat_items SET shared_msg_id = ? WHERE chat_item_id = ?", [sharedMessageID.bytes.blob, id])
    }

    package func update(_ id: ChatItemID, deleteAt: UTCTimestamp) throws {
        try db.run("UPDATE chat_items SET delete_at = ? WHERE chat_item_id = ?", [deleteAt.stored, id])
    }

    /// Marks an item as deleted.
    ///
    /// - Parameter moderator: The member who moderated it.
    package func mark(
        _ id: ChatItemID, _ deletion: StoredDeletion = .deleted, by moderator: GroupMemberID? = nil, deletedAt: UTCTimestamp, at time: UTCTimestamp
    ) throws {
        try db.run(
            "UPDATE chat_items SET deleted = ?, deleted_by = ?, deleted_ts = ?, updated_at = ? WHERE chat_item_id = ?",
            [deletion.rawValue, moderator, deletedAt.stored, time.stored, id])
    }

    /// Removes an item with its versions, its file and, if it was the last with its shared id, its reactions.
    package func delete(_ stored: StoredItem) throws {
        try db.run("DELETE FROM chat_items WHERE chat_item_id = ?", [stored.id])
        guard let shared = stored.item.meta.sharedMessageID else { return }
        switch stored.owner {
        case .contact(let contact): try db.run("DELETE FROM reactions WHERE contact_id = ? AND shared_msg_id = ?", [contact, shared.bytes.blob])
        case .group(let group): try db.run("DELETE FROM group_reactions WHERE group_id = ? AND shared_msg_id = ?", [group, shared.bytes.blob])
        case .notes: break
        }
    }

    /// Empties a chat; the banner at its head stays.
    package func deleteAll(owner: ItemOwner) throws {
        let (column, ownerID) = owner.column
        try db.run("DELETE FROM chat_items WHERE \(column) = ? AND content_kind <> 'chatBanner'", [ownerID])
        if case .contact(let contact) = owner {
            try db.run("DELETE FROM reactions WHERE contact_id = ?", [contact])
            try db.run("UPDATE contacts SET unread_chat = 0 WHERE contact_id = ?", [contact])
        }
        if case .group(let group) = owner {
            try db.run("DELETE FROM group_reactions WHERE group_id = ?", [group])
            try db.run("UPDATE groups SET unread_chat = 0 WHERE group_id = ?", [group])
        }
    }

    /// Counts of a chat with a contact.
    package func stats(ofContact id: ContactID) throws -> ChatStats {
        let stats = try db.first(
            """
            SELECT count(i.chat_item_id), min(i.chat_item_id), c.unread_chat FROM contacts c
            LEFT JOIN chat_items i ON i.contact_id = c.contact_id AND i.status = 'rcvNew' WHERE c.contact_id = ? GROUP BY c.contact_id
            """, [id]
        ) { ChatStats(unreadCount: Int($0.int()), minUnreadItemID: $0.id(), unreadChat: $0.flag()) }
        return stats ?? ChatStats()
    }

    /// True if items or reports name the member, so that its row has to stay.
    package func hasItems(member id: GroupMemberID) throws -> Bool {
        try db.number("SELECT 1 FROM chat_items WHERE group_member_id = ? LIMIT 1", [id]) != nil
    }
}
