package import ChatAPI
package import ChatProtocol
package import ChatRules
package import EncryptedSQLite
package import GRDB
package import SMPCrypto
package import SMPWire

// Members of groups.

/// The values of a new row of `group_members`.
package struct NewMemberRecord: Sendable {
    /// The origin of the member's local name.
    package enum Name: Sendable {
        /// A name of its own, made from the profile.
        case own
        /// The name of the contact, or of this profile, that the member is.
        case shared(String)
    }

    package var groupID: GroupID
    package var memberID: MemberID
    package var role: GroupMemberRole
    package var category: GroupMemberCategory
    package var status: GroupMemberStatus
    package var invitedBy = InvitedBy.unknown
    package var invitedByMember: GroupMemberID?
    package var name: Name = .own
    package var contactID: ContactID?
    /// A profile to store; `profileID` if it is stored already.
    package var profile: Profile
    package var profileID: ProfileID?
    /// The random profile of this profile's own membership.
    package var incognitoProfileID: ProfileID?
    package var versions: ChatVersionRange
    package var requestTag: ContactRequestID?
    /// The agent's id of the request by which the member joins.
    package var invitationID: Bytes?
    package var welcomeSharedMessageID: SharedMessageID?
    package var isBlocked = false
    package var sentInvitationLink: String?
    /// The key with which the member signs.
    package var publicKey: Ed25519.PublicKey?
    /// The link by which subscribers join, of a member that is a relay.
    package var relayLink: String?

    package init(
        groupID: GroupID, memberID: MemberID, role: GroupMemberRole, category: GroupMemberCategory, status: GroupMemberStatus,
        invitedBy: InvitedBy = InvitedBy.unknown, invitedByMember: GroupMemberID? = nil, name: Name = .own, contactID: ContactID? = nil, profile: Profile,
        profileID: ProfileID? = nil, incognitoProfileID: ProfileID? = nil, versions: ChatVersionRange, requestTag: ContactRequestID? = nil,
        invitationID: Bytes? = nil, welcomeSharedMessageID: SharedMessageID? = nil, isBlocked: Bool = false, sentInvitationLink: String? = nil,
        publicKey: Ed25519.PublicKey? = nil, relayLink: String? = nil
    ) {
        self.groupID = groupID
        self.memberID = memberID
        self.role = role
        self.category = category
        self.status = status
        self.invitedBy = invitedBy
        self.invitedByMember = invitedByMember
        self.name = name
        self.contactID = contactID
        self.profile = profile
        self.profileID = profileID
        self.incognitoProfileID = incognitoProfileID
        self.versions = versions
        self.requestTag = requestTag
        self.invitationID = invitationID
        self.welcomeSharedMessageID = welcomeSharedMessageID
        self.isBlocked = isBlocked
        self.sentInvitationLink = sentInvitationLink
        self.publicKey = publicKey
        self.relayLink = relayLink
    }
}

extension Database {
    package static let memberColumns = """
        m.group_member_id, m.group_id, m.index_in_group, m.member_id, m.role, m.category, m.status, m.show_messages, m.blocked,
        m.invited_by_user, m.invited_by_contact_id, m.invited_by_member_id, m.local_display_name, m.contact_id, m.profile_id,
        mp.profile_id, mp.profile_json, mp.local_alias, m.peer_min_version, m.peer_max_version, m.created_at, m.updated_at,
        m.support_chat_ts, m.support_unread, m.support_attention, m.support_mentions, m.support_last_member_ts, m.public_key, m.relay_link,
        \(connectionColumns)
        """

    package static let memberJoins = """
        JOIN profiles mp ON mp.profile_id = coalesce(m.incognito_profile_id, m.profile_id)
        LEFT JOIN connections cn ON cn.connection_id = (SELECT max(x.connection_id) FROM connections x WHERE x.group_member_id = m.group_member_id)
        """

    private static let memberSelection = "SELECT \(memberColumns) FROM group_members m \(memberJoins)"

