package import ChatAPI
package import ChatProtocol
import ChatRules
import EncryptedSQLite
package import GRDB

// Stored profiles and the local names that are unique in each user's lists.

/// A refusal of the store that is not a fault of the database; the engine turns it into an error of the API.
package enum StoreRefusal: Error {
    case duplicateName
}

extension Database {
    package func insertProfile(_ profile: Profile, user: UserID?, incognito: Bool, at time: UTCTimestamp) throws -> ProfileID {
        try insert(
            """
            INSERT INTO profiles (user_id, display_name, incognito, profile_json, created_at, updated_at)
            VALUES (?, ?, ?, ?, ?, ?)
            """, [user, profile.displayName, incognito, profile.jsonText, time.stored, time.stored])
    }

    package func updateProfile(_ id: ProfileID, to profile: Profile, at time: UTCTimestamp) throws {
        try run(
            "UPDATE profiles SET display_name = ?, profile_json = ?, updated_at = ? WHERE profile_id = ?",
            [profile.displayName, profile.jsonText, time.stored, id])
    }

    package func updateProfileAlias(_ id: ProfileID, alias: String) throws {
        try run("UPDATE profiles SET local_alias = ? WHERE profile_id = ?", [alias, id])
    }

    package func profile(_ id: ProfileID) throws -> Profile? {
        try first("SELECT profile_json FROM profiles WHERE profile_id = ?", [id]) { try Profile(parsing: $0.text()) }
    }

    package func deleteProfile(_ id: ProfileID) throws {
        try run("DELETE FROM profiles WHERE profile_id = ?", [id])
    }

    /// Takes a name for a contact of the user, with a number behind it if the name is taken: `bob`, `bob_1`, `bob_2` …
    package func reserveDisplayName(_ name: String, user: UserID) throws -> String {
        // SQLite's texts end at a zero.
        let name = name.filter { $0 != "\0" }
        let next = try number("SELECT max(suffix) + 1 FROM display_names WHERE user_id = ? AND base = ?", [user, name]) ?? 0
        var suffix = next
        while true {
            let candidate = suffix == 0 ? name : "\(name)_\(suffix)"
            // A contact may carry as its own name what another got with a number.
            let taken = try number(
                "SELECT count(*) FROM display_names WHERE user_id = ? AND local_display_name = ?", [user, candidate])
            if taken == 0 {
                try run(
                    "INSERT INTO display_names (user_id, local_display_name, base, suffix) VALUES (?, ?, ?, ?)",
                    [user, candidate, name, suffix])
                return candidate
            }
            suffix += 1
        }
    }

    package func releaseDisplayName(_ name: String, user: UserID) throws {
        try run("DELETE FROM display_names WHERE user_id = ? AND local_display_name = ?", [user, name])
    }
}
