package import ChatAPI
package import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB

/// Folders of notes.
package struct NoteFolderTable {
    let db: Database

    // MARK: Notes

    package func find(_ id: NoteFolderID, user: UserID) throws -> NoteFolder? {
        try db.first(
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

    package func id(user: UserID) throws -> NoteFolderID? {
        try db.firstID("SELECT note_folder_id FROM note_folders WHERE user_id = ?", [user])
    }

    package func touch(_ id: NoteFolderID, chatTime: UTCTimestamp) throws {
        try db.run("UPDATE note_folders SET chat_ts = ? WHERE note_folder_id = ?", [chatTime.stored, id])
    }

    package func update(_ id: NoteFolderID, isUnread: Bool) throws {
        try db.run("UPDATE note_folders SET unread_chat = ? WHERE note_folder_id = ?", [isUnread, id])
    }

    package func update(_ id: NoteFolderID, isFavorite: Bool) throws {
        try db.run("UPDATE note_folders SET favorite = ? WHERE note_folder_id = ?", [isFavorite, id])
    }
}
