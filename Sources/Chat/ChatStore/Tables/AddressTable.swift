package import ChatAPI
package import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB
package import SMPWire

// Addresses of profiles and the requests that come by them.

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

/// Addresses of profiles.
package struct AddressTable {
    let db: Database

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

    package func find(ofUser id: UserID) throws -> UserContactLink? {
        try db.first(Self.addressColumns + " WHERE user_id = ?", [id], Self.address)
    }

    package func find(_ id: UserContactLinkID) throws -> UserContactLink? {
        try db.first(Self.addressColumns + " WHERE user_contact_link_id = ?", [id], Self.address)
    }

    /// The user's own address, if it is this link.
    package func find(ofUser id: UserID, linkKey: String) throws -> UserContactLink? {
        try db.first(Self.addressColumns + " WHERE user_id = ? AND full_link_key = ?", [id, linkKey], Self.address)
    }

    package func find(ofUser id: UserID, shortLink: String) throws -> UserContactLink? {
        try db.first(Self.addressColumns + " WHERE user_id = ? AND short_link = ?", [id, shortLink], Self.address)
    }

    package func insert(
        user: UserID, link: CreatedConnectionLink, linkKey: String, hasLinkData: Bool, at time: UTCTimestamp
    ) throws -> UserContactLinkID {
        try db.insert(
            """
            INSERT INTO user_addresses (user_id, full_link, full_link_key, short_link, short_link_data_set, created_at, updated_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """, [user, link.fullLink, linkKey, link.shortLink, hasLinkData, time.stored, time.stored])
    }

    package func update(_ id: UserContactLinkID, settings: AddressSettings, at time: UTCTimestamp) throws {
        try db.run(
            """
            UPDATE user_addresses SET business = ?, auto_accept = ?, auto_accept_incognito = ?, auto_reply_json = ?, updated_at = ?
            WHERE user_contact_link_id = ?
            """,
            [
                settings.isBusinessAddress, settings.autoAccept != nil, settings.autoAccept?.acceptIncognito ?? false,
                settings.autoReply?.jsonText, time.stored, id,
            ])
    }

    package func update(_ id: UserContactLinkID, shortLink: String, at time: UTCTimestamp) throws {
        try db.run(
            """
            UPDATE user_addresses SET short_link = ?, short_link_data_set = 1, updated_at = ? WHERE user_contact_link_id = ?
            """, [shortLink, time.stored, id])
    }

    /// Removes an address; requests that came by it stay and can still be answered.
    package func delete(_ id: UserContactLinkID) throws {
        try db.run("DELETE FROM user_addresses WHERE user_contact_link_id = ?", [id])
    }
}
