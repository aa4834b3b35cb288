package import ChatAPI
import ChatProtocol
package import ChatRules
import EncryptedSQLite
import GRDB

// Channels that this profile has left as their relay.

extension GroupTable {
    /// A condition for the channels that this profile has left as their relay, and has not allowed since. Invitations that were refused have an error.
    private static let isLeft = "relay_own_status = 'rejected' AND relay_request_error IS NULL"
    private static let publicGroupID = "json_extract(profile_json, '$.publicGroup.publicGroupId')"

    /// True if this profile has left, as its relay, the channel with a link or an identifier.
    package func hasLeft(link: String?, identifier: String?, user: UserID) throws -> Bool {
        try db.number(
            "SELECT 1 FROM groups WHERE user_id = ? AND \(Self.isLeft) AND (relay_request_link = ? OR \(Self.publicGroupID) = ?) LIMIT 1",
            [user, link, identifier]) != nil
    }

    /// Forgets that this profile has left a channel as its relay: with each record of the channel.
    package func allowRelay(_ id: GroupID, identifier: String?, user: UserID) throws {
        try db.run(
            """
            UPDATE groups SET relay_own_status = ? WHERE user_id = ? AND \(Self.isLeft)
                AND (group_id = ? OR relay_request_link = (SELECT relay_request_link FROM groups WHERE group_id = ?) OR \(Self.publicGroupID) = ?)
            """, [RelayStatus.inactive.rawValue, user, id, id, identifier])
    }

    /// The newest channels that the profile which relays has left, and has not allowed since.
    package func leftChannels(limit: Int) throws -> [RelayStatistics.LeftChannel] {
        try db.all(
            """
            SELECT group_id, display_name, \(Self.publicGroupID) FROM groups
            WHERE user_id IN (SELECT user_id FROM users WHERE chat_relay = 1) AND \(Self.isLeft) ORDER BY group_id DESC LIMIT ?
            """, [limit]
        ) { RelayStatistics.LeftChannel(group: $0.id(), name: $0.text(), publicGroupID: $0.optionalText()) }
    }
}
