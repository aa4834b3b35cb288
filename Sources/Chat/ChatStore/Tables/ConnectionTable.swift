package import ChatAPI
package import ChatProtocol
import ChatRules
package import EncryptedSQLite
import GRDB
package import SMPWire
import SystemSupport

// Connections: with contacts, and those of addresses.

/// A connection together with what the API does not show of it.
package struct ConnectionRecord: Sendable {
    package var connection: Connection
    package var userID: UserID
    package var agentConnectionID: Bytes
    package var contactID: ContactID?
    /// The address that the connection serves.
    package var addressID: UserContactLinkID?
    /// The member that the connection is with.
    package var memberID: GroupMemberID?
    /// The group link that the connection serves.
    package var groupLinkID: UserContactLinkID?
    /// The agent's number of the last message whose effects are stored: a message that is not newer was seen before.
    package var lastReceivedMessageID: Int64

    package init(
        connection: Connection, userID: UserID, agentConnectionID: Bytes, contactID: ContactID? = nil, addressID: UserContactLinkID? = nil,
        memberID: GroupMemberID? = nil, groupLinkID: UserContactLinkID? = nil, lastReceivedMessageID: Int64
    ) {
        self.connection = connection
        self.userID = userID
        self.agentConnectionID = agentConnectionID
        self.contactID = contactID
        self.addressID = addressID
        self.memberID = memberID
        self.groupLinkID = groupLinkID
        self.lastReceivedMessageID = lastReceivedMessageID
    }

    package var id: ChatConnectionID { connection.connectionID }
}

/// The values of a new connection.
package struct NewConnectionRecord: Sendable {
    package var userID: UserID
    package var agentConnectionID: Bytes
    package var status: ConnectionStatus
    package var contactID: ContactID?
    package var addressID: UserContactLinkID?
    package var viaAddress: UserContactLinkID?
    package var chatVersion: ChatVersion
    package var peerVersions = ChatVersionRange(minVersion: 1, maxVersion: 1)
    package var isInitiated = false
    package var usesAddressOfPeer = false
    /// The link without its scheme and version, by which it is found again.
    package var linkKey: String?
    package var fullLink: String?
    package var shortLink: String?
    package var requestTag: ContactRequestID?
    package var incognitoProfileID: ProfileID?
    package var pqSupport = true
    package var memberID: GroupMemberID?
    /// The group link that the connection serves.
    package var groupLinkID: UserContactLinkID?
    /// The group link of this profile by which the member joins.
    package var viaGroupLink: UserContactLinkID?
    /// The tag of the group link of the other side.
    package var groupLinkTag: GroupLinkID?
    /// 0 for a direct connection, 1 for one that another member made possible.
    package var level = 0
    /// The contact who made the connection possible.
    package var viaContact: ContactID?

    package init(
        userID: UserID, agentConnectionID: Bytes, status: ConnectionStatus, contactID: ContactID? = nil, addressID: UserContactLinkID? = nil,
        viaAddress: UserContactLinkID? = nil, chatVersion: ChatVersion, peerVersions: ChatVersionRange = ChatVersionRange(minVersion: 1, maxVersion: 1),
        isInitiated: Bool = false, usesAddressOfPeer: Bool = false, linkKey: String? = nil, fullLink: String? = nil, shortLink: String? = nil,
        requestTag: ContactRequestID? = nil, incognitoProfileID: ProfileID? = nil, pqSupport: Bool = true, memberID: GroupMemberID? = nil,
        groupLinkID: UserContactLinkID? = nil, viaGroupLink: UserContactLinkID? = nil, groupLinkTag: GroupLinkID? = nil, level: Int = 0,
        viaContact: ContactID? = nil
    ) {
        self.userID = userID
        self.agentConnectionID = agentConnectionID
        self.status = status
        self.contactID = contactID
        self.addressID = addressID
        self.viaAddress = viaAddress
        self.chatVersion = chatVersion
        self.peerVersions = peerVersions
        self.isInitiated = isInitiated
        self.usesAddressOfPeer = usesAddressOfPeer
        self.linkKey = linkKey
        self.fullLink = fullLink
        self.shortLink = shortLink
        self.requestTag = requestTag
        self.incognitoProfileID = incognitoProfileID
        self.pqSupport = pqSupport
        self.memberID = memberID
        self.groupLinkID = groupLinkID
        self.viaGroupLink = viaGroupLink
        self.groupLinkTag = groupLinkTag
        self.level = level
        self.viaContact = viaContact
    }

    /// The kind as it is stored.
    fileprivate var kind: String {
        if memberID != nil { return "member" }
        if groupLinkID != nil { return "groupLink" }
        return addressID == nil ? "contact" : "address"
    }
}

