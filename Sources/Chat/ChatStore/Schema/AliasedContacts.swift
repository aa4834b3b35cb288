package import GRDB

/// Members that earlier versions took for contacts whose link the owner of the profile has named.
///
/// A probe does not prove that, and the member has got the contact's alias by it, or the contact has lost it.
package enum AliasedContacts {
    /// Separates such members from the contacts: each gets a name and a profile of its own, and the contact its alias back.
    ///
    /// Members whom this profile has invited, and those who have invited it, are the contacts, and stay so.
    package static func separateMembers(_ db: Database) throws {
        let found = try Row.fetchAll(
            db,
            sql: """
                SELECT m.group_member_id, m.user_id, m.profile_id, p.display_name, c.profile_id AS contact_profile_id,
                    (SELECT x.local_alias FROM connections x WHERE x.contact_id = c.contact_id AND x.local_alias <> ''
                        ORDER BY x.connection_id LIMIT 1) AS alias
                FROM group_members m JOIN contacts c ON c.contact_id = m.contact_id JOIN profiles p ON p.profile_id = m.profile_id
                WHERE m.category NOT IN ('user', 'host') AND m.sent_invitation_link IS NULL AND c.is_user = 0
                    AND EXISTS (SELECT 1 FROM connections x WHERE x.contact_id = c.contact_id AND x.local_alias <> '')
                """)
        for row in found {
            let member: Int64 = row["group_member_id"], user: Int64 = row["user_id"], profile: Int64 = row["profile_id"]
            let contactProfile: Int64 = row["contact_profile_id"], alias: String = row["alias"]
            try db.execute(
                sql: """
                    INSERT INTO profiles (user_id, display_name, incognito, profile_json, created_at, updated_at)
                    SELECT user_id, display_name, incognito, profile_json, created_at, updated_at FROM profiles WHERE profile_id = ?
                    """, arguments: [profile])
            let own = db.lastInsertedRowID
            let name = try newName(row["display_name"], user: user, db)
            try db.execute(
                sql: "UPDATE group_members SET contact_id = NULL, profile_id = ?, local_display_name = ?, owns_name = 1 WHERE group_member_id = ?",
                arguments: [own, name, member])
            try db.execute(
                sql: "UPDATE profiles SET local_alias = ? WHERE profile_id = ? AND local_alias = ''", arguments: [alias, contactProfile])
        }
    }

    /// A name that nobody in the profile has.
    private static func newName(_ base: String, user: Int64, _ db: Database) throws -> String {
        var suffix =
            try Int64.fetchOne(
                db, sql: "SELECT coalesce(max(suffix) + 1, 0) FROM display_names WHERE user_id = ? AND base = ?", arguments: [user, base]) ?? 0
        while true {
            let name = suffix == 0 ? base : "\(base)_\(suffix)"
            try db.execute(
                sql: "INSERT OR IGNORE INTO display_names (user_id, local_display_name, base, suffix) VALUES (?, ?, ?, ?)",
                arguments: [user, name, base, suffix])
            if db.changesCount > 0 { return name }
            suffix += 1
        }
    }
}
