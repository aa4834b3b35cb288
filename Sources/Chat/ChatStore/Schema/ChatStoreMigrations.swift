package import GRDB

/// The named migrations of `<prefix>_chat.db`. A migration that has landed is never edited: change comes as a new one.
package enum ChatStoreMigrations {
    /// The names of the migrations, oldest first.
    package static var names: [String] { migrator.migrations }

    package static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 profiles, contacts, items") { db in
            try db.execute(sql: people)
            try db.execute(sql: connections)
            try db.execute(sql: items)
            try db.execute(sql: sending)
            try db.execute(sql: indexes)
        }
        migrator.registerMigration("2 colours of profiles, addresses of contacts") { db in
            try db.execute(
                sql: """
                    ALTER TABLE users ADD COLUMN ui_themes_json TEXT;
                    CREATE INDEX profiles_by_address ON profiles(user_id, json_extract(profile_json, '$.contactLink'))
                        WHERE json_extract(profile_json, '$.contactLink') IS NOT NULL;
                    """)
        }
        migrator.registerMigration("3 commands that are carried out once") { db in
            try db.execute(
                sql: """
                    CREATE TABLE performed_commands (
                        user_id INTEGER NOT NULL REFERENCES users(user_id) ON DELETE CASCADE,
                        command_key TEXT NOT NULL,
                        outcome_json TEXT NOT NULL,
                        performed_at INTEGER NOT NULL,
                        PRIMARY KEY (user_id, command_key)
                    ) STRICT, WITHOUT ROWID;
                    CREATE INDEX performed_commands_by_time ON performed_commands(performed_at);
                    """)
        }
        migrator.registerMigration("4 servers, operators, conditions of use") { db in
            try db.execute(sql: servers)
        }
        migrator.registerMigration("5 events of the agent that count once") { db in
            try db.execute(
                sql: """
                    CREATE TABLE counted_events (
                        event_number INTEGER PRIMARY KEY,
                        counted_at INTEGER NOT NULL
                    ) STRICT;
                    CREATE INDEX counted_events_by_time ON counted_events(counted_at);
                    """)
        }
        migrator.registerMigration("6 received events that processes died of") { db in
            try db.execute(
                sql: """
                    CREATE TABLE crash_suspects (
                        event_key BLOB NOT NULL PRIMARY KEY,
                        deaths INTEGER NOT NULL,
                        died_at INTEGER NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    CREATE TABLE quarantined_events (
                        quarantine_id INTEGER PRIMARY KEY AUTOINCREMENT,
                        event_key BLOB NOT NULL UNIQUE,
                        agent_connection_id BLOB,
                        kind TEXT NOT NULL,
                        event_json TEXT NOT NULL,
                        body BLOB,
                        quarantined_at INTEGER NOT NULL
                    ) STRICT;
                    """)
        }
        migrator.registerMigration("7 bodies shared by deliveries") { db in
            try db.execute(
                sql: """
                    CREATE TABLE delivery_bodies (
                        body_id INTEGER PRIMARY KEY AUTOINCREMENT,
                        body BLOB NOT NULL
                    ) STRICT;
                    ALTER TABLE deliveries ADD COLUMN body_id INTEGER REFERENCES delivery_bodies(body_id);
                    INSERT INTO delivery_bodies (body_id, body) SELECT delivery_id, body FROM deliveries WHERE body IS NOT NULL;
                    UPDATE deliveries SET body_id = delivery_id WHERE body IS NOT NULL;
                    ALTER TABLE deliveries DROP COLUMN body;
                    CREATE INDEX deliveries_by_body ON deliveries(body_id) WHERE body_id IS NOT NULL;
                    """)
        }
        migrator.registerMigration("8 retention of messages") { db in
            try db.execute(sql: "CREATE INDEX items_by_contact_age ON chat_items(contact_id, created_at) WHERE contact_id IS NOT NULL")
        }
        migrator.registerMigration("9 no messages kept that nothing reads") { db in
            try db.execute(sql: "DROP TABLE unhandled_messages")
        }
        migrator.registerMigration("10 groups") { db in
            try db.execute(sql: GroupTables.creation)
        }
        migrator.registerMigration("11 transfer of files") { db in
            try db.execute(sql: FileTables.creation)
        }
        migrator.registerMigration("12 indexes of contacts without the items of groups") { db in
            try db.execute(
                sql: """
                    DROP INDEX items_by_shared_id;
                    CREATE INDEX items_by_shared_id ON chat_items(contact_id, shared_msg_id)
                        WHERE contact_id IS NOT NULL AND shared_msg_id IS NOT NULL;
                    DROP INDEX items_by_message_kind;
                    CREATE INDEX items_by_message_kind ON chat_items(contact_id, message_kind, chat_item_id)
                        WHERE contact_id IS NOT NULL AND message_kind IS NOT NULL;
                    DROP INDEX items_unread;
                    CREATE INDEX items_unread ON chat_items(contact_id, chat_item_id) WHERE contact_id IS NOT NULL AND status = 'rcvNew';
                    """)
        }
        migrator.registerMigration("13 channels") { db in
            try db.execute(sql: ChannelTables.creation)
        }
        migrator.registerMigration("14 names of unfinished files are released") { db in
            try db.execute(sql: FileTables.release)
        }
        migrator.registerMigration("15 indexes of members by role and in order") { db in
            try db.execute(sql: ChannelTables.indexes)
        }
        migrator.registerMigration("16 comments under posts of channels") { db in
            try db.execute(sql: ChannelTables.threads)
        }
        migrator.registerMigration("17 use of relays") { db in
            try db.execute(sql: ChannelTables.usage)
        }
        migrator.registerMigration("18 ids of signed messages are kept") { db in
            try db.execute(sql: GroupTables.signedMessages)
        }
        migrator.registerMigration("19 weights of crashes") { db in
            // A death counted as one, and three were the limit.
            try db.execute(sql: "ALTER TABLE crash_suspects RENAME COLUMN deaths TO weight; UPDATE crash_suspects SET weight = min(weight, 4) * 3;")
        }
        migrator.registerMigration("20 files inside messages") { db in
            try db.execute(sql: FileTables.inlineFiles)
        }
        migrator.registerMigration("21 admission of those who join by a link") { db in
            try db.execute(sql: GroupTables.admission)
        }
        migrator.registerMigration("22 ids of messages that several authors use") { db in
            try db.execute(sql: GroupTables.sharedIDs)
        }
        migrator.registerMigration("23 bodies shared by messages that wait for members") { db in
            try db.execute(sql: GroupTables.sharedPendingBodies)
        }
        migrator.registerMigration("25 members who are not the contacts with an alias") { db in try AliasedContacts.separateMembers(db) }
        migrator.registerMigration("26 bounds of what peers leave behind") { db in
            try db.execute(sql: PeerBoundTables.all)
        }
        migrator.registerMigration("27 profiles of blocked members") { db in
            try db.execute(sql: PeerBoundTables.withheldProfiles)
        }
        migrator.registerMigration("30 bounds of ids and moderations") { db in
            try db.execute(sql: PeerBoundTables.ids)
        }
        migrator.registerMigration("31 roles that an introducer claims") { db in
            try db.execute(sql: "ALTER TABLE group_members ADD COLUMN role_claimed INTEGER NOT NULL DEFAULT 0")
        }
        migrator.registerMigration("32 profiles of services") { db in
            try db.execute(sql: "ALTER TABLE users ADD COLUMN client_service INTEGER NOT NULL DEFAULT 0")
        }
        migrator.registerMigration("33 rosters of channels") { db in
            try db.execute(sql: RosterTables.rosters)
        }
        migrator.registerMigration("34 introductions by relays") { db in
            try db.execute(sql: RosterTables.introductions)
        }
        migrator.registerMigration("35 abilities of relays") { db in
            try db.execute(sql: RosterTables.capabilities)
        }
        migrator.registerMigration("37 channels that a relay has left") { db in
            try db.execute(sql: ChannelTables.left)
        }
        migrator.registerMigration("39 operators that resolve names") { db in
            try db.execute(
                sql: """
                    ALTER TABLE server_operators ADD COLUMN smp_names INTEGER NOT NULL DEFAULT 1;
                    ALTER TABLE server_operators ADD COLUMN xftp_names INTEGER NOT NULL DEFAULT 0;
                    """)
        }
        migrator.registerMigration("41 domains of contacts and groups") { db in
            // A domain that was looked up. It counts only as long as the profile of the contact or group claims the same.
            for table in ["contacts", "groups"] {
                try db.execute(
                    sql: """
                        ALTER TABLE \(table) ADD COLUMN resolved_domain TEXT;
                        ALTER TABLE \(table) ADD COLUMN domain_verified INTEGER;
                        CREATE INDEX \(table)_on_resolved_domain ON \(table)(user_id, resolved_domain) WHERE resolved_domain IS NOT NULL;
                        """)
            }
        }
        migrator.registerMigration("42 members of channels whose keys were compared") { db in
            try db.execute(
                sql: """
                    ALTER TABLE group_members ADD COLUMN verified_code TEXT;
                    ALTER TABLE group_members ADD COLUMN verified_code_at INTEGER;
                    """)
        }
        migrator.registerMigration("43 members of messages and announcements that this version does not know") { db in
            try db.execute(
                sql: """
                    CREATE TABLE kept_item_members (
                        chat_item_id INTEGER PRIMARY KEY REFERENCES chat_items(chat_item_id) ON DELETE CASCADE,
                        members_json TEXT NOT NULL
                    ) STRICT;
                    CREATE TABLE kept_member_members (
                        group_member_id INTEGER PRIMARY KEY REFERENCES group_members(group_member_id) ON DELETE CASCADE,
                        members_json TEXT NOT NULL
                    ) STRICT;
                    """)
        }
        // `@` before the proxy stood for isolated streams, and stands for no authentication now, as in official cores. Streams stay isolated.
        migrator.registerMigration("44 isolation at SOCKS proxies") { db in
            try db.execute(
                sql: """
                    UPDATE settings SET value_json = json_set(value_json, '$.socksProxy', substr(json_extract(value_json, '$.socksProxy'), 2))
                    WHERE name = 'network' AND json_extract(value_json, '$.socksProxy') LIKE '@%';
                    """)
        }
        return migrator
    }

    // Times are nanoseconds since 1970-01-01 UTC. Columns that end in `_json` hold the documents of the chat protocol or of the API as
    // they are printed: they are shown or sent whole and never searched.

    private static let people = """
        CREATE TABLE users (
            user_id INTEGER PRIMARY KEY AUTOINCREMENT,
            agent_user_id INTEGER NOT NULL UNIQUE,
            user_contact_id INTEGER REFERENCES contacts(contact_id) DEFERRABLE INITIALLY DEFERRED,
            profile_id INTEGER NOT NULL REFERENCES profiles(profile_id) DEFERRABLE INITIALLY DEFERRED,
            local_display_name TEXT NOT NULL,
            active INTEGER NOT NULL DEFAULT 0,
            active_order INTEGER NOT NULL DEFAULT 0,
            show_notifications INTEGER NOT NULL DEFAULT 1,
            send_receipts_contacts INTEGER NOT NULL DEFAULT 1,
            send_receipts_groups INTEGER NOT NULL DEFAULT 1,
            auto_accept_member_contacts INTEGER NOT NULL DEFAULT 0,
            chat_relay INTEGER NOT NULL DEFAULT 0,
            password_hash BLOB,
            password_salt BLOB,
            member_profile_updated_at INTEGER,
            item_ttl INTEGER,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE profiles (
            profile_id INTEGER PRIMARY KEY AUTOINCREMENT,
            user_id INTEGER REFERENCES users(user_id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
            display_name TEXT NOT NULL,
            local_alias TEXT NOT NULL DEFAULT '',
            incognito INTEGER NOT NULL DEFAULT 0,
            profile_json TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE display_names (
            user_id INTEGER NOT NULL REFERENCES users(user_id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
            local_display_name TEXT NOT NULL,
            base TEXT NOT NULL,
            suffix INTEGER NOT NULL,
            PRIMARY KEY (user_id, local_display_name)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE contacts (
            contact_id INTEGER PRIMARY KEY AUTOINCREMENT,
            user_id INTEGER REFERENCES users(user_id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
            profile_id INTEGER NOT NULL REFERENCES profiles(profile_id) DEFERRABLE INITIALLY DEFERRED,
            local_display_name TEXT NOT NULL,
            is_user INTEGER NOT NULL DEFAULT 0,
            contact_used INTEGER NOT NULL DEFAULT 1,
            contact_status TEXT NOT NULL DEFAULT 'active',
            enable_notifications TEXT NOT NULL DEFAULT 'all',
            send_receipts INTEGER,
            favorite INTEGER NOT NULL DEFAULT 0,
            unread_chat INTEGER NOT NULL DEFAULT 0,
            chat_deleted INTEGER NOT NULL DEFAULT 0,
            user_preferences_json TEXT NOT NULL DEFAULT '{}',
            item_ttl INTEGER,
            custom_data_json TEXT,
            ui_themes_json TEXT,
            prepared_full_link TEXT,
            prepared_short_link TEXT,
            prepared_link_kind TEXT,
            welcome_shared_msg_id BLOB,
            request_shared_msg_id BLOB,
            x_contact_id BLOB,
            contact_request_id INTEGER REFERENCES contact_requests(contact_request_id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
            chat_ts INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE note_folders (
            note_folder_id INTEGER PRIMARY KEY AUTOINCREMENT,
            user_id INTEGER NOT NULL UNIQUE REFERENCES users(user_id) ON DELETE CASCADE,
            favorite INTEGER NOT NULL DEFAULT 0,
            unread_chat INTEGER NOT NULL DEFAULT 0,
            chat_ts INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE chat_tags (
            chat_tag_id INTEGER PRIMARY KEY AUTOINCREMENT,
            user_id INTEGER NOT NULL REFERENCES users(user_id) ON DELETE CASCADE,
            tag_text TEXT NOT NULL,
            tag_emoji TEXT,
            tag_order INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE contact_tags (
            contact_id INTEGER NOT NULL REFERENCES contacts(contact_id) ON DELETE CASCADE,
            chat_tag_id INTEGER NOT NULL REFERENCES chat_tags(chat_tag_id) ON DELETE CASCADE,
            PRIMARY KEY (contact_id, chat_tag_id)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE settings (
            name TEXT PRIMARY KEY,
            value_json TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    private static let connections = """
        CREATE TABLE user_addresses (
            user_contact_link_id INTEGER PRIMARY KEY AUTOINCREMENT,
            user_id INTEGER NOT NULL UNIQUE REFERENCES users(user_id) ON DELETE CASCADE,
            full_link TEXT NOT NULL,
            full_link_key TEXT NOT NULL,
            short_link TEXT,
            short_link_data_set INTEGER NOT NULL DEFAULT 0,
            business INTEGER NOT NULL DEFAULT 0,
            auto_accept INTEGER NOT NULL DEFAULT 0,
            auto_accept_incognito INTEGER NOT NULL DEFAULT 0,
            auto_reply_json TEXT,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE contact_requests (
            contact_request_id INTEGER PRIMARY KEY AUTOINCREMENT,
            user_id INTEGER NOT NULL REFERENCES users(user_id) ON DELETE CASCADE,
            user_contact_link_id INTEGER REFERENCES user_addresses(user_contact_link_id) ON DELETE SET NULL,
            agent_invitation_id BLOB NOT NULL UNIQUE,
            contact_id INTEGER REFERENCES contacts(contact_id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
            profile_id INTEGER NOT NULL REFERENCES profiles(profile_id) DEFERRABLE INITIALLY DEFERRED,
            local_display_name TEXT NOT NULL,
            x_contact_id BLOB,
            peer_min_version INTEGER NOT NULL,
            peer_max_version INTEGER NOT NULL,
            pq_support INTEGER NOT NULL,
            welcome_shared_msg_id BLOB,
            request_shared_msg_id BLOB,
            accepted INTEGER NOT NULL DEFAULT 0,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE connections (
            connection_id INTEGER PRIMARY KEY AUTOINCREMENT,
            user_id INTEGER NOT NULL REFERENCES users(user_id) ON DELETE CASCADE,
            agent_connection_id BLOB NOT NULL UNIQUE,
            kind TEXT NOT NULL CHECK (kind IN ('contact', 'address')),
            status TEXT NOT NULL,
            status_error TEXT,
            contact_id INTEGER REFERENCES contacts(contact_id) ON DELETE CASCADE,
            user_contact_link_id INTEGER REFERENCES user_addresses(user_contact_link_id) ON DELETE CASCADE,
            via_user_contact_link INTEGER REFERENCES user_addresses(user_contact_link_id) ON DELETE SET NULL,
            chat_version INTEGER NOT NULL,
            peer_min_version INTEGER NOT NULL DEFAULT 1,
            peer_max_version INTEGER NOT NULL DEFAULT 1,
            initiated INTEGER NOT NULL DEFAULT 0,
            via_address INTEGER NOT NULL DEFAULT 0,
            link_key TEXT,
            full_link TEXT,
            short_link TEXT,
            x_contact_id BLOB,
            incognito_profile_id INTEGER REFERENCES profiles(profile_id) DEFERRABLE INITIALLY DEFERRED,
            local_alias TEXT NOT NULL DEFAULT '',
            pq_support INTEGER NOT NULL DEFAULT 1,
            pq_encryption INTEGER NOT NULL DEFAULT 1,
            pq_sending INTEGER,
            pq_receiving INTEGER,
            auth_errors INTEGER NOT NULL DEFAULT 0,
            quota_errors INTEGER NOT NULL DEFAULT 0,
            security_code TEXT,
            security_code_verified_at INTEGER,
            last_received_msg_id INTEGER NOT NULL DEFAULT 0,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL
        ) STRICT;
        """

    private static let items = """
        CREATE TABLE chat_items (
            chat_item_id INTEGER PRIMARY KEY AUTOINCREMENT,
            user_id INTEGER NOT NULL REFERENCES users(user_id) ON DELETE CASCADE,
            contact_id INTEGER REFERENCES contacts(contact_id) ON DELETE CASCADE,
            note_folder_id INTEGER REFERENCES note_folders(note_folder_id) ON DELETE CASCADE,
            sent INTEGER NOT NULL,
            content_kind TEXT NOT NULL,
            message_kind TEXT,
            content_json TEXT NOT NULL,
            item_text TEXT NOT NULL,
            status TEXT NOT NULL,
            status_json TEXT,
            shared_msg_id BLOB,
            deleted INTEGER NOT NULL DEFAULT 0,
            deleted_ts INTEGER,
            edited INTEGER NOT NULL DEFAULT 0,
            live INTEGER,
            ttl INTEGER,
            delete_at INTEGER,
            via_proxy INTEGER,
            user_mention INTEGER NOT NULL DEFAULT 0,
            has_link INTEGER NOT NULL DEFAULT 0,
            forwarded_json TEXT,
            quoted_sent INTEGER,
            quoted_shared_msg_id BLOB,
            quoted_sent_at INTEGER,
            quoted_content_json TEXT,
            item_ts INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            CHECK ((contact_id IS NULL) <> (note_folder_id IS NULL))
        ) STRICT;
        CREATE TABLE chat_item_versions (
            chat_item_version_id INTEGER PRIMARY KEY AUTOINCREMENT,
            chat_item_id INTEGER NOT NULL REFERENCES chat_items(chat_item_id) ON DELETE CASCADE,
            message_json TEXT NOT NULL,
            version_ts INTEGER NOT NULL,
            created_at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE reactions (
            contact_id INTEGER NOT NULL REFERENCES contacts(contact_id) ON DELETE CASCADE,
            shared_msg_id BLOB NOT NULL,
            by_user INTEGER NOT NULL,
            reaction_json TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            PRIMARY KEY (contact_id, shared_msg_id, by_user, reaction_json)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE files (
            file_id INTEGER PRIMARY KEY AUTOINCREMENT,
            user_id INTEGER NOT NULL REFERENCES users(user_id) ON DELETE CASCADE,
            chat_item_id INTEGER NOT NULL REFERENCES chat_items(chat_item_id) ON DELETE CASCADE,
            file_name TEXT NOT NULL,
            file_size INTEGER NOT NULL,
            protocol TEXT NOT NULL,
            status_json TEXT NOT NULL,
            invitation_json TEXT NOT NULL,
            description TEXT NOT NULL DEFAULT '',
            created_at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE unhandled_messages (
            unhandled_message_id INTEGER PRIMARY KEY AUTOINCREMENT,
            connection_id INTEGER NOT NULL REFERENCES connections(connection_id) ON DELETE CASCADE,
            event TEXT NOT NULL,
            message_json TEXT NOT NULL,
            received_at INTEGER NOT NULL
        ) STRICT;
        """

    /// `chosen`: somebody has set the servers of the profile; else they are those that the core is set up with.
    private static let servers = """
        CREATE TABLE user_servers (
            server_id INTEGER PRIMARY KEY AUTOINCREMENT,
            user_id INTEGER NOT NULL REFERENCES users(user_id) ON DELETE CASCADE,
            protocol TEXT NOT NULL,
            address TEXT NOT NULL,
            preset INTEGER NOT NULL,
            tested INTEGER,
            enabled INTEGER NOT NULL,
            chosen INTEGER NOT NULL,
            UNIQUE (user_id, address)
        ) STRICT;
        CREATE TABLE user_chat_relays (
            chat_relay_id INTEGER PRIMARY KEY AUTOINCREMENT,
            user_id INTEGER NOT NULL REFERENCES users(user_id) ON DELETE CASCADE,
            address TEXT NOT NULL,
            profile_json TEXT NOT NULL,
            domains_json TEXT NOT NULL,
            preset INTEGER NOT NULL,
            tested INTEGER,
            enabled INTEGER NOT NULL,
            UNIQUE (user_id, address)
        ) STRICT;
        CREATE TABLE server_operators (
            operator_id INTEGER PRIMARY KEY AUTOINCREMENT,
            tag TEXT UNIQUE,
            trade_name TEXT NOT NULL,
            legal_name TEXT,
            server_domains_json TEXT NOT NULL,
            enabled INTEGER NOT NULL,
            smp_storage INTEGER NOT NULL,
            smp_proxy INTEGER NOT NULL,
            xftp_storage INTEGER NOT NULL,
            xftp_proxy INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE usage_conditions (
            conditions_id INTEGER PRIMARY KEY,
            conditions_commit TEXT NOT NULL UNIQUE,
            notified_at INTEGER,
            created_at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE accepted_conditions (
            accepted_conditions_id INTEGER PRIMARY KEY AUTOINCREMENT,
            operator_id INTEGER NOT NULL REFERENCES server_operators(operator_id) ON DELETE CASCADE,
            conditions_commit TEXT NOT NULL,
            accepted_at INTEGER,
            automatic INTEGER NOT NULL,
            UNIQUE (operator_id, conditions_commit)
        ) STRICT;
        """

    private static let sending = """
        CREATE TABLE deliveries (
            delivery_id INTEGER PRIMARY KEY AUTOINCREMENT,
            connection_id INTEGER NOT NULL REFERENCES connections(connection_id) ON DELETE CASCADE,
            body BLOB,
            notify INTEGER NOT NULL,
            agent_msg_id INTEGER,
            done INTEGER NOT NULL DEFAULT 0,
            created_at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE delivery_items (
            delivery_id INTEGER NOT NULL REFERENCES deliveries(delivery_id) ON DELETE CASCADE,
            chat_item_id INTEGER NOT NULL REFERENCES chat_items(chat_item_id) ON DELETE CASCADE,
            PRIMARY KEY (delivery_id, chat_item_id)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE agent_work (
            agent_work_id INTEGER PRIMARY KEY AUTOINCREMENT,
            user_id INTEGER REFERENCES users(user_id) ON DELETE SET NULL,
            kind TEXT NOT NULL,
            agent_connection_id BLOB,
            payload_json TEXT NOT NULL,
            created_at INTEGER NOT NULL
        ) STRICT;
        """
}
