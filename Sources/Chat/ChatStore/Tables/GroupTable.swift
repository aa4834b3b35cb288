package import ChatAPI
package import ChatProtocol
package import ChatRules
import EncryptedSQLite
import GRDB
import SMPWire
import SystemSupport

// Groups.

/// The values of a new row of `groups`.
package struct NewGroupRecord: Sendable {
    package var profile: GroupProfile
    package var business: BusinessChatInfo?
    /// The link of a received invitation.
    package var invitationLink: String?
    /// The link that the group is prepared from.
    package var preparedLink: CreatedConnectionLink?
    package var welcomeSharedMessageID: SharedMessageID?
    /// The link that the group is joined by.
    package var viaLink: FullLink?
    /// The local name, if it is reserved already.
    package var localDisplayName: String?
    package var businessRequestTag: ContactRequestID?

    package init(
        profile: GroupProfile, business: BusinessChatInfo? = nil, invitationLink: String? = nil, preparedLink: CreatedConnectionLink? = nil,
        welcomeSharedMessageID: SharedMessageID? = nil, viaLink: FullLink? = nil, localDisplayName: String? = nil, businessRequestTag: ContactRequestID? = nil
    ) {
        self.profile = profile
        self.business = business
        self.invitationLink = invitationLink
        self.preparedLink = preparedLink
        self.welcomeSharedMessageID = welcomeSharedMessageID
        self.viaLink = viaLink
        self.localDisplayName = localDisplayName
        self.businessRequestTag = businessRequestTag
    }
}

