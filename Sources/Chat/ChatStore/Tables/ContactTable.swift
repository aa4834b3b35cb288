package import ChatAPI
package import ChatProtocol
import ChatRules
package import EncryptedSQLite
import GRDB
import SMPWire

// Contacts.

/// The values of a new contact.
package struct NewContactRecord: Sendable {
    package var profile: Profile
    package var isUsed = true
    /// The link that the contact was prepared from.
    package var preparedLink: CreatedConnectionLink?
    package var preparedLinkType: ConnectionLinkMode?
    package var welcomeSharedMessageID: SharedMessageID?
    package var userPreferences = ChatPreferences()
    /// The profile's row, if it is stored already.
    package var profileID: ProfileID?

    package init(
        profile: Profile, isUsed: Bool = true, preparedLink: CreatedConnectionLink? = nil, preparedLinkType: ConnectionLinkMode? = nil,
        welcomeSharedMessageID: SharedMessageID? = nil, userPreferences: ChatPreferences = ChatPreferences(), profileID: ProfileID? = nil
    ) {
        self.profile = profile
        self.isUsed = isUsed
        self.preparedLink = preparedLink
        self.preparedLinkType = preparedLinkType
        self.welcomeSharedMessageID = welcomeSharedMessageID
        self.userPreferences = userPreferences
        self.profileID = profileID
    }
}

