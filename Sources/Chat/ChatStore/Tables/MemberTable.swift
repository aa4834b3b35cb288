package import ChatAPI
package import ChatProtocol
package import ChatRules
package import EncryptedSQLite
import GRDB
package import SMPCrypto
package import SMPWire
import SystemSupport

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
    /// The role is one that an introducer below it claims.
    package var isRoleClaimed = false

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

/// The change of the count of messages of a member that no moderator has answered.
package enum SupportAttention: Hashable, Sendable {
    /// Adds to the count.
    ///
    /// - Parameter lastFromMember: When the member wrote; nil if somebody else did.
    case increase(Int, lastFromMember: UTCTimestamp?)
    /// A moderator has answered.
    case reset
}

/// Members of groups.
package struct MemberTable {
    let db: Database

    package static let columns = """
        m.group_member_id, m.group_id, m.index_in_group, m.member_id, m.role, m.category, m.status, m.show_messages, m.blocked,
        m.invited_by_user, m.invited_by_contact_id, m.invited_by_member_id, m.local_display_name, m.contact_id, m.profile_id,
        mp.profile_id, mp.profile_json, mp.local_alias, m.peer_min_version, m.peer_max_version, m.created_at, m.updated_at,
        m.support_chat_ts, m.support_unread, m.support_attention, m.support_mentions, m.support_last_member_ts, m.public_key, m.relay_link,
        m.role_claimed, m.verified_code, m.verified_code_at,
        \(ConnectionTable.columns)
        """

    package static let joins = """
        JOIN profiles mp ON mp.profile_id = coalesce(m.incognito_profile_id, m.profile_id)
        LEFT JOIN connections cn ON cn.connection_id = (SELECT max(x.connection_id) FROM connections x WHERE x.group_member_id = m.group_member_id)
        """

    private static let selection = "SELECT \(columns) FROM group_members m \(joins)"

    /// Reads ``columns``.
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
        let isRoleClaimed = row.flag()
        let verifiedCode = row.optionalText(), verifiedAt = row.optionalInt().map(UTCTimestamp.init(stored:))
        let connection = ConnectionTable.connection(&row)?.connection
        return GroupMember(
            groupMemberID: id, groupID: groupID, indexInGroup: index, memberID: memberID, role: role, category: category, status: status,
            settings: GroupMemberSettings(showsMessages: showsMessages), blockedByAdmin: isBlocked,
            invitedBy: invitedByUser ? .user : invitingContact.map { .contact(contactID: ContactID($0)) } ?? .unknown,
            invitedByGroupMemberID: invitingMember.map { GroupMemberID($0) }, localDisplayName: name, profile: profile,
            contactID: contactID.map { ContactID($0) }, profileID: profileID, activeConnection: connection, chatVersions: versions,
            createdAt: createdAt, updatedAt: updatedAt, supportChat: support,
            publicKey: publicKey.flatMap { try? Ed25519.PublicKey(raw: $0) }?.wireString, relayLink: relayLink,
            verifiedCode: verifiedCode.flatMap { code in verifiedAt.map { ConfirmedSecurityCode(securityCode: code, verifiedAt: $0) } },
            isRoleClaimed: isRoleClaimed ? true : nil)
    }

    package func find(_ id: GroupMemberID) throws -> GroupMember? {
        try db.first(Self.selection + " WHERE m.group_member_id = ?", [id], Self.member)
    }

    package func find(_ id: MemberID, group: GroupID) throws -> GroupMember? {
        try db.first(Self.selection + " WHERE m.group_id = ? AND m.member_id = ?", [group, id.bytes.blob], Self.member)
    }

    /// The identifier of a member in its group.
    package func memberIdentifier(_ id: GroupMemberID) throws -> MemberID? {
        try db.first("SELECT member_id FROM group_members WHERE group_member_id = ?", [id]) { MemberID($0.bytes()) }
    }

    /// The members of a group in the order in which they came.
    package func members(of group: GroupID, includingUser: Bool = false) throws -> [GroupMember] {
        try db.all(
            Self.selection + " WHERE m.group_id = ? AND (? OR m.category <> 'user') ORDER BY m.group_member_id", [group, includingUser],
            Self.member)
    }

    /// The members with roles from moderator up.
    package func moderators(of group: GroupID) throws -> [GroupMember] { try members(of: group, roles: "'moderator', 'admin', 'owner'") }

    /// The members with one of some roles, without reading the others, of whom a channel may have very many.
    ///
    /// - Parameter roles: The codes of the roles as SQL literals.
    package func members(of group: GroupID, roles: String) throws -> [GroupMember] {
        try db.all(
            Self.selection + """
                 WHERE m.group_member_id IN (SELECT o.group_member_id FROM group_members o WHERE o.group_id = ? AND o.role IN (\(roles)))
                AND m.category <> 'user' ORDER BY m.group_member_id
                """, [group], Self.member)
    }

    /// The members who have not left and do not wait for admission, in the order of joining. Those who have left, whose rows stay with their
    /// messages, are not read: there may be very many.
    package func current(of group: GroupID) throws -> [GroupMember] { try members(of: group, where: Self.isCurrent) }

    private static let isCurrent: String = {
        let states: [GroupMemberStatus] = [.introduced, .introductionInvited, .accepted, .announced, .connected, .complete, .creator]
        return "m.status IN (\(states.map { "'\($0.rawValue)'" }.joined(separator: ", ")))"
    }()

    /// The members that fulfil a condition, in the order in which they came.
    package func members(of group: GroupID, where condition: String) throws -> [GroupMember] {
        try db.all(
            Self.selection + " WHERE m.group_id = ? AND m.category <> 'user' AND \(condition) ORDER BY m.group_member_id", [group], Self.member)
    }

    /// The members at some indexes.
    package func members(of group: GroupID, indexes: [Int64]) throws -> [GroupMember] {
        try indexes.compactMap { index in
            try db.first(
                Self.selection + " WHERE m.group_id = ? AND m.index_in_group = ? AND m.category <> 'user'", [group, index], Self.member)
        }
    }

    /// The member who invited this profile.
    package func host(of group: GroupID) throws -> GroupMember? {
        try db.first(Self.selection + " WHERE m.group_id = ? AND m.category = 'host' LIMIT 1", [group], Self.member)
    }

    /// The memberships of a contact, with the profile's group of each.
    package func memberships(ofContact id: ContactID) throws -> [GroupMember] {
        try db.all(Self.selection + " WHERE m.contact_id = ? AND m.category <> 'user'", [id], Self.member)
    }

    /// The number of groups to which a contact has invited this profile, and which it has neither joined nor declined.
    package func openInvitations(from contact: ContactID) throws -> Int64 {
        try db.number("SELECT count(*) FROM group_members WHERE contact_id = ? AND category = 'host' AND status = 'invited'", [contact]) ?? 0
    }

    package func id(named name: String, group: GroupID) throws -> GroupMemberID? {
        try db.number(
            "SELECT group_member_id FROM group_members WHERE group_id = ? AND local_display_name = ? AND category <> 'user'", [group, name]
        ).map { GroupMemberID($0) }
    }

    /// The link that a contact was invited with.
    package func sentInvitationLink(member id: GroupMemberID) throws -> String? {
        try db.first("SELECT sent_invitation_link FROM group_members WHERE group_member_id = ?", [id]) { $0.optionalText() } ?? nil
    }

    /// The tag and the welcome message of the request by which a member joined.
    package func joinRequest(member id: GroupMemberID) throws -> (tag: ContactRequestID?, welcome: SharedMessageID?) {
        try db.first("SELECT request_tag, welcome_shared_msg_id FROM group_members WHERE group_member_id = ?", [id]) {
            (ContactRequestID(stored: $0.optionalBytes()), SharedMessageID(stored: $0.optionalBytes()))
        } ?? (nil, nil)
    }

    /// True if a request to join has made a member.
    package func hasMember(invitationID: Bytes) throws -> Bool {
        try db.number("SELECT 1 FROM group_members WHERE request_invitation_id = ? LIMIT 1", [invitationID.blob]) != nil
    }

    package func relations(ofMember id: GroupMemberID) throws -> MemberRelations {
        MemberRelations(try db.first("SELECT relations FROM group_members WHERE group_member_id = ?", [id]) { $0.bytes() } ?? [])
    }

    // MARK: Changes

    package func insert(_ new: NewMemberRecord, user: UserID, at time: UTCTimestamp) throws -> GroupMemberID {
        let profileID = try new.profileID ?? db.profiles.insert(new.profile, user: user, incognito: false, at: time)
        let name: String, ownsName: Bool
        switch new.name {
        case .own: (name, ownsName) = (try db.profiles.reserveDisplayName(new.profile.displayName, user: user), true)
        case .shared(let shared): (name, ownsName) = (shared, false)
        }
        let index =
            try reusedIndex(in: new.groupID)
            ?? db.number("UPDATE groups SET next_member_index = next_member_index + 1 WHERE group_id = ? RETURNING next_member_index - 1", [new.groupID])
        var invitedByUser = false
        var invitingContact: ContactID?
        switch new.invitedBy {
        case .user: invitedByUser = true
        case .contact(let id): invitingContact = id
        case .unknown, .other: break
        }
        return GroupMemberID(
            try db.insert(
                """
                INSERT INTO group_members (group_id, user_id, index_in_group, member_id, role, category, status, blocked, invited_by_user,
                    invited_by_contact_id, invited_by_member_id, local_display_name, owns_name, contact_id, profile_id, incognito_profile_id,
                    peer_min_version, peer_max_version, request_tag, request_invitation_id, welcome_shared_msg_id, sent_invitation_link,
                    public_key, relay_link, role_claimed, created_at, updated_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    new.groupID, user, index ?? 0, new.memberID.bytes.blob, new.role.code, new.category.rawValue, new.status.rawValue,
                    new.isBlocked, invitedByUser, invitingContact, new.invitedByMember, name, ownsName, new.contactID, profileID,
                    new.incognitoProfileID, new.versions.minVersion, new.versions.maxVersion, new.requestTag?.bytes.blob, new.invitationID?.blob,
                    new.welcomeSharedMessageID?.bytes.blob, new.sentInvitationLink, new.publicKey?.raw.blob, new.relayLink, new.isRoleClaimed,
                    time.stored, time.stored,
                ]))
    }

    /// Indexes below this are not reused: looking for a free one, and clearing the records of its last owner, reads the rows of all members.
    private static var firstReusedIndex: Int64 { 1_024 }

    /// The lowest index of a group that no member has, once as many have joined as are kept without reuse: the relations of members grow with the number
    /// of members, and not of all who have ever joined.
    private func reusedIndex(in group: GroupID) throws -> Int64? {
        let next: Int64? = try db.number("SELECT next_member_index FROM groups WHERE group_id = ? AND use_relays = 0", [group])
        guard let next, next >= Self.firstReusedIndex else { return nil }
        try releaseIndexes(in: group)
        let free = try db.number(
            """
            SELECT min(m.index_in_group) + 1 FROM group_members m WHERE m.group_id = ? AND m.index_in_group >= 0
            AND NOT EXISTS (SELECT 1 FROM group_members n WHERE n.group_id = m.group_id AND n.index_in_group = m.index_in_group + 1)
            """, [group])
        guard let free, free < next else { return nil }
        // Nothing is left of what others had to do with the last one who had it.
        for id in try db.all(
            "SELECT group_member_id FROM group_members WHERE group_id = ? AND length(relations) > ?", [group, free], { GroupMemberID($0.int()) })
        {
            var relations = try relations(ofMember: id)
            if relations.forget(free) { try update(id, relations: relations) }
        }
        return free
    }

    /// Takes the indexes of those who are gone, and whose rows stay, from them. Until somebody joins they keep them: what they said last is forwarded to
    /// those whom their relations name.
    private func releaseIndexes(in group: GroupID) throws {
        try db.run(
            """
            UPDATE group_members SET index_in_group = -group_member_id, relations = x''
            WHERE group_id = ? AND index_in_group >= 0 AND category <> 'user' AND status IN (?, ?)
            """, [group, GroupMemberStatus.left.rawValue, GroupMemberStatus.removed.rawValue])
    }

    package func update(_ id: GroupMemberID, status: GroupMemberStatus, at time: UTCTimestamp) throws {
        try db.run("UPDATE group_members SET status = ?, updated_at = ? WHERE group_member_id = ?", [status.rawValue, time.stored, id])
        try db.groups.touch(ofMembership: id, at: time)
    }

    /// Changes the role of a member.
    ///
    /// - Parameter isClaimed: True if it comes from one whose own role is a claim.
    package func update(_ id: GroupMemberID, role: GroupMemberRole, isClaimed: Bool = false, at time: UTCTimestamp) throws {
        try db.run("UPDATE group_members SET role = ?, role_claimed = ? WHERE group_member_id = ?", [role.code, isClaimed, id])
        try db.groups.touch(ofMembership: id, at: time)
    }

    /// Stores what the host tells about a member that was known by a link only.
    package func update(_ id: GroupMemberID, memberID: MemberID, role: GroupMemberRole, at time: UTCTimestamp) throws {
        try db.run(
            "UPDATE group_members SET member_id = ?, role = ?, updated_at = ? WHERE group_member_id = ?",
            [memberID.bytes.blob, role.code, time.stored, id])
        try db.groups.touch(ofMembership: id, at: time)
    }

    package func update(_ id: GroupMemberID, category: GroupMemberCategory, invitedBy inviter: GroupMemberID?, versions: ChatVersionRange) throws {
        try db.run(
            "UPDATE group_members SET category = ?, invited_by_member_id = ?, peer_min_version = ?, peer_max_version = ? WHERE group_member_id = ?",
            [category.rawValue, inviter, versions.minVersion, versions.maxVersion, id])
    }

    package func update(_ id: GroupMemberID, isBlocked: Bool, at time: UTCTimestamp) throws {
        try db.run("UPDATE group_members SET blocked = ?, updated_at = ? WHERE group_member_id = ?", [isBlocked, time.stored, id])
    }

    /// Keeps the profile that a blocked member has sent, in the place of an earlier one.
    package func withholdProfile(_ profile: Profile, of id: GroupMemberID) throws {
        try db.run("INSERT OR REPLACE INTO withheld_profiles (group_member_id, profile_json) VALUES (?, ?)", [id, profile.jsonText])
    }

    /// Takes the profile that a member has sent while it was blocked; nil if it has sent none.
    package func takeWithheldProfile(of id: GroupMemberID) throws -> Profile? {
        let profile: Profile? = try db.first("SELECT profile_json FROM withheld_profiles WHERE group_member_id = ?", [id]) { try Profile(parsing: $0.text()) }
        if profile != nil { try db.run("DELETE FROM withheld_profiles WHERE group_member_id = ?", [id]) }
        return profile
    }

    package func update(_ id: GroupMemberID, showsMessages: Bool) throws {
        try db.run("UPDATE group_members SET show_messages = ? WHERE group_member_id = ?", [showsMessages, id])
    }

    package func update(_ id: GroupMemberID, versions: ChatVersionRange) throws {
        try db.run(
            "UPDATE group_members SET peer_min_version = ?, peer_max_version = ? WHERE group_member_id = ?",
            [versions.minVersion, versions.maxVersion, id])
    }

    package func update(_ id: GroupMemberID, relations: MemberRelations) throws {
        try db.run("UPDATE group_members SET relations = ? WHERE group_member_id = ?", [relations.bytes.blob, id])
    }

    package func update(_ id: GroupMemberID, incognitoProfile: ProfileID, name: String) throws {
        try db.run(
            "UPDATE group_members SET incognito_profile_id = ?, local_display_name = ?, owns_name = 1 WHERE group_member_id = ?",
            [incognitoProfile, name, id])
    }

    /// Notes that the host's own profile has come, which it sends once.
    ///
    /// - Returns: False if it had come before.
    package func receiveLinkProfile(member id: GroupMemberID) throws -> Bool {
        try db.run("UPDATE group_members SET link_profile_received = 1 WHERE group_member_id = ? AND link_profile_received = 0", [id])
        return db.changesCount > 0
    }

    /// Stores what a member publishes now. A new name gives it a new local name, unless it shares that of a contact.
    package func update(_ member: GroupMember, user: UserID, profile: Profile, at time: UTCTimestamp) throws {
        let ownsName = try db.number("SELECT owns_name FROM group_members WHERE group_member_id = ?", [member.groupMemberID]) == 1
        if ownsName, profile.displayName != member.profile.displayName {
            try db.profiles.releaseDisplayName(member.localDisplayName, user: user)
            let name = try db.profiles.reserveDisplayName(profile.displayName, user: user)
            try db.run("UPDATE group_members SET local_display_name = ? WHERE group_member_id = ?", [name, member.groupMemberID])
        }
        try db.profiles.update(member.profile.profileID, to: profile, at: time)
        try db.run("UPDATE group_members SET updated_at = ? WHERE group_member_id = ?", [time.stored, member.groupMemberID])
    }

    /// Removes a member with its connections, its name and its profile, unless a contact or another member has them too.
    package func delete(_ member: GroupMember, user: UserID) throws {
        let (ownsName, incognito) =
            try db.first("SELECT owns_name, incognito_profile_id FROM group_members WHERE group_member_id = ?", [member.groupMemberID]) {
                ($0.flag(), $0.optionalInt().map { ProfileID($0) })
            } ?? (false, nil)
        try db.run("DELETE FROM group_members WHERE group_member_id = ?", [member.groupMemberID])
        if ownsName { try db.profiles.releaseDisplayName(member.localDisplayName, user: user) }
        try db.profiles.deleteIfUnused(member.profileID)
        if let incognito { try db.profiles.deleteIfUnused(incognito) }
    }

    package func update(_ id: GroupMemberID, contact: ContactID) throws {
        try db.run("UPDATE group_members SET contact_id = ? WHERE group_member_id = ?", [contact, id])
    }

    /// The profile that a member's group belongs to.
    package func userID(ofMember id: GroupMemberID) throws -> UserID? {
        try db.number("SELECT user_id FROM group_members WHERE group_member_id = ?", [id]).map { UserID($0) }
    }
}
