package import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
package import GRDB
package import SMPWire
import SystemSupport

/// The member behind a connection.
package struct MemberConnectionRow {
    package var connection: ChatConnectionID
    package var user: UserID
    package var group: GroupID
    package var member: GroupMemberID

    package init(connection: ChatConnectionID, user: UserID, group: GroupID, member: GroupMemberID) {
        self.connection = connection
        self.user = user
        self.group = group
        self.member = member
    }
}

extension Database {
    /// The member behind a connection of the agent; nil if it is not that of a member.
    package func memberConnection(agentID: Bytes) throws -> MemberConnectionRow? {
        try first(
            """
            SELECT cn.connection_id, m.user_id, m.group_id, m.group_member_id FROM connections cn
            JOIN group_members m ON m.group_member_id = cn.group_member_id WHERE cn.agent_connection_id = ?
            """, [agentID.blob]
        ) { MemberConnectionRow(connection: $0.id(), user: $0.id(), group: $0.id(), member: $0.id()) }
    }

    /// The items that a message of the agent is about; nil if no delivery has become this message.
    package func items(ofMessage message: Int64, connection: ChatConnectionID) throws -> [ChatItemID]? {
        let found = try all(
            """
            SELECT i.chat_item_id FROM deliveries d LEFT JOIN delivery_items i ON i.delivery_id = d.delivery_id
            WHERE d.connection_id = ? AND d.agent_msg_id = ? ORDER BY i.chat_item_id
            """, [connection, message]
        ) { $0.optionalInt().map { ChatItemID($0) } }
        return found.isEmpty ? nil : found.compactMap(\.self)
    }

    /// Records that a router has the message of an item for a member.
    ///
    /// - Returns: False if that was known, or the member has it.
    package func markSent(_ item: ChatItemID, at member: GroupMemberID, viaProxy: Bool) throws -> Bool {
        try run(
            """
            UPDATE group_item_statuses SET status = 'sent', status_json = NULL, via_proxy = ?
            WHERE chat_item_id = ? AND group_member_id = ? AND status NOT IN ('sent', 'received')
            """, [viaProxy, item, member])
        if changesCount > 0 { return true }
        try setViaProxy(viaProxy, ofItem: item, at: member)
        return false
    }
}
