package import ChatAPI
package import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB
package import SMPCrypto
package import SMPWire

extension MemberTable {
    // MARK: Members

    /// The members that are relays.
    package func relayMembers(of group: GroupID) throws -> [GroupMember] {
        try members(of: group, roles: "'relay'")
    }

    /// The number of relays that this profile is connected to.
    package func connectedRelays(of group: GroupID) throws -> Int {
        Int(
            try db.number(
                "SELECT count(*) FROM group_members WHERE group_id = ? AND role = 'relay' AND category <> 'user' AND status = 'connected'", [group]) ?? 0)
    }

    package func relayMember(link: String, group: GroupID) throws -> GroupMember? {
        let id = try db.number("SELECT group_member_id FROM group_members WHERE group_id = ? AND relay_link = ?", [group, link])
        return try id.flatMap { try find(GroupMemberID($0)) }
    }

    /// Stores the key of a member. What was verified of another key does not hold for it.
    package func update(_ id: GroupMemberID, publicKey: Ed25519.PublicKey?) throws {
        try db.run(
            """
            UPDATE group_members SET verified_code = CASE WHEN public_key IS ?1 THEN verified_code END, public_key = ?1 WHERE group_member_id = ?2
            """, [publicKey?.raw.blob, id])
    }

    /// Stores the code by which the key of a member of a channel was compared; nil takes that back.
    package func update(_ id: GroupMemberID, verifiedCode: ConfirmedSecurityCode?) throws {
        try db.run(
            "UPDATE group_members SET verified_code = ?, verified_code_at = ? WHERE group_member_id = ?",
            [verifiedCode?.securityCode, verifiedCode?.verifiedAt.stored, id])
    }

    /// Stores what the link of a relay tells about it.
    package func update(_ id: GroupMemberID, memberID: MemberID, publicKey: Ed25519.PublicKey) throws {
        try db.run(
            "UPDATE group_members SET member_id = ?, public_key = ? WHERE group_member_id = ?", [memberID.bytes.blob, publicKey.raw.blob, id])
    }

    /// Makes a known member one that joins by this profile.
    package func update(_ id: GroupMemberID, readmittedBy invitation: Bytes, versions: ChatVersionRange, at time: UTCTimestamp) throws {
        try db.run(
            """
            UPDATE group_members SET category = 'invitee', status = 'accepted', invited_by_user = 1, request_invitation_id = ?, peer_min_version = ?,
                peer_max_version = ?, updated_at = ? WHERE group_member_id = ?
            """, [invitation.blob, versions.minVersion, versions.maxVersion, time.stored, id])
    }

    package func update(_ id: GroupMemberID, relayLink: String) throws {
        try db.run("UPDATE group_members SET relay_link = ? WHERE group_member_id = ?", [relayLink, id])
    }

    /// Makes the observers of a channel commenters.
    ///
    /// - Parameter onlyKnowing: True for only those whose clients are known to know comments, and this profile.
    package func letObserversComment(group: GroupID, onlyKnowing: Bool) throws {
        try db.run(
            """
            UPDATE group_members SET role = 'commenter' WHERE group_id = ? AND role = 'observer' AND (NOT ? OR category = 'user' OR EXISTS (
                SELECT 1 FROM connections cn WHERE cn.group_member_id = group_members.group_member_id AND cn.knows_comments = 1))
            """, [group, onlyKnowing])
    }
}
