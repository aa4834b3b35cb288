package import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB
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

extension MemberTable {
    /// The member behind a connection of the agent; nil if it is not that of a member.
    package func memberConnection(agentID: Bytes) throws -> MemberConnectionRow? {
        try db.first(
            """
            SELECT cn.connection_id, m.user_id, m.group_id, m.group_member_id FROM connections cn
            JOIN group_members m ON m.group_member_id = cn.group_member_id WHERE cn.agent_connection_id = ?
            """, [agentID.blob]
        ) { MemberConnectionRow(connection: $0.id(), user: $0.id(), group: $0.id(), member: $0.id()) }
    }
}