    /// Reads ``memberColumns``.
    package static func member(_ row: inout RowReader) throws -> GroupMember {
        let id = GroupMemberID(row.int())
        let groupID = GroupID(row.int())
        let index = row.int()
        let memberID = MemberID(row.bytes())
        let role = GroupMemberRole(code: row.text())
        let category = GroupMemberCategory(rawValue: row.text())
        let status = GroupMemberStatus(rawValue: row.text())
        let showsMessages = row.flag()
        let isBlocked = row.flag()
        let invitedByUser = row.flag()
        let invitingContact = row.optionalInt()
        let invitingMember = row.optionalInt()
        let name = row.text()
        let contactID = row.optionalInt()
        let profileID = ProfileID(row.int())
        let shownProfileID = ProfileID(row.int())
        let profile = LocalProfile(try Profile(parsing: row.text()), id: shownProfileID, alias: row.text())
        let versions = ChatVersionRange(minVersion: Int(row.int()), maxVersion: Int(row.int()))
        let createdAt = UTCTimestamp(stored: row.int())
        let updatedAt = UTCTimestamp(stored: row.int())
        let supportTime = row.optionalInt()
        let unread = Int(row.int()), attention = Int(row.int()), mentions = Int(row.int())
        let lastFromMember = row.optionalInt()
        let support = supportTime.map { time in
            GroupSupportChat(
                chatTimestamp: UTCTimestamp(stored: time), unread: unread, memberAttention: attention, mentions: mentions,
                lastMessageFromMemberAt: lastFromMember.map(UTCTimestamp.init(stored:)))
        }
        let publicKey = row.optionalBytes()
        let relayLink = row.optionalText()
        let connection = connection(&row)?.connection
        return GroupMember(
            groupMemberID: id, groupID: groupID, indexInGroup: index, memberID: memberID, role: role, category: category, status: status,
            settings: GroupMemberSettings(showsMessages: showsMessages), blockedByAdmin: isBlocked,
            invitedBy: invitedByUser ? .user : invitingContact.map { .contact(contactID: ContactID($0)) } ?? .unknown,
            invitedByGroupMemberID: invitingMember.map { GroupMemberID($0) }, localDisplayName: name, profile: profile,
            contactID: contactID.map { ContactID($0) }, profileID: profileID, activeConnection: connection, chatVersions: versions,
            createdAt: createdAt, updatedAt: updatedAt, supportChat: support,
            publicKey: publicKey.flatMap { try? Ed25519.PublicKey(raw: $0) }?.wireString, relayLink: relayLink)
    }

    package func member(_ id: GroupMemberID) throws -> GroupMember? {
        try first(Self.memberSelection + " WHERE m.group_member_id = ?", [id], Self.member)
    }

    package func member(_ id: MemberID, group: GroupID) throws -> GroupMember? {
        try first(Self.memberSelection + " WHERE m.group_id = ? AND m.member_id = ?", [group, id.bytes.blob], Self.member)
    }

    /// The identifier of a member in its group.
    package func memberIdentifier(_ id: GroupMemberID) throws -> MemberID? {
        try first("SELECT member_id FROM group_members WHERE group_member_id = ?", [id]) { MemberID($0.bytes()) }
    }

    /// The members of a group in the order in which they came.
    package func members(of group: GroupID, includingUser: Bool = false) throws -> [GroupMember] {
        try all(
            Self.memberSelection + " WHERE m.group_id = ? AND (? OR m.category <> 'user') ORDER BY m.group_member_id", [group, includingUser],
            Self.member)
    }

    /// The members with roles from moderator up.
    package func moderators(of group: GroupID) throws -> [GroupMember] { try members(of: group, roles: "'moderator', 'admin', 'owner'") }

