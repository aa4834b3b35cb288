/// The tables of files (migration 11).
///
/// A file is sent or received. `transfer_id` names its transfer at the file service; `description` is that of one recipient, in parts until it
/// is complete. What is deleted leaves a row in `removed_files`, whatever deleted it, until its transfer and its copy on the disk are gone, too.
package enum FileTables {
    package static let creation = """
        CREATE TABLE transferred_files (
            file_id INTEGER PRIMARY KEY AUTOINCREMENT,
            user_id INTEGER NOT NULL REFERENCES users(user_id) ON DELETE CASCADE,
            chat_item_id INTEGER REFERENCES chat_items(chat_item_id) ON DELETE CASCADE,
            is_sent INTEGER NOT NULL,
            file_name TEXT NOT NULL,
            file_size INTEGER NOT NULL,
            protocol TEXT NOT NULL,
            status_json TEXT NOT NULL,
            invitation_json TEXT,
            path TEXT,
            file_key TEXT,
            file_nonce TEXT,
            chunk_size INTEGER NOT NULL,
            state TEXT NOT NULL,
            is_cancelled INTEGER NOT NULL DEFAULT 0,
            transfer_id BLOB,
            transfer_started INTEGER NOT NULL DEFAULT 0,
            transfer_deleted INTEGER NOT NULL DEFAULT 0,
            description TEXT NOT NULL DEFAULT '',
            description_part INTEGER,
            description_complete INTEGER NOT NULL DEFAULT 0,
            sender_description TEXT,
            redirect_for INTEGER,
            approves_relays INTEGER NOT NULL DEFAULT 0,
            to_receive INTEGER NOT NULL DEFAULT 0,
            created_at INTEGER NOT NULL
        ) STRICT;
        INSERT INTO transferred_files (
            file_id, user_id, chat_item_id, is_sent, file_name, file_size, protocol, status_json, invitation_json, chunk_size, state, description,
            description_part, description_complete, created_at)
        SELECT file_id, user_id, chat_item_id, 0, file_name, file_size, protocol, status_json, invitation_json, 15780, 'new', description,
            CASE WHEN protocol <> 'xftp' THEN NULL WHEN description = '' THEN 0 ELSE 1 END, description <> '', created_at
        FROM files;
        DROP TABLE files;
        ALTER TABLE transferred_files RENAME TO files;
        CREATE INDEX files_by_item ON files(chat_item_id);
        CREATE INDEX files_by_user ON files(user_id);
        CREATE UNIQUE INDEX files_by_transfer ON files(transfer_id) WHERE transfer_id IS NOT NULL;
        CREATE INDEX files_by_path ON files(path) WHERE path IS NOT NULL;
        CREATE INDEX files_to_receive ON files(user_id) WHERE to_receive = 1 AND state = 'new';
        CREATE TABLE file_recipients (
            file_id INTEGER NOT NULL REFERENCES files(file_id) ON DELETE CASCADE,
            connection_id INTEGER NOT NULL REFERENCES connections(connection_id) ON DELETE CASCADE,
            group_member_id INTEGER REFERENCES group_members(group_member_id) ON DELETE CASCADE,
            state TEXT NOT NULL,
            PRIMARY KEY (file_id, connection_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX file_recipients_by_connection ON file_recipients(connection_id);
        CREATE INDEX file_recipients_by_member ON file_recipients(group_member_id) WHERE group_member_id IS NOT NULL;
        CREATE TABLE delivery_files (
            delivery_id INTEGER PRIMARY KEY REFERENCES deliveries(delivery_id) ON DELETE CASCADE,
            file_id INTEGER NOT NULL REFERENCES files(file_id) ON DELETE CASCADE
        ) STRICT;
        CREATE INDEX delivery_files_by_file ON delivery_files(file_id);
        CREATE TABLE removed_files (
            removed_file_id INTEGER PRIMARY KEY AUTOINCREMENT,
            path TEXT,
            transfer_id BLOB,
            is_unfinished_upload INTEGER NOT NULL
        ) STRICT;
        CREATE TRIGGER files_deleted AFTER DELETE ON files WHEN OLD.path IS NOT NULL OR OLD.transfer_id IS NOT NULL BEGIN
            INSERT INTO removed_files (path, transfer_id, is_unfinished_upload)
            VALUES (CASE WHEN OLD.path LIKE '/%' THEN NULL ELSE OLD.path END, OLD.transfer_id, OLD.is_sent = 1 AND OLD.sender_description IS NULL);
        END;
        """

    /// The name of a file that is being received belongs to the transfer, in whatever folder it is; that of one whose transfer was cancelled belongs to
    /// nobody. A file outside of the folder for files that was sent, or is complete, belongs to the person.
    package static let release = """
        DROP TRIGGER files_deleted;
        CREATE TRIGGER files_deleted AFTER DELETE ON files WHEN OLD.path IS NOT NULL OR OLD.transfer_id IS NOT NULL BEGIN
            INSERT INTO removed_files (path, transfer_id, is_unfinished_upload)
            VALUES (
                CASE WHEN OLD.is_sent = 0 AND OLD.state IN ('new', 'cancelled') THEN NULL
                    WHEN OLD.path LIKE '/%' AND (OLD.is_sent = 1 OR OLD.chat_item_id IS NULL OR OLD.state NOT IN ('accepted', 'connected')) THEN NULL
                    ELSE OLD.path END,
                OLD.transfer_id, OLD.is_sent = 1 AND OLD.sender_description IS NULL);
        END;
        """

    /// Chunks of files that travel inside messages, until the files are written. Of such a file, `invitation_json` is the offer, and `received_inline`
    /// the mode in which it is received.
    package static let inlineFiles = """
        ALTER TABLE files ADD COLUMN received_inline TEXT;
        CREATE TABLE inline_file_chunks (
            file_id INTEGER NOT NULL REFERENCES files(file_id) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            content BLOB NOT NULL,
            PRIMARY KEY (file_id, number)
        ) STRICT;
        """
}