/// Contacts.
package struct ContactTable {
    let db: Database

    private static let columns = """
        c.contact_id, c.local_display_name, p.profile_id, p.profile_json, p.local_alias, c.contact_used, c.contact_status,
        c.enable_notifications, c.send_receipts, c.favorite, c.user_preferences_json, c.created_at, c.updated_at, c.chat_ts,
        c.prepared_full_link, c.prepared_short_link, c.prepared_link_kind, c.welcome_shared_msg_id, c.request_shared_msg_id,
        c.contact_request_id, c.chat_deleted, c.item_ttl, c.ui_themes_json, c.custom_data_json,
        (SELECT group_concat(chat_tag_id) FROM contact_tags t WHERE t.contact_id = c.contact_id),
        c.group_member_id, c.group_invitation_sent, c.group_direct_link, c.group_direct_from_group_id,
        c.group_direct_from_member_id, c.group_direct_from_connection_id, c.group_direct_started, c.resolved_domain, c.domain_verified
        """

    private static let joins = """
        FROM contacts c JOIN profiles p ON p.profile_id = c.profile_id
        LEFT JOIN connections cn ON cn.connection_id = (SELECT max(connection_id) FROM connections x WHERE x.contact_id = c.contact_id)
        """

    package static let selection = "SELECT \(columns), \(ConnectionTable.columns) \(joins)"

    /// Reads a row of ``selection``. What both sides allow depends on what the user's profile allows.
    package static func contact(_ row: inout RowReader, of user: User) throws -> Contact {
        let id = row.id(ContactID.self)
        let name = row.text()
        let profileID = row.id(ProfileID.self)
        let profile = try Profile(parsing: row.text())
        let alias = row.text()
        let isUsed = row.flag()
        let status = ContactStatus(rawValue: row.text())
        let settings = ChatSettings(
            notifications: NotificationFilter(rawValue: row.text()), sendsReceipts: row.optionalFlag(), isFavorite: row.flag())
        let userPreferences = try ChatPreferences(parsing: row.text())
        let createdAt = UTCTimestamp(stored: row.int())
        let updatedAt = UTCTimestamp(stored: row.int())
        let chatTime = UTCTimestamp(stored: row.int())
        let fullLink = row.optionalText()
        let shortLink = row.optionalText()
        let linkType = row.optionalText()
        let welcome = SharedMessageID(stored: row.optionalBytes())
        let request = SharedMessageID(stored: row.optionalBytes())
        let prepared = fullLink.map { link in
            PreparedContact(
                connectionLink: CreatedConnectionLink(fullLink: link, shortLink: shortLink),
                linkType: ConnectionLinkMode(rawValue: linkType ?? ""), welcomeSharedMessageID: welcome,
                requestSharedMessageID: request)
        }
        let requestID = row.optionalID(UserContactRequestID.self)
        let chatDeleted = row.flag()
        let ttl = row.optionalInt()
        let themes = try row.optionalText().map { try JSONValue(parsing: $0) }
        let custom = try row.optionalText().map { try JSONValue(parsing: $0) }
        let tags = (row.optionalText() ?? "").split(separator: ",").compactMap { ChatTagID($0) }
        let memberID = row.optionalInt().map { GroupMemberID($0) }
        let invitationSent = row.flag()
        let directLink = row.optionalText()
        let directGroup = row.optionalInt().map { GroupID($0) }
        let directMember = row.optionalID(GroupMemberID.self)
        let directConnection = row.optionalID(ChatConnectionID.self)
        let directStarted = row.flag()
        let direct = directLink.map {
            GroupDirectInvitation(
                link: $0, fromGroupID: directGroup, fromGroupMemberID: directMember, fromGroupMemberConnectionID: directConnection,
                startedConnection: directStarted)
        }
        let domain = row.optionalText(), isVerified = row.optionalFlag()
        let connection = ConnectionTable.connection(&row)?.connection
        let merged = ContactUserPreferences(
            user: user.profile.preferences, userForContact: userPreferences, contact: profile.preferences,
            isIncognito: connection?.customUserProfileID != nil)
        var shown = LocalProfile(profile, id: profileID, alias: alias)
        if let domain, domain == profile.claimedDomain { shown.isDomainVerified = isVerified }
        return Contact(
            contactID: id, localDisplayName: name, profile: shown,
            activeConnection: connection, contactUsed: isUsed, status: status, chatSettings: settings,
            userPreferences: userPreferences, mergedPreferences: merged, createdAt: createdAt, updatedAt: updatedAt,
            chatTimestamp: chatTime, preparedContact: prepared, contactRequestID: requestID, contactGroupMemberID: memberID,
            contactGroupInvitationSent: invitationSent, groupDirectInvitation: direct, chatTags: tags, chatItemTTL: ttl,
            uiThemes: themes, chatDeleted: chatDeleted, customData: custom)
    }

    package func find(_ id: ContactID, of user: User) throws -> Contact? {
        try db.first(
            Self.selection + " WHERE c.contact_id = ? AND c.user_id = ? AND c.is_user = 0", [id, user.userID]
        ) { try Self.contact(&$0, of: user) }
    }

    package func id(named name: String, user: UserID) throws -> ContactID? {
        try db.firstID("SELECT contact_id FROM contacts WHERE user_id = ? AND local_display_name = ? AND is_user = 0", [user, name])
    }

    /// Contacts with whom there is or was a chat, oldest first. Contacts who have deleted the user are included.
    package func contacts(of user: User) throws -> [Contact] {
        try db.all(
            Self.selection + " WHERE c.user_id = ? AND c.is_user = 0 AND c.contact_status <> 'deletedByUser' ORDER BY c.contact_id",
            [user.userID]
        ) { try Self.contact(&$0, of: user) }
    }

    /// The contact that was prepared from a link and not deleted, with the full link.
    package func find(of user: User, preparedFrom shortLink: String) throws -> Contact? {
        try db.first(
            Self.selection + """
                 WHERE c.user_id = ? AND c.prepared_short_link = ? AND c.is_user = 0 ORDER BY c.contact_id DESC LIMIT 1
                """, [user.userID, shortLink]
        ) { try Self.contact(&$0, of: user) }
    }

    /// The contact to whom a domain leads, as far as was found out before.
    package func find(of user: User, domain: String) throws -> Contact? {
        try db.all(
            Self.selection + """
                 WHERE c.user_id = ? AND c.resolved_domain = ? AND c.domain_verified = 1 AND c.is_user = 0 AND c.contact_status = 'active'
                    ORDER BY c.contact_id DESC
                """, [user.userID, domain]
        ) { try Self.contact(&$0, of: user) }.first { $0.profile.isDomainVerified == true }
    }

    /// The contact without a connection whose profile says that this is its address.
    package func find(of user: User, publishing links: [String]) throws -> Contact? {
        for link in links {
            let found = try db.first(
                Self.selection + """
                     WHERE c.user_id = ? AND c.is_user = 0 AND c.contact_status = 'active'
                        AND p.user_id = c.user_id AND json_extract(p.profile_json, '$.contactLink') = ?
                        AND NOT EXISTS (SELECT 1 FROM connections x WHERE x.contact_id = c.contact_id) LIMIT 1
                    """, [user.userID, link]
            ) { try Self.contact(&$0, of: user) }
            if let found { return found }
        }
        return nil
    }

    /// The ids of the messages that belong to the preparation of a contact.
    package func contactPreparation(_ id: ContactID) throws -> (welcome: SharedMessageID?, request: SharedMessageID?)? {
        try db.first("SELECT welcome_shared_msg_id, request_shared_msg_id FROM contacts WHERE contact_id = ?", [id]) {
            (SharedMessageID(stored: $0.optionalBytes()), SharedMessageID(stored: $0.optionalBytes()))
        }
    }

    /// The contact that was made by a request with this tag.
    package func find(of user: User, requestTag tag: ContactRequestID) throws -> Contact? {
        try db.first(
            Self.selection + " WHERE c.user_id = ? AND c.x_contact_id = ? AND c.is_user = 0 ORDER BY c.contact_id DESC LIMIT 1",
            [user.userID, tag.bytes.blob]
        ) { try Self.contact(&$0, of: user) }
    }

    package func insert(_ new: NewContactRecord, user: UserID, at time: UTCTimestamp) throws -> ContactID {
        let name = try db.profiles.reserveDisplayName(new.profile.displayName, user: user)
        let profileID = try new.profileID ?? db.profiles.insert(new.profile, user: user, incognito: false, at: time)
        return try db.insert(
            """
            INSERT INTO contacts (user_id, profile_id, local_display_name, contact_used, prepared_full_link, prepared_short_link,
                prepared_link_kind, welcome_shared_msg_id, user_preferences_json, chat_ts, created_at, updated_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                user, profileID, name, new.isUsed, new.preparedLink?.fullLink, new.preparedLink?.shortLink,
                new.preparedLinkType?.rawValue, new.welcomeSharedMessageID?.bytes.blob, new.userPreferences.jsonText, time.stored,
                time.stored, time.stored,
            ])
    }

    /// Stores what a contact publishes now. A new name gives it a new local name.
    package func update(_ contact: Contact, user: UserID, profile: Profile, at time: UTCTimestamp) throws {
        if profile.displayName != contact.profile.displayName {
            try db.profiles.releaseDisplayName(contact.localDisplayName, user: user)
            let name = try db.profiles.reserveDisplayName(profile.displayName, user: user)
            try db.run("UPDATE contacts SET local_display_name = ? WHERE contact_id = ?", [name, contact.contactID])
        }
        try db.profiles.update(contact.profile.profileID, to: profile, at: time)
        try db.run("UPDATE contacts SET \(Database.updatedLater) WHERE contact_id = ?", [time.stored, contact.contactID])
    }

    package func update(_ id: ContactID, userPreferences: ChatPreferences, at time: UTCTimestamp) throws {
        try db.run(
            "UPDATE contacts SET user_preferences_json = ?, \(Database.updatedLater) WHERE contact_id = ?",
            [userPreferences.jsonText, time.stored, id])
    }

    package func update(_ id: ContactID, status: ContactStatus, at time: UTCTimestamp) throws {
        try db.run("UPDATE contacts SET contact_status = ?, \(Database.updatedLater) WHERE contact_id = ?", [status.rawValue, time.stored, id])
    }

    package func update(_ id: ContactID, isUsed: Bool) throws {
        try db.run("UPDATE contacts SET contact_used = ? WHERE contact_id = ?", [isUsed, id])
    }

    package func update(_ id: ContactID, settings: ChatSettings) throws {
        try db.run(
            "UPDATE contacts SET enable_notifications = ?, send_receipts = ?, favorite = ? WHERE contact_id = ?",
            [settings.notifications.rawValue, settings.sendsReceipts, settings.isFavorite, id])
    }

    package func update(_ id: ContactID, customData: JSONValue?) throws {
        try db.run("UPDATE contacts SET custom_data_json = ? WHERE contact_id = ?", [customData?.text, id])
    }

    package func update(_ id: ContactID, uiThemes: JSONValue?) throws {
        try db.run("UPDATE contacts SET ui_themes_json = ? WHERE contact_id = ?", [uiThemes?.text, id])
    }

    package func update(_ id: ContactID, itemTTL seconds: Int64?) throws {
        try db.run("UPDATE contacts SET item_ttl = ? WHERE contact_id = ?", [seconds, id])
    }

    package func update(_ id: ContactID, unreadChat: Bool) throws {
        try db.run("UPDATE contacts SET unread_chat = ? WHERE contact_id = ?", [unreadChat, id])
    }

    package func update(_ id: ContactID, chatDeleted: Bool) throws {
        try db.run("UPDATE contacts SET chat_deleted = ? WHERE contact_id = ?", [chatDeleted, id])
    }

    /// Moves the chat to the top of the list and brings it back if its conversation was deleted.
    package func touch(_ id: ContactID, chatTime: UTCTimestamp) throws {
        try db.run("UPDATE contacts SET chat_ts = ?, chat_deleted = 0 WHERE contact_id = ?", [chatTime.stored, id])
    }

    package func update(_ id: ContactID, requestSharedMessageID: SharedMessageID) throws {
        try db.run(
            "UPDATE contacts SET request_shared_msg_id = ? WHERE contact_id = ?", [requestSharedMessageID.bytes.blob, id])
    }

    package func update(_ id: ContactID, requestTag: ContactRequestID) throws {
        try db.run("UPDATE contacts SET x_contact_id = ? WHERE contact_id = ?", [requestTag.bytes.blob, id])
    }

    package func update(_ id: ContactID, requestID: UserContactRequestID?) throws {
        try db.run("UPDATE contacts SET contact_request_id = ? WHERE contact_id = ?", [requestID, id])
    }

    /// Gives a prepared contact, which nobody is connected to yet, to another profile.
    package func move(_ contact: Contact, from user: UserID, to newUser: UserID, at time: UTCTimestamp) throws {
        try db.profiles.releaseDisplayName(contact.localDisplayName, user: user)
        let name = try db.profiles.reserveDisplayName(contact.profile.displayName, user: newUser)
        try db.run("UPDATE profiles SET user_id = ? WHERE profile_id = ?", [newUser, contact.profile.profileID])
        try db.run("UPDATE chat_items SET user_id = ? WHERE contact_id = ?", [newUser, contact.contactID])
        try db.run("DELETE FROM contact_tags WHERE contact_id = ?", [contact.contactID])
        try db.run(
            "UPDATE contacts SET user_id = ?, local_display_name = ?, \(Database.updatedLater) WHERE contact_id = ?",
            [newUser, name, time.stored, contact.contactID])
    }

    /// Removes a contact with its chat, its connections and its name.
    package func delete(_ contact: Contact, user: UserID) throws {
        try db.connections.deleteAll(ofContact: contact.contactID)
        let isMember = try keepForMembers(contact)
        try db.run("DELETE FROM contacts WHERE contact_id = ?", [contact.contactID])
        if !isMember { try db.profiles.releaseDisplayName(contact.localDisplayName, user: user) }
        // A request that is answered keeps the profile row in use, and so do memberships.
        try db.profiles.deleteIfUnused(contact.profile.profileID)
    }

    /// The profile that a contact belongs to.
    package func userID(ofContact id: ContactID) throws -> UserID? {
        try db.firstID("SELECT user_id FROM contacts WHERE contact_id = ? AND is_user = 0", [id])
    }
}
