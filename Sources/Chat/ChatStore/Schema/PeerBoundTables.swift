/// Tables and columns by which what peers leave behind is bounded.
package enum PeerBoundTables {
    /// Parts of descriptions that are not complete: appended one by one, as rewriting the text with each part would take time and disk in the square of its
    /// length. `total` is the length in bytes of the text up to and with the part. A reaction `is_early` while there is no message that it is about.
    package static let all = """
        CREATE TABLE file_description_parts (
            file_id INTEGER NOT NULL REFERENCES files(file_id) ON DELETE CASCADE,
            part INTEGER NOT NULL,
            total INTEGER NOT NULL,
            content TEXT NOT NULL,
            PRIMARY KEY (file_id, part)
        ) STRICT;
        ALTER TABLE reactions ADD COLUMN is_early INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE group_reactions ADD COLUMN is_early INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX reactions_early ON reactions(contact_id, created_at) WHERE is_early = 1;
        CREATE INDEX group_reactions_early ON group_reactions(group_member_id, created_at) WHERE is_early = 1;
        """

    /// Bounds of ids that are kept, and of moderations that wait for messages. The ids that were there are kept, as they were before.
    package static let ids = """
        ALTER TABLE reused_group_message_ids ADD COLUMN is_kept INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE reused_group_message_ids ADD COLUMN received_at INTEGER NOT NULL DEFAULT 0;
        UPDATE reused_group_message_ids SET is_kept = 1;
        CREATE INDEX reused_ids_by_author ON reused_group_message_ids(group_id, author_id, is_kept);
        CREATE INDEX reused_ids_by_time ON reused_group_message_ids(received_at) WHERE is_kept = 0;
        CREATE INDEX kept_ids_by_author ON received_group_messages(group_id, author_id) WHERE is_kept = 1;
        DROP INDEX item_moderations_by_moderator;
        CREATE INDEX item_moderations_by_moderator ON item_moderations(moderator_id, created_at);
        CREATE INDEX item_moderations_by_time ON item_moderations(created_at);
        """

    /// The newest profile that a member has sent while it was blocked for all. It is shown nowhere until the block ends.
    package static let withheldProfiles = """
        CREATE TABLE withheld_profiles (
            group_member_id INTEGER PRIMARY KEY REFERENCES group_members(group_member_id) ON DELETE CASCADE,
            profile_json TEXT NOT NULL
        ) STRICT;
        """
}
