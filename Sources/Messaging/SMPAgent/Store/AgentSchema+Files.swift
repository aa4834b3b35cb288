extension AgentSchema {
    /// Uploads and downloads of files that are under way, or whose outcome nobody has taken yet, and chunks to delete.
    static let files = [
        """
        CREATE TABLE file_uploads (
            upload_id BLOB PRIMARY KEY,
            user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            path TEXT NOT NULL,
            path_key BLOB,
            path_nonce BLOB,
            is_path_owned INTEGER NOT NULL,
            name TEXT NOT NULL,
            recipients INTEGER NOT NULL,
            key BLOB NOT NULL,
            nonce BLOB NOT NULL,
            as_one_chunk INTEGER NOT NULL,
            redirect_size INTEGER,
            redirect_digest BLOB,
            size INTEGER,
            digest BLOB,
            status TEXT NOT NULL,
            failure TEXT,
            created INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX file_uploads_by_user ON file_uploads (user_id)",
        """
        CREATE TABLE file_upload_chunks (
            upload_id BLOB NOT NULL REFERENCES file_uploads ON DELETE CASCADE,
            number INTEGER NOT NULL,
            offset INTEGER NOT NULL,
            size INTEGER NOT NULL,
            digest BLOB NOT NULL,
            server TEXT,
            replica_id BLOB,
            replica_key BLOB,
            is_uploaded INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (upload_id, number)
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE file_upload_recipients (
            upload_id BLOB NOT NULL,
            number INTEGER NOT NULL,
            recipient INTEGER NOT NULL,
            replica_id BLOB NOT NULL,
            replica_key BLOB NOT NULL,
            PRIMARY KEY (upload_id, number, recipient),
            FOREIGN KEY (upload_id, number) REFERENCES file_upload_chunks ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE file_downloads (
            download_id BLOB PRIMARY KEY,
            user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            description TEXT NOT NULL,
            redirected TEXT,
            path TEXT NOT NULL,
            path_key BLOB,
            path_nonce BLOB,
            approves_servers INTEGER NOT NULL,
            status TEXT NOT NULL,
            failure TEXT,
            created INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX file_downloads_by_user ON file_downloads (user_id)",
        """
        CREATE TABLE file_download_chunks (
            download_id BLOB NOT NULL REFERENCES file_downloads ON DELETE CASCADE,
            number INTEGER NOT NULL,
            PRIMARY KEY (download_id, number)
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE file_deletions (
            deletion_id INTEGER PRIMARY KEY,
            user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            server TEXT NOT NULL,
            replica_id BLOB NOT NULL,
            replica_key BLOB NOT NULL,
            created INTEGER NOT NULL
        ) STRICT
        """,
        "CREATE INDEX file_deletions_by_user ON file_deletions (user_id)",
    ]
}