/// Groups and channels.
package struct GroupTable {
    let db: Database

    private static let columns = """
        g.group_id, g.local_display_name, g.profile_json, g.local_alias, g.business_kind, g.business_member_id, g.customer_member_id,
        g.enable_notifications, g.send_receipts, g.favorite, g.created_at, g.updated_at, g.chat_ts, g.own_profile_sent_at,
        g.prepared_full_link, g.prepared_short_link, g.started_connection, g.welcome_shared_msg_id, g.request_shared_msg_id,
        g.prepared_full_link IS NOT NULL AND (g.use_relays = 1 AND g.via_link IS NOT NULL OR EXISTS (
            SELECT 1 FROM group_members h JOIN connections hc ON hc.group_member_id = h.group_member_id
            WHERE h.group_id = g.group_id AND h.category = 'host')),
        (SELECT group_concat(chat_tag_id) FROM group_tags t WHERE t.group_id = g.group_id),
        g.item_ttl, g.ui_themes_json, g.custom_data_json, g.current_members, g.members_require_attention, g.via_link,
        g.resolved_domain, g.domain_verified,
        \(channelColumns)
        """

    private static let selection = """
        SELECT \(columns), \(MemberTable.columns) FROM groups g
        JOIN group_members m ON m.group_id = g.group_id AND m.category = 'user' \(MemberTable.joins)
        """

    /// Reads a row of ``selection``.
    private static func group(_ row: inout RowReader) throws -> GroupInfo {
        let id = GroupID(row.int())
        let name = row.text()
        let profile = try GroupProfile(parsing: row.text())
        let alias = row.text()
        let kind = row.optionalText()
        let business = MemberID(stored: row.optionalBytes())
        let customer = MemberID(stored: row.optionalBytes())
        let settings = ChatSettings(
            notifications: NotificationFilter(rawValue: row.text()), sendsReceipts: row.optionalFlag(), isFavorite: row.flag())
        let createdAt = UTCTimestamp(stored: row.int())
        let updatedAt = UTCTimestamp(stored: row.int())
        let chatTime = UTCTimestamp(stored: row.int())
        let profileSentAt = row.optionalInt().map(UTCTimestamp.init(stored:))
        let fullLink = row.optionalText()
        let shortLink = row.optionalText()
        let isStarted = row.flag()
        let welcome = SharedMessageID(stored: row.optionalBytes())
        let request = SharedMessageID(stored: row.optionalBytes())
        let hasConnection = row.flag()
        let tags = (row.optionalText() ?? "").split(separator: ",").compactMap { Int64($0) }.map { ChatTagID($0) }
        let ttl = row.optionalInt()
        let themes = try row.optionalText().map { try JSONValue(parsing: $0) }
        let custom = try row.optionalText().map { try JSONValue(parsing: $0) }
        let currentMembers = row.int()
        let attention = row.int()
        let viaLink = row.optionalText()
        let domain = row.optionalText(), isVerified = row.optionalFlag()
        let channel = ChannelColumns(&row)
        let membership = try MemberTable.member(&row)
        var businessChat: BusinessChatInfo?
        if let kind, let business, let customer {
            businessChat = BusinessChatInfo(chatType: .init(rawValue: kind), businessID: business, customerID: customer)
            // The group has no profile of its own that could claim it.
            if let domain { businessChat?.unknownMembers["businessDomain"] = ["domain": .string(domain)] }
        }
        let isClaimed = domain.map { businessChat != nil || $0 == profile.claimedDomain } ?? false
        let prepared = fullLink.map { link in
            PreparedGroup(
                connectionLink: CreatedConnectionLink(fullLink: link, shortLink: shortLink), preparedConnection: hasConnection,
                startedConnection: isStarted, welcomeSharedMessageID: welcome, requestSharedMessageID: request)
        }
        return GroupInfo(
            groupID: id, usesRelays: channel.usesRelays, relayOwnStatus: channel.relayOwnStatus, localDisplayName: name, groupProfile: profile,
            localAlias: alias, businessChat: businessChat,
            fullGroupPreferences: FullGroupPreferences(profile.groupPreferences), membership: membership, chatSettings: settings,
            createdAt: createdAt, updatedAt: updatedAt, chatTimestamp: chatTime, userMemberProfileSentAt: profileSentAt,
            preparedGroup: prepared, chatTags: tags, chatItemTTL: ttl, uiThemes: themes, customData: custom,
            groupSummary: GroupSummary(currentMembers: currentMembers, publicMemberCount: channel.publicMemberCount),
            membersRequireAttention: Int(attention), viaGroupLinkURI: viaLink,
            groupKeys: profile.publicGroup.flatMap { channel.keys(of: $0) }, rosterVersion: channel.rosterVersion,
            isDomainVerified: isClaimed ? isVerified : nil)
    }

    package func find(_ id: GroupID, user: UserID) throws -> GroupInfo? {
        try db.first(Self.selection + " WHERE g.group_id = ? AND g.user_id = ?", [id, user], Self.group)
    }

    package func id(named name: String, user: UserID) throws -> GroupID? {
        try db.number("SELECT group_id FROM groups WHERE user_id = ? AND local_display_name = ?", [user, name]).map { GroupID($0) }
    }

    /// The groups of a profile, oldest first.
    ///
    /// - Parameters:
    ///   - contact: Only groups with this contact as a member.
    ///   - search: Only groups with this text in a name or a description, in any case.
    package func groups(user: UserID, contact: ContactID? = nil, search: String? = nil) throws -> [GroupInfo] {
        try db.all(
            Self.selection + """
                 WHERE g.user_id = ?1 AND (?2 IS NULL OR EXISTS (SELECT 1 FROM group_members x WHERE x.group_id = g.group_id AND x.contact_id = ?2))
                    AND (?3 = '' OR instr(folded(g.local_display_name || char(10) || g.display_name || char(10)
                        || coalesce(json_extract(g.profile_json, '$.fullName'), '') || char(10) || coalesce(json_extract(g.profile_json, '$.shortDescr'), '')
                        || char(10) || coalesce(json_extract(g.profile_json, '$.description'), '') || char(10) || g.local_alias), ?3) > 0)
                ORDER BY g.group_id
                """, [user, contact, search?.lowercased() ?? ""], Self.group)
    }

    /// The group that was made by an invitation with this link.
    package func find(user: UserID, invitationLink: String) throws -> GroupInfo? {
        try db.first(Self.selection + " WHERE g.user_id = ? AND g.invitation_link = ? LIMIT 1", [user, invitationLink], Self.group)
    }

    /// The newest group that was joined by a link.
    package func find(user: UserID, viaLinkKey: String) throws -> GroupInfo? {
        try db.first(
            Self.selection + " WHERE g.user_id = ? AND g.via_link_key = ? ORDER BY g.group_id DESC LIMIT 1", [user, viaLinkKey], Self.group)
    }

    /// The newest group that was prepared from a short link.
    package func find(user: UserID, preparedFrom shortLink: String) throws -> GroupInfo? {
        try db.first(
            Self.selection + " WHERE g.user_id = ? AND g.prepared_short_link = ? ORDER BY g.group_id DESC LIMIT 1", [user, shortLink],
            Self.group)
    }

    /// The channel or business chat to which a domain leads, as far as was found out before.
    package func find(user: UserID, domain: String, isBusiness: Bool) throws -> GroupInfo? {
        try db.all(
            Self.selection + """
                 WHERE g.user_id = ? AND g.resolved_domain = ? AND g.domain_verified = 1 AND (g.business_kind IS NOT NULL) = ?
                    ORDER BY g.group_id DESC
                """, [user, domain, isBusiness], Self.group
        ).first { $0.isDomainVerified == true }
    }

    /// The business chat that was opened by a request with this tag.
    package func find(user: UserID, businessRequestTag tag: ContactRequestID) throws -> GroupInfo? {
        try db.first(
            Self.selection + " WHERE g.user_id = ? AND g.business_request_tag = ? LIMIT 1", [user, tag.bytes.blob], Self.group)
    }

    /// The link of the invitation by which the profile can join; nil if there is none.
    package func invitationLink(group: GroupID) throws -> String? {
        try db.first("SELECT invitation_link FROM groups WHERE group_id = ?", [group]) { $0.optionalText() } ?? nil
    }

    /// The item of the invitation in the chat with the inviting contact.
    package func invitationItem(group: GroupID) throws -> ChatItemID? {
        try db.number("SELECT invitation_item_id FROM groups WHERE group_id = ?", [group]).map { ChatItemID($0) }
    }

    // MARK: Changes

    package func insert(_ new: NewGroupRecord, user: UserID, at time: UTCTimestamp) throws -> GroupID {
        let name = try new.localDisplayName ?? db.profiles.reserveDisplayName(new.profile.displayName, user: user)
        return GroupID(
            try db.insert(
                """
                INSERT INTO groups (user_id, local_display_name, display_name, profile_json, business_kind, business_member_id,
                    customer_member_id, business_request_tag, invitation_link, prepared_full_link, prepared_short_link, welcome_shared_msg_id,
                    via_link, via_link_key, own_profile_sent_at, chat_ts, created_at, updated_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    user, name, new.profile.displayName, new.profile.jsonText, new.business?.chatType.rawValue, new.business?.businessID.bytes.blob,
                    new.business?.customerID.bytes.blob, new.businessRequestTag?.bytes.blob, new.invitationLink, new.preparedLink?.fullLink,
                    new.preparedLink?.shortLink, new.welcomeSharedMessageID?.bytes.blob, new.viaLink?.created.fullLink, new.viaLink?.key,
                    time.stored, time.stored, time.stored, time.stored,
                ]))
    }

    /// Stores the profile of a group. A new name gives it a new local name.
    package func update(_ group: GroupInfo, user: UserID, profile: GroupProfile, at time: UTCTimestamp) throws {
        if profile.displayName != group.groupProfile.displayName {
            try db.profiles.releaseDisplayName(group.localDisplayName, user: user)
            let name = try db.profiles.reserveDisplayName(profile.displayName, user: user)
            try db.run("UPDATE groups SET local_display_name = ? WHERE group_id = ?", [name, group.groupID])
        }
        try db.run(
            "UPDATE groups SET display_name = ?, profile_json = ?, \(Database.updatedLater) WHERE group_id = ?",
            [profile.displayName, profile.jsonText, time.stored, group.groupID])
    }

    package func update(_ id: GroupID, business: BusinessChatInfo) throws {
        try db.run(
            "UPDATE groups SET business_kind = ?, business_member_id = ?, customer_member_id = ? WHERE group_id = ?",
            [business.chatType.rawValue, business.businessID.bytes.blob, business.customerID.bytes.blob, id])
    }

    package func update(_ id: GroupID, settings: ChatSettings) throws {
        try db.run(
            "UPDATE groups SET enable_notifications = ?, send_receipts = ?, favorite = ? WHERE group_id = ?",
            [settings.notifications.rawValue, settings.sendsReceipts, settings.isFavorite, id])
    }

    package func update(_ id: GroupID, alias: String) throws {
        try db.run("UPDATE groups SET local_alias = ? WHERE group_id = ?", [alias, id])
    }

    package func update(_ id: GroupID, customData: JSONValue?) throws {
        try db.run("UPDATE groups SET custom_data_json = ? WHERE group_id = ?", [customData?.text, id])
    }

    package func update(_ id: GroupID, uiThemes: JSONValue?) throws {
        try db.run("UPDATE groups SET ui_themes_json = ? WHERE group_id = ?", [uiThemes?.text, id])
    }

    package func update(_ id: GroupID, itemTTL seconds: Int64?) throws {
        try db.run("UPDATE groups SET item_ttl = ? WHERE group_id = ?", [seconds, id])
    }

    package func update(_ id: GroupID, unreadChat: Bool) throws {
        try db.run("UPDATE groups SET unread_chat = ? WHERE group_id = ?", [unreadChat, id])
    }

    package func update(_ id: GroupID, invitationItem: ChatItemID) throws {
        try db.run("UPDATE groups SET invitation_item_id = ? WHERE group_id = ?", [invitationItem, id])
    }

    package func update(_ id: GroupID, requestSharedMessageID: SharedMessageID) throws {
        try db.run("UPDATE groups SET request_shared_msg_id = ? WHERE group_id = ?", [requestSharedMessageID.bytes.blob, id])
    }

    package func update(_ id: GroupID, startedConnection: Bool, link: FullLink) throws {
        try db.run(
            "UPDATE groups SET started_connection = ?, via_link = ?, via_link_key = ? WHERE group_id = ?",
            [startedConnection, link.created.fullLink, link.key, id])
    }

    /// Gives a prepared group, which nobody is connected to yet, to another profile.
    package func move(_ group: GroupInfo, host: GroupMember?, from user: UserID, to newUser: User, at time: UTCTimestamp) throws {
        let id = group.groupID
        try db.profiles.releaseDisplayName(group.localDisplayName, user: user)
        let name = try db.profiles.reserveDisplayName(group.groupProfile.displayName, user: newUser.userID)
        try db.run(
            "UPDATE groups SET user_id = ?, local_display_name = ?, \(Database.updatedLater) WHERE group_id = ?",
            [newUser.userID, name, time.stored, id])
        try db.run("UPDATE chat_items SET user_id = ? WHERE group_id = ?", [newUser.userID, id])
        try db.run("DELETE FROM group_tags WHERE group_id = ?", [id])
        if let host {
            try db.profiles.releaseDisplayName(host.localDisplayName, user: user)
            let hostName = try db.profiles.reserveDisplayName(host.profile.displayName, user: newUser.userID)
            try db.run("UPDATE profiles SET user_id = ? WHERE profile_id = ?", [newUser.userID, host.profileID])
            try db.run(
                "UPDATE group_members SET user_id = ?, local_display_name = ? WHERE group_member_id = ?",
                [newUser.userID, hostName, host.groupMemberID])
        }
        try db.run(
            "UPDATE group_members SET user_id = ?, local_display_name = ?, contact_id = ?, profile_id = ? WHERE group_member_id = ?",
            [
                newUser.userID, newUser.localDisplayName, newUser.userContactID, newUser.profile.profileID, group.membership.groupMemberID,
            ])
    }

    package func update(_ id: GroupID, ownProfileSentAt time: UTCTimestamp) throws {
        try db.run("UPDATE groups SET own_profile_sent_at = ? WHERE group_id = ?", [time.stored, id])
    }

    package func update(_ id: GroupID, businessRequestTag tag: ContactRequestID) throws {
        try db.run("UPDATE groups SET business_request_tag = ? WHERE group_id = ?", [tag.bytes.blob, id])
    }

    /// Records a change of the reported group if the member is this profile, whose membership is reported with the group.
    ///
    /// The time of the membership would not do: it is that of the clock, which messages of routers are compared with.
    package func touch(ofMembership id: GroupMemberID, at time: UTCTimestamp) throws {
        try db.run(
            """
            UPDATE groups SET \(Database.updatedLater)
            WHERE group_id = (SELECT group_id FROM group_members WHERE group_member_id = ? AND category = 'user')
            """, [time.stored, id])
    }

    package func touch(_ id: GroupID, chatTime: UTCTimestamp) throws {
        try db.run("UPDATE groups SET chat_ts = ? WHERE group_id = ?", [chatTime.stored, id])
    }

    /// Changes the number of members with whom moderators have something to do; it never falls below zero.
    package func update(_ id: GroupID, attentionBy change: Int) throws {
        try db.run(
            "UPDATE groups SET members_require_attention = max(0, members_require_attention + ?) WHERE group_id = ?", [change, id])
    }

    /// Removes a group with its members, items and names. Connections are deleted with their members.
    package func delete(_ group: GroupInfo, user: UserID) throws {
        let members = try db.members.members(of: group.groupID, includingUser: true)
        try db.run("DELETE FROM chat_items WHERE group_id = ?", [group.groupID])
        for member in members { try db.members.delete(member, user: user) }
        try db.run("DELETE FROM groups WHERE group_id = ?", [group.groupID])
        try db.profiles.releaseDisplayName(group.localDisplayName, user: user)
    }

    /// The group that a link of this profile leads to.
    package func find(ofLink id: UserContactLinkID, user: UserID) throws -> GroupInfo? {
        guard let group = try db.number("SELECT group_id FROM group_links WHERE group_link_id = ?", [id]) else { return nil }
        return try find(GroupID(group), user: user)
    }

    /// The own group that a full link leads to.
    package func ownGroup(user: UserID, linkKey: String) throws -> GroupInfo? {
        guard let group = try db.number("SELECT group_id FROM group_links WHERE user_id = ? AND full_link_key = ?", [user, linkKey]) else { return nil }
        return try find(GroupID(group), user: user)
    }

    /// The own group that a short link leads to, with the full link.
    package func ownGroup(user: UserID, shortLink: String) throws -> (GroupInfo, fullLink: String)? {
        let found = try db.first("SELECT group_id, full_link FROM group_links WHERE user_id = ? AND short_link = ?", [user, shortLink]) {
            ($0.int(), $0.text())
        }
        guard let (id, link) = found, let group = try find(GroupID(id), user: user) else { return nil }
        return (group, link)
    }

    /// Those who were refused when they asked to join by a link, the longest ago first.
    package func refusedJoiners(before time: UTCTimestamp, limit: Int) throws -> [(GroupMemberID, UserID)] {
        try db.all(
            """
            SELECT group_member_id, user_id FROM group_members WHERE status = 'rejected' AND category = 'invitee' AND created_at < ?
            ORDER BY created_at LIMIT ?
            """, [time.stored, limit]
        ) { ($0.id(), $0.id()) }
    }

    /// The profile that a group belongs to.
    package func userID(ofGroup id: GroupID) throws -> UserID? {
        try db.number("SELECT user_id FROM groups WHERE group_id = ?", [id]).map { UserID($0) }
    }
}
