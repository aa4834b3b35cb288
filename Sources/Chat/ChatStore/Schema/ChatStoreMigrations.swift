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
}
