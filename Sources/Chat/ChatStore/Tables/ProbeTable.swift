package import ChatAPI
package import ChatProtocol
package import ChatRules
import EncryptedSQLite
import GRDB
import SMPWire
import SystemSupport

/// Whose probe it is.
package struct ProbeRow: Sendable {
    package var contactID: ContactID?
    package var memberID: GroupMemberID?
    package var probe: Probe?

    package init(contactID: ContactID? = nil, memberID: GroupMemberID? = nil, probe: Probe? = nil) {
        self.contactID = contactID
        self.memberID = memberID
        self.probe = probe
    }
}

/// Probes, by which contacts and members find out that they are one person.
package struct ProbeTable {
    let db: Database

    /// Contacts or members to whom the hash of one probe is sent at most: those of the same name are not worth more.
    private static var candidateLimit: Int { 100 }

    package func membersLike(_ contact: Contact, user: UserID) throws -> [GroupMember] {
        let ids = try db.all(
            """
            SELECT m.group_member_id FROM group_members m JOIN profiles p ON p.profile_id = m.profile_id
            WHERE m.user_id = ? AND m.contact_id IS NULL AND m.category <> 'user' AND p.display_name = ? LIMIT ?
            """, [user, contact.profile.displayName, Self.candidateLimit]
        ) { GroupMemberID($0.int()) }
        return try ids.compactMap { try db.members.find($0) }.filter { $0.profile.published.isSamePerson(as: contact.profile.published) }
    }

    package func contactsLike(_ member: GroupMember, of user: User) throws -> [Contact] {
        let ids = try db.all(
            """
            SELECT c.contact_id FROM contacts c JOIN profiles p ON p.profile_id = c.profile_id
            WHERE c.user_id = ? AND c.is_user = 0 AND c.contact_status = 'active' AND p.display_name = ? LIMIT ?
            """, [user.userID, member.profile.displayName, Self.candidateLimit]
        ) { ContactID($0.int()) }
        return try ids.compactMap { try db.contacts.find($0, of: user) }.filter { $0.profile.published.isSamePerson(as: member.profile.published) }
    }

    package func insertSent(_ probe: Probe, to peer: ContactOrMember, user: UserID, at time: UTCTimestamp) throws -> Int64 {
        try db.insert(
            "INSERT INTO sent_probes (user_id, probe, contact_id, group_member_id, created_at) VALUES (?, ?, ?, ?, ?)",
            [user, probe.bytes.blob, peer.contactID, peer.memberID, time.stored])
    }

    package func insertSentHash(_ probe: Int64, to peer: ContactOrMember) throws {
        try db.run(
            "INSERT INTO sent_probe_hashes (probe_id, contact_id, group_member_id) VALUES (?, ?, ?)", [probe, peer.contactID, peer.memberID])
    }

    /// Probes, and hashes, of one contact or member that are kept; the oldest make room for new ones. A client sends one for each group that it joins.
    package static var probeLimit: Int { 50 }

    package func insertReceived(_ probe: Probe?, hash: ProbeHash, from peer: ContactOrMember, user: UserID, at time: UTCTimestamp) throws {
        try db.run(
            """
            DELETE FROM received_probes WHERE received_probe_id IN (
                SELECT received_probe_id FROM received_probes
                WHERE \(peer.contactID == nil ? "group_member_id" : "contact_id") = ? AND (probe IS NOT NULL) = ?
                ORDER BY received_probe_id DESC LIMIT -1 OFFSET ?)
            """, [peer.contactID?.rawValue ?? peer.memberID?.rawValue ?? 0, probe != nil, Self.probeLimit - 1])
        try db.run(
            "INSERT INTO received_probes (user_id, probe, probe_hash, contact_id, group_member_id, created_at) VALUES (?, ?, ?, ?, ?, ?)",
            [user, probe?.bytes.blob, hash.bytes.blob, peer.contactID, peer.memberID, time.stored])
    }

    package func received(hash: ProbeHash, withProbe: Bool, user: UserID) throws -> [ProbeRow] {
        try db.all(
            """
            SELECT contact_id, group_member_id, probe FROM received_probes WHERE user_id = ? AND probe_hash = ? AND (probe IS NOT NULL) = ?
            ORDER BY received_probe_id LIMIT ?
            """, [user, hash.bytes.blob, withProbe, Self.candidateLimit], Self.probeRow)
    }

    package func sent(_ probe: Probe, hashSentTo peer: ContactOrMember, user: UserID) throws -> ProbeRow? {
        try db.first(
            """
            SELECT s.contact_id, s.group_member_id, s.probe FROM sent_probes s JOIN sent_probe_hashes h ON h.probe_id = s.probe_id
            WHERE s.user_id = ? AND s.probe = ? AND (h.contact_id = ? OR h.group_member_id = ?) LIMIT 1
            """, [user, probe.bytes.blob, peer.contactID, peer.memberID], Self.probeRow)
    }

    private static func probeRow(_ row: inout RowReader) -> ProbeRow {
        ProbeRow(
            contactID: row.optionalInt().map { ContactID($0) }, memberID: row.optionalInt().map { GroupMemberID($0) },
            probe: Probe(stored: row.optionalBytes()))
    }

    /// Forgets probes older than a time.
    ///
    /// - Returns: How many, at most `limit` of each kind.
    package func delete(before time: UTCTimestamp, limit: Int) throws -> Int {
        try db.run("DELETE FROM sent_probes WHERE probe_id IN (SELECT probe_id FROM sent_probes WHERE created_at < ? LIMIT ?)", [time.stored, limit])
        let sent = db.changesCount
        try db.run(
            "DELETE FROM received_probes WHERE received_probe_id IN (SELECT received_probe_id FROM received_probes WHERE created_at < ? LIMIT ?)",
            [time.stored, limit])
        return max(sent, db.changesCount)
    }
}