    /// The members with one of some roles, without reading the others, of whom a channel may have very many.
    ///
    /// - Parameter roles: The codes of the roles as SQL literals.
    package func members(of group: GroupID, roles: String) throws -> [GroupMember] {
        try all(
            Self.memberSelection + """
                 WHERE m.group_member_id IN (SELECT o.group_member_id FROM group_members o WHERE o.group_id = ? AND o.role IN (\(roles)))
                AND m.category <> 'user' ORDER BY m.group_member_id
                """, [group], Self.member)
    }

    /// The members who are not gone and do not wait to be let in, in the order in which they came. Those who have left, whose rows stay with their
    /// messages, are not read: there may be very many.
    package func currentMembers(of group: GroupID) throws -> [GroupMember] { try members(of: group, where: Self.isCurrent) }

    private static let isCurrent: String = {
        let states: [GroupMemberStatus] = [.introduced, .introductionInvited, .accepted, .announced, .connected, .complete, .creator]
        return "m.status IN (\(states.map { "'\($0.rawValue)'" }.joined(separator: ", ")))"
    }()

    /// The members that fulfil a condition, in the order in which they came.
    package func members(of group: GroupID, where condition: String) throws -> [GroupMember] {
        try all(
            Self.memberSelection + " WHERE m.group_id = ? AND m.category <> 'user' AND \(condition) ORDER BY m.group_member_id", [group], Self.member)
    }

    /// The members at some indexes.
    package func members(of group: GroupID, indexes: [Int64]) throws -> [GroupMember] {
        try indexes.compactMap { index in
            try first(
                Self.memberSelection + " WHERE m.group_id = ? AND m.index_in_group = ? AND m.category <> 'user'", [group, index], Self.member)
        }
    }

    /// The member who invited this profile.
    package func host(of group: GroupID) throws -> GroupMember? {
        try first(Self.memberSelection + " WHERE m.group_id = ? AND m.category = 'host' LIMIT 1", [group], Self.member)
    }

    /// The memberships of a contact, with the profile's group of each.
    package func memberships(ofContact id: ContactID) throws -> [GroupMember] {
        try all(Self.memberSelection + " WHERE m.contact_id = ? AND m.category <> 'user'", [id], Self.member)
    }

    /// The number of groups to which a contact has invited this profile, and which it has neither joined nor declined.
    package func openInvitations(from contact: ContactID) throws -> Int64 {
        try number("SELECT count(*) FROM group_members WHERE contact_id = ? AND category = 'host' AND status = 'invited'", [contact]) ?? 0
    }

    package func memberID(named name: String, group: GroupID) throws -> GroupMemberID? {
        try number(
            "SELECT group_member_id FROM group_members WHERE group_id = ? AND local_display_name = ? AND category <> 'user'", [group, name]
        ).map { GroupMemberID($0) }
    }

    /// The link that a contact was invited with.
    package func sentInvitationLink(member id: GroupMemberID) throws -> String? {
        try first("SELECT sent_invitation_link FROM group_members WHERE group_member_id = ?", [id]) { $0.optionalText() } ?? nil
    }

    /// The tag and the welcome message of the request by which a member joined.
    package func joinRequest(member id: GroupMemberID) throws -> (tag: ContactRequestID?, welcome: SharedMessageID?) {
        try first("SELECT request_tag, welcome_shared_msg_id FROM group_members WHERE group_member_id = ?", [id]) {
            (ContactRequestID(stored: $0.optionalBytes()), SharedMessageID(stored: $0.optionalBytes()))
        } ?? (nil, nil)
    }

    /// True if a request to join has made a member.
    package func hasMember(invitationID: Bytes) throws -> Bool {
        try number("SELECT 1 FROM group_members WHERE request_invitation_id = ? LIMIT 1", [invitationID.blob]) != nil
    }

    package func relations(ofMember id: GroupMemberID) throws -> MemberRelations {
        MemberRelations(try first("SELECT relations FROM group_members WHERE group_member_id = ?", [id]) { $0.bytes() } ?? [])
    }

