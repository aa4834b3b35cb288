package import ChatAPI
package import ChatProtocol
import EncryptedSQLite
import GRDB

/// Members of received JSON that this version does not know, for those to whom the message or the member is passed on.
package struct KeptMembersTable {
    let db: Database

    /// Keeps what a message has beside its content, in place of what was kept of it before.
    package func keep(_ members: JSONObject, ofItem id: ChatItemID) throws {
        guard !members.isEmpty else { return try db.run("DELETE FROM kept_item_members WHERE chat_item_id = ?", [id]) }
        try db.run(
            "INSERT INTO kept_item_members (chat_item_id, members_json) VALUES (?, ?) ON CONFLICT DO UPDATE SET members_json = excluded.members_json",
            [id, JSONValue.object(members).text])
    }

    package func members(ofItem id: ChatItemID) throws -> JSONObject {
        try object("SELECT members_json FROM kept_item_members WHERE chat_item_id = ?", id.rawValue)
    }

    /// Keeps what the announcement of a member has beside its profile, in place of what was kept of it before.
    package func keep(_ members: JSONObject, ofMember id: GroupMemberID) throws {
        guard !members.isEmpty else { return try db.run("DELETE FROM kept_member_members WHERE group_member_id = ?", [id]) }
        try db.run(
            "INSERT INTO kept_member_members (group_member_id, members_json) VALUES (?, ?) ON CONFLICT DO UPDATE SET members_json = excluded.members_json",
            [id, JSONValue.object(members).text])
    }

    package func members(ofMember id: GroupMemberID) throws -> JSONObject {
        try object("SELECT members_json FROM kept_member_members WHERE group_member_id = ?", id.rawValue)
    }

    private func object(_ query: String, _ id: Int64) throws -> JSONObject {
        guard let text = try db.first(query, [id], { $0.text() }) else { return JSONObject() }
        return try JSONValue(parsing: text).objectValue ?? JSONObject()
    }
}
