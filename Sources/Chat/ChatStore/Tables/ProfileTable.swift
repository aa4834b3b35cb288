package import ChatAPI
package import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB
import SMPCrypto
import SMPWire

// Stored profiles and the local names that are unique in each user's lists.

/// A refusal of the store that is not a fault of the database; the engine turns it into an error of the API.
package enum StoreRefusal: Error {
    case duplicateName
}

/// Profiles of people, and the local names that are taken.
package struct ProfileTable {
    let db: Database

    package func insert(_ profile: Profile, user: UserID?, incognito: Bool, at time: UTCTimestamp) throws -> ProfileID {
        try db.insert(
            """
            INSERT INTO profiles (user_id, display_name, incognito, profile_json, created_at, updated_at)
            VALUES (?, ?, ?, ?, ?, ?)
            """, [user, profile.displayName, incognito, profile.jsonText, time.stored, time.stored])
    }

    package func update(_ id: ProfileID, to profile: Profile, at time: UTCTimestamp) throws {
        try db.run(
            "UPDATE profiles SET display_name = ?, profile_json = ?, updated_at = ? WHERE profile_id = ?",
            [profile.displayName, profile.jsonText, time.stored, id])
    }

    package func updateProfileAlias(_ id: ProfileID, alias: String) throws {
        try db.run("UPDATE profiles SET local_alias = ? WHERE profile_id = ?", [alias, id])
    }

    package func find(_ id: ProfileID) throws -> Profile? {
        try db.first("SELECT profile_json FROM profiles WHERE profile_id = ?", [id]) { try Profile(parsing: $0.text()) }
    }

    package func delete(_ id: ProfileID) throws {
        try db.run("DELETE FROM profiles WHERE profile_id = ?", [id])
    }

    /// Takes a name for a contact of the user, with a number behind it if the name is taken: `bob`, `bob_1`, `bob_2` …
    package func reserveDisplayName(_ name: String, user: UserID) throws -> String {
        // SQLite's texts end at a zero.
        let name = name.filter { $0 != "\0" }
        let next = try db.number("SELECT max(suffix) + 1 FROM display_names WHERE user_id = ? AND base = ?", [user, name]) ?? 0
        var suffix = next
        while true {
            let candidate = suffix == 0 ? name : "\(name)_\(suffix)"
            // A contact may carry as its own name what another got with a number.
            let taken = try db.number(
                "SELECT count(*) FROM display_names WHERE user_id = ? AND local_display_name = ?", [user, candidate])
            if taken == 0 {
                try db.run(
                    "INSERT INTO display_names (user_id, local_display_name, base, suffix) VALUES (?, ?, ?, ?)",
                    [user, candidate, name, suffix])
                return candidate
            }
            suffix += 1
        }
    }

    package func releaseDisplayName(_ name: String, user: UserID) throws {
        try db.run("DELETE FROM display_names WHERE user_id = ? AND local_display_name = ?", [user, name])
    }

    /// Removes a profile that no profile of this core, contact, member, request or connection has.
    package func deleteIfUnused(_ id: ProfileID) throws {
        try db.run(
            """
            DELETE FROM profiles WHERE profile_id = ?1
                AND NOT EXISTS (SELECT 1 FROM users WHERE profile_id = ?1)
                AND NOT EXISTS (SELECT 1 FROM contacts WHERE profile_id = ?1)
                AND NOT EXISTS (SELECT 1 FROM group_members WHERE profile_id = ?1 OR incognito_profile_id = ?1)
                AND NOT EXISTS (SELECT 1 FROM contact_requests WHERE profile_id = ?1)
                AND NOT EXISTS (SELECT 1 FROM connections WHERE incognito_profile_id = ?1)
            """, [id])
    }
}
