/// Tables of rosters (migration 33) and of introductions by relays (migration 34).
package enum RosterTables {
    /// `roster_version` is the newest version that an owner has signed, as far as is known: nothing of an earlier one counts. Up to `roster_complete_version`
    /// nothing is missing. `stored_rosters` has what a relay gives to subscribers: the signed message and its list, as they came. A row of
    /// `roster_transfers` is a roster whose list is still coming, one for each connection that rosters come by. `roster_served_version` is the newest version
    /// that a relay has given the member; at an owner that of a relay, and at a subscriber the version that it has asked a relay about.
    package static let rosters = """
        ALTER TABLE groups ADD COLUMN roster_version INTEGER;
        ALTER TABLE groups ADD COLUMN roster_complete_version INTEGER;
        ALTER TABLE group_members ADD COLUMN roster_served_version INTEGER;
        CREATE TABLE stored_rosters (
            group_id INTEGER PRIMARY KEY REFERENCES groups(group_id) ON DELETE CASCADE,
            version INTEGER NOT NULL,
            author_id BLOB NOT NULL,
            author_name TEXT NOT NULL,
            message_id BLOB NOT NULL,
            element BLOB NOT NULL,
            list BLOB NOT NULL,
            sent_at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE roster_transfers (
            source_id INTEGER PRIMARY KEY REFERENCES group_members(group_member_id) ON DELETE CASCADE,
            author_id INTEGER NOT NULL REFERENCES group_members(group_member_id) ON DELETE CASCADE,
            message_id BLOB NOT NULL,
            version INTEGER NOT NULL,
            size INTEGER NOT NULL,
            digest BLOB NOT NULL,
            element BLOB NOT NULL,
            sent_at INTEGER NOT NULL,
            content BLOB NOT NULL DEFAULT x''
        ) STRICT;
        CREATE INDEX roster_transfers_by_author ON roster_transfers(author_id);
        """

    /// The pages of `introduced_members` have a bit for each member of the channel, by its index, to whom the relay has introduced the member. `introduces`: the
    /// author of the message is shown to those who do not know it, before the message. `senders` are the authors of a job whom the members may not know, and
    /// `introduction_key` is the first of the numbers under which the agent knows the bodies that show them.
    package static let introductions = """
        ALTER TABLE relay_tasks ADD COLUMN introduces INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE relay_jobs ADD COLUMN senders TEXT NOT NULL DEFAULT '';
        ALTER TABLE relay_jobs ADD COLUMN introduction_key INTEGER;
        CREATE TABLE introduced_members (
            group_member_id INTEGER NOT NULL REFERENCES group_members(group_member_id) ON DELETE CASCADE,
            page INTEGER NOT NULL,
            bits BLOB NOT NULL,
            PRIMARY KEY (group_member_id, page)
        ) STRICT, WITHOUT ROWID;
        """

    /// The abilities of relays, as they tell owners (migration 35).
    package static let capabilities = "ALTER TABLE group_relays ADD COLUMN capabilities_json TEXT;"
}
