package import ChatAPI
package import ChatProtocol
import ChatRules
import EncryptedSQLite
package import GRDB
package import SMPWire

// Addresses of profiles and the requests that come by them.

extension Database {
    private static let addressColumns = """
        SELECT user_contact_link_id, full_link, short_link, short_link_data_set, business, auto_accept, auto_accept_incognito,
            auto_reply_json FROM user_addresses
        """

    private static func address(_ row: inout RowReader) throws -> UserContactLink {
        let id = row.id(UserContactLinkID.self)
        let link = CreatedConnectionLink(fullLink: row.text(), shortLink: row.optionalText())
        let hasData = row.flag()
        let isBusiness = row.flag()
        let accepts = row.flag()
        let incognito = row.flag()
        let reply = try row.optionalText().map { try MessageContent(parsing: $0) }
        return UserContactLink(
            userContactLinkID: id, connectionLink: link, shortLinkDataSet: hasData, shortLinkLargeDataSet: hasData,
            addressSettings: AddressSettings(
                isBusinessAddress: isBusiness, autoAccept: accepts ? AutoAccept(acceptIncognito: incognito) : nil, autoReply: reply))
    }

    package func address(ofUser id: UserID) throws -> UserContactLink? {
        try first(Self.addressColumns + " WHERE user_id = ?", [id], Self.address)
    }

    package func address(_ id: UserContactLinkID) throws -> UserContactLink? {
        try first(Self.addressColumns + " WHERE user_contact_link_id = ?", [id], Self.address)
    }

    /// The user's own address, if it is this link.
    package func address(ofUser id: UserID, linkKey: String) throws -> UserContactLink? {
        try first(Self.addressColumns + " WHERE user_id = ? AND full_link_key = ?", [id, linkKey], Self.address)
    }

    package func address(ofUser id: UserID, shortLink: String) throws -> UserContactLink? {
        try first(Self.addressColumns + " WHERE user_id = ? AND short_link = ?", [id, shortLink], Self.address)
    }

    package func insertAddress(
        user: UserID, link: CreatedConnectionLink, linkKey: String, hasLinkData: Bool, at time: UTCTimestamp
    ) throws -> UserContactLinkID {
        try insert(
            """
            INSERT INTO user_addresses (user_id, full_link, full_link_key, short_link, short_link_data_set, created_at, updated_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """, [user, link.fullLink, linkKey, link.shortLink, hasLinkData, time.stored, time.stored])
    }

    package func updateAddress(_ id: UserContactLinkID, settings: AddressSettings, at time: UTCTimestamp) throws {
        try run(
            """
            UPDATE user_addresses SET business = ?, auto_accept = ?, auto_accept_incognito = ?, auto_reply_json = ?, updated_at = ?
            WHERE user_contact_link_id = ?
            """,
            [
                settings.isBusinessAddress, settings.autoAccept != nil, settings.autoAccept?.acceptIncognito ?? false,
                settings.autoReply?.jsonText, time.stored, id,
            ])
    }

    package func updateAddress(_ id: UserContactLinkID, shortLink: String, at time: UTCTimestamp) throws {
        try run(
            """
            UPDATE user_addresses SET short_link = ?, short_link_data_set = 1, updated_at = ? WHERE user_contact_link_id = ?
            """, [shortLink, time.stored, id])
    }

    /// Removes an address; requests that came by it stay and can still be answered.
    package func deleteAddress(_ id: UserContactLinkID) throws {
        try run("DELETE FROM user_addresses WHERE user_contact_link_id = ?", [id])
    }
}

// MARK: Requests

