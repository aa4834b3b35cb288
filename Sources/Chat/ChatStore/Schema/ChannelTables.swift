/// The tables of channels (migration 13).
package enum ChannelTables {
    package static let creation = groups + delivery + comments

    /// Indexes by which the few members with a role, and the next members that a relay delivers to, are found among very many (migration 15).
    package static let indexes = """
        DROP INDEX group_members_by_role;
        CREATE INDEX group_members_by_role ON group_members(group_id, role);
        CREATE INDEX group_members_in_order ON group_members(group_id, group_member_id);
        """

    /// Comments under posts (migration 16). `knows_comments`: the client at the other end of a connection sends and takes comments. `for_comments`: a
    /// message or a body is only for members whose clients do. `comments_total` counts the comments on a post that are not deleted; only the triggers write
    /// it. Pages of a group leave comments out, so the index has their post.
    package static let threads = """
        ALTER TABLE connections ADD COLUMN knows_comments INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE relay_tasks ADD COLUMN for_comments INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE relay_jobs ADD COLUMN for_comments INTEGER NOT NULL DEFAULT 0;
        DROP INDEX items_by_group;
        CREATE INDEX items_by_group ON chat_items(group_id, scope, scope_member_id, parent_item_id, item_ts, chat_item_id) WHERE group_id IS NOT NULL;
        CREATE TRIGGER comment_added AFTER INSERT ON chat_items WHEN NEW.parent_item_id IS NOT NULL AND NEW.deleted = 0 BEGIN
            UPDATE chat_items SET comments_total = comments_total + 1 WHERE chat_item_id = NEW.parent_item_id;
        END;
        CREATE TRIGGER comment_removed AFTER DELETE ON chat_items WHEN OLD.parent_item_id IS NOT NULL AND OLD.deleted = 0 BEGIN
            UPDATE chat_items SET comments_total = max(0, comments_total - 1) WHERE chat_item_id = OLD.parent_item_id;
        END;
        CREATE TRIGGER comment_marked AFTER UPDATE OF deleted ON chat_items
            WHEN OLD.parent_item_id IS NOT NULL AND (OLD.deleted = 0) <> (NEW.deleted = 0) BEGIN
            UPDATE chat_items SET comments_total = max(0, comments_total + CASE WHEN NEW.deleted = 0 THEN 1 ELSE -1 END)
                WHERE chat_item_id = OLD.parent_item_id;
        END;
        """

    /// The use of relays (migration 17), so that quotas outlast a restart. `minute` and `day` count from 1970; `messages` and `bytes` belong to them, the
    /// totals to the whole time of service. The rows of `relay_usage` are channels, that of `relay_state` is the relay as a whole.
    package static let usage = """
        CREATE TABLE relay_usage (
            group_id INTEGER PRIMARY KEY REFERENCES groups(group_id) ON DELETE CASCADE,
            minute INTEGER NOT NULL,
            messages INTEGER NOT NULL,
            day INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            total_messages INTEGER NOT NULL DEFAULT 0,
            total_deliveries INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE TABLE relay_state (
            relay_state_id INTEGER PRIMARY KEY CHECK (relay_state_id = 1),
            minute INTEGER NOT NULL DEFAULT 0,
            messages INTEGER NOT NULL DEFAULT 0,
            day INTEGER NOT NULL DEFAULT 0,
            bytes INTEGER NOT NULL DEFAULT 0,
            total_messages INTEGER NOT NULL DEFAULT 0,
            total_deliveries INTEGER NOT NULL DEFAULT 0,
            draining INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        INSERT INTO relay_state (relay_state_id) VALUES (1);
        CREATE INDEX groups_served ON groups(relay_own_status) WHERE relay_own_status IS NOT NULL;
        """

    /// `creating`: the channel is being made, and is removed if that ends before its end. `link_revision` counts the changes of what the channel's link
    /// shows, `published_revision` is the last one that the link shows. The columns `relay_request_…` hold the invitation of a relay until it serves the
    /// channel, or the reason why it never will.
    private static let groups = """
        ALTER TABLE groups ADD COLUMN use_relays INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE groups ADD COLUMN relay_own_status TEXT;
        ALTER TABLE groups ADD COLUMN public_member_count INTEGER;
        ALTER TABLE groups ADD COLUMN root_private_key BLOB;
        ALTER TABLE groups ADD COLUMN root_public_key BLOB;
        ALTER TABLE groups ADD COLUMN member_private_key BLOB;
        ALTER TABLE groups ADD COLUMN creating INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE groups ADD COLUMN link_revision INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE groups ADD COLUMN published_revision INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE groups ADD COLUMN relay_request_invitation BLOB;
        ALTER TABLE groups ADD COLUMN relay_request_link TEXT;
        ALTER TABLE groups ADD COLUMN relay_request_error TEXT;
        CREATE INDEX groups_by_relay_request ON groups(relay_request_invitation) WHERE relay_request_invitation IS NOT NULL;
        CREATE INDEX groups_being_created ON groups(group_id) WHERE creating = 1;
        ALTER TABLE group_members ADD COLUMN public_key BLOB;
        ALTER TABLE group_members ADD COLUMN relay_link TEXT;
        CREATE INDEX group_members_by_relay_link ON group_members(group_id, relay_link) WHERE relay_link IS NOT NULL;
        CREATE INDEX group_members_by_role ON group_members(group_id, role) WHERE role IN ('relay', 'moderator', 'admin', 'owner');
        CREATE TABLE group_relays (
            group_relay_id INTEGER PRIMARY KEY AUTOINCREMENT,
            group_id INTEGER NOT NULL REFERENCES groups(group_id) ON DELETE CASCADE,
            group_member_id INTEGER NOT NULL UNIQUE REFERENCES group_members(group_member_id) ON DELETE CASCADE,
            relay_json TEXT NOT NULL,
            status TEXT NOT NULL,
            relay_link TEXT,
            confirmation_id BLOB,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX group_relays_by_group ON group_relays(group_id);
        CREATE TABLE relay_tests (
            agent_connection_id BLOB NOT NULL PRIMARY KEY,
            user_id INTEGER NOT NULL REFERENCES users(user_id) ON DELETE CASCADE,
            created_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX relay_tests_by_time ON relay_tests(created_at);
        CREATE INDEX relay_tests_by_user ON relay_tests(user_id);

        """

    /// `element`: what a subscriber gets, with its author and the signatures as they came. `request_key`: the number under which the agent knows the
    /// messages of a job, in the series of `deliveries`, so that what is given to it twice is sent once. `cursor`: the last member that the agent has the
    /// job's message for.
    private static let delivery = """
        CREATE TABLE relay_tasks (
            task_id INTEGER PRIMARY KEY AUTOINCREMENT,
            group_id INTEGER NOT NULL REFERENCES groups(group_id) ON DELETE CASCADE,
            support_member_id INTEGER,
            sender_id INTEGER NOT NULL,
            element BLOB NOT NULL,
            ends_service INTEGER NOT NULL DEFAULT 0,
            created_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX relay_tasks_by_group ON relay_tasks(group_id, task_id);
        CREATE TABLE relay_jobs (
            job_id INTEGER PRIMARY KEY AUTOINCREMENT,
            group_id INTEGER NOT NULL REFERENCES groups(group_id) ON DELETE CASCADE,
            support_member_id INTEGER,
            single_sender_id INTEGER,
            body BLOB NOT NULL,
            request_key INTEGER NOT NULL,
            cursor INTEGER NOT NULL DEFAULT 0,
            ends_service INTEGER NOT NULL DEFAULT 0,
            created_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX relay_jobs_by_group ON relay_jobs(group_id, job_id);

        """

    /// `signature`: the outcome of checking the signature of the message that brought the item.
    private static let comments = """
        ALTER TABLE chat_items ADD COLUMN signature TEXT;
        ALTER TABLE chat_items ADD COLUMN parent_item_id INTEGER REFERENCES chat_items(chat_item_id) ON DELETE CASCADE;
        ALTER TABLE chat_items ADD COLUMN comments_total INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE chat_items ADD COLUMN comments_disabled INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX items_by_parent ON chat_items(parent_item_id, item_ts, chat_item_id) WHERE parent_item_id IS NOT NULL;
        """

    /// The channels that a relay has left, whose invitations it refuses.
    package static let left = "CREATE INDEX groups_left ON groups(user_id) WHERE relay_own_status = 'rejected';"
}
