package import ChatAPI
package import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB

// Invitations to relay that this profile has refused, and their connections.

extension GroupTable {
    /// A condition for invitations that were refused or given up. Channels that the profile has left have no error.
    private static let isRefused = "relay_own_status = 'rejected' AND relay_request_error IS NOT NULL"

    private static let openRefusal = """
        FROM groups AS g JOIN group_members AS m ON m.group_id = g.group_id AND m.category = 'host'
            JOIN connections AS c ON c.group_member_id = m.group_member_id
        WHERE g.relay_own_status = 'rejected' AND g.relay_request_error IS NOT NULL AND c.status <> 'deleted'
        """

    /// The number of refused invitations of a profile whose owners have not taken the answer, up to a limit.
    package func openRefusals(user: UserID, limit: Int) throws -> Int {
        try db.number("SELECT count(*) FROM (SELECT 1 \(Self.openRefusal) AND g.user_id = ? LIMIT ?)", [user, limit]).map { Int($0) } ?? 0
    }

    /// Refused invitations that came before a time and whose owners have not taken the answer, the oldest first.
    package func openRefusals(before time: UTCTimestamp, limit: Int) throws -> [(GroupID, UserID)] {
        try db.all(
            "SELECT g.group_id, g.user_id \(Self.openRefusal) AND g.created_at < ? ORDER BY g.group_id LIMIT ?", [time.stored, limit]
        ) { ($0.id(), $0.id()) }
    }

    /// Refused invitations of a profile that are older than its newest `kept` ones.
    package func refusals(beyond kept: Int, user: UserID, limit: Int) throws -> [GroupID] {
        try db.all(
            "SELECT group_id FROM groups WHERE user_id = ? AND \(Self.isRefused) ORDER BY group_id DESC LIMIT ? OFFSET ?", [user, limit, kept]
        ) { $0.id() }
    }
}