/// The values of a new request to be a contact.
package struct NewContactRequestRecord: Sendable {
    package var userID: UserID
    package var addressID: UserContactLinkID
    package var agentInvitationID: Bytes
    package var contactID: ContactID?
    package var profileID: ProfileID
    package var localDisplayName: String
    package var tag: ContactRequestID?
    package var peerVersions: ChatVersionRange
    package var pqSupport: Bool
    package var welcomeSharedMessageID: SharedMessageID?
    package var requestSharedMessageID: SharedMessageID?

    package init(
        userID: UserID, addressID: UserContactLinkID, agentInvitationID: Bytes, contactID: ContactID? = nil, profileID: ProfileID, localDisplayName: String,
        tag: ContactRequestID? = nil, peerVersions: ChatVersionRange, pqSupport: Bool, welcomeSharedMessageID: SharedMessageID? = nil,
        requestSharedMessageID: SharedMessageID? = nil
    ) {
        self.userID = userID
        self.addressID = addressID
        self.agentInvitationID = agentInvitationID
        self.contactID = contactID
        self.profileID = profileID
        self.localDisplayName = localDisplayName
        self.tag = tag
        self.peerVersions = peerVersions
        self.pqSupport = pqSupport
        self.welcomeSharedMessageID = welcomeSharedMessageID
        self.requestSharedMessageID = requestSharedMessageID
    }
}

/// A request together with what the API does not show of it.
package struct ContactRequestRecord: Sendable {
    package var request: UserContactRequest
    package var userID: UserID
    package var agentInvitationID: Bytes
    package var isAccepted: Bool

    package init(request: UserContactRequest, userID: UserID, agentInvitationID: Bytes, isAccepted: Bool) {
        self.request = request
        self.userID = userID
        self.agentInvitationID = agentInvitationID
        self.isAccepted = isAccepted
    }
}

extension Database {
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
            profile: profile, createdAt: createdAt, updatedAt: updatedAt, contactRequestTag: tag, pqSupport: pqSupport,
            welcomeSharedMessageID: welcome, requestSharedMessageID: message)
        return ContactRequestRecord(
            request: request, userID: row.id(), agentInvitationID: invitation, isAccepted: row.flag())
    }

    package func contactRequest(_ id: UserContactRequestID, user: UserID) throws -> ContactRequestRecord? {
        try first(Self.requestColumns + " WHERE r.contact_request_id = ? AND r.user_id = ?", [id, user], Self.request)
    }

    package func contactRequest(agentInvitationID: Bytes) throws -> ContactRequestRecord? {
        try first(Self.requestColumns + " WHERE r.agent_invitation_id = ?", [agentInvitationID.blob], Self.request)
    }

    /// The request of the same person, if one came before.
    package func contactRequest(user: UserID, tag: ContactRequestID) throws -> ContactRequestRecord? {
        try first(
            Self.requestColumns + " WHERE r.user_id = ? AND r.x_contact_id = ? ORDER BY r.contact_request_id DESC LIMIT 1",
            [user, tag.bytes.blob], Self.request)
    }

    package func contactRequestID(named name: String, user: UserID) throws -> UserContactRequestID? {
        try firstID(
            """
            SELECT contact_request_id FROM contact_requests WHERE user_id = ? AND local_display_name = ? AND accepted = 0
            ORDER BY contact_request_id DESC LIMIT 1
            """, [user, name])
    }

    package func insertContactRequest(_ new: NewContactRequestRecord, at time: UTCTimestamp) throws -> UserContactRequestID {
        try insert(
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
    package func updateContactRequest(
        _ id: UserContactRequestID, agentInvitationID: Bytes, peerVersions: ChatVersionRange, pqSupport: Bool,
        welcomeSharedMessageID: SharedMessageID?, requestSharedMessageID: SharedMessageID?, at time: UTCTimestamp
    ) throws {
        try run(
            """
            UPDATE contact_requests SET agent_invitation_id = ?, peer_min_version = ?, peer_max_version = ?, pq_support = ?,
                welcome_shared_msg_id = ?, request_shared_msg_id = ?, updated_at = ? WHERE contact_request_id = ?
            """,
            [
                agentInvitationID.blob, peerVersions.minVersion, peerVersions.maxVersion, pqSupport,
                welcomeSharedMessageID?.bytes.blob, requestSharedMessageID?.bytes.blob, time.stored, id,
            ])
    }

    package func markContactRequestAccepted(_ id: UserContactRequestID) throws {
        try run("UPDATE contact_requests SET accepted = 1 WHERE contact_request_id = ?", [id])
    }

    package func deleteContactRequest(_ id: UserContactRequestID) throws {
        try run("UPDATE contacts SET contact_request_id = NULL WHERE contact_request_id = ?", [id])
        try run("DELETE FROM contact_requests WHERE contact_request_id = ?", [id])
    }
}
