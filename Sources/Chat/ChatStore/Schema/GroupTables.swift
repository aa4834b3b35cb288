import ChatRules

/// The tables of groups (migration 10).
///
/// Connections and items get columns, and constraints that name groups: SQLite has those tables made anew.
package enum GroupTables {
    /// Ids of messages that are kept, because a relay could repeat what is signed at any time (migration 18).
    package static let signedMessages = """
        ALTER TABLE received_group_messages ADD COLUMN is_kept INTEGER NOT NULL DEFAULT 0;
        DROP INDEX received_group_messages_by_time;
        CREATE INDEX received_group_messages_by_time ON received_group_messages(received_at) WHERE is_kept = 0;
        """

    /// The rules for those who join by the link of a group, and those who were refused by them (migration 21).
    package static let admission = """
        ALTER TABLE group_links ADD COLUMN admission_json TEXT;
        CREATE INDEX group_members_refused ON group_members(created_at) WHERE status = 'rejected' AND category = 'invitee';
        """

    /// Messages under an id that another author has used before, who may have read it in a message that did not come here yet (migration 22).
    ///
    /// An author of 0 is the channel itself.
    package static let sharedIDs = """
        CREATE TABLE reused_group_message_ids (
            group_id INTEGER NOT NULL REFERENCES groups(group_id) ON DELETE CASCADE,
            shared_msg_id BLOB NOT NULL,
            author_id INTEGER NOT NULL,
            PRIMARY KEY (group_id, shared_msg_id, author_id)
        ) STRICT, WITHOUT ROWID;
        """

    /// Messages that wait for members, of which each is stored once for all of them (migration 23).
    package static let sharedPendingBodies = """
        CREATE TABLE pending_bodies (
            body_id INTEGER PRIMARY KEY AUTOINCREMENT,
            body BLOB NOT NULL
        ) STRICT;
        INSERT INTO pending_bodies (body_id, body) SELECT pending_message_id, body FROM pending_member_messages;
        ALTER TABLE pending_member_messages RENAME TO earlier_pending_messages;
        DROP INDEX pending_messages_by_member;
        DROP INDEX pending_messages_by_item;
        CREATE TABLE pending_member_messages (
            pending_message_id INTEGER PRIMARY KEY AUTOINCREMENT,
            group_member_id INTEGER NOT NULL REFERENCES group_members(group_member_id) ON DELETE CASCADE,
            chat_item_id INTEGER REFERENCES chat_items(chat_item_id) ON DELETE SET NULL,
            body_id INTEGER NOT NULL REFERENCES pending_bodies(body_id),
            created_at INTEGER NOT NULL
        ) STRICT;
        INSERT INTO pending_member_messages (pending_message_id, group_member_id, chat_item_id, body_id, created_at)
            SELECT pending_message_id, group_member_id, chat_item_id, pending_message_id, created_at FROM earlier_pending_messages;
        DROP TABLE earlier_pending_messages;
        CREATE INDEX pending_messages_by_member ON pending_member_messages(group_member_id);
        CREATE INDEX pending_messages_by_item ON pending_member_messages(chat_item_id) WHERE chat_item_id IS NOT NULL;
        CREATE INDEX pending_messages_by_body ON pending_member_messages(body_id);
        CREATE TRIGGER pending_body_unused AFTER DELETE ON pending_member_messages
            WHEN NOT EXISTS (SELECT 1 FROM pending_member_messages WHERE body_id = OLD.body_id) BEGIN
            DELETE FROM pending_bodies WHERE body_id = OLD.body_id;
        END;
        """

    package static let creation = groups + members + connections + items + messages

    private static let groups = """
        CREATE TABLE groups (
            group_id INTEGER PRIMARY KEY AUTOINCREMENT,
            user_id INTEGER NOT NULL REFERENCES users(user_id) ON DELETE CASCADE,
            local_display_name TEXT NOT NULL,
            display_name TEXT NOT NULL,
            profile_json TEXT NOT NULL,
            local_alias TEXT NOT NULL DEFAULT '',
            enable_notifications TEXT NOT NULL DEFAULT 'all',
            send_receipts INTEGER,
            favorite INTEGER NOT NULL DEFAULT 0,
            unread_chat INTEGER NOT NULL DEFAULT 0,
            item_ttl INTEGER,
            custom_data_json TEXT,
            ui_themes_json TEXT,
            business_kind TEXT,
            business_member_id BLOB,
            customer_member_id BLOB,
            business_request_tag BLOB,
            invitation_link TEXT,
            invitation_item_id INTEGER,
            prepared_full_link TEXT,
            prepared_short_link TEXT,
            started_connection INTEGER NOT NULL DEFAULT 0,
            welcome_shared_msg_id BLOB,
            request_shared_msg_id BLOB,
            via_link TEXT,
            via_link_key TEXT,
            next_member_index INTEGER NOT NULL DEFAULT 0,
            current_members INTEGER NOT NULL DEFAULT 0,
            members_require_attention INTEGER NOT NULL DEFAULT 0,
            own_profile_sent_at INTEGER,
            chat_ts INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX groups_by_user ON groups(user_id, chat_ts);
        CREATE INDEX groups_by_name ON groups(user_id, local_display_name);
        CREATE INDEX groups_by_link ON groups(user_id, via_link_key) WHERE via_link_key IS NOT NULL;
        CREATE INDEX groups_by_prepared_link ON groups(user_id, prepared_short_link) WHERE prepared_short_link IS NOT NULL;
        CREATE INDEX groups_by_invitation ON groups(user_id, invitation_link) WHERE invitation_link IS NOT NULL;
        CREATE INDEX groups_by_business_request ON groups(user_id, business_request_tag) WHERE business_request_tag IS NOT NULL;
        CREATE TABLE group_links (
            group_link_id INTEGER PRIMARY KEY AUTOINCREMENT,
            user_id INTEGER NOT NULL REFERENCES users(user_id) ON DELETE CASCADE,
            group_id INTEGER NOT NULL UNIQUE REFERENCES groups(group_id) ON DELETE CASCADE,
            link_id BLOB NOT NULL,
            member_role TEXT NOT NULL,
            full_link TEXT NOT NULL,
            full_link_key TEXT NOT NULL,
            short_link TEXT,
            short_link_data_set INTEGER NOT NULL DEFAULT 0,
            created_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX group_links_by_key ON group_links(user_id, full_link_key);
        CREATE INDEX group_links_by_short_link ON group_links(user_id, short_link) WHERE short_link IS NOT NULL;
        CREATE TABLE group_tags (
            group_id INTEGER NOT NULL REFERENCES groups(group_id) ON DELETE CASCADE,
            chat_tag_id INTEGER NOT NULL REFERENCES chat_tags(chat_tag_id) ON DELETE CASCADE,
            PRIMARY KEY (group_id, chat_tag_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX group_tags_by_tag ON group_tags(chat_tag_id);

        """

    /// `owns_name`: the local name is the member's own, not that of its contact or of the user. The number of members is kept by triggers, so
    /// that reading a group does not count them.
    private static let members = """
        CREATE TABLE group_members (
            group_member_id INTEGER PRIMARY KEY AUTOINCREMENT,
            group_id INTEGER NOT NULL REFERENCES groups(group_id) ON DELETE CASCADE,
            user_id INTEGER NOT NULL REFERENCES users(user_id) ON DELETE CASCADE,
            index_in_group INTEGER NOT NULL,
            member_id BLOB NOT NULL,
            role TEXT NOT NULL,
            category TEXT NOT NULL,
            status TEXT NOT NULL,
            relations BLOB NOT NULL DEFAULT x'',
            show_messages INTEGER NOT NULL DEFAULT 1,
            blocked INTEGER NOT NULL DEFAULT 0,
            invited_by_user INTEGER NOT NULL DEFAULT 0,
            invited_by_contact_id INTEGER REFERENCES contacts(contact_id) ON DELETE SET NULL,
            invited_by_member_id INTEGER REFERENCES group_members(group_member_id) ON DELETE SET NULL,
            local_display_name TEXT NOT NULL,
            owns_name INTEGER NOT NULL,
            contact_id INTEGER REFERENCES contacts(contact_id) ON DELETE SET NULL,
            profile_id INTEGER NOT NULL REFERENCES profiles(profile_id) DEFERRABLE INITIALLY DEFERRED,
            incognito_profile_id INTEGER REFERENCES profiles(profile_id) DEFERRABLE INITIALLY DEFERRED,
            peer_min_version INTEGER NOT NULL DEFAULT 1,
            peer_max_version INTEGER NOT NULL DEFAULT 1,
            sent_invitation_link TEXT,
            request_tag BLOB,
            request_invitation_id BLOB,
            welcome_shared_msg_id BLOB,
            link_profile_received INTEGER NOT NULL DEFAULT 0,
            support_chat_ts INTEGER,
            support_unread INTEGER NOT NULL DEFAULT 0,
            support_attention INTEGER NOT NULL DEFAULT 0,
            support_mentions INTEGER NOT NULL DEFAULT 0,
            support_last_member_ts INTEGER,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            UNIQUE (group_id, member_id)
        ) STRICT;
        CREATE INDEX group_members_by_index ON group_members(group_id, index_in_group);
        CREATE INDEX group_members_by_user ON group_members(user_id, local_display_name);
        CREATE INDEX group_members_by_request ON group_members(request_invitation_id) WHERE request_invitation_id IS NOT NULL;
        CREATE INDEX group_members_by_contact ON group_members(contact_id) WHERE contact_id IS NOT NULL;
        CREATE INDEX group_members_by_profile ON group_members(profile_id);
        CREATE INDEX group_members_by_incognito_profile ON group_members(incognito_profile_id) WHERE incognito_profile_id IS NOT NULL;
        CREATE INDEX group_members_by_inviter ON group_members(invited_by_member_id) WHERE invited_by_member_id IS NOT NULL;
        CREATE INDEX group_members_by_inviting_contact ON group_members(invited_by_contact_id) WHERE invited_by_contact_id IS NOT NULL;
        CREATE TRIGGER group_member_inserted AFTER INSERT ON group_members WHEN NEW.status IN \(currentStatuses) BEGIN
            UPDATE groups SET current_members = current_members + 1 WHERE group_id = NEW.group_id;
        END;
        CREATE TRIGGER group_member_deleted AFTER DELETE ON group_members WHEN OLD.status IN \(currentStatuses) BEGIN
            UPDATE groups SET current_members = current_members - 1 WHERE group_id = OLD.group_id;
        END;
        CREATE TRIGGER group_member_updated AFTER UPDATE OF status ON group_members
            WHEN (OLD.status IN \(currentStatuses)) <> (NEW.status IN \(currentStatuses)) BEGIN
            UPDATE groups SET current_members = current_members + CASE WHEN NEW.status IN \(currentStatuses) THEN 1 ELSE -1 END
            WHERE group_id = NEW.group_id;
        END;

        """

    /// The statuses that ``GroupMemberStatus/isCurrent`` names.
    package static let currentStatuses = "('introduced', 'intro-inv', 'accepted', 'announced', 'connected', 'complete', 'creator')"

    private static let connections = """
        CREATE TABLE new_connections (
            connection_id INTEGER PRIMARY KEY AUTOINCREMENT,
            user_id INTEGER NOT NULL REFERENCES users(user_id) ON DELETE CASCADE,
            agent_connection_id BLOB NOT NULL UNIQUE,
            kind TEXT NOT NULL CHECK (kind IN ('contact', 'address', 'member', 'groupLink')),
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
            updated_at INTEGER NOT NULL,
            group_member_id INTEGER REFERENCES group_members(group_member_id) ON DELETE CASCADE,
            group_link_id INTEGER REFERENCES group_links(group_link_id) ON DELETE CASCADE,
            via_group_link_id INTEGER REFERENCES group_links(group_link_id) ON DELETE SET NULL,
            group_link_tag BLOB,
            level INTEGER NOT NULL DEFAULT 0,
            via_contact_id INTEGER REFERENCES contacts(contact_id) ON DELETE SET NULL
        ) STRICT;
        INSERT INTO new_connections SELECT *, NULL, NULL, NULL, NULL, 0, NULL FROM connections;
        DELETE FROM sqlite_sequence WHERE name = 'new_connections';
        INSERT INTO sqlite_sequence (name, seq) SELECT 'new_connections', seq FROM sqlite_sequence WHERE name = 'connections';
        DROP TABLE connections;
        ALTER TABLE new_connections RENAME TO connections;
        CREATE INDEX connections_by_user ON connections(user_id, status);
        CREATE INDEX connections_by_contact ON connections(contact_id) WHERE contact_id IS NOT NULL;
        CREATE INDEX connections_by_address ON connections(user_contact_link_id) WHERE user_contact_link_id IS NOT NULL;
        CREATE INDEX connections_via_address ON connections(via_user_contact_link) WHERE via_user_contact_link IS NOT NULL;
        CREATE INDEX connections_by_link ON connections(user_id, link_key) WHERE link_key IS NOT NULL;
        CREATE INDEX connections_by_short_link ON connections(user_id, short_link) WHERE short_link IS NOT NULL;
        CREATE INDEX connections_by_incognito_profile ON connections(incognito_profile_id) WHERE incognito_profile_id IS NOT NULL;
        CREATE INDEX connections_by_member ON connections(group_member_id) WHERE group_member_id IS NOT NULL;
        CREATE INDEX connections_via_contact ON connections(via_contact_id) WHERE via_contact_id IS NOT NULL;
        CREATE INDEX connections_by_group_link ON connections(group_link_id) WHERE group_link_id IS NOT NULL;
        CREATE INDEX connections_via_group_link ON connections(via_group_link_id) WHERE via_group_link_id IS NOT NULL;

        """

    /// `deleted`: see ``StoredDeletion``. `scope`: null, or `support` with the member whose support chat it is (null for the user's own).
    private static let items = """
        CREATE TABLE new_chat_items (
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
            group_id INTEGER REFERENCES groups(group_id) ON DELETE CASCADE,
            group_member_id INTEGER REFERENCES group_members(group_member_id) ON DELETE CASCADE,
            scope TEXT,
            scope_member_id INTEGER REFERENCES group_members(group_member_id) ON DELETE CASCADE,
            as_group INTEGER NOT NULL DEFAULT 0,
            forwarded_by INTEGER REFERENCES group_members(group_member_id) ON DELETE SET NULL,
            deleted_by INTEGER REFERENCES group_members(group_member_id) ON DELETE SET NULL,
            quoted_member_id BLOB,
            mentions_json TEXT,
            CHECK ((contact_id IS NOT NULL) + (note_folder_id IS NOT NULL) + (group_id IS NOT NULL) = 1)
        ) STRICT;
        INSERT INTO new_chat_items SELECT *, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL FROM chat_items;
        DELETE FROM sqlite_sequence WHERE name = 'new_chat_items';
        INSERT INTO sqlite_sequence (name, seq) SELECT 'new_chat_items', seq FROM sqlite_sequence WHERE name = 'chat_items';
        DROP TABLE chat_items;
        ALTER TABLE new_chat_items RENAME TO chat_items;
        CREATE INDEX items_by_contact ON chat_items(contact_id, chat_item_id) WHERE contact_id IS NOT NULL;
        CREATE INDEX items_by_folder ON chat_items(note_folder_id, chat_item_id) WHERE note_folder_id IS NOT NULL;
        CREATE INDEX items_by_group ON chat_items(group_id, scope, scope_member_id, item_ts, chat_item_id) WHERE group_id IS NOT NULL;
        CREATE INDEX items_by_group_shared_id ON chat_items(group_id, shared_msg_id) WHERE group_id IS NOT NULL AND shared_msg_id IS NOT NULL;
        CREATE INDEX items_by_member ON chat_items(group_member_id) WHERE group_member_id IS NOT NULL;
        CREATE INDEX items_by_scope_member ON chat_items(scope_member_id) WHERE scope_member_id IS NOT NULL;
        CREATE INDEX items_by_forwarding_member ON chat_items(forwarded_by) WHERE forwarded_by IS NOT NULL;
        CREATE INDEX items_by_deleting_member ON chat_items(deleted_by) WHERE deleted_by IS NOT NULL;
        CREATE INDEX items_by_user ON chat_items(user_id, chat_item_id);
        CREATE INDEX items_by_shared_id ON chat_items(contact_id, shared_msg_id) WHERE shared_msg_id IS NOT NULL;
        CREATE INDEX items_by_message_kind ON chat_items(contact_id, message_kind, chat_item_id) WHERE message_kind IS NOT NULL;
        CREATE INDEX items_by_group_message_kind ON chat_items(group_id, message_kind, chat_item_id)
            WHERE group_id IS NOT NULL AND message_kind IS NOT NULL;
        CREATE INDEX items_unread ON chat_items(contact_id, chat_item_id) WHERE status = 'rcvNew';
        CREATE INDEX items_unread_in_group ON chat_items(group_id, scope, chat_item_id) WHERE group_id IS NOT NULL AND status = 'rcvNew';
        CREATE INDEX items_to_delete ON chat_items(delete_at) WHERE delete_at IS NOT NULL;
        CREATE INDEX items_by_contact_age ON chat_items(contact_id, created_at) WHERE contact_id IS NOT NULL;
        CREATE INDEX items_by_group_age ON chat_items(group_id, created_at) WHERE group_id IS NOT NULL;
        CREATE TABLE group_reactions (
            group_id INTEGER NOT NULL REFERENCES groups(group_id) ON DELETE CASCADE,
            shared_msg_id BLOB NOT NULL,
            author_member_id BLOB NOT NULL,
            group_member_id INTEGER NOT NULL REFERENCES group_members(group_member_id) ON DELETE CASCADE,
            by_user INTEGER NOT NULL,
            reaction_json TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            PRIMARY KEY (group_id, shared_msg_id, author_member_id, group_member_id, reaction_json)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX group_reactions_by_member ON group_reactions(group_member_id);
        CREATE TABLE group_item_statuses (
            chat_item_id INTEGER NOT NULL REFERENCES chat_items(chat_item_id) ON DELETE CASCADE,
            group_member_id INTEGER NOT NULL REFERENCES group_members(group_member_id) ON DELETE CASCADE,
            status TEXT NOT NULL,
            status_json TEXT,
            via_proxy INTEGER,
            PRIMARY KEY (chat_item_id, group_member_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX group_item_statuses_by_member ON group_item_statuses(group_member_id);

        """

    private static let messages = """
        CREATE TABLE pending_member_messages (
            pending_message_id INTEGER PRIMARY KEY AUTOINCREMENT,
            group_member_id INTEGER NOT NULL REFERENCES group_members(group_member_id) ON DELETE CASCADE,
            chat_item_id INTEGER REFERENCES chat_items(chat_item_id) ON DELETE SET NULL,
            body BLOB NOT NULL,
            created_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX pending_messages_by_member ON pending_member_messages(group_member_id);
        CREATE INDEX pending_messages_by_item ON pending_member_messages(chat_item_id) WHERE chat_item_id IS NOT NULL;
        CREATE TABLE received_group_messages (
            group_id INTEGER NOT NULL REFERENCES groups(group_id) ON DELETE CASCADE,
            shared_msg_id BLOB NOT NULL,
            author_id INTEGER,
            forwarded_by INTEGER,
            received_at INTEGER NOT NULL,
            PRIMARY KEY (group_id, shared_msg_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX received_group_messages_by_time ON received_group_messages(received_at);
        CREATE TABLE item_moderations (
            group_id INTEGER NOT NULL REFERENCES groups(group_id) ON DELETE CASCADE,
            author_member_id BLOB NOT NULL,
            shared_msg_id BLOB NOT NULL,
            moderator_id INTEGER NOT NULL REFERENCES group_members(group_member_id) ON DELETE CASCADE,
            moderated_at INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            PRIMARY KEY (group_id, author_member_id, shared_msg_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX item_moderations_by_moderator ON item_moderations(moderator_id);
        CREATE TABLE sent_probes (
            probe_id INTEGER PRIMARY KEY AUTOINCREMENT,
            user_id INTEGER NOT NULL REFERENCES users(user_id) ON DELETE CASCADE,
            probe BLOB NOT NULL,
            contact_id INTEGER REFERENCES contacts(contact_id) ON DELETE CASCADE,
            group_member_id INTEGER REFERENCES group_members(group_member_id) ON DELETE CASCADE,
            created_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX sent_probes_by_probe ON sent_probes(user_id, probe);
        CREATE INDEX sent_probes_by_contact ON sent_probes(contact_id) WHERE contact_id IS NOT NULL;
        CREATE INDEX sent_probes_by_member ON sent_probes(group_member_id) WHERE group_member_id IS NOT NULL;
        CREATE TABLE sent_probe_hashes (
            probe_id INTEGER NOT NULL REFERENCES sent_probes(probe_id) ON DELETE CASCADE,
            contact_id INTEGER REFERENCES contacts(contact_id) ON DELETE CASCADE,
            group_member_id INTEGER REFERENCES group_members(group_member_id) ON DELETE CASCADE
        ) STRICT;
        CREATE INDEX sent_probe_hashes_by_probe ON sent_probe_hashes(probe_id);
        CREATE INDEX sent_probe_hashes_by_contact ON sent_probe_hashes(contact_id) WHERE contact_id IS NOT NULL;
        CREATE INDEX sent_probe_hashes_by_member ON sent_probe_hashes(group_member_id) WHERE group_member_id IS NOT NULL;
        CREATE TABLE received_probes (
            received_probe_id INTEGER PRIMARY KEY AUTOINCREMENT,
            user_id INTEGER NOT NULL REFERENCES users(user_id) ON DELETE CASCADE,
            probe BLOB,
            probe_hash BLOB NOT NULL,
            contact_id INTEGER REFERENCES contacts(contact_id) ON DELETE CASCADE,
            group_member_id INTEGER REFERENCES group_members(group_member_id) ON DELETE CASCADE,
            created_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX received_probes_by_hash ON received_probes(user_id, probe_hash);
        CREATE INDEX received_probes_by_contact ON received_probes(contact_id) WHERE contact_id IS NOT NULL;
        CREATE INDEX received_probes_by_member ON received_probes(group_member_id) WHERE group_member_id IS NOT NULL;
        ALTER TABLE contacts ADD COLUMN group_member_id INTEGER REFERENCES group_members(group_member_id) ON DELETE SET NULL;
        ALTER TABLE contacts ADD COLUMN group_invitation_sent INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE contacts ADD COLUMN group_direct_link TEXT;
        ALTER TABLE contacts ADD COLUMN group_direct_from_group_id INTEGER REFERENCES groups(group_id) ON DELETE SET NULL;
        ALTER TABLE contacts ADD COLUMN group_direct_from_member_id INTEGER REFERENCES group_members(group_member_id) ON DELETE SET NULL;
        ALTER TABLE contacts ADD COLUMN group_direct_from_connection_id INTEGER;
        ALTER TABLE contacts ADD COLUMN group_direct_started INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX contacts_by_direct_member ON contacts(group_direct_from_member_id) WHERE group_direct_from_member_id IS NOT NULL;
        CREATE INDEX contacts_by_group_member ON contacts(group_member_id) WHERE group_member_id IS NOT NULL;
        CREATE INDEX contacts_by_direct_group ON contacts(group_direct_from_group_id) WHERE group_direct_from_group_id IS NOT NULL;
        """
}
