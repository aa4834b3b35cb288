package import ChatAPI
package import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB
import SMPCrypto
package import SMPWire

// Profiles of this core.

/// The values of a new profile of this core.
package struct NewUserRecord: Sendable {
    package var agentUserID: Int64
    package var profile: Profile
    package var isChatRelay: Bool
    package var isClientService: Bool
    package var createdAt: UTCTimestamp

    package init(agentUserID: Int64, profile: Profile, isChatRelay: Bool, isClientService: Bool = false, createdAt: UTCTimestamp) {
        self.agentUserID = agentUserID
        self.profile = profile
        self.isChatRelay = isChatRelay
        self.isClientService = isClientService
        self.createdAt = createdAt
    }
}

/// Profiles of this program.
package struct UserTable {
    let db: Database

    private static let userColumns = """
        SELECT u.user_id, u.agent_user_id, u.user_contact_id, u.local_display_name, p.profile_id, p.profile_json, p.local_alias,
            u.active, u.active_order, u.password_hash, u.password_salt, u.show_notifications, u.send_receipts_contacts,
            u.send_receipts_groups, u.auto_accept_member_contacts, u.member_profile_updated_at, u.chat_relay,
            u.ui_themes_json, u.client_service
        FROM users u JOIN profiles p ON p.profile_id = u.profile_id
        """

    private static func user(_ row: inout RowReader) throws -> User {
        let id = row.id(UserID.self)
        let agentID = row.int()
        let contactID = row.id(ContactID.self)
        let name = row.text()
        let profileID = row.id(ProfileID.self)
        let profile = try Profile(parsing: row.text())
        let alias = row.text()
        let isActive = row.flag()
        let order = row.int()
        let hash = row.optionalBytes()
        let salt = row.optionalBytes()
        let password = hash.flatMap { hash in
            salt.map { PasswordHash(hash: Base64URL.encode(hash), salt: Base64URL.encode($0)) }
        }
        let showsNotifications = row.flag()
        let sendsToContacts = row.flag()
        let sendsToGroups = row.flag()
        let acceptsMembers = row.flag()
        let memberProfileUpdatedAt = row.optionalInt().map(UTCTimestamp.init(stored:))
        let isChatRelay = row.flag()
        let uiThemes = try row.optionalText().map { try JSONValue(parsing: $0) }
        let isClientService = row.flag()
        return User(
            userID: id, agentUserID: String(agentID), userContactID: contactID, localDisplayName: name,
            profile: LocalProfile(profile, id: profileID, alias: alias),
            fullPreferences: FullChatPreferences(profile.preferences), isActive: isActive, activeOrder: order,
            viewPasswordHash: password, showsNotifications: showsNotifications, sendsReceiptsToContacts: sendsToContacts,
            sendsReceiptsToSmallGroups: sendsToGroups, autoAcceptsMemberContacts: acceptsMembers,
            userMemberProfileUpdatedAt: memberProfileUpdatedAt, uiThemes: uiThemes, isChatRelay: isChatRelay,
            isClientService: isClientService)
    }

    /// All profiles, oldest first.
    package func users() throws -> [User] {
        try db.all(Self.userColumns + " ORDER BY u.user_id", [], Self.user)
    }

    package func find(_ id: UserID) throws -> User? {
        try db.first(Self.userColumns + " WHERE u.user_id = ?", [id], Self.user)
    }

    package func find(named name: String) throws -> User? {
        try db.first(Self.userColumns + " WHERE u.local_display_name = ?", [name], Self.user)
    }

    /// The agent's ids of all profiles.
    package func agentUsers() throws -> [Int64] {
        try db.all("SELECT agent_user_id FROM users") { $0.int() }
    }

    package func find(agentID: Int64) throws -> User? {
        try db.first(Self.userColumns + " WHERE u.agent_user_id = ?", [agentID], Self.user)
    }

    /// The profile on which commands act that name none.
    package func activeUser() throws -> User? {
        try db.first(Self.userColumns + " WHERE u.active = 1 ORDER BY u.active_order DESC LIMIT 1", [], Self.user)
    }

    /// Unread messages of a profile in its chats that are not muted.
    package func unreadCount(ofUser id: UserID) throws -> Int {
        let count = try db.number(
            """
            SELECT (SELECT count(*) FROM contacts c JOIN chat_items i ON i.contact_id = c.contact_id AND i.status = 'rcvNew'
                WHERE c.user_id = ?1 AND c.enable_notifications = 'all')
            + (SELECT count(*) FROM groups g JOIN chat_items i ON i.group_id = g.group_id AND i.scope IS NULL AND i.status = 'rcvNew'
                WHERE g.user_id = ?1 AND (g.enable_notifications = 'all' OR g.enable_notifications = 'mentions' AND i.user_mention = 1))
            """, [id])
        return Int(count ?? 0)
    }

    /// Makes a profile with the contact that represents it and its folder of notes, and makes it the active one.
    package func insert(_ new: NewUserRecord) throws -> UserID {
        let time = new.createdAt.stored
        let profileID = try db.profiles.insert(new.profile, user: nil, incognito: false, at: new.createdAt)
        try db.run("UPDATE users SET active = 0 WHERE active = 1")
        let userID: UserID = try db.insert(
            """
            INSERT INTO users (agent_user_id, profile_id, local_display_name, active, active_order, chat_relay, client_service, created_at,
                updated_at)
            VALUES (?, ?, ?, 1, (SELECT coalesce(max(active_order), 0) + 1 FROM users), ?, ?, ?, ?)
            """, [new.agentUserID, profileID, new.profile.displayName, new.isChatRelay, new.isClientService, time, time])
        try db.run("UPDATE profiles SET user_id = ? WHERE profile_id = ?", [userID, profileID])
        _ = try db.profiles.reserveDisplayName(new.profile.displayName, user: userID)
        let contactID: ContactID = try db.insert(
            """
            INSERT INTO contacts (user_id, profile_id, local_display_name, is_user, chat_ts, created_at, updated_at)
            VALUES (?, ?, ?, 1, ?, ?, ?)
            """, [userID, profileID, new.profile.displayName, time, time, time])
        try db.run("UPDATE users SET user_contact_id = ? WHERE user_id = ?", [contactID, userID])
        try db.run(
            "INSERT INTO note_folders (user_id, chat_ts, created_at, updated_at) VALUES (?, ?, ?, ?)",
            [userID, time, time, time])
        return userID
    }

    package func activate(_ id: UserID) throws {
        try db.run("UPDATE users SET active = 0 WHERE active = 1 AND user_id <> ?", [id])
        try db.run(
            "UPDATE users SET active = 1, active_order = (SELECT max(active_order) + 1 FROM users) WHERE user_id = ?", [id])
    }

    /// Stores what a profile publishes from now on, under a new local name if its name changed.
    ///
    /// - Throws: `StoreRefusal.duplicateName` if another profile of this core or a contact of this one has the name.
    package func updateUserProfile(_ user: User, to profile: Profile, memberProfileChanged: Bool, at time: UTCTimestamp) throws {
        if profile.displayName != user.profile.displayName {
            let taken = try db.number(
                """
                SELECT count(*) FROM (
                    SELECT 1 FROM users WHERE local_display_name = ? AND user_id <> ?
                    UNION ALL SELECT 1 FROM display_names WHERE user_id = ? AND local_display_name = ?)
                """, [profile.displayName, user.userID, user.userID, profile.displayName])
            guard taken == 0 else { throw StoreRefusal.duplicateName }
            try db.profiles.releaseDisplayName(user.localDisplayName, user: user.userID)
            _ = try db.profiles.reserveDisplayName(profile.displayName, user: user.userID)
            try db.run(
                "UPDATE users SET local_display_name = ? WHERE user_id = ?", [profile.displayName, user.userID])
            try db.run(
                "UPDATE contacts SET local_display_name = ? WHERE contact_id = ?", [profile.displayName, user.userContactID])
        }
        try db.profiles.update(user.profile.profileID, to: profile, at: time)
        try db.run("UPDATE users SET updated_at = ? WHERE user_id = ?", [time.stored, user.userID])
        if memberProfileChanged {
            try db.run("UPDATE users SET member_profile_updated_at = ? WHERE user_id = ?", [time.stored, user.userID])
        }
    }

    package func updateUserPrivacy(_ id: UserID, hash: Bytes?, salt: Bytes?, showsNotifications: Bool) throws {
        try db.run(
            "UPDATE users SET password_hash = ?, password_salt = ?, show_notifications = ? WHERE user_id = ?",
            [hash?.blob, salt?.blob, showsNotifications, id])
    }

    package func update(_ id: UserID, uiThemes: JSONValue?) throws {
        try db.run("UPDATE users SET ui_themes_json = ? WHERE user_id = ?", [uiThemes?.text, id])
    }

    /// Sets whether receipts are sent to contacts; contacts with a setting of their own keep it unless it is cleared.
    package func updateContactReceipts(user id: UserID, enabled: Bool, clearOverrides: Bool) throws {
        try db.run("UPDATE users SET send_receipts_contacts = ? WHERE user_id = ?", [enabled, id])
        if clearOverrides { try db.run("UPDATE contacts SET send_receipts = NULL WHERE user_id = ?", [id]) }
    }

    package func updateAllReceipts(enabled: Bool) throws {
        try db.run("UPDATE users SET send_receipts_contacts = ?, send_receipts_groups = ? WHERE password_hash IS NULL", [enabled, enabled])
    }

    /// Sets whether receipts are sent to groups; groups with a setting of their own keep it unless it is cleared.
    package func updateGroupReceipts(user id: UserID, enabled: Bool, clearOverrides: Bool) throws {
        try db.run("UPDATE users SET send_receipts_groups = ? WHERE user_id = ?", [enabled, id])
        if clearOverrides { try db.run("UPDATE groups SET send_receipts = NULL WHERE user_id = ?", [id]) }
    }

    package func updateAutoAcceptMemberContacts(user id: UserID, enabled: Bool) throws {
        try db.run("UPDATE users SET auto_accept_member_contacts = ? WHERE user_id = ?", [enabled, id])
    }

    /// Seconds after which a profile's messages are deleted; nil for never.
    package func itemTTL(user id: UserID) throws -> Int64? {
        try db.number("SELECT item_ttl FROM users WHERE user_id = ?", [id])
    }

    package func updateItemTTL(user id: UserID, seconds: Int64?) throws {
        try db.run("UPDATE users SET item_ttl = ? WHERE user_id = ?", [seconds, id])
    }

    /// Removes a profile with everything that belongs to it.
    package func delete(_ id: UserID) throws {
        // The user's profile row is named by the user and names the user: both checks wait for the end of the transaction.
        try db.run("DELETE FROM users WHERE user_id = ?", [id])
    }

    /// The profile that relays for others; there is at most one.
    package func relayUser() throws -> User? { try users().first(where: \.isChatRelay) }
}
