package import ChatAPI
package import ChatProtocol
import ChatRules
import EncryptedSQLite
package import GRDB

// Tags that group chats, folders of notes, and settings of the core.

extension Database {
    package func tags(user: UserID) throws -> [ChatTag] {
        try all("SELECT chat_tag_id, tag_text, tag_emoji FROM chat_tags WHERE user_id = ? ORDER BY tag_order, chat_tag_id", [user]) {
            ChatTag(chatTagID: $0.id(), text: $0.text(), emoji: $0.optionalText())
        }
    }

    package func insertTag(user: UserID, text: String, emoji: String?) throws {
        try checkTag(nil, user: user, text: text, emoji: emoji)
        try run(
            """
            INSERT INTO chat_tags (user_id, tag_text, tag_emoji, tag_order)
            VALUES (?, ?, ?, (SELECT coalesce(max(tag_order), 0) + 1 FROM chat_tags WHERE user_id = ?))
            """, [user, text, emoji, user])
    }

    package func updateTag(_ id: ChatTagID, user: UserID, text: String, emoji: String?) throws {
        try checkTag(id, user: user, text: text, emoji: emoji)
        try run("UPDATE chat_tags SET tag_text = ?, tag_emoji = ? WHERE chat_tag_id = ? AND user_id = ?", [text, emoji, id, user])
    }

    /// Refuses a tag that another has the text or the picture of, as the constraints of official databases do.
    private func checkTag(_ id: ChatTagID?, user: UserID, text: String, emoji: String?) throws {
        for other in try tags(user: user) where other.chatTagID != id {
            let taken = other.text == text ? "text" : emoji != nil && other.emoji == emoji ? "emoji" : nil
            if let taken { throw Refusal.store(.databaseException(message: "the \(taken) of the tag is that of another")) }
        }
    }

    package func deleteTag(_ id: ChatTagID, user: UserID) throws {
        try run("DELETE FROM chat_tags WHERE chat_tag_id = ? AND user_id = ?", [id, user])
    }

    package func reorderTags(_ ids: [ChatTagID], user: UserID) throws {
        for (order, id) in ids.enumerated() {
            try run("UPDATE chat_tags SET tag_order = ? WHERE chat_tag_id = ? AND user_id = ?", [order, id, user])
        }
    }

    package func tags(contact: ContactID) throws -> [ChatTagID] {
        try all("SELECT chat_tag_id FROM contact_tags WHERE contact_id = ? ORDER BY chat_tag_id", [contact]) { $0.id() }
    }

    /// - Throws: An error of the store for a tag that is not the profile's.
    package func setTags(_ ids: [ChatTagID], contact: ContactID, user: UserID) throws {
        let tags = try checkTags(ids, user: user)
        try run("DELETE FROM contact_tags WHERE contact_id = ?", [contact])
        for id in tags { try run("INSERT INTO contact_tags (contact_id, chat_tag_id) VALUES (?, ?)", [contact, id]) }
    }

    /// - Throws: An error of the store for a tag that is not the profile's.
    package func setTags(_ ids: [ChatTagID], group: GroupID, user: UserID) throws {
        let tags = try checkTags(ids, user: user)
        try run("DELETE FROM group_tags WHERE group_id = ?", [group])
        for id in tags { try run("INSERT INTO group_tags (group_id, chat_tag_id) VALUES (?, ?)", [group, id]) }
    }

    /// The tags, each once.
    private func checkTags(_ ids: [ChatTagID], user: UserID) throws -> Set<ChatTagID> {
        let asked = Set(ids)
        guard asked.isSubset(of: try tags(user: user).map(\.chatTagID)) else {
            throw Refusal.store(.databaseException(message: "there is no such tag"))
        }
        return asked
    }

    // MARK: Notes

    package func noteFolder(_ id: NoteFolderID, user: UserID) throws -> NoteFolder? {
        try first(
            """
            SELECT note_folder_id, user_id, created_at, updated_at, chat_ts, favorite, unread_chat FROM note_folders
            WHERE note_folder_id = ? AND user_id = ?
            """, [id, user]
        ) { row in
            NoteFolder(
                noteFolderID: row.id(), userID: row.id(), createdAt: UTCTimestamp(stored: row.int()),
                updatedAt: UTCTimestamp(stored: row.int()), chatTimestamp: UTCTimestamp(stored: row.int()), isFavorite: row.flag(),
                isUnread: row.flag())
        }
    }

    package func noteFolderID(user: UserID) throws -> NoteFolderID? {
        try firstID("SELECT note_folder_id FROM note_folders WHERE user_id = ?", [user])
    }

    package func touchNoteFolder(_ id: NoteFolderID, chatTime: UTCTimestamp) throws {
        try run("UPDATE note_folders SET chat_ts = ? WHERE note_folder_id = ?", [chatTime.stored, id])
    }

    package func updateNoteFolder(_ id: NoteFolderID, isUnread: Bool) throws {
        try run("UPDATE note_folders SET unread_chat = ? WHERE note_folder_id = ?", [isUnread, id])
    }

    package func updateNoteFolder(_ id: NoteFolderID, isFavorite: Bool) throws {
        try run("UPDATE note_folders SET favorite = ? WHERE note_folder_id = ?", [isFavorite, id])
    }

    // MARK: Settings

    package func setting(_ name: String) throws -> JSONValue? {
        try first("SELECT value_json FROM settings WHERE name = ?", [name]) { try JSONValue(parsing: $0.text()) }
    }

    package func set(_ value: JSONValue, setting name: String) throws {
        try run(
            "INSERT INTO settings (name, value_json) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value_json = excluded.value_json",
            [name, value.text])
    }
}
