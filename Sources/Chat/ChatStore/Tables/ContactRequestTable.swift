package import ChatAPI
package import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB
package import SMPWire

/// Requests of people to become contacts.
package struct ContactRequestTable {
    let db: Database

    private static let requestColumns = """
        SELECT r.contact_request_id, r.agent_invitation_id, r.contact_id, r.user_contact_link_id, r.peer_min_version, r.peer_max_version,
            r.local_display_name, r.profile_id, p.profile_json, r.created_at, r.updated_at, r.x_contact_id, r.pq_support,
            r.welcome_shared_msg_id, r.request_shared_msg_id, r.user_id, r.accepted
        FROM contact_requests r JOIN profiles p ON p.profile_id = r.profile_id
        """

    private static func request(_ row: inout RowReader) throws -> ContactRequestRecord {
        let id = row.id(UserContactRequestID.self)
        let invitation = row.bytes()
        let contactID = row.optionalID(ContactID.self)
        let addressID = row.optionalID(UserContactLinkID.self)
        let versions = ChatVersionRange(
            minVersion: Int(row.int()), maxVersion: Int(row.int()))
        let name = row.text()
        let profileID = row.id(ProfileID.self)
        let profile = try Profile(parsing: row.text())
        let createdAt = UTCTimestamp(stored: row.int())
        let updatedAt = UTCTimestamp(stored: row.int())
        let tag = ContactRequestID(stored: row.optionalBytes())
        let pqSupport = row.flag()
        let welcome = SharedMessageID(stored: row.optionalBytes())
        let message = SharedMessageID(stored: row.optionalBytes())
        let request = UserContactRequest(
            contactRequestID: id, agentInvitationID: Base64URL.encode(invitation), contactID: contactID,
            userContactLinkID: addressID, peerChatVersions: versions, localDisplayName: name, profileID: profileID,
            sender: ContactRequestSender(LocalProfile(profile, id: profileID, alias: "")), createdAt: createdAt, updatedAt: updatedAt, contactRequestTag: tag,
            pqSupport: pqSupport,
            welcomeSharedMessageID: welcome, requestSharedMessageID: message)
        return ContactRequestRecord(
            request: request, userID: row.id(), agentInvitationID: invitation, isAccepted: row.flag())
    }

    package func find(_ id: UserContactRequestID, user: UserID) throws -> ContactRequestRecord? {
        try db.first(Self.requestColumns + " WHERE r.contact_request_id = ? AND r.user_id = ?", [id, user], Self.request)
    }

    package func find(agentInvitationID: Bytes) throws -> ContactRequestRecord? {
        try db.first(Self.requestColumns + " WHERE r.agent_invitation_id = ?", [agentInvitationID.blob], Self.request)
    }

    /// The request of the same person, if one came before.
    package func find(user: UserID, tag: ContactRequestID) throws -> ContactRequestRecord? {
        try db.first(
            Self.requestColumns + " WHERE r.user_id = ? AND r.x_contact_id = ? ORDER BY r.contact_request_id DESC LIMIT 1",
            [user, tag.bytes.blob], Self.request)
    }

    package func id(named name: String, user: UserID) throws -> UserContactRequestID? {
        try db.firstID(
            """
            SELECT contact_request_id FROM contact_requests WHERE user_id = ? AND local_display_name = ? AND accepted = 0
            ORDER BY contact_request_id DESC LIMIT 1
            """, [user, name])
    }

    package func insert(_ new: NewContactRequestRecord, at time: UTCTimestamp) throws -> UserContactRequestID {
        try db.insert(
            """
            INSERT INTO contact_requests (user_id, user_contact_link_id, agent_invitation_id, contact_id, profile_id,
                local_display_name, x_contact_id, peer_min_version, peer_max_version, pq_support, welcome_shared_msg_id,
                request_shared_msg_id, created_at, updated_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                new.userID, new.addressID, new.agentInvitationID.blob, new.contactID, new.profileID, new.localDisplayName,
                new.tag?.bytes.blob, new.peerVersions.minVersion, new.peerVersions.maxVersion, new.pqSupport,
                new.welcomeSharedMessageID?.bytes.blob, new.requestSharedMessageID?.bytes.blob, time.stored, time.stored,
            ])
    }

    /// The same person asked again: the newer invitation is the one to answer.
    package func update(
        _ id: UserContactRequestID, agentInvitationID: Bytes, peerVersions: ChatVersionRange, pqSupport: Bool,
        welcomeSharedMessageID: SharedMessageID?, requestSharedMessageID: SharedMessageID?, at time: UTCTimestamp
    ) throws {
        try db.run(
            """
            UPDATE contact_requests SET agent_invitation_id = ?, peer_min_version = ?, peer_max_version = ?, pq_support = ?,
                welcome_shared_msg_id = ?, request_shared_msg_id = ?, updated_at = ? WHERE contact_request_id = ?
            """,
            [
                agentInvitationID.blob, peerVersions.minVersion, peerVersions.maxVersion, pqSupport,
                welcomeSharedMessageID?.bytes.blob, requestSharedMessageID?.bytes.blob, time.stored, id,
            ])
    }

    package func markAccepted(_ id: UserContactRequestID) throws {
        try db.run("UPDATE contact_requests SET accepted = 1 WHERE contact_request_id = ?", [id])
    }

    package func delete(_ id: UserContactRequestID) throws {
        try db.run("UPDATE contacts SET contact_request_id = NULL WHERE contact_request_id = ?", [id])
        try db.run("DELETE FROM contact_requests WHERE contact_request_id = ?", [id])
    }
}