// MARK: Connections without a contact

/// Connections with contacts and members, and those of addresses and links.
package struct ConnectionTable {
    let db: Database

    package static let columns = """
        cn.connection_id, cn.agent_connection_id, cn.kind, cn.status, cn.status_error, cn.contact_id, cn.user_contact_link_id,
        cn.via_user_contact_link, cn.chat_version, cn.peer_min_version, cn.peer_max_version, cn.initiated, cn.x_contact_id,
        cn.incognito_profile_id, cn.local_alias, cn.pq_support, cn.pq_encryption, cn.pq_sending, cn.pq_receiving, cn.auth_errors,
        cn.quota_errors, cn.security_code, cn.security_code_verified_at, cn.created_at, cn.user_id, cn.last_received_msg_id,
        cn.group_member_id, cn.group_link_id, cn.via_group_link_id, cn.group_link_tag, cn.level, cn.via_contact_id
        """

    /// Reads ``columns``; nil if the row of an outer join has no connection.
    package static func connection(_ row: inout RowReader) -> ConnectionRecord? {
        let id = row.optionalID(ChatConnectionID.self)
        let agentID = row.bytes()
        let kind = row.optionalText()
        let status = row.optionalText()
        let statusError = row.optionalText()
        let contactID = row.optionalID(ContactID.self)
        let addressID = row.optionalID(UserContactLinkID.self)
        let viaAddress = row.optionalID(UserContactLinkID.self)
        let version = row.optionalInt() ?? 1
        let peerMin = row.optionalInt() ?? 1
        let peerMax = row.optionalInt() ?? 1
        let initiated = row.optionalFlag() ?? false
        let tag = row.optionalBytes()
        let incognito = row.optionalID(ProfileID.self)
        let alias = row.optionalText()
        let pqSupport = row.optionalFlag() ?? false
        let pqEncryption = row.optionalFlag() ?? false
        let pqSending = row.optionalFlag()
        let pqReceiving = row.optionalFlag()
        let authErrors = row.optionalInt() ?? 0
        let quotaErrors = row.optionalInt() ?? 0
        let code = row.optionalText()
        let verifiedAt = row.optionalInt()
        let createdAt = row.optionalInt() ?? 0
        let userID = row.id(UserID.self)
        let lastReceived = row.optionalInt() ?? 0
        let memberID = row.optionalID(GroupMemberID.self)
        let groupLinkID = row.optionalID(UserContactLinkID.self)
        let viaGroupLink = row.optionalID(UserContactLinkID.self)
        let groupLinkTag = GroupLinkID(stored: row.optionalBytes())
        let level = row.optionalInt() ?? 0
        let viaContact = row.optionalID(ContactID.self)
        guard let id, let kind, let status else { return nil }
        let verified = code.flatMap { code in
            verifiedAt.map { ConfirmedSecurityCode(securityCode: code, verifiedAt: UTCTimestamp(stored: $0)) }
        }
        let connection = Connection(
            connectionID: id, agentConnectionID: Base64URL.encode(agentID), chatVersion: Int(version),
            peerChatVersions: ChatVersionRange(minVersion: Int(peerMin), maxVersion: Int(peerMax)),
            level: Int(level), viaContact: viaContact, viaUserContactLink: viaAddress ?? viaGroupLink, viaGroupLink: groupLinkTag != nil,
            groupLinkID: groupLinkTag,
            contactRequestTag: ContactRequestID(stored: tag), customUserProfileID: incognito,
            type: kind == "contact" ? .contact : kind == "member" ? .member : .userContact,
            status: ConnectionStatus(stored: status, error: statusError), contactConnectionInitiated: initiated,
            localAlias: alias ?? "", entityID: contactID?.rawValue ?? memberID?.rawValue ?? (addressID ?? groupLinkID)?.rawValue, connectionCode: verified,
            pqSupport: pqSupport,
            pqEncryption: pqEncryption, pqSendEnabled: pqSending, pqReceiveEnabled: pqReceiving,
            authErrorCounter: Int(authErrors), quotaErrorCounter: Int(quotaErrors), createdAt: UTCTimestamp(stored: createdAt))
        return ConnectionRecord(
            connection: connection, userID: userID, agentConnectionID: agentID, contactID: contactID, addressID: addressID,
            memberID: memberID, groupLinkID: groupLinkID, lastReceivedMessageID: lastReceived)
    }

    private func find(where condition: String, _ arguments: SQLArguments) throws -> ConnectionRecord? {
        try db.first("SELECT \(Self.columns) FROM connections cn WHERE \(condition)", arguments) { Self.connection(&$0) } ?? nil
    }

    package func find(agentID: Bytes) throws -> ConnectionRecord? {
        try find(where: "cn.agent_connection_id = ?", [agentID.blob])
    }

    package func find(_ id: ChatConnectionID) throws -> ConnectionRecord? {
        try find(where: "cn.connection_id = ?", [id])
    }

    package func find(ofGroupLink id: UserContactLinkID) throws -> ConnectionRecord? {
        try find(where: "cn.group_link_id = ?", [id])
    }

    /// The newest connection with a member.
    package func find(ofMember id: GroupMemberID) throws -> ConnectionRecord? {
        try find(where: "cn.group_member_id = ? ORDER BY cn.connection_id DESC LIMIT 1", [id])
    }

    /// All connections with a member.
    package func connections(ofMember id: GroupMemberID) throws -> [ConnectionRecord] {
        try db.all("SELECT \(Self.columns) FROM connections cn WHERE cn.group_member_id = ? ORDER BY cn.connection_id", [id]) {
            Self.connection(&$0)
        }.compactMap { $0 }
    }

    /// Gives a connection that was made by a link to a member.
    package func update(_ id: ChatConnectionID, member: GroupMemberID, at time: UTCTimestamp) throws {
        try db.run(
            "UPDATE connections SET kind = 'member', contact_id = NULL, group_member_id = ?, updated_at = ? WHERE connection_id = ?",
            [member, time.stored, id])
    }

    package func find(ofAddress id: UserContactLinkID) throws -> ConnectionRecord? {
        try find(where: "cn.user_contact_link_id = ?", [id])
    }

    /// The connection of a user that was made from this link, by this side or the other: the first by a one-time link; by an
    /// address one with a contact if there is one, else the newest.
    package func find(user: UserID, linkKey: String) throws -> ConnectionRecord? {
        try find(
            where: """
                cn.user_id = ? AND cn.link_key = ? AND cn.kind = 'contact' AND cn.status <> 'deleted'
                ORDER BY CASE WHEN cn.via_address = 1 THEN cn.contact_id IS NULL END,
                    CASE WHEN cn.via_address = 1 THEN -cn.connection_id ELSE cn.connection_id END LIMIT 1
                """, [user, linkKey])
    }

    /// The newest connection of a user that was made from this short link, with the full link.
    package func find(user: UserID, shortLink: String) throws -> (ConnectionRecord, fullLink: String)? {
        let found = try db.first(
            """
            SELECT \(Self.columns), cn.full_link FROM connections cn
            WHERE cn.user_id = ? AND cn.short_link = ? AND cn.kind = 'contact' ORDER BY cn.connection_id DESC LIMIT 1
            """, [user, shortLink]
        ) { row in (Self.connection(&row), row.optionalText()) }
        guard let (record, link) = found, let record, let link else { return nil }
        return (record, link)
    }

    /// The link that a connection was made by.
    package func link(ofConnection id: ChatConnectionID) throws -> CreatedConnectionLink? {
        let found = try db.first("SELECT full_link, short_link FROM connections WHERE connection_id = ?", [id]) {
            ($0.optionalText(), $0.optionalText())
        }
        guard let found, let full = found.0 else { return nil }
        return CreatedConnectionLink(fullLink: full, shortLink: found.1)
    }

    /// Whether this profile asked for a connection by an address, or by the link of a group.
    package func usesAddressOfPeer(_ id: ChatConnectionID) throws -> Bool {
        try db.number("SELECT via_address FROM connections WHERE connection_id = ?", [id]) == 1
    }

    /// Keeps the connections of a contact that gives way to a group.
    package func detachConnections(ofContact id: ContactID) throws {
        try db.run("UPDATE connections SET contact_id = NULL WHERE contact_id = ?", [id])
    }

    /// All connections of a contact.
    package func connections(ofContact id: ContactID) throws -> [ConnectionRecord] {
        try db.all("SELECT \(Self.columns) FROM connections cn WHERE cn.contact_id = ? ORDER BY cn.connection_id", [id]) {
            Self.connection(&$0)
        }.compactMap { $0 }
    }

    /// The connections of all profiles that receive messages.
    package func subscribedConnections() throws -> [Bytes] {
        try db.all(
            """
            SELECT agent_connection_id FROM connections WHERE status NOT IN ('prepared', 'deleted', 'failed') ORDER BY connection_id
            """
        ) { $0.bytes() }
    }

    /// The agent's ids of all connections.
    package func agentConnections() throws -> [Bytes] {
        try db.all("SELECT agent_connection_id FROM connections") { $0.bytes() }
    }

    /// The agent's ids of all connections of a profile.
    package func agentConnections(ofUser id: UserID) throws -> [Bytes] {
        try db.all("SELECT agent_connection_id FROM connections WHERE user_id = ? ORDER BY connection_id", [id]) { $0.bytes() }
    }

    package func insert(_ new: NewConnectionRecord, at time: UTCTimestamp) throws -> ChatConnectionID {
        let (status, error) = new.status.stored
        return try db.insert(
            """
            INSERT INTO connections (user_id, agent_connection_id, kind, status, status_error, contact_id, user_contact_link_id,
                via_user_contact_link, chat_version, peer_min_version, peer_max_version, initiated, via_address, link_key, full_link,
                short_link, x_contact_id, incognito_profile_id, pq_support, pq_encryption, group_member_id, group_link_id, via_group_link_id,
                group_link_tag, level, via_contact_id, created_at, updated_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                new.userID, new.agentConnectionID.blob, new.kind, status, error, new.contactID,
                new.addressID, new.viaAddress, new.chatVersion, new.peerVersions.minVersion, new.peerVersions.maxVersion,
                new.isInitiated, new.usesAddressOfPeer, new.linkKey, new.fullLink, new.shortLink,
                new.requestTag?.bytes.blob, new.incognitoProfileID, new.pqSupport, new.pqSupport, new.memberID, new.groupLinkID, new.viaGroupLink,
                new.groupLinkTag?.bytes.blob, new.level, new.viaContact, time.stored, time.stored,
            ])
    }

    /// Changes the status. A connection that is ready is not found by its one-time link any more.
    package func update(_ id: ChatConnectionID, status: ConnectionStatus, at time: UTCTimestamp) throws {
        let (word, error) = status.stored
        if status == .ready {
            try db.run(
                "UPDATE connections SET full_link = NULL, short_link = NULL, link_key = NULL WHERE connection_id = ? AND via_address = 0",
                [id])
        }
        try db.run(
            "UPDATE connections SET status = ?, status_error = ?, updated_at = ? WHERE connection_id = ?",
            [word, error, time.stored, id])
    }

    /// Changes the status only if it is still the one expected: an event of the agent may have been faster.
    package func update(_ id: ChatConnectionID, from: ConnectionStatus, to: ConnectionStatus, at time: UTCTimestamp) throws {
        let (word, error) = to.stored
        try db.run(
            "UPDATE connections SET status = ?, status_error = ?, updated_at = ? WHERE connection_id = ? AND status = ?",
            [word, error, time.stored, id, from.stored.status])
    }

    package func update(_ id: ChatConnectionID, contact: ContactID, at time: UTCTimestamp) throws {
        try db.run("UPDATE connections SET contact_id = ?, updated_at = ? WHERE connection_id = ?", [contact, time.stored, id])
    }

    package func update(_ id: ChatConnectionID, chatVersion: ChatVersion, peerVersions: ChatVersionRange) throws {
        try db.run(
            "UPDATE connections SET chat_version = ?, peer_min_version = ?, peer_max_version = ? WHERE connection_id = ?",
            [chatVersion, peerVersions.minVersion, peerVersions.maxVersion, id])
    }

    package func update(_ id: ChatConnectionID, pqSupport: Bool) throws {
        try db.run("UPDATE connections SET pq_support = ?, pq_encryption = ? WHERE connection_id = ?", [pqSupport, pqSupport, id])
    }

    package func update(_ id: ChatConnectionID, pqEnabled: Bool) throws {
        try db.run("UPDATE connections SET pq_sending = ?, pq_receiving = ? WHERE connection_id = ?", [pqEnabled, pqEnabled, id])
    }

    package func update(_ id: ChatConnectionID, pqSending: Bool) throws {
        try db.run("UPDATE connections SET pq_sending = ? WHERE connection_id = ?", [pqSending, id])
    }

    package func update(_ id: ChatConnectionID, pqReceiving: Bool) throws {
        try db.run("UPDATE connections SET pq_receiving = ? WHERE connection_id = ?", [pqReceiving, id])
    }

    package func update(_ id: ChatConnectionID, isInitiated: Bool) throws {
        try db.run("UPDATE connections SET initiated = ? WHERE connection_id = ?", [isInitiated, id])
    }

    package func update(_ id: ChatConnectionID, lastReceived messageID: Int64) throws {
        try db.run("UPDATE connections SET last_received_msg_id = ? WHERE connection_id = ?", [messageID, id])
    }

    package func update(_ id: ChatConnectionID, authErrors: Int, quotaErrors: Int) throws {
        try db.run("UPDATE connections SET auth_errors = ?, quota_errors = ? WHERE connection_id = ?", [authErrors, quotaErrors, id])
    }

    package func update(_ id: ChatConnectionID, securityCode: ConfirmedSecurityCode?) throws {
        try db.run(
            "UPDATE connections SET security_code = ?, security_code_verified_at = ? WHERE connection_id = ?",
            [securityCode?.securityCode, securityCode?.verifiedAt.stored, id])
    }

    package func update(_ id: ChatConnectionID, alias: String, at time: UTCTimestamp) throws {
        try db.run("UPDATE connections SET local_alias = ?, updated_at = ? WHERE connection_id = ?", [alias, time.stored, id])
    }

    package func update(_ id: ChatConnectionID, incognitoProfile: ProfileID?, at time: UTCTimestamp) throws {
        try db.run(
            "UPDATE connections SET incognito_profile_id = ?, updated_at = ? WHERE connection_id = ?",
            [incognitoProfile, time.stored, id])
    }

    /// The tag under which the other side knows repeated requests by this connection.
    package func requestTag(connection id: ChatConnectionID) throws -> ContactRequestID? {
        try db.first("SELECT x_contact_id FROM connections WHERE connection_id = ?", [id]) {
            ContactRequestID(stored: $0.optionalBytes())
        } ?? nil
    }

    package func delete(_ id: ChatConnectionID) throws {
        try db.run("DELETE FROM connections WHERE connection_id = ?", [id])
    }

    package func deleteAll(ofContact id: ContactID) throws {
        try db.run("DELETE FROM connections WHERE contact_id = ?", [id])
    }

    private static let pendingColumns = """
        SELECT cn.connection_id, cn.agent_connection_id, cn.status, cn.status_error, cn.via_address, cn.via_user_contact_link,
            cn.incognito_profile_id, cn.full_link, cn.short_link, cn.local_alias, cn.created_at, cn.updated_at
        FROM connections cn WHERE cn.kind = 'contact' AND cn.contact_id IS NULL
        """

    private static func pending(_ row: inout RowReader) -> PendingContactConnection {
        let id = row.id(ChatConnectionID.self)
        let agentID = Base64URL.encode(row.bytes())
        let status = ConnectionStatus(stored: row.text(), error: row.optionalText())
        let viaAddress = row.flag()
        let viaLink = row.optionalID(UserContactLinkID.self)
        let incognito = row.optionalID(ProfileID.self)
        let fullLink = row.optionalText()
        let shortLink = row.optionalText()
        // The link of a contact request is not shown: it is somebody else's address, not a link of this connection.
        let link = viaAddress ? nil : fullLink.map { CreatedConnectionLink(fullLink: $0, shortLink: shortLink) }
        return PendingContactConnection(
            connectionID: id, agentConnectionID: agentID, status: status, viaContactURI: viaAddress, viaUserContactLink: viaLink,
            customUserProfileID: incognito, invitationLink: link, localAlias: row.text(),
            createdAt: UTCTimestamp(stored: row.int()), updatedAt: UTCTimestamp(stored: row.int()))
    }

    package func pendingConnection(_ id: ChatConnectionID, user: UserID?) throws -> PendingContactConnection? {
        try db.first(
            Self.pendingColumns + " AND cn.connection_id = ? AND (? IS NULL OR cn.user_id = ?)", [id, user, user], Self.pending)
    }

    package func pendingConnections(user: UserID) throws -> [PendingContactConnection] {
        try db.all(Self.pendingColumns + " AND cn.user_id = ? ORDER BY cn.updated_at DESC, cn.connection_id DESC", [user], Self.pending)
    }

    /// The profile that a connection belongs to.
    package func userID(ofConnection id: ChatConnectionID) throws -> UserID? {
        try db.firstID("SELECT user_id FROM connections WHERE connection_id = ?", [id])
    }

    // MARK: Capability

    /// Notes that the client at the other end of a connection knows comments.
    package func noteComments(_ id: ChatConnectionID) throws {
        try db.run("UPDATE connections SET knows_comments = 1 WHERE connection_id = ?", [id])
    }

    package func knowsComments(_ id: ChatConnectionID) throws -> Bool {
        try db.number("SELECT knows_comments FROM connections WHERE connection_id = ?", [id]) == 1
    }

    /// The agent's ids of the connections that are in use, by profile.
    package func usedConnections() throws -> [UserID: [Bytes]] {
        let all = try db.all("SELECT user_id, agent_connection_id FROM connections WHERE status = 'ready'", []) { row in
            (UserID(row.int()), row.bytes())
        }
        return Dictionary(grouping: all, by: \.0).mapValues { $0.map(\.1) }
    }

    /// Goes through connections with whether the last message over each was protected by post-quantum encryption; nil if there was none.
    package func connections<T>(_ ids: [ChatConnectionID], _ body: (ChatConnectionID, Bool?) -> T?) throws -> [T] {
        let json = "[" + ids.map { "\($0.rawValue)" }.joined(separator: ",") + "]"
        return try db.all(
            "SELECT connection_id, pq_sending FROM connections WHERE connection_id IN (SELECT value FROM json_each(?)) ORDER BY connection_id", [json]
        ) { (ChatConnectionID($0.int()), $0.optionalInt().map { $0 != 0 }) }.compactMap { body($0.0, $0.1) }
    }
}
