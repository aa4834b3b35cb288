package import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB

// Tags that group chats, folders of notes, and settings of the core.

/// Tags of chats.
package struct TagTable {
    let db: Database

    package func tags(user: UserID) throws -> [ChatTag] {
        try db.all("SELECT chat_tag_id, tag_text, tag_emoji FROM chat_tags WHERE user_id = ? ORDER BY tag_order, chat_tag_id", [user]) {
            ChatTag(chatTagID: $0.id(), text: $0.text(), emoji: $0.optionalText())
        }
    }

    package func insert(user: UserID, text: String, emoji: String?) throws {
        try checkTag(nil, user: user, text: text, emoji: emoji)
        try db.run(
            """
            INSERT INTO chat_tags (user_id, tag_text, tag_emoji, tag_order)
            VALUES (?, ?, ?, (SELECT coalesce(max(tag_order), 0) + 1 FROM chat_tags WHERE user_id = ?))
            """, [user, text, emoji, user])
    }

    package func update(_ id: ChatTagID, user: UserID, text: String, emoji: String?) throws {
        try checkTag(id, user: user, text: text, emoji: emoji)
        try db.run("UPDATE chat_tags SET tag_text = ?, tag_emoji = ? WHERE chat_tag_id = ? AND user_id = ?", [text, emoji, id, user])
    }

    /// Refuses a tag that another has the text or the picture of, as the constraints of official databases do.
    private func checkTag(_ id: ChatTagID?, user: UserID, text: String, emoji: String?) throws {
        for other in try tags(user: user) where other.chatTagID != id {
            let taken = other.text == text ? "text" : emoji != nil && other.emoji == emoji ? "emoji" : nil
            if let taken { throw Refusal.store(.databaseException(message: "the \(taken) of the tag is that of another")) }
        }
    }

    package func delete(_ id: ChatTagID, user: UserID) throws {
        try db.run("DELETE FROM chat_tags WHERE chat_tag_id = ? AND user_id = ?", [id, user])
    }

    package func reorderTags(_ ids: [ChatTagID], user: UserID) throws {
        for (order, id) in ids.enumerated() {
            try db.run("UPDATE chat_tags SET tag_order = ? WHERE chat_tag_id = ? AND user_id = ?", [order, id, user])
        }
    }

    package func tags(contact: ContactID) throws -> [ChatTagID] {
        try db.all("SELECT chat_tag_id FROM contact_tags WHERE contact_id = ? ORDER BY chat_tag_id", [contact]) { $0.id() }
    }

    /// - Throws: An error of the store for a tag that is not the profile's.
    package func setTags(_ ids: [ChatTagID], contact: ContactID, user: UserID) throws {
        let tags = try checkTags(ids, user: user)
        try db.run("DELETE FROM contact_tags WHERE contact_id = ?", [contact])
        for id in tags { try db.run("INSERT INTO contact_tags (contact_id, chat_tag_id) VALUES (?, ?)", [contact, id]) }
    }

    /// - Throws: An error of the store for a tag that is not the profile's.
    package func setTags(_ ids: [ChatTagID], group: GroupID, user: UserID) throws {
        let tags = try checkTags(ids, user: user)
        try db.run("DELETE FROM group_tags WHERE group_id = ?", [group])
        for id in tags { try db.run("INSERT INTO group_tags (group_id, chat_tag_id) VALUES (?, ?)", [group, id]) }
    }

    /// The tags, each once.
    private func checkTags(_ ids: [ChatTagID], user: UserID) throws -> Set<ChatTagID> {
        let asked = Set(ids)
        guard asked.isSubset(of: try tags(user: user).map(\.chatTagID)) else {
            throw Refusal.store(.databaseException(message: "there is no such tag"))
        }
        return asked
    }
}
