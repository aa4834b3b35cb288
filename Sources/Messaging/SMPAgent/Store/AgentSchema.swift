import GRDB

/// The schema of the agent's database. Migrations are never edited once they have been released: changes are new migrations.
enum AgentSchema {
    static let migrator: DatabaseMigrator = {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1: connections, queues, messages") { database in
            for statement in usersAndServers + connections + queues + handshake + messages + work {
                try database.execute(sql: statement)
            }
        }
        migrator.registerMigration("2: skipped keys in the order of their age") { database in
            for statement in skippedKeysByAge { try database.execute(sql: statement) }
        }
        migrator.registerMigration("3: operators and uses of routers, statistics") { database in
            for statement in serverUses + statistics { try database.execute(sql: statement) }
        }
        migrator.registerMigration("4: few pages for each message") { database in
            for statement in leanMessages { try database.execute(sql: statement) }
        }
        migrator.registerMigration("5: events about sent messages") { database in
            try database.execute(sql: sentEvents)
        }
        migrator.registerMigration("6: services") { database in
            for statement in services { try database.execute(sql: statement) }
        }
        migrator.registerMigration("7: notifiers") { database in
            try database.execute(sql: notifiers)
        }
        migrator.registerMigration("8: messages to several queues") { database in
            try database.execute(sql: "ALTER TABLE sent_messages ADD COLUMN is_sent INTEGER NOT NULL DEFAULT 0")
        }
        migrator.registerMigration("9: files") { database in
            for statement in files { try database.execute(sql: statement) }
        }
        migrator.registerMigration("10: received chunks are known by their digests") { database in
            try database.execute(sql: "DROP TABLE file_download_chunks")
        }
        migrator.registerMigration("11: requests are known by the queues that they offer") { database in
            for statement in requestQueues { try database.execute(sql: statement) }
        }
        migrator.registerMigration("12: commands end") { database in
            for statement in commandEnds { try database.execute(sql: statement) }
        }
        migrator.registerMigration("13: routers that resolve names") { database in
            try database.execute(sql: "ALTER TABLE user_servers ADD COLUMN is_for_names INTEGER NOT NULL DEFAULT 0")
        }
        return migrator
    }()

    /// Commands that were stored before begin to count now.
    private static let commandEnds = [
        "ALTER TABLE commands ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE commands ADD COLUMN crash_weight INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE commands ADD COLUMN is_quarantined INTEGER NOT NULL DEFAULT 0",
        "UPDATE commands SET created_at = CAST(strftime('%s', 'now') AS INTEGER) * 1000",
    ]

    private static let usersAndServers = [
        """
        CREATE TABLE users (
            user_id INTEGER PRIMARY KEY AUTOINCREMENT,
            is_deleted INTEGER NOT NULL DEFAULT 0
        ) STRICT
        """,
        """
        CREATE TABLE servers (
            server_id INTEGER PRIMARY KEY,
            address TEXT NOT NULL UNIQUE
        ) STRICT
        """,
        """
        CREATE TABLE user_servers (
            user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            position INTEGER NOT NULL,
            address TEXT NOT NULL,
            PRIMARY KEY (user_id, position)
        ) STRICT, WITHOUT ROWID
        """,
    ]

    private static let connections = [
        """
        CREATE TABLE connections (
            connection_id INTEGER PRIMARY KEY,
            public_id BLOB NOT NULL UNIQUE,
            user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            mode TEXT NOT NULL,
            agent_version INTEGER NOT NULL,
            pq_support INTEGER NOT NULL,
            last_message_id INTEGER NOT NULL,
            last_sent_id INTEGER NOT NULL,
            last_sent_hash BLOB NOT NULL,
            last_received_id INTEGER NOT NULL,
            last_received_hash BLOB NOT NULL,
            ratchet_sync TEXT NOT NULL,
            deletion INTEGER NOT NULL DEFAULT 0,
            deletion_time INTEGER
        ) STRICT
        """,
        "CREATE INDEX connections_by_user ON connections (user_id)",
        "CREATE INDEX connections_by_deletion ON connections (deletion) WHERE deletion != 0",
        """
        CREATE TABLE ratchets (
            connection_id INTEGER PRIMARY KEY REFERENCES connections ON DELETE CASCADE,
            state BLOB NOT NULL
        ) STRICT
        """,
        """
        CREATE TABLE skipped_message_keys (
            connection_id INTEGER NOT NULL REFERENCES connections ON DELETE CASCADE,
            header_key BLOB NOT NULL,
            message_number INTEGER NOT NULL,
            message_key BLOB NOT NULL,
            PRIMARY KEY (connection_id, header_key, message_number)
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE agreement_keys (
            connection_id INTEGER PRIMARY KEY REFERENCES connections ON DELETE CASCADE,
            key_1 BLOB NOT NULL,
            key_2 BLOB NOT NULL,
            kem_public_key BLOB,
            kem_secret_key BLOB
        ) STRICT
        """,
        """
        CREATE TABLE sent_parameters (
            connection_id INTEGER PRIMARY KEY REFERENCES connections ON DELETE CASCADE,
            parameters BLOB NOT NULL
        ) STRICT
        """,
        """
        CREATE TABLE processed_ratchet_keys (
            connection_id INTEGER NOT NULL REFERENCES connections ON DELETE CASCADE,
            hash BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            PRIMARY KEY (connection_id, hash)
        ) STRICT, WITHOUT ROWID
        """,
    ]

    private static let queues = [
        """
        CREATE TABLE receive_queues (
            queue_id INTEGER PRIMARY KEY,
            connection_id INTEGER NOT NULL REFERENCES connections ON DELETE CASCADE,
            server_id INTEGER NOT NULL REFERENCES servers,
            recipient_id BLOB NOT NULL,
            private_key BLOB NOT NULL,
            router_secret BLOB NOT NULL,
            encryption_key BLOB NOT NULL,
            peer_secret BLOB,
            sender_id BLOB NOT NULL,
            mode INTEGER,
            status TEXT NOT NULL,
            client_version INTEGER NOT NULL,
            is_primary INTEGER NOT NULL,
            replaces INTEGER,
            switch_status TEXT,
            link_id BLOB,
            link_key BLOB,
            link_private_key BLOB,
            link_root_key BLOB,
            link_fixed_data BLOB,
            delete_attempts INTEGER NOT NULL DEFAULT 0,
            UNIQUE (server_id, recipient_id)
        ) STRICT
        """,
        "CREATE INDEX receive_queues_by_connection ON receive_queues (connection_id)",
        """
        CREATE TABLE send_queues (
            queue_id INTEGER PRIMARY KEY,
            connection_id INTEGER NOT NULL REFERENCES connections ON DELETE CASCADE,
            server_id INTEGER NOT NULL REFERENCES servers,
            sender_id BLOB NOT NULL,
            private_key BLOB NOT NULL,
            peer_secret BLOB NOT NULL,
            encryption_key BLOB NOT NULL,
            mode INTEGER,
            status TEXT NOT NULL,
            client_version INTEGER NOT NULL,
            is_primary INTEGER NOT NULL,
            replaces INTEGER,
            switch_status TEXT
        ) STRICT
        """,
        "CREATE INDEX send_queues_by_connection ON send_queues (connection_id)",
    ]

    private static let handshake = [
        """
        CREATE TABLE confirmations (
            confirmation_id BLOB PRIMARY KEY,
            connection_id INTEGER NOT NULL REFERENCES connections ON DELETE CASCADE,
            sender_key BLOB,
            sender_info BLOB NOT NULL,
            reply_queues BLOB NOT NULL,
            own_info BLOB
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX confirmations_by_connection ON confirmations (connection_id)",
        """
        CREATE TABLE invitations (
            invitation_id BLOB PRIMARY KEY,
            connection_id INTEGER REFERENCES connections ON DELETE SET NULL,
            request TEXT NOT NULL,
            sender_info BLOB NOT NULL,
            broker_id BLOB NOT NULL,
            is_accepted INTEGER NOT NULL DEFAULT 0,
            created_at INTEGER NOT NULL,
            UNIQUE (connection_id, broker_id)
        ) STRICT
        """,
        """
        CREATE TABLE invitation_links (
            server_id INTEGER NOT NULL REFERENCES servers,
            link_id BLOB NOT NULL,
            link_key BLOB NOT NULL,
            sender_key BLOB NOT NULL,
            sender_id BLOB,
            PRIMARY KEY (server_id, link_id)
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX invitation_links_by_sender ON invitation_links (server_id, sender_id)",
    ]

    // Requests that came before have none: a client sends a request again within minutes.
    private static let requestQueues = [
        "ALTER TABLE invitations ADD COLUMN queue_digest BLOB",
        "CREATE INDEX invitations_by_queue ON invitations (connection_id, queue_digest)",
    ]

    private static let messages = [
        """
        CREATE TABLE message_bodies (
            body_id INTEGER PRIMARY KEY,
            content BLOB NOT NULL
        ) STRICT
        """,
        """
        CREATE TABLE sent_messages (
            connection_id INTEGER NOT NULL REFERENCES connections ON DELETE CASCADE,
            message_id INTEGER NOT NULL,
            sent_id INTEGER NOT NULL,
            kind TEXT NOT NULL,
            flags BLOB NOT NULL,
            body BLOB,
            body_id INTEGER REFERENCES message_bodies,
            message_key BLOB,
            padded_length INTEGER,
            hash BLOB NOT NULL,
            previous_hash BLOB NOT NULL,
            pq_encryption INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            retry_slow INTEGER,
            retry_fast INTEGER,
            receipt_status TEXT,
            request_key INTEGER,
            PRIMARY KEY (connection_id, message_id)
        ) STRICT
        """,
        "CREATE UNIQUE INDEX sent_messages_by_sent_id ON sent_messages (connection_id, sent_id)",
        "CREATE UNIQUE INDEX sent_messages_by_request ON sent_messages (connection_id, request_key) WHERE request_key IS NOT NULL",
        "CREATE INDEX sent_messages_by_body ON sent_messages (body_id) WHERE body_id IS NOT NULL",
        "CREATE INDEX sent_messages_by_time ON sent_messages (created_at)",
        """
        CREATE TABLE deliveries (
            queue_id INTEGER NOT NULL REFERENCES send_queues ON DELETE CASCADE,
            message_id INTEGER NOT NULL,
            connection_id INTEGER NOT NULL,
            PRIMARY KEY (queue_id, message_id),
            FOREIGN KEY (connection_id, message_id) REFERENCES sent_messages ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX deliveries_by_message ON deliveries (connection_id, message_id)",
        "CREATE TABLE received_messages (\(receivedMessageColumns)) STRICT",
        "CREATE INDEX received_messages_by_hash ON received_messages (connection_id, encrypted_hash)",
        "CREATE INDEX received_messages_by_time ON received_messages (received_at)",
    ]

    private static let receivedMessageColumns = """
        connection_id INTEGER NOT NULL REFERENCES connections ON DELETE CASCADE,
        message_id INTEGER NOT NULL,
        queue_id INTEGER NOT NULL,
        kind TEXT NOT NULL,
        flags BLOB NOT NULL,
        integrity TEXT NOT NULL,
        sender_message_id INTEGER NOT NULL,
        broker_id BLOB NOT NULL,
        broker_time INTEGER NOT NULL,
        received_at INTEGER NOT NULL,
        pq_encryption INTEGER NOT NULL,
        body BLOB NOT NULL,
        hash BLOB NOT NULL,
        encrypted_hash BLOB NOT NULL,
        is_acknowledged INTEGER NOT NULL,
        attempts INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (connection_id, message_id)
        """

    private static let work = [
        """
        CREATE TABLE commands (
            position INTEGER PRIMARY KEY AUTOINCREMENT,
            command_id INTEGER NOT NULL UNIQUE,
            connection_id INTEGER NOT NULL REFERENCES connections ON DELETE CASCADE,
            kind TEXT NOT NULL,
            queue_id INTEGER,
            subject BLOB,
            link TEXT,
            info BLOB,
            pq_support INTEGER,
            subscribe INTEGER
        ) STRICT
        """,
        "CREATE INDEX commands_by_connection ON commands (connection_id)",
        """
        CREATE TABLE events (
            position INTEGER PRIMARY KEY AUTOINCREMENT,
            event_id INTEGER NOT NULL UNIQUE,
            connection_id INTEGER NOT NULL REFERENCES connections ON DELETE CASCADE,
            kind TEXT NOT NULL,
            subject BLOB,
            pq INTEGER NOT NULL,
            servers TEXT NOT NULL,
            info BLOB NOT NULL
        ) STRICT
        """,
        "CREATE INDEX events_by_connection ON events (connection_id)",
    ]

    /// The router reports the service to which it assigns a queue, also before the queue is stored.
    private static let services = [
        """
        CREATE TABLE service_credentials (
            user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            server_id INTEGER NOT NULL REFERENCES servers,
            certificates BLOB NOT NULL,
            private_key BLOB NOT NULL,
            PRIMARY KEY (user_id, server_id)
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE queue_services (
            server_id INTEGER NOT NULL REFERENCES servers,
            recipient_id BLOB NOT NULL,
            service_id BLOB NOT NULL,
            PRIMARY KEY (server_id, recipient_id)
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TRIGGER queue_services_end AFTER DELETE ON receive_queues BEGIN
            DELETE FROM queue_services WHERE server_id = old.server_id AND recipient_id = old.recipient_id;
        END
        """,
    ]

    /// The notifiers of queues.
    private static let notifiers = """
        CREATE TABLE notifiers (
            queue_id INTEGER PRIMARY KEY REFERENCES receive_queues ON DELETE CASCADE,
            notifier_id BLOB NOT NULL,
            private_key BLOB NOT NULL,
            secret BLOB NOT NULL
        ) STRICT
        """

    private static let sentEvents = """
        CREATE TABLE sent_events (
            connection_id INTEGER NOT NULL REFERENCES connections ON DELETE CASCADE,
            message_id INTEGER NOT NULL,
            proxy TEXT,
            PRIMARY KEY (connection_id, message_id)
        ) STRICT, WITHOUT ROWID
        """

    private static let serverUses = [
        "ALTER TABLE user_servers ADD COLUMN operator_id INTEGER",
        "ALTER TABLE user_servers ADD COLUMN is_for_storage INTEGER NOT NULL DEFAULT 1",
        "ALTER TABLE user_servers ADD COLUMN is_for_proxy INTEGER NOT NULL DEFAULT 1",
    ]

    private static let statistics = [
        """
        CREATE TABLE server_statistics (
            user_id INTEGER NOT NULL,
            address TEXT NOT NULL,
            counter TEXT NOT NULL,
            value INTEGER NOT NULL,
            PRIMARY KEY (user_id, address, counter)
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE statistics_start (
            started_at INTEGER NOT NULL
        ) STRICT
        """,
    ]

    /// Keys that were stored before had no order; they count as older than all that come.
    private static let skippedKeysByAge = [
        "ALTER TABLE skipped_message_keys RENAME TO skipped_message_keys_without_age",
        """
        CREATE TABLE skipped_message_keys (
            position INTEGER PRIMARY KEY,
            connection_id INTEGER NOT NULL REFERENCES connections ON DELETE CASCADE,
            header_key BLOB NOT NULL,
            message_number INTEGER NOT NULL,
            message_key BLOB NOT NULL,
            UNIQUE (connection_id, header_key, message_number)
        ) STRICT
        """,
        """
        INSERT INTO skipped_message_keys (connection_id, header_key, message_number, message_key)
        SELECT connection_id, header_key, message_number, message_key FROM skipped_message_keys_without_age
        """,
        "DROP TABLE skipped_message_keys_without_age",
    ]

    /// A message touches few pages: records are clustered by connection, without further indexes, so that a connection's newest are together
    /// and its oldest are found without a search by time; what waits to be sent is apart from what is remembered; and between two steps of a
    /// ratchet only `ratchet_progress` changes.
    private static let leanMessages = [
        "ALTER TABLE connections ADD COLUMN ratchet_progress BLOB",
        "ALTER TABLE sent_messages RENAME TO sent_messages_3",
        "ALTER TABLE deliveries RENAME TO deliveries_3",
        "ALTER TABLE received_messages RENAME TO received_messages_3",
        """
        CREATE TABLE sent_messages (
            connection_id INTEGER NOT NULL REFERENCES connections ON DELETE CASCADE,
            sent_id INTEGER NOT NULL,
            message_id INTEGER NOT NULL,
            kind TEXT NOT NULL,
            hash BLOB NOT NULL,
            pq_encryption INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            receipt_status TEXT,
            request_key INTEGER,
            PRIMARY KEY (connection_id, sent_id)
        ) STRICT, WITHOUT ROWID
        """,
        """
        INSERT INTO sent_messages
        SELECT connection_id, sent_id, message_id, kind, hash, pq_encryption, created_at, receipt_status, request_key FROM sent_messages_3
        """,
        """
        CREATE TABLE deliveries (
            position INTEGER PRIMARY KEY,
            queue_id INTEGER NOT NULL REFERENCES send_queues ON DELETE CASCADE,
            message_id INTEGER NOT NULL,
            sent_id INTEGER NOT NULL,
            flags BLOB NOT NULL,
            body BLOB,
            body_id INTEGER REFERENCES message_bodies,
            message_key BLOB,
            padded_length INTEGER,
            previous_hash BLOB NOT NULL,
            retry_slow INTEGER,
            retry_fast INTEGER,
            UNIQUE (queue_id, message_id)
        ) STRICT
        """,
        "CREATE INDEX deliveries_by_body ON deliveries (body_id) WHERE body_id IS NOT NULL",
        """
        INSERT INTO deliveries (
            queue_id, message_id, sent_id, flags, body, body_id, message_key, padded_length, previous_hash, retry_slow, retry_fast
        )
        SELECT d.queue_id, d.message_id, m.sent_id, m.flags, m.body, m.body_id, m.message_key, m.padded_length, m.previous_hash,
            m.retry_slow, m.retry_fast
        FROM deliveries_3 AS d JOIN sent_messages_3 AS m ON m.connection_id = d.connection_id AND m.message_id = d.message_id
        ORDER BY d.queue_id, d.message_id
        """,
        "CREATE TABLE received_messages (\(receivedMessageColumns)) STRICT, WITHOUT ROWID",
        "INSERT INTO received_messages SELECT * FROM received_messages_3",
        "DROP TABLE deliveries_3",
        "DROP TABLE sent_messages_3",
        "DROP TABLE received_messages_3",
        "DELETE FROM message_bodies WHERE NOT EXISTS (SELECT 1 FROM deliveries AS d WHERE d.body_id = message_bodies.body_id)",
    ]
}

extension SMPAgent {
    /// The names of the migrations of the agent's database, oldest first.
    package static var migrationNames: [String] { AgentSchema.migrator.migrations }
}
