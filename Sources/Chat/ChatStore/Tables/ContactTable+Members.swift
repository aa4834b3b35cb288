package import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB
import SMPCrypto
import SMPWire

extension ContactTable {
    /// Records that a member is a contact; the member then has the contact's name and profile.
    package func associate(_ member: GroupMember, with contact: Contact, user: UserID) throws {
        let ownsName = try db.number("SELECT owns_name FROM group_members WHERE group_member_id = ?", [member.groupMemberID]) == 1
        try db.run(
            "UPDATE group_members SET contact_id = ?, profile_id = ?, local_display_name = ?, owns_name = 0 WHERE group_member_id = ?",
            [contact.contactID, contact.profile.profileID, contact.localDisplayName, member.groupMemberID])
        if ownsName { try db.profiles.releaseDisplayName(member.localDisplayName, user: user) }
        try db.profiles.deleteIfUnused(member.profileID)
    }

    /// Records that a contact is a member; the contact then has the member's name and profile.
    package func associate(_ contact: Contact, with member: GroupMember, user: UserID) throws {
        try db.run(
            "UPDATE contacts SET profile_id = ?, local_display_name = ? WHERE contact_id = ?",
            [member.profileID, member.localDisplayName, contact.contactID])
        // Other memberships of the contact follow it.
        try db.run(
            "UPDATE group_members SET profile_id = ?, local_display_name = ? WHERE contact_id = ?",
            [member.profileID, member.localDisplayName, contact.contactID])
        try db.run(
            "UPDATE group_members SET contact_id = ?, owns_name = 0 WHERE group_member_id = ?", [contact.contactID, member.groupMemberID])
        try db.profiles.releaseDisplayName(contact.localDisplayName, user: user)
        try db.profiles.deleteIfUnused(contact.profile.profileID)
    }

    /// Hands the name and the profile of a contact that is deleted to the memberships that share them.
    ///
    /// - Returns: False if there is none.
    package func keepForMembers(_ contact: Contact) throws -> Bool {
        try db.run("UPDATE group_members SET owns_name = 1 WHERE contact_id = ? AND category <> 'user'", [contact.contactID])
        return db.changesCount > 0
    }
}
