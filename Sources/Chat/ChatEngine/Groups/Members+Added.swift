import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPCrypto
import SMPWire

extension Members {
    /// Stores this profile's own membership.
    ///
    /// - Parameter incognitoProfile: The random profile that members are shown.
    func insertMembership(
        _ group: GroupID, memberID: MemberID, role: GroupMemberRole, status: GroupMemberStatus, invitedBy: InvitedBy = .unknown,
        host: GroupMemberID? = nil, incognitoProfile: ProfileID? = nil, publicKey: Ed25519.PublicKey? = nil, of user: User
    ) throws {
        let incognito = try incognitoProfile.flatMap { try db.profiles.find($0) }
        var new = NewMemberRecord(
            groupID: group, memberID: memberID, role: role, category: .user, status: status, invitedBy: invitedBy, invitedByMember: host,
            name: incognito == nil ? .shared(user.localDisplayName) : .own, contactID: user.userContactID,
            profile: incognito ?? user.profile.published, profileID: user.profile.profileID, incognitoProfileID: incognitoProfile,
            versions: ChatVersionRange(ChatVersions.supported), publicKey: publicKey)
        if incognito == nil { new.incognitoProfileID = nil }
        _ = try db.members.insert(new, user: user.userID, at: now)
    }

    /// Stores a member that another member announces.
    func add(
        _ info: MemberInfo, category: GroupMemberCategory, status: GroupMemberStatus, invitedBy inviter: GroupMember?, isBlocked: Bool = false,
        isRoleClaimed: Bool = false, in group: GroupInfo, of user: User
    ) throws -> GroupMember {
        var new = NewMemberRecord(
            groupID: group.groupID, memberID: info.memberID, role: info.role, category: category, status: status,
            invitedByMember: inviter?.groupMemberID, profile: info.profile,
            versions: ChatVersionRange(info.versions ?? ChatVersions.initial), isBlocked: isBlocked,
            publicKey: group.usesRelays ? info.key : nil)
        new.isRoleClaimed = isRoleClaimed
        let id = try db.members.insert(new, user: user.userID, at: now)
        if !info.unknownMembers.isEmpty { try db.keptMembers.keep(info.unknownMembers, ofMember: id) }
        return try transaction.conversations.member(id, in: group)
    }

    /// Completes a member who was known by forwarded messages only.
    func complete(
        _ member: GroupMember, with info: MemberInfo, status: GroupMemberStatus, invitedBy inviter: GroupMember, in group: GroupInfo, of user: User
    ) throws -> GroupMember {
        let id = member.groupMemberID
        try db.members.update(member, user: user.userID, profile: info.profile, at: now)
        try db.keptMembers.keep(info.unknownMembers, ofMember: id)
        // A relay cannot change the data of an owner from the link or a signed event, nor a known key.
        try db.members.update(id, role: group.usesRelays ? ChannelRules.role(introduced: info.role, known: member) : info.role, at: now)
        try db.members.update(id, status: status, at: now)
        // A key of somebody with a role of the roster comes from an owner alone.
        if let key = info.key, !group.usesRelays || member.publicKey == nil && !RosterRules.lists(member.role) { try db.members.update(id, publicKey: key) }
        try db.members.update(
            id, category: .post, invitedBy: inviter.groupMemberID, versions: info.versions.map(ChatVersionRange.init) ?? member.chatVersions)
        guard let updated = try db.members.find(id) else { throw Refusal.store(.groupMemberNotFound(groupMemberID: id)) }
        return updated
    }

    /// The member of a forwarded message, made if it is not known.
    ///
    /// - Returns: nil if it is not known and must not be made.
    func author(
        _ id: MemberID, name: String, in group: GroupInfo, makesUnknown: Bool, of user: User
    ) throws -> (member: GroupMember, isNew: Bool)? {
        if let known = try db.members.find(id, group: group.groupID) { return (known, false) }
        guard makesUnknown else { return nil }
        let shown = name.isEmpty ? String(Base64URL.encode(id.bytes).prefix(7)) : name
        let info = MemberInfo(
            memberID: id, role: group.unknownMemberRole, versions: ChatVersions.supported, profile: Profile(displayName: shown, fullName: ""))
        return (try add(info, category: .pre, status: .unknown, invitedBy: nil, in: group, of: user), true)
    }

    /// The agent has made the connection for a member that was introduced: the host passes its link on. The connection is deleted if the member is
    /// gone meanwhile.
    func inviteIntroduced(
        _ id: GroupMemberID, connection: Bytes, link: String, of user: User
    ) throws {
        guard let member = try db.members.find(id), let group = try db.groups.find(member.groupID, user: user.userID), member.activeConnection == nil,
            !member.status.hasEnded, !group.membership.status.hasEnded, let host = try db.members.host(of: group.groupID)
        else { return try enqueue(.connection(.delete(connections: [connection], after: [])), user: user) }
        try insertConnection(connection, with: member, status: .new, introducedBy: host, user: user)
        try transaction.outbox.sendDirectly([.inviteMember(memberID: member.memberID, IntroInvitation(groupConnectionRequest: link))], to: host, in: group)
        if member.status == .introduced { try db.members.update(id, status: .introductionInvited, at: now) }
    }

    /// Stores the connection with a member.
    func insertConnection(
        _ agentID: Bytes, with member: GroupMember, status: ConnectionStatus, viaGroupLink: UserContactLinkID? = nil, viaAddress: UserContactLinkID? = nil,
        introducedBy host: GroupMember? = nil, user: User
    ) throws {
        let peer = member.chatVersions
        var new = NewConnectionRecord(
            userID: user.userID, agentConnectionID: agentID, status: status,
            chatVersion: ChatVersions.connectionVersion(local: ChatVersions.supported, peer: member.versionRange))
        new.peerVersions = peer
        new.memberID = member.groupMemberID
        new.viaGroupLink = viaGroupLink
        new.viaAddress = viaAddress
        new.pqSupport = false
        if let host {
            new.level = (host.activeConnection?.level ?? 0) + 1
            new.viaContact = host.contactID
        }
        _ = try db.connections.insert(new, at: now)
    }
}
