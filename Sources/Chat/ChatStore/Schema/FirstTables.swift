/// The tables of the first version, by what they hold. Later migrations change them.
extension ChatStoreMigrations {
    // Times are nanoseconds since 1970-01-01 UTC. Columns that end in `_json` hold the documents of the chat protocol or of the API as
    // they are printed: they are shown or sent whole and never searched.

    static let people = """
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

    static let connections = """
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

    static let items = """
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
    static let servers = """
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

    static let sending = """
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
