package import ChatAPI
package import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB
import SMPWire
import SystemSupport

extension ContactTable {
    /// Stores a contact that shares the name and the profile of a member.
    package func insert(sharing member: GroupMember, user: UserID, at time: UTCTimestamp) throws -> ContactID {
        let id = try db.insert(
            """
            INSERT INTO contacts (user_id, profile_id, local_display_name, contact_used, user_preferences_json, chat_ts, created_at, updated_at)
            VALUES (?, ?, ?, 1, '{}', ?, ?, ?)
            """, [user, member.profileID, member.localDisplayName, time.stored, time.stored, time.stored])
        // The name is the contact's from now on.
        try db.run("UPDATE group_members SET owns_name = 0 WHERE group_member_id = ?", [member.groupMemberID])
        return ContactID(id)
    }

    package func update(_ id: ContactID, groupMember: GroupMemberID) throws {
        try db.run("UPDATE contacts SET group_member_id = ? WHERE contact_id = ?", [groupMember, id])
    }

    package func update(_ id: ContactID, groupInvitationSent: Bool) throws {
        try db.run("UPDATE contacts SET group_invitation_sent = ? WHERE contact_id = ?", [groupInvitationSent, id])
    }

    package func update(_ id: ContactID, directInvitationStarted: Bool) throws {
        try db.run(
            "UPDATE contacts SET group_direct_started = ? WHERE contact_id = ? AND group_direct_link IS NOT NULL", [directInvitationStarted, id])
    }

    package func update(_ id: ContactID, directInvitation link: String, from member: GroupMember, started: Bool) throws {
        try db.run(
            """
            UPDATE contacts SET group_member_id = NULL, group_invitation_sent = 0, group_direct_link = ?, group_direct_from_group_id = ?,
                group_direct_from_member_id = ?, group_direct_from_connection_id = ?, group_direct_started = ? WHERE contact_id = ?
            """, [link, member.groupID, member.groupMemberID, member.activeConnection?.connectionID, started, id])
    }

    /// Forgets by which member a contact was made, once it is connected.
    package func clearMember(_ id: ContactID) throws {
        try db.run(
            """
            UPDATE contacts SET group_member_id = NULL, group_invitation_sent = 0, group_direct_link = NULL, group_direct_from_group_id = NULL,
                group_direct_from_member_id = NULL, group_direct_from_connection_id = NULL,
                group_direct_started = 0 WHERE contact_id = ?
            """, [id])
    }
}
