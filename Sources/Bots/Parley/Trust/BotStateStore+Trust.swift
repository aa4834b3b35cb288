internal import ChatAPI
internal import EncryptedSQLite
internal import GRDB

/// The link that was made for a trusted contact, and the contact that has used it.
struct TrustedContactRecord: Sendable, Hashable {
    /// The agent's id of the connection that the link makes.
    var connection: String
    /// The contact that has used it; nil until then.
    var contact: ContactID?
}

extension BotStateStore {
    static let trustTables = """
        CREATE TABLE trusted_contact (
            user_id INTEGER NOT NULL,
            name TEXT NOT NULL,
            connection TEXT NOT NULL,
            contact_id INTEGER,
            PRIMARY KEY (user_id, name),
            UNIQUE (user_id, connection)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE pinned_chat (
            user_id INTEGER NOT NULL,
            name TEXT NOT NULL,
            group_id INTEGER NOT NULL,
            PRIMARY KEY (user_id, name)
        ) STRICT, WITHOUT ROWID;
        """

    /// The trusted contacts of a profile, by their names.
    func trustedContacts(of userID: UserID) async throws -> [String: TrustedContactRecord] {
        try await database.read { db in
            var records: [String: TrustedContactRecord] = [:]
            let sql = "SELECT name, connection, contact_id FROM trusted_contact WHERE user_id = ?"
            for row in try Row.fetchAll(db, sql: sql, arguments: [userID.rawValue]) {
                let contact = (row["contact_id"] as Int64?).map { ContactID($0) }
                records[row["name"]] = TrustedContactRecord(connection: row["connection"], contact: contact)
            }
            return records
        }
    }

    /// Stores the link that was made for a trusted contact. One that was made before for the name is forgotten.
    func setTrusted(_ name: String, _ record: TrustedContactRecord, of userID: UserID) async throws {
        try await original?.setTrusted(name, record, of: userID)
        try await database.write { db in
            try db.execute(
                sql: "INSERT OR REPLACE INTO trusted_contact (user_id, name, connection, contact_id) VALUES (?, ?, ?, ?)",
                arguments: [userID.rawValue, name, record.connection, record.contact?.rawValue])
        }
    }

    /// Notes the contact that has used the link of a trusted contact.
    func noteTrusted(_ name: String, contact: ContactID, of userID: UserID) {
        original?.noteTrusted(name, contact: contact, of: userID)
        submit { db in
            try db.execute(
                sql: "UPDATE trusted_contact SET contact_id = ? WHERE user_id = ? AND name = ?", arguments: [contact.rawValue, userID.rawValue, name])
        }
    }

    /// The groups that names of a profile were bound to at their first use.
    func pinnedChats(of userID: UserID) async throws -> [String: GroupID] {
        try await database.read { db in
            var pins: [String: GroupID] = [:]
            for row in try Row.fetchAll(db, sql: "SELECT name, group_id FROM pinned_chat WHERE user_id = ?", arguments: [userID.rawValue]) {
                pins[row["name"]] = GroupID(row["group_id"])
            }
            return pins
        }
    }

    /// Binds a name to a group.
    func pin(_ name: String, to group: GroupID, of userID: UserID) async throws {
        try await database.write { db in
            try db.execute(
                sql: "INSERT OR REPLACE INTO pinned_chat (user_id, name, group_id) VALUES (?, ?, ?)", arguments: [userID.rawValue, name, group.rawValue])
        }
    }
}