    /// True if items or reports name the member, so that its row has to stay.
    package func hasItems(member id: GroupMemberID) throws -> Bool {
        try number("SELECT 1 FROM chat_items WHERE group_member_id = ? LIMIT 1", [id]) != nil
    }

    // MARK: Changes

    package func insertMember(_ new: NewMemberRecord, user: UserID, at time: UTCTimestamp) throws -> GroupMemberID {
        let profileID = try new.profileID ?? insertProfile(new.profile, user: user, incognito: false, at: time)
        let name: String, ownsName: Bool
        switch new.name {
        case .own: (name, ownsName) = (try reserveDisplayName(new.profile.displayName, user: user), true)
        case .shared(let shared): (name, ownsName) = (shared, false)
        }
        let index =
            try reusedIndex(in: new.groupID)
            ?? number("UPDATE groups SET next_member_index = next_member_index + 1 WHERE group_id = ? RETURNING next_member_index - 1", [new.groupID])
        var invitedByUser = false
        var invitingContact: ContactID?
        switch new.invitedBy {
        case .user: invitedByUser = true
        case .contact(let id): invitingContact = id
        case .unknown, .other: break
        }
        return GroupMemberID(
            try insert(
                """
                INSERT INTO group_members (group_id, user_id, index_in_group, member_id, role, category, status, blocked, invited_by_user,
                    invited_by_contact_id, invited_by_member_id, local_display_name, owns_name, contact_id, profile_id, incognito_profile_id,
                    peer_min_version, peer_max_version, request_tag, request_invitation_id, welcome_shared_msg_id, sent_invitation_link,
                    public_key, relay_link, created_at, updated_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    new.groupID, user, index ?? 0, new.memberID.bytes.blob, new.role.code, new.category.rawValue, new.status.rawValue,
                    new.isBlocked, invitedByUser, invitingContact, new.invitedByMember, name, ownsName, new.contactID, profileID,
                    new.incognitoProfileID, new.versions.minVersion, new.versions.maxVersion, new.requestTag?.bytes.blob, new.invitationID?.blob,
                    new.welcomeSharedMessageID?.bytes.blob, new.sentInvitationLink, new.publicKey?.raw.blob, new.relayLink, time.stored, time.stored,
                ]))
    }

    /// Indexes up to which none is used a second time: looking for a free one, and clearing what is known of its last owner, reads the rows of all members.
    private static var firstReusedIndex: Int64 { 1_024 }

    /// The lowest index of a group that no member has, once as many have joined as are kept without reuse: the relations of members grow with the number
    /// of members, and not of all who have ever joined.
    private func reusedIndex(in group: GroupID) throws -> Int64? {
        let next: Int64? = try number("SELECT next_member_index FROM groups WHERE group_id = ? AND use_relays = 0", [group])
        guard let next, next >= Self.firstReusedIndex else { return nil }
        try releaseIndexes(in: group)
        let free = try number(
            """
            SELECT min(m.index_in_group) + 1 FROM group_members m WHERE m.group_id = ? AND m.index_in_group >= 0
            AND NOT EXISTS (SELECT 1 FROM group_members n WHERE n.group_id = m.group_id AND n.index_in_group = m.index_in_group + 1)
            """, [group])
        guard let free, free < next else { return nil }
        // Nothing is left of what others had to do with the last one who had it.
        for id in try all("SELECT group_member_id FROM group_members WHERE group_id = ? AND length(relations) > ?", [group, free], { GroupMemberID($0.int()) })
        {
            var relations = try relations(ofMember: id)
            if relations.forget(free) { try updateMember(id, relations: relations) }
        }
        return free
    }

    /// Takes the indexes of those who are gone, and whose rows stay, from them. Until somebody joins they keep them: what they said last is forwarded to
    /// those whom their relations name.
    private func releaseIndexes(in group: GroupID) throws {
        try run(
            """
            UPDATE group_members SET index_in_group = -group_member_id, relations = x''
            WHERE group_id = ? AND index_in_group >= 0 AND category <> 'user' AND status IN (?, ?)
            """, [group, GroupMemberStatus.left.rawValue, GroupMemberStatus.removed.rawValue])
    }

    package func updateMember(_ id: GroupMemberID, status: GroupMemberStatus, at time: UTCTimestamp) throws {
        try run("UPDATE group_members SET status = ?, updated_at = ? WHERE group_member_id = ?", [status.rawValue, time.stored, id])
        try touchGroup(ofMembership: id, at: time)
    }

    package func updateMember(_ id: GroupMemberID, role: GroupMemberRole, at time: UTCTimestamp) throws {
        try run("UPDATE group_members SET role = ? WHERE group_member_id = ?", [role.code, id])
        try touchGroup(ofMembership: id, at: time)
    }

    /// Stores what the host tells about a member that was known by a link only.
    package func updateMember(_ id: GroupMemberID, memberID: MemberID, role: GroupMemberRole, at time: UTCTimestamp) throws {
        try run(
            "UPDATE group_members SET member_id = ?, role = ?, updated_at = ? WHERE group_member_id = ?",
            [memberID.bytes.blob, role.code, time.stored, id])
        try touchGroup(ofMembership: id, at: time)
    }

    package func updateMember(_ id: GroupMemberID, category: GroupMemberCategory, invitedBy inviter: GroupMemberID?, versions: ChatVersionRange) throws {
        try run(
            "UPDATE group_members SET category = ?, invited_by_member_id = ?, peer_min_version = ?, peer_max_version = ? WHERE group_member_id = ?",
            [category.rawValue, inviter, versions.minVersion, versions.maxVersion, id])
    }

    package func updateMember(_ id: GroupMemberID, isBlocked: Bool, at time: UTCTimestamp) throws {
        try run("UPDATE group_members SET blocked = ?, updated_at = ? WHERE group_member_id = ?", [isBlocked, time.stored, id])
    }

    /// Keeps the profile that a blocked member has sent, in the place of an earlier one.
    package func withholdProfile(_ profile: Profile, of id: GroupMemberID) throws {
        try run("INSERT OR REPLACE INTO withheld_profiles (group_member_id, profile_json) VALUES (?, ?)", [id, profile.jsonText])
    }

    /// Takes the profile that a member has sent while it was blocked; nil if it has sent none.
    package func takeWithheldProfile(of id: GroupMemberID) throws -> Profile? {
        let profile: Profile? = try first("SELECT profile_json FROM withheld_profiles WHERE group_member_id = ?", [id]) { try Profile(parsing: $0.text()) }
        if profile != nil { try run("DELETE FROM withheld_profiles WHERE group_member_id = ?", [id]) }
        return profile
    }

    package func updateMember(_ id: GroupMemberID, showsMessages: Bool) throws {
        try run("UPDATE group_members SET show_messages = ? WHERE group_member_id = ?", [showsMessages, id])
    }

    package func updateMember(_ id: GroupMemberID, versions: ChatVersionRange) throws {
        try run(
            "UPDATE group_members SET peer_min_version = ?, peer_max_version = ? WHERE group_member_id = ?",
            [versions.minVersion, versions.maxVersion, id])
    }

    package func updateMember(_ id: GroupMemberID, relations: MemberRelations) throws {
        try run("UPDATE group_members SET relations = ? WHERE group_member_id = ?", [relations.bytes.blob, id])
    }

    package func updateMember(_ id: GroupMemberID, incognitoProfile: ProfileID, name: String) throws {
        try run(
            "UPDATE group_members SET incognito_profile_id = ?, local_display_name = ?, owns_name = 1 WHERE group_member_id = ?",
            [incognitoProfile, name, id])
    }

    /// Notes that the host's own profile has come, which it sends once.
    ///
    /// - Returns: False if it had come before.
    package func receiveLinkProfile(member id: GroupMemberID) throws -> Bool {
        try run("UPDATE group_members SET link_profile_received = 1 WHERE group_member_id = ? AND link_profile_received = 0", [id])
        return changesCount > 0
    }

    /// Stores what a member publishes now. A new name gives it a new local name, unless it shares that of a contact.
    package func updateMember(_ member: GroupMember, user: UserID, profile: Profile, at time: UTCTimestamp) throws {
        let ownsName = try number("SELECT owns_name FROM group_members WHERE group_member_id = ?", [member.groupMemberID]) == 1
        if ownsName, profile.displayName != member.profile.displayName {
            try releaseDisplayName(member.localDisplayName, user: user)
            let name = try reserveDisplayName(profile.displayName, user: user)
            try run("UPDATE group_members SET local_display_name = ? WHERE group_member_id = ?", [name, member.groupMemberID])
        }
        try updateProfile(member.profile.profileID, to: profile, at: time)
        try run("UPDATE group_members SET updated_at = ? WHERE group_member_id = ?", [time.stored, member.groupMemberID])
    }

    /// Records that a member is a contact; the member then has the contact's name and profile.
    package func associate(_ member: GroupMember, with contact: Contact, user: UserID) throws {
        let ownsName = try number("SELECT owns_name FROM group_members WHERE group_member_id = ?", [member.groupMemberID]) == 1
        try run(
            "UPDATE group_members SET contact_id = ?, profile_id = ?, local_display_name = ?, owns_name = 0 WHERE group_member_id = ?",
            [contact.contactID, contact.profile.profileID, contact.localDisplayName, member.groupMemberID])
        if ownsName { try releaseDisplayName(member.localDisplayName, user: user) }
        try deleteProfileIfUnused(member.profileID)
    }

    /// Records that a contact is a member; the contact then has the member's name and profile.
    package func associate(_ contact: Contact, with member: GroupMember, user: UserID) throws {
        try run(
            "UPDATE contacts SET profile_id = ?, local_display_name = ? WHERE contact_id = ?",
            [member.profileID, member.localDisplayName, contact.contactID])
        // Other memberships of the contact follow it.
        try run(
            "UPDATE group_members SET profile_id = ?, local_display_name = ? WHERE contact_id = ?",
            [member.profileID, member.localDisplayName, contact.contactID])
        try run(
            "UPDATE group_members SET contact_id = ?, owns_name = 0 WHERE group_member_id = ?", [contact.contactID, member.groupMemberID])
        try releaseDisplayName(contact.localDisplayName, user: user)
        try deleteProfileIfUnused(contact.profile.profileID)
    }

    /// Removes a member with its connections, its name and its profile, unless a contact or another member has them too.
    package func deleteMember(_ member: GroupMember, user: UserID) throws {
        let (ownsName, incognito) =
            try first("SELECT owns_name, incognito_profile_id FROM group_members WHERE group_member_id = ?", [member.groupMemberID]) {
                ($0.flag(), $0.optionalInt().map { ProfileID($0) })
            } ?? (false, nil)
        try run("DELETE FROM group_members WHERE group_member_id = ?", [member.groupMemberID])
        if ownsName { try releaseDisplayName(member.localDisplayName, user: user) }
        try deleteProfileIfUnused(member.profileID)
        if let incognito { try deleteProfileIfUnused(incognito) }
    }

    /// Removes a profile that no profile of this core, contact, member, request or connection has.
    package func deleteProfileIfUnused(_ id: ProfileID) throws {
        try run(
            """
            DELETE FROM profiles WHERE profile_id = ?1
                AND NOT EXISTS (SELECT 1 FROM users WHERE profile_id = ?1)
                AND NOT EXISTS (SELECT 1 FROM contacts WHERE profile_id = ?1)
                AND NOT EXISTS (SELECT 1 FROM group_members WHERE profile_id = ?1 OR incognito_profile_id = ?1)
                AND NOT EXISTS (SELECT 1 FROM contact_requests WHERE profile_id = ?1)
                AND NOT EXISTS (SELECT 1 FROM connections WHERE incognito_profile_id = ?1)
            """, [id])
    }

    /// Hands the name and the profile of a contact that is deleted to the memberships that share them.
    ///
    /// - Returns: False if there is none.
    package func keepForMembers(_ contact: Contact) throws -> Bool {
        try run("UPDATE group_members SET owns_name = 1 WHERE contact_id = ? AND category <> 'user'", [contact.contactID])
        return changesCount > 0
    }

    // MARK: Support chats

    /// Opens the support chat of a member, if it is not.
    package func openSupportChat(member id: GroupMemberID, at time: UTCTimestamp) throws {
        try run("UPDATE group_members SET support_chat_ts = ? WHERE group_member_id = ? AND support_chat_ts IS NULL", [time.stored, id])
    }

    /// Counts what came to a support chat.
    ///
    /// - Parameter lastFromMember: When the member wrote last; nil keeps what is stored.
    package func updateSupportChat(
        member id: GroupMemberID, unread: Int, attention: SupportAttention, mentions: Int, at time: UTCTimestamp
    ) throws {
        let (change, last): (Int?, UTCTimestamp?) =
            switch attention {
            case .increase(let count, let time): (count, time)
            case .reset: (nil, nil)
            }
        try run(
            """
            UPDATE group_members SET support_chat_ts = ?, support_unread = max(0, support_unread + ?),
                support_attention = CASE WHEN ?3 IS NULL THEN 0 ELSE max(0, support_attention + ?3) END,
                support_mentions = max(0, support_mentions + ?), support_last_member_ts = coalesce(?, support_last_member_ts)
            WHERE group_member_id = ?
            """, [time.stored, unread, change, mentions, last?.stored, id])
    }

    /// The number of messages that came last to a member's support chat, that the member has written and nobody has read.
    ///
    /// The order is that in which they came: a router's clock that is slow would place a message before the answer to an earlier one.
    package func unansweredMessages(of member: GroupMember) throws -> Int {
        var arguments: SQLArguments = [member.groupID]
        let chat = "FROM chat_items i WHERE i.group_id = ?" + GroupChatScope?.some(.memberSupport(member.groupMemberID)).condition(&arguments)
        // The plus keeps the index of the chat in use, whose items may be few among all.
        let last = try number(
            "SELECT max(+i.chat_item_id) \(chat) AND NOT (i.status = 'rcvNew' AND i.group_member_id IS ?)", arguments + [member.groupMemberID])
        return Int(try number("SELECT count(*) \(chat) AND +i.chat_item_id > ?", arguments + [last ?? 0]) ?? 0)
    }

    /// Replaces the count of messages of a member that no moderator has answered.
    package func updateSupportChat(member id: GroupMemberID, unanswered: Int, at time: UTCTimestamp) throws {
        try run("UPDATE group_members SET support_attention = ?, updated_at = ? WHERE group_member_id = ?", [unanswered, time.stored, id])
    }

    package func readSupportChat(member id: GroupMemberID) throws {
        try run("UPDATE group_members SET support_unread = 0, support_attention = 0, support_mentions = 0 WHERE group_member_id = ?", [id])
    }

    package func deleteSupportChat(member id: GroupMemberID, group: GroupID) throws {
        try run("DELETE FROM chat_items WHERE group_id = ? AND scope = 'support' AND scope_member_id = ?", [group, id])
        try run(
            """
            UPDATE group_members SET support_chat_ts = NULL, support_unread = 0, support_attention = 0, support_mentions = 0,
                support_last_member_ts = NULL WHERE group_member_id = ?
            """, [id])
    }
}

/// The change of the count of messages of a member that no moderator has answered.
package enum SupportAttention: Hashable, Sendable {
    /// Adds to the count.
    ///
    /// - Parameter lastFromMember: When the member wrote; nil if somebody else did.
    case increase(Int, lastFromMember: UTCTimestamp?)
    /// A moderator has answered.
    case reset
}
